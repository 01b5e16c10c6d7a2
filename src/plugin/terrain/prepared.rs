//! From a landscape or a recipe to what is drawn of it. Runs on a thread of its own.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::source::TerrainSource;
use crate::build::Making;
use crate::plugin::device::DeviceLimits;
use crate::plugin::ground_textures::TextureArrays;
use crate::plugin::jobs::Job;
use crate::plugin::material::{PreparedCover, WeighedTypes};
use crate::plugin::stream::FirstShown;
use crate::steps::water::RiverSheet;
use crate::stream::{LandTile, LandscapeSource, MadeTile, RecipeSource, TILE_CELLS, TileSource};
use crate::{Cache, Error, Grid, Landscape, Recipe, Result, Work};

/// Metres between samples to which a recipe goes on near the eye.
pub(super) const FINEST: f32 = 0.25;

/// Samples along the longer side of the landscape of a land that is not made as a whole, at most; and of the
/// one that stands for a land that is still being built.
const OVERVIEW: u32 = 1025;
const FIRST_PREVIEW: u32 = 129;

/// The approximate shares of a build's work after which the first preview, and the landscape, are there.
const AFTER_FIRST_PREVIEW: f32 = 0.1;
const AFTER_LANDSCAPE: f32 = 0.85;

/// The distance from an eye within which endless land's first tiles are made before it is shown, metres, and
/// the least side of these tiles, metres.
const FIRST_REACH: f64 = 10_000.0;
const FIRST_SIDE: f64 = 50_000.0;

/// The types that lie on a landscape, and those that its tiles weigh.
type Cover = (Option<PreparedCover>, WeighedTypes);

/// A terrain prepared for drawing.
pub(crate) struct PreparedTerrain {
    pub(crate) landscape: Arc<Landscape>,
    pub(crate) origin: DVec2,
    pub(crate) height_range: (f32, f32),
    pub(crate) cover: Option<PreparedCover>,
    pub(crate) types: WeighedTypes,
    pub(crate) rivers: RiverSheet,
    pub(crate) source: Arc<dyn TileSource>,
    /// `source`, if it is a recipe's.
    pub(crate) recipe: Option<Arc<RecipeSource>>,
    /// The source of the same ground whose tiles are drawn already, if any are.
    pub(crate) speculative_source: Option<Arc<RecipeSource>>,
    /// The tiles that are drawn first.
    pub(crate) first: Vec<MadeTile>,
}

/// A running build.
pub(crate) struct Build {
    pub(super) job: Job<PreparedTerrain>,
    pub(super) first_preview: FirstPreview,
}

/// A preview of a land that is still being built, until it is taken.
#[derive(Clone, Default)]
pub(super) struct FirstPreview(Arc<Mutex<Option<PreparedTerrain>>>);

impl FirstPreview {
    fn put(&self, prepared: PreparedTerrain) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(prepared);
    }

    pub(super) fn take(&self) -> Option<PreparedTerrain> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The inputs from the game that a build needs.
pub(super) struct Builder {
    pub(super) limits: DeviceLimits,
    pub(super) arrays: TextureArrays,
    /// For recipes that it opens itself.
    pub(super) cache: Cache,
    /// Where cameras are, in the terrain's space.
    pub(super) eyes: Vec<Vec3>,
    /// The source of the new ground whose tiles are drawn already.
    pub(super) speculative_source: Option<Arc<RecipeSource>>,
    /// Set as soon as one of those tiles is drawn.
    pub(super) first_shown: Option<FirstShown>,
    /// Whether there is ground, which stays until all of the new one is there.
    pub(super) has_ground: bool,
}

impl Builder {
    /// Starts the build of a source's land.
    pub(super) fn start(self, source: TerrainSource) -> Box<Build> {
        let first_preview = FirstPreview::default();
        let to_show = first_preview.clone();
        // On a thread of its own: a build takes seconds, and short jobs make the tiles that are drawn
        // meanwhile.
        let job = Job::start_long(move |work| self.run(source, &to_show, work));
        Box::new(Build { job, first_preview })
    }

    /// Builds a source's land and prepares it for drawing.
    ///
    /// # Errors
    /// Those of the source; when the colour map or the weights don't match their stated size, when a tile's
    /// picture cannot be read, or when the work was cancelled.
    fn run(self, source: TerrainSource, to_show: &FirstPreview, work: &Work) -> Result<PreparedTerrain> {
        match source {
            TerrainSource::Ready(landscape) => self.finished(landscape, work),
            TerrainSource::Build(build) => self.finished(Arc::new((build.0)(work)?), work),
            TerrainSource::File(path) => {
                let (recipe, cache) = (Recipe::open(&*path)?, self.cache.clone());
                self.recipe(&recipe, &cache, None, to_show, work)
            }
            TerrainSource::Recipe { recipe, cache, built } => {
                self.recipe(&recipe, &cache, built, to_show, work)
            }
            TerrainSource::Missing => Err(Error::parameter(
                "terrain",
                "has no source: give it a landscape, a function that makes one, a recipe or a file",
            )),
            TerrainSource::Asset(_) => Err(Error::parameter("terrain", "its recipe is not loaded")),
        }
    }

    /// Prepares a finished landscape.
    fn finished(&self, landscape: Arc<Landscape>, work: &Work) -> Result<PreparedTerrain> {
        work.stage("tiles", 4);
        let cover = self.cover(&landscape, false, work)?;
        let source = Arc::new(LandscapeSource::new(landscape.clone(), cover.1.channels())?);
        let origin = landscape.heightfield.grid().extent().as_dvec2() * -0.5;
        self.prepared(landscape, cover, origin, source, work)
    }

    /// Builds a recipe, and prepares it.
    fn recipe(
        &self,
        recipe: &Recipe,
        cache: &Cache,
        built: Option<Arc<Landscape>>,
        to_show: &FirstPreview,
        work: &Work,
    ) -> Result<PreparedTerrain> {
        // Checked as for a file, so that a recipe whose land is drawn can also be saved and loaded again.
        recipe.check_numbers()?;
        // Files are opened once for all that follows, so that a file which changes meanwhile cannot give two
        // parts of a land different samples.
        let recipe = &*recipe.with_open_files(Some(cache), work)?;
        let making = recipe.making(cache)?;
        let mut speculative_source = self.speculative_source.clone();
        // Only where nothing is drawn yet: a preview must not replace ground that is complete.
        if !self.has_ground && built.is_none() && making != Making::Whole {
            let look = self.first_preview(recipe, cache, &work.part(0.0, AFTER_FIRST_PREVIEW))?;
            speculative_source.clone_from(&look.recipe);
            to_show.put(look);
        }
        // The build takes all cores; the tile that the eye waits for comes first.
        if let Some(first_shown) = &self.first_shown {
            first_shown.wait(work)?;
        }
        let is_given = built.is_some();
        let of_landscape = &work.part(AFTER_FIRST_PREVIEW, AFTER_LANDSCAPE);
        let landscape = match built {
            Some(built) => built,
            // Land that is never built as a whole has only an overview for queries and for its water.
            None if making == Making::Windows && !recipe.domain()?.is_endless() => {
                Arc::new(recipe.overview(OVERVIEW, cache, of_landscape)?)
            }
            None => recipe.finished(cache, of_landscape)?,
        };
        let work = &work.part(AFTER_LANDSCAPE, 1.0);
        work.check()?;
        work.stage("tiles", 4);
        let cover = self.cover(&landscape, true, work)?;
        let channels = cover.1.channels();
        let source = match &speculative_source {
            // The tiles that are drawn already are the ones that would be made.
            Some(drawn)
                // The tiles that are drawn stay only if they have all that the new ones would have: the
                // effect of distant land on colours, and the same channels of weights.
                if (making == Making::Windows || drawn.has_whole())
                    && !is_given
                    && drawn.channels() == channels =>
            {
                drawn.clone()
            }
            _ => {
                let whole = match making {
                    Making::Windows => None,
                    _ if is_given => Some(Arc::new(LandscapeSource::new(landscape.clone(), channels)?)),
                    _ => Some(LandscapeSource::kept(landscape.clone(), channels, recipe, cache)?),
                };
                Arc::new(RecipeSource::of(recipe.clone(), cache, FINEST, channels.clone(), whole)?)
            }
        };
        let prepared = self.prepared(landscape, cover, origin_of(recipe), source.clone(), work)?;
        Ok(PreparedTerrain { recipe: Some(source), speculative_source, ..prepared })
    }

    /// A recipe's terrain that can be drawn while its land is still being built.
    fn first_preview(&self, recipe: &Recipe, cache: &Cache, work: &Work) -> Result<PreparedTerrain> {
        let landscape = Arc::new(recipe.overview(FIRST_PREVIEW, cache, work)?);
        let cover = self.cover(&landscape, true, work)?;
        let channels = cover.1.channels().clone();
        let source = Arc::new(RecipeSource::of(recipe.clone(), cache, FINEST, channels, None)?);
        let prepared = self.prepared(landscape, cover, origin_of(recipe), source.clone(), work)?;
        Ok(PreparedTerrain { recipe: Some(source), ..prepared })
    }

    /// The types that lie on a landscape; with `all`, those that lie nowhere too.
    fn cover(&self, landscape: &Landscape, all: bool, work: &Work) -> Result<Cover> {
        work.check()?;
        match &landscape.cover {
            Some(cover) => PreparedCover::new(cover, all, self.limits, &self.arrays, work),
            None => Ok(Cover::default()),
        }
    }

    /// Prepares a landscape, whose tiles are those of a source.
    fn prepared(
        &self,
        landscape: Arc<Landscape>,
        (cover, types): Cover,
        origin: DVec2,
        source: Arc<dyn TileSource>,
        work: &Work,
    ) -> Result<PreparedTerrain> {
        work.advance(1);
        work.check()?;
        let first = first_tiles(&*source, origin, &self.eyes);
        // Made here, so that they are drawn in the frame in which the land is swapped in.
        let first = first.into_iter().map(|tile| source.make(tile, work)).collect::<Result<_>>()?;
        work.advance(1);
        let rivers = RiverSheet::of(&landscape.heightfield, landscape.waters(), work)?;
        work.advance(1);
        work.check()?;
        let height_range = landscape.heightfield.range();
        Ok(PreparedTerrain {
            landscape,
            origin,
            height_range,
            cover,
            types,
            rivers,
            source,
            recipe: None,
            speculative_source: None,
            first,
        })
    }
}

/// Where sample (0, 0) of a recipe's land lies, metres east and south of the entity.
pub(crate) fn origin_of(recipe: &Recipe) -> DVec2 {
    let (width, depth) = recipe.size;
    let grid = Grid { width: width as usize, depth: depth as usize, cell: recipe.cell };
    let corner = grid.extent().as_dvec2() * -0.5;
    if recipe.unit.is_none() {
        return corner;
    }
    // The landscape is a part of it, around that sample.
    // Halves rounded down, as the core places the part of endless land around sample (0, 0).
    let before = [width / 2, depth / 2].map(f64::from);
    corner + DVec2::from(before) * f64::from(recipe.cell)
}

/// The tiles around eyes, in the entity's space, from which a land of this origin is seen first: the
/// coarsest, and of land without end the next finer ones.
fn first_tiles(source: &dyn TileSource, origin: DVec2, eyes: &[Vec3]) -> Vec<LandTile> {
    let shape = source.shape();
    let places = eyes.iter().map(|eye| DVec3::from(*eye)).filter(|eye| eye.is_finite());
    let mut places: Vec<DVec2> = places.map(|eye| DVec2::new(eye.x, eye.z) - origin).collect();
    // No camera needs to be there yet.
    places.push(-origin);
    // Beyond this no land is drawn.
    places.retain(|place| place.abs().max_element() < 1e9 || shape.size.is_some());
    let side = |level: i32| f64::from(shape.cell_at(level)) * TILE_CELLS as f64;
    // The coarsest tiles of bounded land cover everything. Those of endless land would be thousands of
    // kilometres wide, so finer ones come with them.
    let finest = match shape.size {
        Some(_) => shape.coarsest,
        None => {
            (shape.finest..shape.coarsest).find(|level| side(*level) >= FIRST_SIDE).unwrap_or(shape.coarsest)
        }
    };
    // Two places are enough: more cameras would make the first frame wait.
    let around = places.into_iter().take(2).flat_map(|place| {
        let finer = (finest..shape.coarsest).flat_map(move |level| shape.around(level, place, FIRST_REACH));
        shape.roots(place, FIRST_REACH).into_iter().chain(finer)
    });
    // The vertices on a tile's east and south border belong to its neighbours.
    let beside = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let with_those = |tile: LandTile| beside.map(|(columns, rows)| tile.beside(columns, rows));
    let mut tiles: Vec<LandTile> = around.flat_map(with_those).filter(|tile| shape.has(*tile)).collect();
    // Parents first: a tile without its parent would be dropped on arrival.
    tiles.sort_unstable_by_key(|tile| (Reverse(tile.level), *tile));
    tiles.dedup();
    tiles
}
