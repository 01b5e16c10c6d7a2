//! The terrain plugin for Bevy: spawn a [`Terrain`] and it is built, drawn and can be asked for the
//! ground under a point.

mod build;
mod choose;
mod chunk_mesh;
mod chunks;
mod cover;
mod device;
mod headless;
mod look;
mod material;
mod mips;
mod place;
mod query;
mod ray;
mod recipe_asset;
mod repaint;
mod river;
mod shaders;
mod sides;
mod sky;
mod terrain;
mod texel_upload;
mod tile_height;
mod tile_stack;
mod upload;
mod view;
mod visibility;
mod water;

use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

pub use chunks::TerrainChunk;
pub use device::{is_software_device, require_graphics_device};
pub use headless::{Headless, MAX_PICTURE_SIDE};
#[cfg(test)]
pub(crate) use mips::fill_srgb_tables;
pub use query::{GroundPoint, TerrainQuery};
pub use recipe_asset::RecipeAsset;
pub use repaint::{TerrainRepainted, TerrainSkin};
pub use river::RiverSurface;
pub use sides::TerrainSides;
#[cfg(feature = "viewer")]
pub use sky::sky_camera_effects;
pub use sky::{Sky, SkyCamera, SkyPlugin, SkySystems};
pub use terrain::{
    BuildLandscape, HeightMapping, Terrain, TerrainBuild, TerrainCache, TerrainFailed, TerrainGround,
    TerrainReady, TerrainSource, TerrainStatus,
};
pub use view::{DebugView, Shading, TerrainView};
pub use water::{WaterPlugin, WaterSurface};

/// Builds and draws every [`Terrain`]. Needs Bevy's default plugins.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerrainPlugin;

impl Plugin for TerrainPlugin {
    fn build(&self, app: &mut App) {
        shaders::load_shaders(app);
        app.init_resource::<tile_stack::TileStacks>()
            .init_resource::<TerrainCache>()
            .register_type::<TerrainView>()
            .register_type::<HeightMapping>()
            .add_plugins((
                MaterialPlugin::<material::TerrainMaterial>::default(),
                chunks::ChunksPlugin,
                texel_upload::TexelUploadPlugin,
            ))
            // Swapped in before the chunks are chosen, so within one frame.
            .add_systems(PreUpdate, (build::finish_builds, repaint::show_paint).chain())
            .init_asset::<RecipeAsset>()
            .init_asset_loader::<recipe_asset::RecipeLoader>()
            .add_systems(
                PostUpdate,
                (
                    (
                        recipe_asset::follow_recipes,
                        repaint::stop_repaints,
                        build::start_builds,
                        repaint::start_repaints,
                    )
                        .chain(),
                    sides::build_sides,
                ),
            )
            .add_observer(sides::take_down)
            .add_observer(sides::leave_layers);
    }
}
