//! Messages about ground that has changed, and about when queries return the new ground.

use bevy::ecs::entity::EntityHashMap;
use bevy::math::DVec2;
use bevy::prelude::*;

use super::components::Terrain;
use crate::plugin::stream::Stream;

/// Ground of a terrain has changed, or is about to: whatever was made from it before (colliders, paths,
/// objects that stand on it) is out of date. Sent in the frame of the change, before the tiles in question
/// have been made again: [`TerrainQuery`](crate::plugin::TerrainQuery) may answer with the old ground for
/// some frames. To get the new one, wait for [`TerrainSettled`].
///
/// Colours alone are no such change, nor is a finer tile of the same ground.
#[derive(Message, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct TerrainChanged {
    /// The terrain.
    pub terrain: Entity,
    /// Where: the north-west and the south-east corner, metres from the land's sample (0, 0); `None` for all
    /// of it.
    pub area: Option<[DVec2; 2]>,
}

impl TerrainChanged {
    /// All ground of a terrain has changed.
    pub fn everywhere(terrain: Entity) -> Self {
        Self { terrain, area: None }
    }
}

/// All ground that queries return in an area is up to date: the change that an earlier [`TerrainChanged`]
/// announced is there. Sent in `PostUpdate`, once for each area, unless the terrain is removed before: in the
/// frame of the change itself where a stroke is drawn immediately, and some frames later where tiles have to
/// be made in the background first, as after an undo, with tools that look around, and when a recipe has
/// changed. Ask [`TerrainQuery::is_settled`](crate::plugin::TerrainQuery::is_settled) at any other time.
///
/// Tiles that are finer may still come, as when a camera moves; colliders follow in their own time, as
/// [`AwaitsGround`](crate::plugin::AwaitsGround) says.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{TerrainQuery, TerrainSettled};
///
/// #[derive(Component)]
/// struct House;
///
/// fn stand_again(
///     mut settled: MessageReader<TerrainSettled>,
///     terrains: TerrainQuery,
///     mut houses: Query<&mut Transform, With<House>>,
/// ) {
///     if settled.read().count() > 0 {
///         for mut house in &mut houses {
///             if let Some(ground) = terrains.ground(house.translation) {
///                 house.translation = ground.position;
///             }
///         }
///     }
/// }
/// ```
#[derive(Message, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct TerrainSettled {
    /// The terrain.
    pub terrain: Entity,
    /// Where: the area of the [`TerrainChanged`].
    pub area: Option<[DVec2; 2]>,
}

/// Reports changed ground that queries now return. Areas not reported yet are kept by terrain.
pub(super) fn report_settled(
    mut changed: MessageReader<TerrainChanged>,
    mut settled: MessageWriter<TerrainSettled>,
    terrains: Query<Option<&Stream>, With<Terrain>>,
    mut awaited: Local<EntityHashMap<Vec<Option<[DVec2; 2]>>>>,
) {
    for TerrainChanged { terrain, area } in changed.read() {
        let areas = awaited.entry(*terrain).or_default();
        // A brush reports the same area in every frame; games want to hear of it once.
        if !areas.contains(area) {
            areas.push(*area);
        }
    }
    awaited.retain(|&terrain, areas| {
        // The terrain has been removed.
        let Ok(stream) = terrains.get(terrain) else { return false };
        areas.retain(|&area| {
            // A terrain without ground has nothing to wait for.
            let is_resident = stream.is_none_or(|stream| stream.is_up_to_date(area));
            if is_resident {
                settled.write(TerrainSettled { terrain, area });
            }
            !is_resident
        });
        !areas.is_empty()
    });
}
