//! Gives every terrain whose landscape has a sea its water, and takes it away from those without.

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;

use super::terrain::TerrainGround;
use super::water::WaterSurface;

/// The water that was given to a terrain, on a child of it.
#[derive(Component)]
pub(super) struct Sea;

/// Follows every landscape that was swapped in.
pub(super) fn keep_seas(
    mut commands: Commands,
    grounds: Query<
        (Entity, &TerrainGround, Option<&RenderLayers>, Option<&Children>),
        Changed<TerrainGround>,
    >,
    mut seas: Query<&mut WaterSurface, With<Sea>>,
) {
    for (terrain, ground, layers, children) in &grounds {
        let old = children.iter().flat_map(|children| children.iter()).find(|child| seas.contains(*child));
        let new = ground.landscape.sea_level.map(|level| {
            WaterSurface::new(ground.heights.clone(), ground.landscape.heightfield.grid(), level)
        });
        match (old.and_then(|old| seas.get_mut(old).ok()), new) {
            (Some(mut water), Some(new)) => {
                // Clarity, wind and waves may have been set by the game.
                (water.heights, water.grid, water.sea_level) = (new.heights, new.grid, new.sea_level);
            }
            (None, Some(new)) => {
                let layers = layers.cloned().unwrap_or_default();
                commands.spawn((new, Sea, layers, ChildOf(terrain)));
            }
            (Some(_), None) => old.into_iter().for_each(|old| commands.entity(old).despawn()),
            (None, None) => {}
        }
    }
}
