//! Renders a landscape into a PNG, with the same scene as the window.

use std::sync::Arc;
use std::time::Duration;

use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;

use super::scene;
use crate::compute::work::Work;
use crate::error::Error;
use crate::error::Result;
use crate::plugin::{FloatingOrigin, Headless, Terrain, TerrainSides, TerrainSource, TerrainStatus};
use crate::recipe::{Cache, Recipe};

/// Samples a side, at most, from which the height of land is told that is not built.
const SURVEYED: u32 = 257;

/// A picture to be rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Position of the eye in metres; by default the recipe's.
    pub from: Option<[f32; 3]>,
    /// The point in the centre of the picture in metres; by default the recipe's.
    pub look: Option<[f32; 3]>,
    /// How long rendering may take before it fails.
    pub time_limit: Duration,
}

impl Default for Shot {
    /// 1280 × 720 pixels, the recipe's view, ten minutes.
    fn default() -> Self {
        Self { size: (1280, 720), from: None, look: None, time_limit: Duration::from_secs(600) }
    }
}

/// Builds `recipe` and renders it.
///
/// # Errors
/// When there is no graphics device, not even a software one; when the recipe cannot be built; when
/// the time limit passes.
pub fn render(recipe: &Recipe, shot: &Shot, work: &Work) -> Result<image::RgbaImage> {
    let mut headless = Headless::new(shot.size.0, shot.size.1)?;
    let cache = Cache::default();
    // Land that is made in windows is not built: its tiles are made one by one.
    let built = match recipe.is_made_in_windows()? {
        true => None,
        false => Some(Arc::new(recipe.build_with(&cache, work)?)),
    };
    let heights = match &built {
        Some(landscape) => landscape.heightfield.range(),
        None => recipe.overview(SURVEYED, &cache, work)?.heightfield.range(),
    };
    work.stage("draw", 1);
    let (mut from, mut look) = scene::first_view(recipe, Some(heights));
    from = shot.from.map_or(from, Vec3::from);
    look = shot.look.map_or(look, Vec3::from);

    let source = TerrainSource::Recipe { recipe: Arc::new(recipe.clone()), cache, built };
    let target = headless.target();
    let app = headless.app_mut();
    scene::add_plugins(app);
    let quality = scene::Quality::of(app.world().get_resource::<RenderAdapterInfo>());
    let world = app.world_mut();
    let layer = 1;
    let terrain = world
        .spawn((
            Terrain { source },
            TerrainSides::default(),
            bevy::camera::visibility::RenderLayers::layer(layer),
        ))
        .id();
    world.spawn(scene::sky(recipe, layer, quality));
    let away = if from.distance(look) > 1e-3 { look } else { from + Vec3::NEG_Z };
    let up = if (away - from).cross(Vec3::Y).length() > 1e-3 { Vec3::Y } else { Vec3::NEG_Z };
    let transform = Transform::from_translation(from).looking_at(away, up);
    world.spawn((scene::camera(layer, quality), FloatingOrigin, transform, target));

    let picture = headless.capture(shot.time_limit)?;
    if let Some(TerrainStatus::Failed(error)) = headless.app_mut().world().get::<TerrainStatus>(terrain) {
        return Err(Error::parameter("terrain", error.clone()));
    }
    Ok(picture)
}
