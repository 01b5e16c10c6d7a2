//! The strength of the rock from place to place.

use glam::Vec2;

use super::Erode;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::steps::generate::{Fbm, Generate};

/// Most points along the longer side on which the rock is defined, whatever the grid; between them it is
/// interpolated.
const POINTS: usize = 513;

/// The rock under a land.
pub(super) struct Rock {
    /// Noise in [−1, 1].
    strength: Heightfield,
    variety: f32,
    /// The unmodified slope limit, rise per metre.
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
            strength: noise.generate(lattice, seed, &work.unobserved())?,
            variety: erode.variety,
            usual: libm::tanf(erode.max_slope.to_radians()),
        })
    }

    /// The slope limits on a `grid` of the same land, `gentler` times those requested.
    pub(super) fn under(&self, grid: Grid, gentler: f32) -> Limit<'_> {
        let lattice = self.strength.grid();
        let per_sample = |points: usize, samples: usize| (points - 1) as f32 / (samples - 1).max(1) as f32;
        let scale = Vec2::new(per_sample(lattice.width, grid.width), per_sample(lattice.depth, grid.depth));
        Limit { rock: self, scale, usual: gentler * self.usual }
    }
}

/// The steepest stable slopes of the samples of one grid.
pub(super) struct Limit<'a> {
    rock: &'a Rock,
    /// Points of the rock per sample.
    scale: Vec2,
    usual: f32,
}

/// The steepest slope at the weakest and at the strongest rock, as shares of the unmodified one.
const WEAKEST: f32 = 0.2;
const STRONGEST: f32 = 1.5;

impl Limit<'_> {
    /// The slope that is stable everywhere, rise per metre.
    pub(super) fn least(&self) -> f32 {
        WEAKEST * self.usual
    }

    /// The steepest stable slope at a sample, rise per metre.
    pub(super) fn at(&self, column: usize, row: usize) -> f32 {
        self.line(row).at(column)
    }

    /// The limits along a row.
    pub(super) fn line(&self, row: usize) -> Line<'_> {
        let strength = &self.rock.strength;
        let z = row as f32 * self.scale.y;
        let last = strength.grid().depth - 1;
        let north = (z as usize).min(last);
        Line {
            north: strength.row(north),
            south: strength.row((north + 1).min(last)),
            down: z - north as f32,
            scale: self.scale.x,
            usual: self.usual,
            variety: self.rock.variety,
        }
    }
}

/// The steepest stable slopes of the samples of one row.
pub(super) struct Line<'a> {
    /// The rock's points north and south of the row.
    north: &'a [f32],
    south: &'a [f32],
    /// Position of the row between these, in [0, 1].
    down: f32,
    /// Points of the rock per sample.
    scale: f32,
    usual: f32,
    variety: f32,
}

impl Line<'_> {
    /// The steepest stable slope at a sample, rise per metre.
    #[inline]
    pub(super) fn at(&self, column: usize) -> f32 {
        let x = column as f32 * self.scale;
        let west = (x as u32 as usize).min(self.north.len() - 1);
        let east = (west + 1).min(self.north.len() - 1);
        let across = x - west as f32;
        let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let north = lerp(self.north[west], self.north[east], across);
        let south = lerp(self.south[west], self.south[east], across);
        self.usual * (1.0 + 1.6 * self.variety * lerp(north, south, self.down)).clamp(WEAKEST, STRONGEST)
    }
}
