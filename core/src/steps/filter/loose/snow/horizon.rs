//! Horizons for the shadows of mountains: how high the ground rises in each of 16 bearings, from a coarse
//! grid.
//!
//! The slope of the ground itself turns it away from the sun; horizons are for what lies farther off, and
//! there the mean of a few samples says enough.

use rayon::prelude::*;

use super::sun::BEARINGS;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, finite_rise};

/// Wanted distance between samples of the coarse grid, metres, and how many samples of the land go into one
/// of it.
const COARSE: f32 = 40.0;
const TOGETHER: [usize; 2] = [3, 8];

/// How far it looks, metres, and after how many samples of the coarse grid it takes longer strides.
const FAR: f32 = 4000.0;
const DENSE: usize = 12;

/// Horizons of a land.
pub(super) struct Horizons {
    together: usize,
    width: usize,
    depth: usize,
    /// For each bearing, the tangent of the height of the horizon at each sample of the coarse grid; at least
    /// 0.
    rises: Vec<Vec<f32>>,
}

impl Horizons {
    pub(super) fn of(land: &Heightfield, work: &Work) -> Result<Self> {
        let Grid { width: fine, depth: fine_depth, cell } = land.grid();
        let together = (COARSE / cell).round().clamp(TOGETHER[0] as f32, TOGETHER[1] as f32) as usize;
        let (width, depth) = (fine.div_ceil(together), fine_depth.div_ceil(together));
        let mut means = vec![0.0f32; width * depth];
        means.par_chunks_mut(width).enumerate().try_for_each(|(row, means)| {
            work.check()?;
            let rows = row * together..((row + 1) * together).min(fine_depth);
            for (column, mean) in means.iter_mut().enumerate() {
                let columns = column * together..((column + 1) * together).min(fine);
                let count = (rows.len() * columns.len()) as f32;
                for row in rows.clone() {
                    // Divided first: the sum of great heights would overflow.
                    *mean += land.row(row)[columns.clone()].iter().map(|height| height / count).sum::<f32>();
                }
            }
            Ok::<_, crate::Error>(())
        })?;
        let cell = cell * together as f32;
        let rises = (0..BEARINGS).map(|bearing| {
            let strides = strides(bearing, cell);
            let mut rises = vec![0.0f32; width * depth];
            rises.par_chunks_mut(width).enumerate().try_for_each(|(row, rises)| {
                work.check()?;
                let own = &means[row * width..][..width];
                for stride in &strides {
                    let Some(there) = row.checked_add_signed(stride.rows).filter(|row| *row < depth) else {
                        continue;
                    };
                    // Beyond the border nothing is known: as if the ground were level.
                    let [before, after] =
                        [stride.columns.min(0).unsigned_abs(), stride.columns.max(0) as usize];
                    if before + after >= width {
                        continue;
                    }
                    let there = &means[there * width..][..width];
                    let samples = rises[before..width - after].iter_mut().zip(&own[before..width - after]);
                    for ((rise, own), there) in samples.zip(&there[after..width - before]) {
                        let found = (there - own) * stride.per_metre;
                        *rise = if found > *rise { found } else { *rise };
                    }
                }
                rises.iter_mut().for_each(|rise| *rise = finite_rise(*rise));
                Ok::<_, crate::Error>(())
            })?;
            Ok(rises)
        });
        let rises = rises.collect::<Result<_>>()?;
        Ok(Self { together, width, depth, rises })
    }

    /// The horizons of a row of the land, on the columns of the coarse grid.
    pub(super) fn of_row(&self, row: usize, bearing: usize, out: &mut Vec<f32>) {
        let (first, share) = self.place(row, self.depth);
        let [here, below] = [first, (first + 1).min(self.depth - 1)]
            .map(|row| &self.rises[bearing][row * self.width..][..self.width]);
        out.clear();
        out.extend(here.iter().zip(below).map(|(here, below)| here + (below - here) * share));
    }

    /// Where the columns from `first` on lie between those of the coarse grid.
    pub(super) fn places(&self, first: usize, places: &mut [Place]) {
        for (number, place) in places.iter_mut().enumerate() {
            let (column, share) = self.place(first + number, self.width);
            *place = Place { columns: [column, (column + 1).min(self.width - 1)], share };
        }
    }

    /// The coarse sample at or before a sample, and how far it is to the next.
    fn place(&self, sample: usize, count: usize) -> (usize, f32) {
        let together = self.together as f32;
        // A coarse sample lies in the middle of those that it is the mean of.
        let place = ((sample as f32 - 0.5 * (together - 1.0)) / together).clamp(0.0, (count - 1) as f32);
        let first = place as usize;
        (first, place - first as f32)
    }
}

/// A place between two columns of the coarse grid.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    columns: [usize; 2],
    /// How far it is from the first to the second.
    share: f32,
}

impl Place {
    /// Interpolates a row that [`Horizons::of_row`] has made.
    pub(super) fn of(self, coarse: &[f32]) -> f32 {
        let [here, next] = self.columns.map(|column| coarse[column]);
        here + (next - here) * self.share
    }
}

/// A way to another sample of the coarse grid.
struct Stride {
    columns: isize,
    rows: isize,
    per_metre: f32,
}

/// Samples along a bearing, the farther away, the wider apart.
fn strides(bearing: usize, cell: f32) -> Vec<Stride> {
    let angle = std::f64::consts::TAU * bearing as f64 / BEARINGS as f64;
    let (east, south) = (libm::sin(angle), -libm::cos(angle));
    let mut strides: Vec<Stride> = Vec::new();
    let mut samples = 1.0f64;
    while samples * f64::from(cell) <= f64::from(FAR).max(f64::from(cell)) {
        let [columns, rows] = [samples * east, samples * south].map(|cells| cells.round() as isize);
        let length = libm::hypot(columns as f64, rows as f64) * f64::from(cell);
        if strides.last().is_none_or(|last| (last.columns, last.rows) != (columns, rows)) {
            strides.push(Stride { columns, rows, per_metre: (1.0 / length) as f32 });
        }
        samples = if samples < DENSE as f64 { samples + 1.0 } else { (samples * 1.15).ceil() };
    }
    strides
}
