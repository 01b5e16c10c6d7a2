//! The strength of the rock from place to place.

use super::params::Erode;
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::steps::generate::{Fbm, Generate};
use crate::steps::rock::Beds;

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
        // fBm depends on the position on the land alone, so a grid of another size has the same rock.
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

    /// The slope limits on a `grid` of the same land, `gentler` times those requested. Beds have limits of
    /// their own.
    pub(super) fn under<'a>(&'a self, grid: Grid, gentler: f32, beds: Option<&'a Beds<'a>>) -> Limit<'a> {
        let lattice = self.strength.grid();
        let per_sample = |points: usize, samples: usize| (points - 1) as f32 / (samples - 1).max(1) as f32;
        let across = per_sample(lattice.width, grid.width);
        let column = |column: usize| {
            let x = column as f32 * across;
            // Clamped because the product may round up to just beyond the last point.
            let west = (x as usize).min(lattice.width - 1);
            (west as u32, x - west as f32)
        };
        Limit {
            rock: self,
            beds,
            columns: (0..grid.width).map(column).collect(),
            down: per_sample(lattice.depth, grid.depth),
            // What is multiplied by the slopes of the beds, if there are any.
            usual: if beds.is_some() { gentler } else { gentler * self.usual },
        }
    }
}

/// The steepest stable slopes of the samples of one grid.
pub(super) struct Limit<'a> {
    rock: &'a Rock,
    beds: Option<&'a Beds<'a>>,
    /// For every column: the rock's point west of it, and how far it lies from that.
    columns: Vec<(u32, f32)>,
    /// Points of the rock from row to row.
    down: f32,
    usual: f32,
}

/// The rows of the rock's points around a row of samples, with a point for every column: neighbouring rows
/// of samples share them.
#[derive(Default)]
pub(super) struct RockRows {
    held: [Option<usize>; 2],
    rows: [Vec<f32>; 2],
}

/// The steepest slope at the weakest and at the strongest rock, as shares of the unmodified one.
pub(super) const WEAKEST: f32 = 0.2;
pub(super) const STRONGEST: f32 = 1.5;

/// By how much of itself it varies where the noise is 1, for each unit of variety.
pub(super) const VARIES: f32 = 1.6;

impl Limit<'_> {
    /// The slope that is stable everywhere, rise per metre.
    pub(super) fn least(&self) -> f32 {
        WEAKEST * self.usual * self.beds.map_or(1.0, Beds::gentlest)
    }

    /// The beds of the rock, if it has any.
    pub(super) fn beds(&self) -> Option<&Beds<'_>> {
        self.beds
    }

    /// How soft the beds of a sample are for rivers that fall from `high` to `low`, in [0, 1].
    pub(super) fn softness(&self, (column, row): (usize, usize), (low, high): (f32, f32)) -> f32 {
        self.beds.map_or(1.0, |beds| beds.softness(row * self.columns.len() + column, low, high))
    }

    /// The steepest stable slope at a sample that stands at `height`, rise per metre, over `away` metres.
    pub(super) fn at(&self, (column, row): (usize, usize), height: f32, away: f32) -> f32 {
        let steepest = self.without_beds(column, row);
        match self.beds {
            Some(beds) => {
                let sample = row * self.columns.len() + column;
                let across = beds.across(sample, height) - f64::from(away * steepest);
                (height - beds.height(sample, across)).max(0.0) / away
            }
            None => steepest,
        }
    }

    /// The greatest height at which a sample stands above one `away` metres off at height `low`, if slopes
    /// are limited to what `limited` makes of the steepest.
    pub(super) fn above(
        &self,
        (column, row): (usize, usize),
        (low, away): (f32, f32),
        limited: impl Fn(f32) -> f32,
    ) -> f32 {
        let steepest = self.without_beds(column, row);
        match self.beds {
            Some(beds) => {
                let sample = row * self.columns.len() + column;
                beds.height(sample, beds.across(sample, low) + f64::from(limited(steepest) * away)).max(low)
            }
            None => low + limited(steepest) * away,
        }
    }

    /// The steepest stable slope of the rock, rise per metre; where it has beds, how many times as steep as
    /// usual they stand.
    fn without_beds(&self, column: usize, row: usize) -> f32 {
        let ([north, south], down) = self.around(row);
        self.of_strength(lerp(self.point(north, column), self.point(south, column), down))
    }

    /// The steepest stable slopes of all samples of a row, as of a rock without beds.
    pub(super) fn of_row(&self, row: usize, rows: &mut RockRows, out: &mut [f32]) {
        let (around, down) = self.around(row);
        // North and south are adjacent, so their parities differ and each has a slot of its own.
        for row in around {
            if rows.held[row % 2] != Some(row) {
                rows.held[row % 2] = Some(row);
                rows.rows[row % 2].clear();
                rows.rows[row % 2].extend((0..self.columns.len()).map(|column| self.point(row, column)));
            }
        }
        let [north, south] = around.map(|row| &rows.rows[row % 2][..]);
        in_wide_registers(FillLimits { limit: self, north, south, down, out });
    }

    /// The rows of the rock's points north and south of a row of samples, and how far it lies from the first.
    fn around(&self, row: usize) -> ([usize; 2], f32) {
        let z = row as f32 * self.down;
        let last = self.rock.strength.grid().depth - 1;
        let north = (z as usize).min(last);
        ([north, (north + 1).min(last)], z - north as f32)
    }

    /// How strong the rock is on a row of its points, at a column of samples.
    #[inline]
    fn point(&self, row: usize, column: usize) -> f32 {
        let points = self.rock.strength.row(row);
        let (west, across) = self.columns[column];
        let west = west as usize;
        lerp(points[west], points[(west + 1).min(points.len() - 1)], across)
    }

    #[inline(always)]
    fn of_strength(&self, strength: f32) -> f32 {
        // Clamped, so that no variety makes rock liquid (a slope of 0) or vertical.
        self.usual * (1.0 + VARIES * self.rock.variety * strength).clamp(WEAKEST, STRONGEST)
    }
}

/// The limits of a row between two rows of points.
struct FillLimits<'a> {
    limit: &'a Limit<'a>,
    north: &'a [f32],
    south: &'a [f32],
    down: f32,
    out: &'a mut [f32],
}

impl Loop for FillLimits<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { limit, north, south, down, out } = self;
        for ((out, north), south) in out.iter_mut().zip(north).zip(south) {
            *out = limit.of_strength(lerp(*north, *south, down));
        }
    }
}

#[inline(always)]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}
