//! Drawing of water: the sea, a level sheet to the horizon, rivers, which slope and flow, and lakes, which
//! are still and stand at levels of their own. All are added to every terrain that has them, and reflect the
//! sky. So are the bridges over rivers.

mod bridge;
mod material;
mod river;
mod sea;
mod sheet;
mod submerge;
#[cfg(test)]
mod tests;
mod waves;

use bevy::asset::AssetEventSystems;
use bevy::camera::visibility::RenderLayers;
use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

use super::chunks::update_chunks;
use super::floating_origin::FloatingOriginSystems;
use super::setup::{complain_if_late, draws, is_first};
use super::shaders::load_water_shader;
use super::sky::{Sky, SkySystems};
use super::terrain::TerrainGround;
use bridge::{Bridged, bridge_terrains};
pub(crate) use material::WaterMaterial;
use material::{BareBed, SeaMesh, fill_waters};
#[cfg(test)]
pub(crate) use material::{WaterKey, WaterKind, WaterUniform};
pub use river::RiverSurface;
#[cfg(test)]
pub(crate) use river::river_mesh;
use river::{Watered, water_terrains};
pub use sea::WaterSurface;
use sea::{Flooded, flood_terrains};
#[cfg(test)]
pub(crate) use sheet::sheet;
use submerge::submerge;
#[cfg(test)]
pub(crate) use waves::Counted;

/// Draws every [`WaterSurface`] and [`RiverSurface`], and adds them to every
/// [`Terrain`](crate::plugin::Terrain) with a sea level, rivers or lakes. Draws the bridges of roads over
/// rivers. Needs [`SkyPlugin`](crate::plugin::SkyPlugin), and a [`Sky`] that shares a render layer with it:
/// water is light from the sky. Without one it is not drawn, and a warning in the log says so.
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
        load_water_shader(app);
        app.add_plugins(MaterialPlugin::<WaterMaterial>::default()).add_systems(
            PostUpdate,
            (
                // Before the sky chooses the camera's fog, and after the origin has moved: depths are counted
                // in the world.
                submerge.after(FloatingOriginSystems).before(SkySystems),
                (flood_terrains, water_terrains, bridge_terrains)
                    .after(SkySystems)
                    .before(TransformSystems::Propagate),
                // After the chunks, with the anchors of this frame: water on the anchor of the frame before
                // would jump. Before Bevy collects changed assets, so that they are drawn in this frame.
                (fill_waters::<WaterSurface>, fill_waters::<RiverSurface>)
                    .after(update_chunks)
                    .before(AssetEventSystems),
                miss_sky.after(water_terrains).run_if(lacks_sky),
            ),
        );
        app.init_resource::<SeaMesh>().init_resource::<BareBed>();
        app.add_observer(leave_layers).add_observer(drain);
    }

    fn finish(&self, app: &mut App) {
        complain_if_late(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Frames without a sky after which water is said to be without one: a game may spawn it later than its land.
const PATIENCE: u32 = 120;

/// Whether there is water that no sky shares a render layer with.
fn lacks_sky(
    waters: Query<Option<&RenderLayers>, Or<(With<WaterSurface>, With<RiverSurface>)>>,
    skies: Query<Option<&RenderLayers>, With<Sky>>,
) -> bool {
    let is_lit = |layers: Option<&RenderLayers>| {
        let layers = layers.unwrap_or_default();
        skies.iter().any(|sky| sky.unwrap_or_default().intersects(layers))
    };
    waters.iter().any(|layers| !is_lit(layers))
}

/// Says once why water is not drawn.
fn miss_sky(mut frames: Local<u32>) {
    *frames = frames.saturating_add(1);
    if *frames == PATIENCE {
        tracing::warn!("water is not drawn: it needs a `Sky` on one of its render layers, and there is none");
    }
}

/// What is drawn for a terrain.
type Drawn = (Option<&'static Flooded>, Option<&'static Watered>, Option<&'static Bridged>);

/// The entities that are drawn for a terrain.
fn entities(
    (flooded, watered, bridged): (Option<&Flooded>, Option<&Watered>, Option<&Bridged>),
) -> impl Iterator<Item = Entity> {
    let sea = flooded.map(|flooded| flooded.0);
    let rivers = watered.map(|watered| watered.0);
    [sea, rivers, bridged.map(|bridged| bridged.0)].into_iter().flatten()
}

/// Removes the water and the bridges of a ground that is gone.
fn drain(removed: On<Remove, TerrainGround>, drawn: Query<Drawn>, mut commands: Commands) {
    let Ok(drawn) = drawn.get(removed.entity) else { return };
    entities(drawn).for_each(|entity| commands.entity(entity).try_despawn());
    commands.entity(removed.entity).try_remove::<(Flooded, Watered, Bridged)>();
}

/// Resets the layers of both when a terrain's layers were removed.
fn leave_layers(removed: On<Remove, RenderLayers>, drawn: Query<Drawn>, mut commands: Commands) {
    let Ok(drawn) = drawn.get(removed.entity) else { return };
    for entity in entities(drawn) {
        commands.entity(entity).try_insert(RenderLayers::default());
    }
}
