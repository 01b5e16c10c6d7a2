//! One octave of noise over a region, evaluated block by block and passed to the fractal that sums octaves.

use std::ops::Range;

use noise::NoiseFn;

use super::cellular::Cells;
use super::lattice::{Lattice, NodeRows};
use super::samples::Samples;
use super::{Basis, mix};
use crate::grid::Region;

/// Cells from the origin within which simplex noise is evaluated: skewed they still fit into an i64.
const FARTHEST_CELL: f64 = 2e18;

/// One octave of noise over a region: the data shared by all rows.
pub(crate) struct Octave {
    evaluator: Evaluator,
    /// Lattice cells in a unit.
    frequency: f64,
    /// Lattice position of the land's first sample: random, because gradient noise is 0 at lattice points
    /// and octaves would share those zeros.
    origin: [f64; 2],
    region: Region,
}

enum Evaluator {
    Lattice(Lattice),
    Simplex(Box<noise::Simplex>),
    Cellular(u64),
}

impl Octave {
    /// Noise over `region` with `frequency` lattice cells in a unit.
    pub(crate) fn new(basis: Basis, seed: u64, frequency: f64, region: Region) -> Self {
        // 53 bits are what the digits of an f64 hold, so that every origin is exact.
        let origin = [
            (mix(seed) >> 11) as f64 / (1u64 << 53) as f64,
            (mix(seed ^ 1) >> 11) as f64 / (1u64 << 53) as f64,
        ];
        // The crate's tables take only 32 bits of seed; the origin carries the others.
        let evaluator = match basis {
            Basis::Gradient | Basis::Value => {
                let x = |column| region.x(column) * frequency + origin[0];
                let z = |row| region.z(row) * frequency + origin[1];
                Evaluator::Lattice(Lattice::new(basis, seed, region.grid(), x, z))
            }
            Basis::Simplex => Evaluator::Simplex(Box::new(noise::Simplex::new(seed as u32))),
            Basis::Cellular => Evaluator::Cellular(seed),
        };
        Self { evaluator, frequency, origin, region }
    }

    /// Calls `combine` with the noise, the value and the weight of every sample of a block, and stores the
    /// value and weight that it returns. The block is a `stretch` of at most [`BAND`](super::BAND) `rows`.
    pub(crate) fn combine(
        &self,
        stretch: &Range<usize>,
        rows: Range<usize>,
        lines: &mut NodeRows,
        samples: &mut Samples,
        combine: impl Fn(f32, f32, f32) -> (f32, f32),
    ) {
        match &self.evaluator {
            Evaluator::Lattice(lattice) => lattice.combine(stretch, rows, lines, samples, combine),
            Evaluator::Simplex(simplex) => {
                // The crate panics where it cannot count cells any more; noise farther away is clamped to
                // that distance.
                let counted = |place: f64| place.clamp(-FARTHEST_CELL, FARTHEST_CELL);
                let noise = |x, z| simplex.get([counted(x), counted(z)]).clamp(-1.0, 1.0) as f32;
                self.combine_each(stretch, rows, samples, noise, combine);
            }
            Evaluator::Cellular(seed) => {
                // Made for each block: a block has many more samples than runs of columns, so this costs
                // little.
                let mut cells = Cells::new(*seed, stretch.clone().map(|column| self.x(column)));
                cells.combine(rows.map(|row| self.z(row)), samples, combine);
            }
        }
    }

    /// The position of a column, in lattice cells.
    fn x(&self, column: usize) -> f64 {
        self.region.x(column) * self.frequency + self.origin[0]
    }

    /// The position of a row, in lattice cells.
    fn z(&self, row: usize) -> f64 {
        self.region.z(row) * self.frequency + self.origin[1]
    }

    fn combine_each(
        &self,
        stretch: &Range<usize>,
        rows: Range<usize>,
        samples: &mut Samples,
        noise: impl Fn(f64, f64) -> f32,
        combine: impl Fn(f32, f32, f32) -> (f32, f32),
    ) {
        for ((row, values), weights) in rows.zip(&mut samples.values).zip(&mut samples.weights) {
            for ((column, value), weight) in stretch.clone().zip(values).zip(weights) {
                let noise = noise(self.x(column), self.z(row));
                (*value, *weight) = combine(noise, *value, *weight);
            }
        }
    }
}
