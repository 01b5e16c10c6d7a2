//! Cellular noise (Worley, "A Cellular Texture Basis Function", 1996): distance to the nearest of
//! scattered points, one in every cell of a lattice.
//!
//! Samples of a row in the same cell share the nine points of the cells around it. These are computed once,
//! and the distances of neighbouring samples to one of them are computed together.

use std::ops::Range;

use super::samples::{STRETCH, Samples};
use super::{hash_along, hash_of_column};
use crate::compute::wide::{LoopOver, over_in_wide_registers};

/// Data that a stretch of columns shares.
pub(super) struct Cells {
    /// The positions of the columns, in cells.
    x: [f64; STRETCH],
    /// The columns in each cell that has any.
    runs: Vec<Run>,
}

/// Neighbouring columns in one cell.
struct Run {
    columns: Range<usize>,
    /// The cell's own column and those west and east of it, and their half of the hash.
    cells: [(f64, u64); 3],
    /// The points of the nine cells around the current rows.
    points: [[f64; 2]; 9],
}

impl Cells {
    /// The cells of columns at `x`, in cells.
    pub(super) fn new(seed: u64, columns: impl Iterator<Item = f64>) -> Self {
        let mut cells = Self { x: [0.0; STRETCH], runs: Vec::new() };
        let mut last = None;
        for (column, (place, x)) in cells.x.iter_mut().zip(columns).enumerate() {
            *place = x;
            // Columns come from west to east, so those of a cell are neighbours and only the last run can
            // grow.
            let cell = x.floor();
            match cells.runs.last_mut() {
                Some(run) if last == Some(cell) => run.columns.end = column + 1,
                _ => cells.runs.push(Run {
                    columns: column..column + 1,
                    cells: [-1, 0, 1].map(|east| {
                        // Wrapping: the cast saturates far from the origin, and there an overflow must not
                        // panic.
                        (cell + east as f64, hash_of_column(seed, (cell as i64).wrapping_add(east)))
                    }),
                    points: [[0.0; 2]; 9],
                }),
            }
            last = Some(cell);
        }
        cells
    }

    /// See [`Octave::combine`](super::Octave::combine); rows are at `z`, in cells.
    pub(super) fn combine(
        &mut self,
        z: impl Iterator<Item = f64>,
        samples: &mut Samples,
        combine: impl Fn(f32, f32, f32) -> (f32, f32),
    ) {
        let mut last = None;
        for (row, z) in z.enumerate() {
            let cell = z.floor();
            if last != Some(cell) {
                self.runs.iter_mut().for_each(|run| run.place(cell));
                last = Some(cell);
            }
            over_in_wide_registers(&Row { row, z, combine: &combine }, self, samples);
        }
    }
}

impl Run {
    /// Places the points of the cells around a row of cells.
    fn place(&mut self, cell_z: f64) {
        let around =
            [-1, 0, 1].into_iter().flat_map(|south| self.cells.iter().map(move |cell| (south, cell)));
        // Nine cells suffice: a point two cells away is at least a cell's side away, and the noise is clamped
        // to 1 from there on.
        for (point, (south, (cell_x, column))) in self.points.iter_mut().zip(around) {
            let bits = hash_along(*column, (cell_z as i64).wrapping_add(south));
            // The two halves of one hash are independent, so a point needs only one.
            let jitter = |bits: u32| f64::from(bits) / f64::from(u32::MAX);
            *point = [cell_x + jitter(bits as u32), cell_z + south as f64 + jitter((bits >> 32) as u32)];
        }
    }
}

/// One row of samples.
struct Row<'a, Combine> {
    row: usize,
    z: f64,
    combine: &'a Combine,
}

impl<Combine: Fn(f32, f32, f32) -> (f32, f32)> LoopOver<Cells, Samples> for Row<'_, Combine> {
    /// Distance to the nearest point, scaled so that 0 becomes −1 and a cell's side 1, and clamped there.
    #[inline(always)]
    fn run(&self, Cells { x, runs }: &mut Cells, samples: &mut Samples) {
        for Run { columns, points, .. } in runs.iter() {
            let x = &x[columns.clone()];
            let values = &mut samples.values[self.row][columns.clone()];
            let weights = &mut samples.weights[self.row][columns.clone()];
            for ((x, value), weight) in x.iter().zip(values).zip(weights) {
                // In f64: far from the origin a position in cells has no digits left in f32 for the place
                // within the cell.
                let mut nearest = f64::INFINITY;
                for [to_x, to_z] in points.map(|[east, south]| [east - x, south - self.z]) {
                    let away = to_x * to_x + to_z * to_z;
                    // Not `f64::min`, which must also handle NaN: a plain comparison is one instruction for
                    // all lanes. Squares are compared, so that only the nearest distance needs a root.
                    nearest = if away < nearest { away } else { nearest };
                }
                let noise = (2.0 * nearest.sqrt() - 1.0).min(1.0) as f32;
                (*value, *weight) = (self.combine)(noise, *value, *weight);
            }
        }
    }
}
