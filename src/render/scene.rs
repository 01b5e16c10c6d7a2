//! The scene that the window and PNGs share: a terrain, its sky, and a camera.

use bevy::camera::Hdr;
use bevy::camera::visibility::RenderLayers;
use bevy::core_pipeline::tonemapping::DebandDither;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;

use crate::plugin::{
    DebugView, FloatingOriginPlugin, Quality, ScatterPlugin, Sky, SkyCamera, SkyPlugin, Terrain,
    TerrainPlugin, TerrainSides, WaterPlugin, sky_camera_effects,
};
use crate::{Cache, Recipe};

/// The plugins that draw a scene.
pub(crate) fn add_plugins(app: &mut App) {
    app.add_plugins((TerrainPlugin, ScatterPlugin, SkyPlugin::default(), WaterPlugin, FloatingOriginPlugin));
}

/// Exposure compensation in stops: land lit from the side is mostly in half shadow.
const EXPOSURE: f32 = 0.45;

/// The terrain of `recipe`, on layer `layer` alone.
pub(crate) fn terrain(recipe: &Recipe, cache: &Cache, layer: usize, quality: Quality) -> impl Bundle + use<> {
    let terrain = Terrain::from_recipe(recipe.clone(), cache);
    (terrain, quality.scatter(), TerrainSides::default(), RenderLayers::layer(layer))
}

/// The sky of `recipe` for layer `layer`.
pub(crate) fn sky(recipe: &Recipe, layer: usize, quality: Quality) -> impl Bundle {
    let mut sky = Sky { sun: recipe.sun, shadow_cascades: quality.shadow_cascades(), ..Sky::default() };
    fit_sky(&mut sky, recipe);
    (sky, RenderLayers::layer(layer))
}

/// Gives a sky the haze and the reach of shadows that suit the extent of a recipe's land. Returns whether
/// they have changed.
pub(crate) fn fit_sky(sky: &mut Sky, recipe: &Recipe) -> bool {
    let longer = recipe.cell * (recipe.size.0.max(recipe.size.1) - 1).max(1) as f32;
    // The far end of a land of any size is hazy, but visible.
    let visibility = (longer * 14.0).clamp(30_000.0, 600_000.0);
    let shadow_distance = (longer * 0.9).clamp(200.0, 60_000.0);
    let before = (sky.visibility, sky.shadow_distance);
    (sky.visibility, sky.shadow_distance) = (visibility, shadow_distance);
    before != (visibility, shadow_distance)
}

/// A camera that sees layer `layer`.
pub(crate) fn camera(layer: usize, quality: Quality) -> impl Bundle {
    (
        SkyCamera { exposure_compensation: EXPOSURE },
        quality.view(),
        Projection::Perspective(PerspectiveProjection {
            fov: 50f32.to_radians(),
            near: 0.5,
            far: 400_000.0,
            ..default()
        }),
        quality.msaa(),
        RenderLayers::layer(layer),
    )
}

/// Gives a camera the effects of a quality, and takes those that it hasn't, or that would change the colours
/// of a debug view.
pub(crate) fn dress(mut camera: EntityCommands, quality: Quality, debug: DebugView) {
    camera.insert((quality.msaa(), quality.shadow_filtering()));
    if quality.has_glow() && debug == DebugView::None {
        camera.insert((sky_camera_effects(), DebandDither::Enabled));
    } else {
        // Without `Hdr` colours are those of a debug view's legend: tone mapping of bright colours, bloom and
        // dither would change them.
        camera.remove::<(Hdr, Bloom)>().insert(DebandDither::Disabled);
    }
}

/// The initial viewpoint and the point in view: the recipe's, or from the south-west, high enough to see
/// everything.
pub(crate) fn first_view(recipe: &Recipe, heights: Option<(f32, f32)>) -> (Vec3, Vec3) {
    if let Some(view) = recipe.view {
        return (Vec3::from(view.from), Vec3::from(view.look));
    }
    let steps = Vec2::new((recipe.size.0 - 1).max(1) as f32, (recipe.size.1 - 1).max(1) as f32);
    let extent = steps * recipe.cell;
    let (low, high) = heights.unwrap_or((0.0, 0.0));
    let longer = extent.max_element();
    let from = Vec3::new(-0.33 * extent.x, high + 0.13 * longer, 0.62 * extent.y);
    (from, Vec3::new(0.02 * extent.x, low + 0.3 * (high - low), -0.05 * extent.y))
}
