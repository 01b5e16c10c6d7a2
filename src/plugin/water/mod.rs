//! Drawing of water: the sea, a level sheet to the horizon, and rivers, which slope and flow. Both are
//! added to every terrain that has them, and reflect the sky.

mod material;
mod river;
mod sea;
mod submerge;
#[cfg(test)]
mod tests;
mod waves;

use bevy::asset::{AssetEventSystems, embedded_asset};
use bevy::camera::visibility::RenderLayers;
use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

use super::chunks::update_chunks;
use super::floating_origin::FloatingOriginSystems;
use super::setup::{draws, is_first};
use super::shaders::load_shaders;
use super::sky::SkySystems;
use super::terrain::TerrainGround;
pub(crate) use material::WaterMaterial;
use material::{BareBed, SeaMesh, fill_waters};
#[cfg(test)]
pub(crate) use material::{WaterKey, WaterKind, WaterUniform};
pub use river::RiverSurface;
#[cfg(test)]
pub(crate) use river::river_mesh;
use river::{Watered, water_terrains};
pub use sea::WaterSurface;
#[cfg(test)]
pub(crate) use sea::sheet;
use sea::{Flooded, flood_terrains};
use submerge::submerge;
#[cfg(test)]
pub(crate) use waves::Counted;

/// Draws every [`WaterSurface`] and [`RiverSurface`], and adds them to every
/// [`Terrain`](crate::plugin::Terrain) with a sea level or rivers. Needs
/// [`SkyPlugin`](crate::plugin::SkyPlugin).
#[derive(Clone, Copy, Debug, Default)]
pub struct WaterPlugin;

impl Plugin for WaterPlugin {
    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.register_type::<WaterSurface>().register_type::<RiverSurface>();
        if !draws(app) {
            return;
        }
        load_shaders(app);
        embedded_asset!(app, "../../../shaders/water.wgsl");
        app.add_plugins(MaterialPlugin::<WaterMaterial>::default()).add_systems(
            PostUpdate,
            (
                // Before the sky chooses the camera's fog.
                submerge.after(FloatingOriginSystems).before(SkySystems),
                (flood_terrains, water_terrains).after(SkySystems).before(TransformSystems::Propagate),
                // With the anchors of this frame.
                (fill_waters::<WaterSurface>, fill_waters::<RiverSurface>)
                    .after(update_chunks)
                    .before(AssetEventSystems),
            ),
        );
        app.init_resource::<SeaMesh>().init_resource::<BareBed>();
        app.add_observer(leave_layers).add_observer(drain);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Removes the water of a ground that is gone.
fn drain(
    removed: On<Remove, TerrainGround>,
    waters: Query<(Option<&Flooded>, Option<&Watered>)>,
    mut commands: Commands,
) {
    let Ok((flooded, watered)) = waters.get(removed.entity) else { return };
    for water in [flooded.map(|flooded| flooded.0), watered.map(|watered| watered.0)].into_iter().flatten() {
        commands.entity(water).try_despawn();
    }
    commands.entity(removed.entity).try_remove::<(Flooded, Watered)>();
}

/// Resets the water's layers when a terrain's layers were removed.
fn leave_layers(
    removed: On<Remove, RenderLayers>,
    waters: Query<(Option<&Flooded>, Option<&Watered>)>,
    mut commands: Commands,
) {
    let Ok((flooded, watered)) = waters.get(removed.entity) else { return };
    for water in [flooded.map(|flooded| flooded.0), watered.map(|watered| watered.0)].into_iter().flatten() {
        commands.entity(water).try_insert(RenderLayers::default());
    }
}
