//! Renders a landscape into a PNG, with the same scene as the window.

use std::sync::Arc;
use std::time::Duration;

use bevy::camera::visibility::RenderLayers;
use bevy::light::DirectionalLightShadowMap;
use bevy::prelude::*;

use super::legend::{self, Legend};
use super::overview_window::{FAR, window};
use super::scene;
use super::texture_view::{LayerView, TextureView};
use super::view_mode::ViewMode;
use super::viewshed::{self, ViewshedTowers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::params::Name;
use crate::plugin::{
    DebugView, FloatingOrigin, Headless, Pending, Quality, ScatterBudget, Terrain, TerrainBudget,
    TerrainSides, TerrainSource, TerrainStatus, TerrainView, TerrainViewshed,
};
use crate::{Cache, Recipe};

/// The range of heights of land that is not built is found from no more samples a side than this.
const SURVEYED: u32 = 257;

/// Size of the land's texels in a picture, pixels: people look at it longer than at a frame of a flight.
const PICTURE_TEXELS: f32 = 1.5;

/// A picture to be rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Position of the eye in metres; by default the recipe's.
    pub from: Option<[f32; 3]>,
    /// The point in the centre of the picture in metres; by default the recipe's.
    pub look: Option<[f32; 3]>,
    /// The quality, at the full resolution. By default high, on any device: a picture has time.
    pub quality: Quality,
    /// The view to show. By default the landscape.
    pub shown: ViewMode,
    /// The ends of the scale of a layer; by default as suits its values.
    pub scale: Option<(f32, f32)>,
    /// The towers of a viewshed, and what they look for.
    pub watch: ViewshedTowers,
    /// Whether a view's legend is drawn into a corner. By default it is.
    pub legend: bool,
    /// How long rendering may take before it fails.
    pub time_limit: Duration,
}

impl Default for Shot {
    /// 1280 × 720 pixels, the recipe's view, high quality, ten minutes.
    fn default() -> Self {
        Self {
            size: (1280, 720),
            from: None,
            look: None,
            quality: Quality::High,
            shown: ViewMode::default(),
            scale: None,
            watch: ViewshedTowers::default(),
            legend: true,
            time_limit: Duration::from_secs(600),
        }
    }
}

/// Builds `recipe` and renders it.
///
/// # Errors
/// When there is no graphics device, not even a software one; when the recipe cannot be built; when there is
/// no tower for a viewshed, or one stands outside the land; when the time limit passes.
pub fn render(recipe: &Recipe, shot: &Shot, work: &Work) -> Result<image::RgbaImage> {
    render_with(recipe, shot, &Cache::default(), work)
}

/// The same; what the cache remembers is reused.
pub(crate) fn render_with(
    recipe: &Recipe,
    shot: &Shot,
    cache: &Cache,
    work: &Work,
) -> Result<image::RgbaImage> {
    let texture = recipe.texture.texture();
    let (debug, view) = match &shot.shown {
        ViewMode::View(debug) => {
            (*debug, TextureView { types: *debug == DebugView::Types, ..TextureView::default() })
        }
        ViewMode::Layer(name) => {
            let layer = scaled(recipe, name, shot.scale, cache, work)?;
            (layer.debug_view(), TextureView { layer: Some(layer), ..TextureView::default() })
        }
    };
    if debug == DebugView::Viewshed && shot.watch.towers.is_empty() {
        let reason = "a viewshed needs a tower; give one as x,z,height in metres, such as 500,-1200,30";
        return Err(Error::parameter("--tower", reason));
    }
    let found = (debug == DebugView::Viewshed)
        .then(|| viewshed::find(recipe, cache, &shot.watch, work))
        .transpose()?;
    let mut seen_recipe = recipe.clone();
    seen_recipe.texture = view.seen(&recipe.texture);
    let recipe = &seen_recipe;
    let mut scene = OffscreenScene::with_cache(recipe, shot.size, shot.quality, cache, work)?;
    work.stage("draw", 1);
    scene.aim(recipe, shot.from, shot.look, debug);
    let terrain = scene.terrain;
    if debug == DebugView::Overdraw {
        // Each shading adds light, so it has to begin with black.
        scene.world().insert_resource(ClearColor(Color::BLACK));
    }
    scene.world().entity_mut(terrain).insert(TerrainSides::default());
    if let Some((found, seen)) = &found {
        let viewshed = {
            let mut images = scene.world().resource_mut::<Assets<Image>>();
            TerrainViewshed::new(found, seen.corner, &mut images)
        };
        scene.world().entity_mut(terrain).insert(viewshed);
    }
    scene.world().flush();
    let heights = scene.heights;
    let mut picture = scene.capture(shot.time_limit, Waiting::default(), work)?;
    let seen = found.as_ref().map(|(_, seen)| seen);
    let land = legend::Land { debug, layer: view.layer.as_ref(), texture: &texture, heights, seen };
    // Into the finished picture: tone mapping would change the colours of a legend that is drawn with it.
    if let Some(legend) = Legend::of(&land).filter(|_| shot.legend) {
        legend.draw_into(&mut picture);
    }
    Ok(picture)
}

/// Reports what a picture is waiting for: it shows progress even if a frame takes long.
pub(crate) struct Waiting {
    /// The work under way: the beginning of the stage's name.
    name: String,
    what: Option<String>,
    /// How many thousandths of it have been reported.
    reported: usize,
}

impl Default for Waiting {
    /// The only picture.
    fn default() -> Self {
        Self::of("draw")
    }
}

impl Waiting {
    /// Units of what is waited for: thousandths.
    pub const WHOLE: usize = 1000;

    /// A picture whose drawing is called `name`.
    pub fn of(name: impl Into<String>) -> Self {
        Self { name: name.into(), what: None, reported: 0 }
    }

    /// To be called after each frame, with what is still pending. Each of these is a stage of the work.
    pub fn report(&mut self, pending: Option<&Pending>, work: &Work) {
        let Self { name, .. } = &*self;
        let stage = match pending.map(|pending| (&pending.what, parts_of(pending))) {
            Some((_, Some(parts))) => format!("{name}: {parts}"),
            Some((what, None)) => format!("{name}: waiting for {what}"),
            None => name.clone(),
        };
        let what = pending.map(|pending| &*pending.what);
        // The same thing with more parts there is the same stage under another name.
        if what == self.what.as_deref() {
            work.rename(stage);
        } else {
            (self.what, self.reported) = (what.map(str::to_owned), 0);
            work.stage(stage, Self::WHOLE);
        }
        self.advance(pending, work);
    }

    /// Advances the stage by the thousandths that have been added since the last time. More parts may be
    /// needed than was known then, so the progress never goes back.
    pub fn advance(&mut self, pending: Option<&Pending>, work: &Work) {
        if let Some((_, needed, there)) = pending.and_then(|pending| pending.parts) {
            self.advance_to(Self::WHOLE * there / needed.max(1), work);
        }
    }

    /// Advances the stage by what has not been reported yet.
    pub fn end(&mut self, work: &Work) {
        self.advance_to(Self::WHOLE, work);
    }

    fn advance_to(&mut self, thousandths: usize, work: &Work) {
        let thousandths = thousandths.min(Self::WHOLE);
        // `advance` counts what is added, and never backwards.
        work.advance(thousandths.saturating_sub(self.reported));
        self.reported = self.reported.max(thousandths);
    }
}

/// How many parts are there of what a picture waits for, in words.
pub(crate) fn parts_of(pending: &Pending) -> Option<String> {
    pending.parts.map(|(name, needed, there)| format!("{there} of {needed} {name}"))
}

/// A layer with its scale: as asked for, or as suits its values.
fn scaled(
    recipe: &Recipe,
    name: &str,
    scale: Option<(f32, f32)>,
    cache: &Cache,
    work: &Work,
) -> Result<LayerView> {
    let known = Name::new(name).map_err(|reason| Error::parameter("--view", reason))?;
    if let Some((low, high)) = scale {
        return Ok(LayerView { low, high, ..LayerView::of(known) });
    }
    let middle = -crate::plugin::origin_of(recipe);
    let (window, _) = window(recipe, &[middle], FAR)?;
    let ground = recipe.build_window_layers(window, &[name], cache, work)?;
    Ok(LayerView::fitted(known, ground.layer(name)?))
}

/// A landscape and a camera without a window.
pub(crate) struct OffscreenScene {
    pub headless: Headless,
    pub terrain: Entity,
    pub camera: Entity,
    pub quality: Quality,
    /// How long the land's ground took, without its colours; `None` for land whose tiles are made while it is
    /// drawn.
    pub built: Option<Duration>,
    /// The lowest and highest height, metres.
    heights: (f32, f32),
}

impl OffscreenScene {
    /// Builds `recipe`; nothing is drawn yet.
    ///
    /// # Errors
    /// When there is no graphics device, not even a software one; when the recipe cannot be built.
    pub fn new(recipe: &Recipe, size: (u32, u32), quality: Quality, work: &Work) -> Result<Self> {
        Self::with_cache(recipe, size, quality, &Cache::default(), work)
    }

    /// The same; what the cache remembers is reused.
    pub fn with_cache(
        recipe: &Recipe,
        size: (u32, u32),
        quality: Quality,
        cache: &Cache,
        work: &Work,
    ) -> Result<Self> {
        let mut headless = Headless::new(size.0, size.1)?;
        // Land that is made in windows is not built: its tiles are made one by one.
        let (landscape, built) = if recipe.is_made_in_windows()? {
            (None, None)
        } else {
            let (landscape, of_ground) = recipe.build_timed(cache, work)?;
            (Some(Arc::new(landscape)), Some(of_ground))
        };
        let heights = match &landscape {
            Some(landscape) => landscape.heightfield.range(),
            None => recipe.overview(SURVEYED, cache, work)?.heightfield.range(),
        };
        let of_recipe = Arc::new(recipe.clone());
        let source = TerrainSource::Recipe { recipe: of_recipe, cache: cache.clone(), built: landscape };
        let target = headless.target();
        let app = headless.app_mut();
        scene::add_plugins(app);
        let world = app.world_mut();
        world.insert_resource(DirectionalLightShadowMap { size: quality.shadow_map_size() });
        let layer = 1;
        let terrain = world.spawn((Terrain { source }, quality.scatter(), RenderLayers::layer(layer))).id();
        world.spawn(scene::sky(recipe, layer, quality));
        let camera = world.spawn((scene::camera(layer, quality), FloatingOrigin, target)).id();
        scene::dress(world.commands().entity(camera), quality, DebugView::None);
        world.flush();
        Ok(Self { headless, terrain, camera, quality, built, heights })
    }

    /// The recipe's view: from where to where, metres.
    pub fn first_view(&self, recipe: &Recipe) -> ([f32; 3], [f32; 3]) {
        let (from, look) = scene::first_view(recipe, Some(self.heights));
        (from.to_array(), look.to_array())
    }

    /// Prepares a picture of a view, from a position towards a point in metres; by default those of the
    /// recipe.
    pub fn aim(&mut self, recipe: &Recipe, from: Option<[f32; 3]>, look: Option<[f32; 3]>, debug: DebugView) {
        let first = scene::first_view(recipe, Some(self.heights));
        let (from, look) = (from.map_or(first.0, Vec3::from), look.map_or(first.1, Vec3::from));
        // Without a distance, or straight up or down, a camera has no direction or no upright.
        let away = if from.distance(look) > 1e-3 { look } else { from + Vec3::NEG_Z };
        let up = if (away - from).cross(Vec3::Y).length() > 1e-3 { Vec3::Y } else { Vec3::NEG_Z };
        let pose = Transform::from_translation(from).looking_at(away, up);
        let (camera, quality) = (self.camera, self.quality);
        // A picture has no frame rate to keep: the fewer frames are drawn until all tiles are there, the
        // sooner it is complete.
        let no_hurry = TerrainBudget { upload_bytes: usize::MAX, main_thread_ms: f32::INFINITY, ..default() };
        self.world().insert_resource(no_hurry);
        let no_hurry = ScatterBudget { upload_bytes: usize::MAX, main_thread_ms: f32::INFINITY, ..default() };
        self.world().insert_resource(no_hurry);
        let seen_as = quality.view();
        let seen_as =
            TerrainView { texel_pixels: seen_as.texel_pixels.min(PICTURE_TEXELS), debug, ..seen_as };
        self.world().entity_mut(camera).insert((pose, seen_as));
        scene::dress(self.world().commands().entity(camera), quality, debug);
    }

    /// Draws until the picture is complete and returns it; `waiting` reports how far that is.
    ///
    /// # Errors
    /// When the land cannot be drawn, the time limit passes, and [`Error::Cancelled`].
    pub(crate) fn capture(
        &mut self,
        time_limit: Duration,
        mut waiting: Waiting,
        work: &Work,
    ) -> Result<image::RgbaImage> {
        self.headless.settle_while(time_limit, |pending| {
            waiting.report(pending, work);
            work.check()
        })?;
        let picture = self.headless.last_frame()?;
        // A terrain that has failed counts as settled, since nothing more will happen to it.
        self.check()?;
        Ok(picture)
    }

    /// Everything that is there.
    pub fn world(&mut self) -> &mut World {
        self.headless.app_mut().world_mut()
    }

    /// The land's error, if it has failed.
    pub fn check(&self) -> Result<()> {
        match self.headless.app().world().get::<TerrainStatus>(self.terrain) {
            Some(TerrainStatus::Failed(error)) => Err(Error::parameter("terrain", error.clone())),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_is_told_with_its_parts_and_never_goes_back() {
        let (work, mut waiting) = (Work::new(), Waiting::default());
        let pending = |what: &str, parts| Pending { what: what.to_owned(), parts };
        let mut told = |pending: Option<Pending>| {
            waiting.report(pending.as_ref(), &work);
            let progress = work.progress();
            (progress.stage, progress.fraction)
        };
        let tiles = |needed, there| Some(pending("the tiles of 1 terrain", Some(("tiles", needed, there))));
        assert_eq!(told(Some(pending("1 terrain", None))), ("draw: waiting for 1 terrain".to_owned(), 0.0));
        assert_eq!(told(tiles(40, 10)), ("draw: 10 of 40 tiles".to_owned(), 0.25));
        assert_eq!(told(tiles(40, 20)), ("draw: 20 of 40 tiles".to_owned(), 0.5));
        // More turn out to be needed.
        assert_eq!(told(tiles(100, 20)), ("draw: 20 of 100 tiles".to_owned(), 0.5));
        assert_eq!(told(tiles(100, 100)), ("draw: 100 of 100 tiles".to_owned(), 1.0));
        assert_eq!(told(None), ("draw".to_owned(), 0.0));
    }
}
