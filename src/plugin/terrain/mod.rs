//! Terrains: the components for games, builds from sources, and repaints.

mod anchor;
mod build;
mod changed;
mod components;
mod deferred_drop;
mod events;
mod ground;
mod headless;
mod lifecycle;
mod painting;
mod placed;
mod prepared;
mod recipe;
mod repaint;
mod sides;
mod skin;
mod source;
mod status;
mod system_sets;
#[cfg(test)]
mod tests;
mod tiles;

use bevy::prelude::*;

pub use anchor::TerrainAnchor;
pub use changed::{TerrainChanged, TerrainSettled};
pub use components::Terrain;
pub(crate) use events::report_failure;
pub use events::{
    TerrainFailed, TerrainProgress, TerrainReady, TerrainRepainted, TerrainStarted, TerrainWork,
};
pub use ground::TerrainGround;
pub(crate) use headless::HeadlessTerrainPlugin;
#[cfg(feature = "render")]
pub(crate) use prepared::origin_of;
pub use sides::TerrainSides;
pub use skin::TerrainSkin;
pub use source::{BuildLandscape, RecipeAsset, TerrainBuild, TerrainCache, TerrainSource};
pub use status::{OverallProgress, TerrainStatus};
pub use system_sets::{
    TerrainSystems, terrain_ready, terrains_have_ground, terrains_ready, terrains_settled,
};
pub(crate) use tiles::report_tiles;
pub use tiles::{TerrainTile, TerrainTileEvents, TerrainTilesChanged};

use super::ground_textures::TextureArrays;
use super::stream::{TerrainBudget, TerrainStatistics};

/// Builds terrains and repaints them.
pub(super) struct BuildPlugin;

impl Plugin for BuildPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<TextureArrays>()
            .init_resource::<TerrainCache>()
            .init_resource::<TerrainBudget>()
            .init_resource::<TerrainStatistics>()
            .init_resource::<deferred_drop::DeferredDrop>()
            .init_resource::<recipe::FailedRecipes>()
            .init_asset::<RecipeAsset>()
            .register_asset_reflect::<RecipeAsset>()
            .init_asset_loader::<recipe::RecipeLoader>()
            .configure_sets(PostUpdate, (TerrainSystems::Build, TerrainSystems::Choose).chain())
            // In `First`, so that a land which was lost anywhere in the frame before, in commands too, is in
            // the list.
            .add_systems(First, deferred_drop::give_back)
            // In `PreUpdate`, so that systems of the game find the new land in `Update`, and its chunks are
            // chosen in the same frame.
            .add_systems(
                PreUpdate,
                (build::finish_builds::<false>, repaint::show_paint).chain().in_set(TerrainSystems::Receive),
            )
            .add_systems(
                PostUpdate,
                // In this order, because builds start for terrains that `follow_recipes` marks as changed,
                // and land that is about to be replaced is not repainted.
                (
                    (
                        // Builds that have ended since the frame began are drawn in this frame, too.
                        build::finish_builds::<true>,
                        recipe::follow_recipes,
                        repaint::stop_repaints,
                        build::start_builds,
                        repaint::start_repaints,
                    )
                        .chain()
                        .in_set(TerrainSystems::Build),
                    placed::check_places.after(TransformSystems::Propagate).before(TerrainSystems::Choose),
                    // Once strokes and tiles of this frame have arrived: what is drawn immediately is
                    // reported in its own frame.
                    changed::report_settled.after(TerrainSystems::Choose),
                ),
            )
            .add_observer(build::end)
            .add_observer(deferred_drop::keep)
            .add_observer(tiles::hide_all);
        add_messages(app);
        register(app);
    }
}

/// Registers the messages.
fn add_messages(app: &mut App) {
    app.add_message::<TerrainStarted>()
        .add_message::<TerrainProgress>()
        .add_message::<TerrainReady>()
        .add_message::<TerrainFailed>()
        .add_message::<TerrainRepainted>()
        .add_message::<TerrainChanged>()
        .add_message::<TerrainSettled>()
        .add_message::<TerrainTilesChanged>();
}

/// Registers what can be looked at, saved and loaded.
fn register(app: &mut App) {
    app.register_type::<Terrain>()
        .register_type::<TerrainStatus>()
        .register_type::<OverallProgress>()
        .register_type::<TerrainGround>()
        .register_type::<TerrainCache>()
        .register_type::<TerrainBudget>()
        .register_type::<TerrainStatistics>()
        .register_type::<TerrainSkin>()
        .register_type::<TerrainSides>()
        .register_type::<TerrainAnchor>()
        .register_type::<TerrainTileEvents>()
        .register_type::<TerrainTile>()
        .register_type::<TerrainChanged>()
        .register_type::<TerrainSettled>()
        .register_type::<TerrainTilesChanged>()
        .register_type::<TerrainStarted>()
        .register_type::<TerrainProgress>()
        .register_type::<TerrainReady>()
        .register_type::<TerrainFailed>()
        .register_type::<TerrainRepainted>();
}
