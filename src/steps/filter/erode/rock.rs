//! How strong the rock is from place to place.

use glam::Vec2;

use super::Erode;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::steps::generate::{Fbm, Generate};

/// Points along the longer side that the rock is laid out on at the most, whatever the grid; between
/// them it changes evenly.
const POINTS: usize = 513;

/// The rock under a land.
pub(super) struct Rock {
    /// Noise in [−1, 1].
    strength: Heightfield,
    variety: f32,
    /// The usual limit, rise per metre.
    usual: f32,
}

impl Rock {
    /// The rock under the land of `grid`.
    pub(super) fn new(erode: &Erode, grid: Grid, seed: u64, work: &Work) -> Result<Self> {
        let longer = grid.longer().min(POINTS) - 1;
        let points = |side: usize| (grid.unit_from_index(side - 1) * longer as f64).round() as usize + 1;
        let lattice = Grid::new(points(grid.width), points(grid.depth), 1.0)?;
        let noise = Fbm { height: 1.0, frequency: 12.0, octaves: 7.0, hurst: 0.5, ..Fbm::default() };
        Ok(Self {
            strength: noise.generate(lattice, seed, work)?,
            variety: erode.variety,
            usual: libm::tanf(erode.max_slope.to_radians()),
        })
    }

    /// The steepest slopes on a `grid` of the same land, as a share `gentler` of those asked for.
    pub(super) fn under(&self, grid: Grid, gentler: f32) -> Limit<'_> {
        let lattice = self.strength.grid();
        let per_sample = |points: usize, samples: usize| (points - 1) as f32 / (samples - 1).max(1) as f32;
        let scale = Vec2::new(per_sample(lattice.width, grid.width), per_sample(lattice.depth, grid.depth));
        Limit { rock: self, scale, usual: gentler * self.usual }
    }
}

/// The steepest slopes that stand on the samples of one grid.
pub(super) struct Limit<'a> {
    rock: &'a Rock,
    /// Points of the rock per sample.
    scale: Vec2,
    usual: f32,
}

impl Limit<'_> {
    /// The steepest rise per metre that stands at a sample.
    pub(super) fn at(&self, column: usize, row: usize) -> f32 {
        let strength = self.rock.strength.sample(Vec2::new(column as f32, row as f32) * self.scale);
        self.usual * (1.0 + 1.6 * self.rock.variety * strength).clamp(0.2, 1.5)
    }
}
