//! One octave of noise over a grid, made block by block and handed to whoever combines octaves.

use std::ops::Range;

use noise::NoiseFn;

use super::cellular::cellular;
use super::lattice::{Lattice, Lines};
use super::{Basis, mix};
use crate::heightfield::Grid;

/// Rows that are walked together, so that they share their lattice rows.
pub(crate) const BAND: usize = 16;

/// Columns that are walked together: what an octave keeps of them stays in the nearest cache.
pub(crate) const STRETCH: usize = 256;

/// All columns of `grid`, in runs of at most [`STRETCH`].
pub(crate) fn stretches(grid: Grid) -> impl Iterator<Item = Range<usize>> {
    (0..grid.width).step_by(STRETCH).map(move |start| start..(start + STRETCH).min(grid.width))
}

/// One octave of noise over a grid: what is the same for all rows.
pub(crate) struct Octave {
    kind: Kind,
    /// Lattice steps along the grid's longer side.
    frequency: f64,
    /// Where the grid's first sample lies on the lattice, so that octaves don't share zeros.
    origin: [f64; 2],
    grid: Grid,
}

enum Kind {
    Lattice(Lattice),
    Simplex(noise::Simplex),
    Cellular(u64),
}

impl Octave {
    /// Noise with `frequency` features along the grid's longer side.
    pub(crate) fn new(basis: Basis, seed: u64, frequency: f64, grid: Grid) -> Self {
        let origin = [
            (mix(seed) >> 11) as f64 / (1u64 << 53) as f64,
            (mix(seed ^ 1) >> 11) as f64 / (1u64 << 53) as f64,
        ];
        // The crate's tables take 32 bits of seed; the origin carries the others.
        let kind = match basis {
            Basis::Gradient | Basis::Value => {
                let place = |index| origin.map(|origin| grid.unit_from_index(index) * frequency + origin);
                Kind::Lattice(Lattice::new(basis, seed, grid, place))
            }
            Basis::Simplex => Kind::Simplex(noise::Simplex::new(seed as u32)),
            Basis::Cellular => Kind::Cellular(seed),
        };
        Self { kind, frequency, origin, grid }
    }

    /// Gives `combine` the noise of every sample of a block with what stands in `values` and
    /// `weights`, and puts what it returns there. Both hold the columns of the stretch, for
    /// consecutive rows of the grid from `first_row` on.
    pub(crate) fn combine(
        &self,
        stretch: &Range<usize>,
        first_row: usize,
        lines: &mut Lines,
        [values, weights]: [&mut [f32]; 2],
        combine: impl Fn(f32, f32, f32) -> (f32, f32),
    ) {
        let place =
            |index, axis: usize| self.grid.unit_from_index(index) * self.frequency + self.origin[axis];
        let mut each = |noise: &dyn Fn(f64, f64) -> f32| {
            for (index, (value, weight)) in values.iter_mut().zip(&mut *weights).enumerate() {
                let x = place(stretch.start + index % stretch.len(), 0);
                let z = place(first_row + index / stretch.len(), 1);
                (*value, *weight) = combine(noise(x, z), *value, *weight);
            }
        };
        match &self.kind {
            Kind::Lattice(lattice) => {
                lattice.combine(stretch.start / STRETCH, first_row, lines, [values, weights], combine);
            }
            Kind::Simplex(simplex) => each(&|x, z| simplex.get([x, z]).clamp(-1.0, 1.0) as f32),
            Kind::Cellular(seed) => each(&|x, z| cellular(*seed, x, z)),
        }
    }
}
