//! The scene that the window and PNGs share: a terrain, its sky, and a camera.

use bevy::camera::Hdr;
use bevy::camera::visibility::RenderLayers;
use bevy::core_pipeline::tonemapping::DebandDither;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;

use crate::plugin::{
    DebugView, FloatingOriginPlugin, HeightMapping, Quality, ScatterPlugin, Sky, SkyCamera, SkyPlugin,
    SkySystems, Terrain, TerrainGround, TerrainPlugin, TerrainSides, WaterPlugin, sky_camera_effects,
};
use crate::{Cache, Recipe};

/// The plugins that draw a scene.
pub(crate) fn add_plugins(app: &mut App) {
    app.add_plugins((TerrainPlugin, ScatterPlugin, SkyPlugin::default(), WaterPlugin, FloatingOriginPlugin))
        .add_systems(PostUpdate, raise_clouds.before(SkySystems));
}

/// How far the base of a sky's low clouds lies above the highest ground, metres.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CloudBase(f32);

/// Keeps low clouds above the highest ground, which is known once the land has been built.
fn raise_clouds(
    grounds: Query<(&TerrainGround, &HeightMapping, Option<&RenderLayers>)>,
    mut skies: Query<(&CloudBase, &RenderLayers, &mut Sky)>,
) {
    for (above, layers, mut sky) in &mut skies {
        let seen = grounds.iter().filter(|(.., land)| land.unwrap_or_default().intersects(layers));
        let tops = seen.flat_map(|(ground, mapping, _)| {
            let (low, high) = ground.height_range();
            [mapping.map(low), mapping.map(high)]
        });
        if let Some(highest) = tops.reduce(f32::max)
            && sky.cloud_base != highest + above.0
        {
            sky.cloud_base = highest + above.0;
        }
    }
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
    let mut base = CloudBase::default();
    fit_sky(&mut sky, &mut base, recipe);
    (sky, base, RenderLayers::layer(layer))
}

/// Gives a sky a recipe's weather, and the haze and the reach of shadows that suit the extent of its land.
/// Returns whether they have changed.
pub(crate) fn fit_sky(sky: &mut Sky, base: &mut CloudBase, recipe: &Recipe) -> bool {
    let longer = recipe.cell * (recipe.size.0.max(recipe.size.1) - 1).max(1) as f32;
    let before = (sky.clone(), *base);
    let weather = recipe.weather;
    // The far end of a land of any size is hazy, but visible.
    sky.visibility = (longer * 14.0).clamp(30_000.0, 600_000.0).min(weather.visibility);
    sky.shadow_distance = (longer * 0.9).clamp(200.0, 60_000.0);
    (sky.clouds, sky.low_clouds) = (weather.high_clouds, weather.clouds);
    base.0 = weather.base;
    before != (sky.clone(), *base)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, Heightfield};

    #[test]
    fn low_clouds_lie_above_the_highest_ground_as_it_is_drawn() {
        let mut app = App::new();
        app.add_systems(PostUpdate, raise_clouds);
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        (recipe.weather.clouds, recipe.weather.base) = (0.4, 500.0);
        let sky = app.world_mut().spawn(sky(&recipe, 3, Quality::Low)).id();
        app.update();
        let base = |app: &App| app.world().get::<Sky>(sky).unwrap().cloud_base;
        assert_eq!(base(&app), Sky::default().cloud_base, "the land is not there yet");
        let field = Heightfield::from_fn(Grid::new(9, 9, 10.0).unwrap(), |column, _| column as f32);
        let high = field.range().1;
        let ground = TerrainGround::bare(field);
        app.world_mut().spawn((ground, HeightMapping { scale: 2.0, bias: 7.0 }, RenderLayers::layer(3)));
        app.update();
        assert_eq!(base(&app), 2.0 * high + 7.0 + 500.0);
    }

    #[test]
    fn a_recipe_without_weather_has_the_sky_that_it_always_had() {
        let recipe = Recipe::new("Land", (1025, 513), 20.0);
        let (mut fitted, mut base) = (Sky::default(), CloudBase::default());
        fit_sky(&mut fitted, &mut base, &recipe);
        let as_ever = Sky { visibility: 286_720.0, shadow_distance: 18_432.0, ..Sky::default() };
        assert_eq!(fitted, as_ever);
        assert!(!fit_sky(&mut fitted, &mut base, &recipe));
        let mut hazy = recipe.clone();
        (hazy.weather.visibility, hazy.weather.high_clouds) = (9_000.0, 0.8);
        assert!(fit_sky(&mut fitted, &mut base, &hazy));
        assert_eq!((fitted.visibility, fitted.clouds), (9_000.0, 0.8));
    }
}
