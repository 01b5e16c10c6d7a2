//! From a landscape or a recipe to what is drawn of it. Runs on the task pool.

use std::sync::Arc;

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::components::TerrainSource;
use crate::plugin::device::DeviceLimits;
use crate::plugin::material::PreparedCover;
use crate::plugin::tiles::TileStacks;
use crate::steps::water::RiverSheet;
use crate::stream::{LandTile, LandscapeSource, MadeTile, RecipeSource, TileSource};
use crate::{Error, Landscape, Result, Work};

/// Metres between samples to which a recipe goes on near the eye.
pub(super) const FINEST: f32 = 0.25;

/// The distance from an eye within which endless land's coarsest tiles are made before it is shown, metres.
const FIRST_REACH: f64 = 10_000.0;

/// A terrain prepared for drawing.
pub(crate) struct PreparedTerrain {
    pub(crate) landscape: Arc<Landscape>,
    pub(crate) origin: DVec2,
    pub(crate) height_range: (f32, f32),
    pub(crate) cover: Option<PreparedCover>,
    pub(crate) rivers: RiverSheet,
    pub(crate) source: Arc<dyn TileSource>,
    /// `source`, if it is a recipe's.
    pub(crate) recipe: Option<Arc<RecipeSource>>,
    /// The tiles that are drawn first.
    pub(crate) first: Vec<MadeTile>,
}

/// What a build needs from the game.
pub(super) struct Builder {
    pub(super) limits: DeviceLimits,
    pub(super) stacks: TileStacks,
    /// Where cameras are, in the terrain's space.
    pub(super) eyes: Vec<Vec3>,
}

impl Builder {
    /// Builds a source's land and prepares it for drawing.
    ///
    /// # Errors
    /// Those of the source; when the colour map or the weights don't match their stated size, when a tile's picture
    /// cannot be read, or when the work was cancelled.
    pub(super) fn run(self, source: TerrainSource, work: &Work) -> Result<PreparedTerrain> {
        work.check()?;
        let (landscape, recipe) = match source {
            TerrainSource::Ready(landscape) => (landscape, None),
            TerrainSource::Build(build) => (Arc::new((build.0)(work)?), None),
            TerrainSource::Recipe { recipe, cache, built } => {
                let build = || recipe.build_with(&cache, work).map(Arc::new);
                let landscape = built.map_or_else(build, Ok)?;
                (landscape, Some((recipe, cache)))
            }
            TerrainSource::Asset(_) => return Err(Error::parameter("terrain", "its recipe is not loaded")),
        };
        work.check()?;
        work.stage("tiles", 4);
        let grid = landscape.heightfield.grid();
        let cover = match &landscape.cover {
            Some(cover) => PreparedCover::new(cover, recipe.is_some(), self.limits, &self.stacks, work)?,
            None => None,
        };
        let channels = cover.as_ref().map_or(&[][..], PreparedCover::channels);
        work.advance(1);
        work.check()?;
        let mut origin = grid.extent().as_dvec2() * -0.5;
        let (source, recipe): (Arc<dyn TileSource>, _) = match recipe {
            None => (Arc::new(LandscapeSource::new(landscape.clone(), channels)?), None),
            Some((recipe, cache)) => {
                let is_endless = recipe.domain()?.is_endless();
                let whole = match is_endless {
                    true => None,
                    false => Some(LandscapeSource::new(landscape.clone(), channels)?),
                };
                if is_endless {
                    // The landscape is a part of it, around sample (0, 0).
                    let before = [grid.width / 2, grid.depth / 2].map(|samples| samples as f64);
                    origin += DVec2::from(before) * f64::from(grid.cell);
                }
                let source = RecipeSource::of((*recipe).clone(), &cache, FINEST, channels.to_vec(), whole)?;
                let source = Arc::new(source);
                (source.clone(), Some(source))
            }
        };
        work.advance(1);
        work.check()?;
        let first = first_tiles(&*source, origin, &self.eyes);
        let first = first.into_iter().map(|tile| source.make(tile, work)).collect::<Result<_>>()?;
        work.advance(1);
        let rivers = RiverSheet::new(&landscape.heightfield, &landscape.rivers, landscape.sea_level, work)?;
        work.advance(1);
        work.check()?;
        let height_range = landscape.heightfield.range();
        Ok(PreparedTerrain { landscape, origin, height_range, cover, rivers, source, recipe, first })
    }
}

/// The coarsest tiles around eyes, in the entity's space, from which a land of this origin is seen first.
fn first_tiles(source: &dyn TileSource, origin: DVec2, eyes: &[Vec3]) -> Vec<LandTile> {
    let shape = source.shape();
    let places = eyes.iter().map(|eye| DVec3::from(*eye)).filter(|eye| eye.is_finite());
    let mut places: Vec<DVec2> = places.map(|eye| DVec2::new(eye.x, eye.z) - origin).collect();
    // No camera needs to be there yet.
    places.push(-origin);
    // Beyond this no land is drawn.
    places.retain(|place| place.abs().max_element() < 1e9 || shape.size.is_some());
    let around = places.into_iter().take(2).flat_map(|place| shape.roots(place, FIRST_REACH));
    // The vertices on a tile's east and south border belong to its neighbours.
    let beside = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let with_those = |tile: LandTile| beside.map(|(columns, rows)| tile.beside(columns, rows));
    let mut tiles: Vec<LandTile> = around.flat_map(with_those).filter(|tile| shape.has(*tile)).collect();
    tiles.sort_unstable();
    tiles.dedup();
    tiles
}
