//! Repaints: new colours for present land, baked in the background: first a coarse picture of the whole.
//! Tiles are made again with each, those nearest to the eye first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::components::TerrainGround;
use super::events::{TerrainFailed, TerrainRepainted, TerrainStarted, TerrainWork, report, report_failure};
use super::lifecycle::{Event, Living, PaintedSkin};
use crate::analysis::{Land, TerrainAnalysis};
use crate::grid::layer::ROAD;
use crate::plugin::device::{DeviceLimits, TexelPatches};
use crate::plugin::ground_textures::TextureArrays;
use crate::plugin::jobs::Job;
use crate::plugin::material::{PreparedCover, WeighedTypes};
use crate::plugin::stream::{Stream, TerrainBudget};
use crate::stream::{LandscapeSource, RecipeSource, TileSource};
use crate::texture::{ColourMap, Fade, GroundCover, Prepared};
use crate::{Landscape, Result, Skin, Work};

/// Texels along the longer side of the coarse picture.
const COARSE: u32 = 512;

/// The skin of a terrain, replacing that of its source.
///
/// Inserting or changing it bakes the terrain's colours again in the background; heights, and the answers of
/// [`TerrainQuery`](crate::plugin::TerrainQuery), stay. A game can let seasons pass with it. If baking
/// fails, the terrain's status is failed and the old colours stay. [`Landscape::colour`] keeps the original
/// colours. After removing the component, the colours stay until the terrain is rebuilt.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use upland::{Skin, plugin::{Terrain, TerrainSkin}};
/// fn dry_out(mut commands: Commands, terrain: Single<Entity, With<Terrain>>) {
///     commands.entity(*terrain).insert(TerrainSkin { skin: Skin::Arid, seed: 7 });
/// }
/// ```
#[doc(alias("season", "recolour"))]
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct TerrainSkin {
    /// The terrain types, or a ready-made set of them.
    pub skin: Skin,
    /// Seed of the noise that mottles colours; in a recipe that is the recipe's seed.
    pub seed: u64,
}

/// The analysis of a land, which is the same for all skins.
#[derive(Component)]
pub(super) struct LandAnalysis {
    landscape: Arc<Landscape>,
    analysis: TerrainAnalysis,
}

/// A running repaint.
pub(super) struct Repaint {
    pub(super) painted_skin: PaintedSkin,
    pub(super) job: Job<PaintResult>,
    pub(super) painted: Painted,
}

/// The result of a repaint.
pub(super) struct PaintResult {
    analysis: TerrainAnalysis,
    notes: Vec<String>,
}

impl PaintResult {
    fn new(prepared: &Prepared) -> Self {
        Self { analysis: prepared.analysis().clone(), notes: prepared.notes.clone() }
    }
}

/// What has been painted and not yet uploaded.
#[derive(Clone, Default)]
pub(super) struct Painted(Arc<Mutex<Vec<PaintUpdate>>>);

impl Painted {
    fn push(&self, paint: PaintUpdate) {
        self.lock().push(paint);
    }

    /// Everything since the last call.
    pub(super) fn take(&self) -> Vec<PaintUpdate> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PaintUpdate>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// New colours: the tiles are made again from this source.
pub(super) struct PaintUpdate {
    source: Arc<dyn TileSource>,
    /// The source, if it is a recipe's.
    recipe: Option<Arc<RecipeSource>>,
    /// New types and their pictures, replacing the present ones.
    cover: Option<PreparedCover>,
    types: WeighedTypes,
}

/// Ends the repaint of a terrain whose skin was removed; its colours stay as they are.
pub(super) fn stop_repaints(mut removed: RemovedComponents<TerrainSkin>, mut terrains: Query<Living>) {
    for entity in removed.read() {
        if let Ok(mut living) = terrains.get_mut(entity) {
            living.on(Event::SkinTaken);
        }
    }
}

/// Starts a repaint of every terrain whose skin differs from its present one.
pub(super) fn start_repaints(
    mut commands: Commands,
    mut terrains: Query<(
        Entity,
        Living,
        &TerrainSkin,
        &TerrainGround,
        Option<&Stream>,
        Option<&LandAnalysis>,
    )>,
    arrays: Res<TextureArrays>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (entity, mut living, skin, ground, stream, known) in &mut terrains {
        let landscape = &ground.landscape;
        if !living.life.wants_paint(skin, landscape) {
            continue;
        }
        let painted_skin = PaintedSkin { skin: skin.clone(), landscape: landscape.clone() };
        let painted = Painted::default();
        let painter = Painter {
            painted_skin: painted_skin.clone(),
            known: known
                .filter(|known| Arc::ptr_eq(&known.landscape, landscape))
                .map(|known| known.analysis.clone()),
            recipe: ground.recipe.clone(),
            finest: stream.map_or(0, |stream| stream.shape().finest),
            limits: DeviceLimits::new(device.as_deref(), adapter.as_deref()),
            arrays: arrays.clone(),
            painted: painted.clone(),
        };
        let job = Job::start_long(move |work| painter.run(work));
        living.on(Event::SkinPut(Box::new(Repaint { painted_skin, job, painted })));
        report(&mut commands, TerrainStarted { entity, work: TerrainWork::Repaint });
    }
}

/// Swaps in what has been painted.
pub(super) fn show_paint(
    mut commands: Commands,
    mut terrains: Query<(Entity, Living, Option<&mut TerrainGround>, Option<&mut Stream>)>,
    (mut images, mut patches): (ResMut<Assets<Image>>, ResMut<TexelPatches>),
    budget: Res<TerrainBudget>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (entity, mut living, ground, mut stream) in &mut terrains {
        let Some(land) = living.life.painted_land() else { continue };
        let Some(mut ground) = ground.filter(|ground| Arc::ptr_eq(land, &ground.landscape)) else {
            // Paint and analysis are of another land.
            living.on(Event::GroundLost);
            continue;
        };
        let Some((paint, outcome)) = living.life.take_paint() else { continue };
        if let Some(progress) = living.progress(entity) {
            report(&mut commands, progress);
        }
        // Only the last of several is of use.
        if let Some(PaintUpdate { source, recipe, cover, types }) = paint.into_iter().next_back() {
            ground.cover = cover.map(|cover| cover.upload(&mut images));
            ground.types = types;
            ground.recipe = recipe;
            match stream.as_mut().filter(|stream| stream.fits(&*source)) {
                Some(stream) => stream.repaint(source),
                None => {
                    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
                    let stream =
                        Stream::new(source, Vec::new(), (&budget, limits), &mut images, &mut patches);
                    commands.entity(entity).try_insert(stream);
                }
            }
        }
        match outcome {
            None => {}
            Some(Ok(PaintResult { analysis, notes })) => {
                commands
                    .entity(entity)
                    .insert(LandAnalysis { landscape: ground.landscape.clone(), analysis });
                report(&mut commands, TerrainRepainted { entity, notes });
            }
            Some(Err(error)) => report_failure(&mut commands, TerrainFailed::new(entity, error)),
        }
    }
}

/// The textures of a skin on a land: ready-made ones lay gravel on roads.
fn fade_on(landscape: &Landscape, skin: &Skin) -> Fade {
    let has_roads = landscape.layers.get(ROAD).is_some();
    if has_roads { skin.with_roads().fade() } else { skin.fade() }
}

/// Everything that a repaint needs, to be sent to its thread.
struct Painter {
    painted_skin: PaintedSkin,
    known: Option<TerrainAnalysis>,
    recipe: Option<Arc<RecipeSource>>,
    /// The finest level of the present tiles.
    finest: i32,
    limits: DeviceLimits,
    arrays: TextureArrays,
    painted: Painted,
}

impl Painter {
    fn run(self, work: &Work) -> Result<PaintResult> {
        let PaintedSkin { skin: TerrainSkin { skin, seed }, landscape } = &self.painted_skin;
        let (fade, seed) = (fade_on(landscape, skin), *seed);
        let Landscape { heightfield: field, sea_level, rivers, .. } = &**landscape;
        let land = Land { field, sea_level: *sea_level, rivers };
        let known = self.known.clone().unwrap_or_else(|| TerrainAnalysis::new(field));
        let known = known.with_land_layers(self.painted_skin.landscape.layers.clone());
        let prepared = fade.prepare(land, Some(known), &work.part(0.0, 0.3))?;
        let known = Some(prepared.analysis().clone());
        let cover = GroundCover::of(&fade, land, known, seed, &work.part(0.3, 0.5))?;
        let work = &work.part(0.5, 1.0);
        if self.recipe.as_ref().is_some_and(|recipe| !recipe.has_whole()) {
            // Each tile is painted by itself.
            self.show(None, &cover, work)?;
            return Ok(PaintResult::new(&prepared));
        }

        let mut coarse = fade.clone();
        coarse.textures.iter_mut().for_each(|texture| texture.resolution = COARSE);
        let preview = coarse.baker(land, &prepared, false, seed, work)?;
        self.show(Some(&preview.paint(preview.whole(), work)?.colour), &cover, work)?;

        let baker = fade.baker(land, &prepared, false, seed, work)?;
        self.show(Some(&baker.paint(baker.whole(), work)?.colour), &cover, work)?;
        Ok(PaintResult::new(&prepared))
    }

    /// Hands over new colours: of all the land, or, without them, of whatever tile is made.
    fn show(&self, colour: Option<&ColourMap>, cover: &GroundCover, work: &Work) -> Result<()> {
        let TerrainSkin { skin, seed } = &self.painted_skin.skin;
        let (drawn, types) =
            PreparedCover::new(cover, self.recipe.is_some(), self.limits, &self.arrays, work)?;
        let channels = types.channels();
        let landscape = self.painted_skin.landscape.clone();
        let whole =
            |colour| LandscapeSource::painted(landscape, colour, Some(&cover.weights), channels, self.finest);
        let whole = colour.map(whole).transpose()?.map(Arc::new);
        let (source, recipe): (Option<Arc<dyn TileSource>>, _) = match &self.recipe {
            None => (whole.map(|whole| whole as _), None),
            Some(recipe) => {
                let source = Arc::new(recipe.repainted(skin.clone(), *seed, channels.clone(), whole));
                (Some(source.clone()), Some(source))
            }
        };
        work.check()?;
        if let Some(source) = source {
            self.painted.push(PaintUpdate { source, recipe, cover: drawn, types });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recipe, Step};

    #[test]
    fn a_skin_draws_the_roads_of_the_land_that_it_is_put_on() {
        let types = |landscape: &Landscape, skin: &Skin| -> Vec<String> {
            fade_on(landscape, skin).types().into_iter().map(|kind| kind.name).collect()
        };
        let land = |steps: &[&str]| {
            let mut recipe = Recipe::new("Land", (33, 33), 10.0).preview(33);
            recipe.steps = steps.iter().filter_map(|name| Step::from_name(name)).collect();
            recipe.build(&Work::new()).unwrap()
        };
        let (bare, crossed) = (land(&["flat"]), land(&["flat", "road"]));
        for skin in [Skin::Arid, Skin::Temperate.in_season(0.5)] {
            assert!(types(&crossed, &skin).contains(&"road".to_owned()));
            assert_eq!(fade_on(&bare, &skin), skin.fade());
        }
    }
}
