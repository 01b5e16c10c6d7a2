//! Draws the objects that the rules of a recipe scatter: plants, rocks and a game's own objects around every
//! camera.
//!
//! Objects are placed cell by cell in the background, the most urgent first, and written into a texture. They
//! are drawn in *batches*. A batch is a mesh with many copies of a plant, whose vertex shader looks up where
//! each copy stands, and how high the ground is drawn there. Levels of detail fade into each other, the last
//! one is an impostor.

mod batch;
mod canopy;
mod cells;
mod components;
mod draw;
mod impostors;
mod instance;
mod material;
mod mesh_library;
mod objects;
mod pool;
mod rule_table;
mod season;
mod spawned;
mod state;
mod systems;
mod template;
#[cfg(test)]
mod tests;
mod visibility;

use bevy::asset::AssetEventSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::light::SimulationLightSystems;
use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

use super::material::Wind;
pub use components::{
    ScatterBudget, ScatterFailed, ScatterStatistics, TerrainScatter, TerrainScatterStatistics,
};
#[cfg(test)]
pub(crate) use material::{ScatterKey, ScatterMaterial, ScatterUniform};
#[cfg(feature = "viewer")]
pub(crate) use objects::drawn_up_to;
pub use objects::{MakeLevels, ScatterLevel, ScatterLooks, ScatterObjects, ScatteredObject, SpawnObject};
pub use season::PlantSeason;
pub(crate) use state::Scattering;
#[cfg(test)]
pub(crate) use template::{scatter_attributes, template_mesh};

use super::chunks::update_chunks;
use super::setup::{complain_if_late, draws, is_first};
use super::shaders::load_scatter_shaders;
use super::terrain::Terrain;

/// The runs of the systems that place and draw what is scattered, in [`PostUpdate`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScatterSystems;

/// Draws what the rules of recipes scatter on terrains. Needs
/// [`TerrainPlugin`](crate::plugin::TerrainPlugin).
///
/// Every [`Terrain`] whose recipe has rules shows their objects, see [`TerrainScatter`]; [`ScatterObjects`]
/// says what the objects look like.
///
/// ```no_run
/// use bevy::prelude::*;
/// use upland::plugin::{ScatterPlugin, TerrainPlugin};
///
/// App::new().add_plugins((DefaultPlugins, TerrainPlugin, ScatterPlugin));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ScatterPlugin;

impl Plugin for ScatterPlugin {
    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.register_type::<TerrainScatter>()
            .register_type::<Wind>()
            .register_type::<ScatterBudget>()
            .register_type::<ScatterStatistics>()
            .register_type::<TerrainScatterStatistics>()
            .register_type::<ScatterFailed>()
            .add_message::<ScatterFailed>()
            .init_resource::<ScatterObjects>()
            .init_resource::<ScatterBudget>()
            .init_resource::<ScatterStatistics>()
            .init_resource::<Wind>();
        if !draws(app) {
            return;
        }
        load_scatter_shaders(app);
        app.add_plugins(MaterialPlugin::<material::ScatterMaterial>::default());
        add_drawing(app);
    }

    fn finish(&self, app: &mut App) {
        complain_if_late(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Adds the systems that draw, as far as they need no renderer.
fn add_drawing(app: &mut App) {
    app.init_resource::<mesh_library::MeshLibrary>()
        .init_resource::<draw::ImpostorTemplates>()
        .register_required_components::<Terrain, TerrainScatter>()
        .register_required_components::<TerrainScatter, Scattering>()
        .register_required_components::<TerrainScatter, TerrainScatterStatistics>()
        .add_observer(systems::clear)
        .add_systems(
            PostUpdate,
            (
                // After the chunks, whose materials know the ground of this frame, and before Bevy computes
                // bounds and finds what cameras and lights see.
                systems::update_scatter
                    .after(update_chunks)
                    .before(AssetEventSystems)
                    .before(VisibilitySystems::VisibilityPropagate)
                    .before(VisibilitySystems::CalculateBounds)
                    .before(SimulationLightSystems::CheckLightVisibility),
                visibility::keep_own_batches
                    .after(VisibilitySystems::CheckVisibility)
                    .after(SimulationLightSystems::CheckLightVisibility),
            )
                .in_set(ScatterSystems),
        );
}
