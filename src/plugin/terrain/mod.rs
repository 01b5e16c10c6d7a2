//! Terrains: the components for games, builds from sources, and repaints.

mod build;
mod changed;
mod components;
mod life;
mod prepared;
mod recipe;
mod repaint;
mod sides;
#[cfg(test)]
mod tests;

use bevy::prelude::*;

pub use changed::TerrainChanged;
pub use components::{
    BuildLandscape, Terrain, TerrainBuild, TerrainCache, TerrainFailed, TerrainGround, TerrainReady,
    TerrainSource, TerrainStatus,
};
#[cfg(feature = "viewer")]
pub(crate) use prepared::origin_of;
pub use recipe::RecipeAsset;
pub use repaint::{TerrainRepainted, TerrainSkin};
pub use sides::TerrainSides;

use super::stream::TerrainBudget;
use super::tiles::TileStacks;

/// The systems in which builds and repaints begin, and changed land reaches its tiles.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BuildSystems;

/// Builds terrains and repaints them.
pub(super) struct BuildPlugin;

impl Plugin for BuildPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<TileStacks>()
            .init_resource::<TerrainCache>()
            .init_resource::<TerrainBudget>()
            .add_message::<TerrainChanged>()
            .init_asset::<RecipeAsset>()
            .init_asset_loader::<recipe::RecipeLoader>()
            // Swapped in before the chunks are chosen, so within one frame.
            .add_systems(PreUpdate, (build::finish_builds, repaint::show_paint).chain())
            .add_systems(
                PostUpdate,
                (
                    recipe::follow_recipes,
                    repaint::stop_repaints,
                    build::start_builds,
                    repaint::start_repaints,
                )
                    .chain()
                    .in_set(BuildSystems),
            )
            .add_observer(build::end);
    }
}
