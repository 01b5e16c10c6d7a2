//! The work of a repaint: new colours for present land are baked on a thread of their own, first as a coarse
//! picture of the whole.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::skin::TerrainSkin;
use crate::analysis::{Land, TerrainAnalysis};
use crate::grid::layer::{ROAD, SNOW};
use crate::plugin::device::DeviceLimits;
use crate::plugin::ground_textures::TextureArrays;
use crate::plugin::jobs::Job;
use crate::plugin::material::{PreparedCover, WeighedTypes};
use crate::stream::{LandscapeSource, RecipeSource, TileSource};
use crate::texture::{ColourMap, Fade, GroundCover, Prepared};
use crate::{Landscape, Result, Skin, Work};

/// Texels along the longer side of the coarse picture.
const COARSE: u32 = 512;

/// A skin and the ground that it is for.
#[derive(Clone)]
pub(super) struct PaintedSkin {
    pub(super) skin: TerrainSkin,
    /// The land of that ground.
    pub(super) landscape: Arc<Landscape>,
}

impl PaintedSkin {
    /// Whether it is this skin on the ground with this land.
    pub(super) fn is(&self, skin: &TerrainSkin, landscape: &Arc<Landscape>) -> bool {
        // By address: two lands with the same heights may differ in what is painted on them, and a comparison
        // of all samples would take longer than a frame.
        self.skin == *skin && Arc::ptr_eq(&self.landscape, landscape)
    }
}

/// A running repaint.
pub(super) struct Repaint {
    pub(super) painted_skin: PaintedSkin,
    pub(super) job: Job<PaintResult>,
    pub(super) painted: Painted,
}

/// The result of a repaint.
pub(super) struct PaintResult {
    pub(super) analysis: TerrainAnalysis,
    pub(super) notes: Vec<String>,
}

impl PaintResult {
    fn new(prepared: &Prepared) -> Self {
        Self { analysis: prepared.analysis().clone(), notes: prepared.notes.clone() }
    }
}

/// New colours that have been painted and not yet uploaded.
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
    pub(super) source: Arc<dyn TileSource>,
    /// The source, if it is a recipe's.
    pub(super) recipe: Option<Arc<RecipeSource>>,
    /// New types and their pictures, replacing the present ones.
    pub(super) cover: Option<PreparedCover>,
    pub(super) types: WeighedTypes,
}

/// The textures of a skin on a land. Ready-made skins lay gravel on its roads and show its snow.
fn fade_on(landscape: &Landscape, skin: &Skin) -> Fade {
    let [has_roads, has_snow] = [ROAD, SNOW].map(|name| landscape.layers.get(name).is_some());
    skin.on_land(has_roads, has_snow).fade()
}

/// Everything that a repaint needs, to be sent to its thread.
pub(super) struct Painter {
    pub(super) painted_skin: PaintedSkin,
    /// The analysis of the land, if an earlier repaint has made it.
    pub(super) known: Option<TerrainAnalysis>,
    pub(super) recipe: Option<Arc<RecipeSource>>,
    /// The finest level of the present tiles.
    pub(super) finest: i32,
    pub(super) limits: DeviceLimits,
    pub(super) arrays: TextureArrays,
    pub(super) painted: Painted,
}

impl Painter {
    pub(super) fn run(self, work: &Work) -> Result<PaintResult> {
        let PaintedSkin { skin: TerrainSkin { skin, seed }, landscape } = &self.painted_skin;
        let (fade, seed) = (fade_on(landscape, skin), *seed);
        let Landscape { heightfield: field, sea_level, rivers, lakes, .. } = &**landscape;
        let land = Land { sea_level: *sea_level, rivers, lakes, ..Land::dry(field) };
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

        // A coarse picture takes a small part of the time and shows the new colours while the fine one is
        // baked.
        let mut coarse = fade.clone();
        coarse.textures.iter_mut().for_each(|texture| texture.resolution = COARSE);
        let preview = coarse.baker(land, &prepared, false, seed, work)?;
        self.show(Some(&preview.paint(preview.whole(), work)?.colour), &cover, work)?;

        let baker = fade.baker(land, &prepared, false, seed, work)?;
        self.show(Some(&baker.paint(baker.whole(), work)?.colour), &cover, work)?;
        Ok(PaintResult::new(&prepared))
    }

    /// Hands over new colours of all the land; without `colour`, a source that colours each tile when it is
    /// made.
    fn show(&self, colour: Option<&ColourMap>, cover: &GroundCover, work: &Work) -> Result<()> {
        let TerrainSkin { skin, seed } = &self.painted_skin.skin;
        let (drawn, types) =
            // For recipes the types that lie nowhere as well: finer tiles may have some where the overview
            // has none.
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
        // A cancelled repaint must not hand over colours of the skin before.
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
