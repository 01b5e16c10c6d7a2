//! The lattice on which tools look at the ground around, and the values that they computed there.
//!
//! Its samples are those of the land at a level that follows from the stroke's radius alone, so it is the
//! same for every window. Values are interpolated by the uniform cubic B-spline, which is C² and stays within
//! the values around it (de Boor, "A Practical Guide to Splines", 1978).

use crate::grid::{Domain, LEVELS, Window};
use crate::math::spline;

use super::stroke::{Stroke, Tool};

/// The most samples from a stroke's path to its edge; there are at least half as many.
const SMOOTH_SAMPLES: f64 = 16.0;
const ERODE_SAMPLES: f64 = 32.0;

/// Samples beyond a stroke's edge that interpolation reads.
const READ: i64 = 2;

/// Where a stroke's lattice lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    level: i32,
    /// Metres between samples.
    pub(super) cell: f64,
    /// The first and the last column and row, counted from the land's sample (0, 0) at the level.
    first: [i64; 2],
    last: [i64; 2],
    /// The land's last column and row, if it ends.
    land: Option<[i64; 2]>,
}

impl Lattice {
    /// The lattice of a stroke whose tool looks around, on land of a domain.
    pub(super) fn of(stroke: &Stroke, domain: &Domain) -> Self {
        let (samples, more) = match stroke.tool {
            Tool::Erode { .. } => (ERODE_SAMPLES, READ),
            _ => (SMOOTH_SAMPLES, READ + super::smooth::REACH as i64),
        };
        let (radius, cell) = (f64::from(stroke.radius), f64::from(domain.cell()));
        // The finest spacing that has no more samples. It depends on the stroke and not on the window, since
        // what is found must be the same at every level.
        let level = libm::ceil(libm::log2(radius / (samples * cell))) as i32;
        let level = level.clamp(*LEVELS.start(), *LEVELS.end());
        let cell = libm::ldexp(cell, level);
        let land = domain.size_at(level).map(|size| size.map(|side| side as i64 - 1));
        let [low, high] = stroke.bounds();
        // Outwards to whole samples, and farther by as many as are read around a place.
        let place = |place: f64| (place / cell).floor() as i64;
        let mut first = [low.x, low.y].map(|low| place(low).saturating_sub(more));
        let mut last = [high.x, high.y].map(|high| place(high).saturating_add(1 + more));
        if let Some(land) = land {
            // If none of it lies on the land, one sample at the border is left.
            for axis in [0, 1] {
                first[axis] = first[axis].clamp(0, land[axis]);
                last[axis] = last[axis].clamp(first[axis], land[axis]);
            }
        }
        Self { level, cell, first, last, land }
    }

    /// Its samples as a window.
    pub(super) fn window(&self) -> Window {
        let size = [0, 1].map(|axis| {
            // Saturating: a stroke at 10⁹ m over a fine lattice may exceed the integers.
            self.last[axis].saturating_sub(self.first[axis]).saturating_add(1).min(u32::MAX.into()) as u32
        });
        Window { level: self.level, first: self.first, size }
    }

    /// The number of samples along x and z.
    pub(super) fn size(&self) -> [usize; 2] {
        self.window().size.map(|side| side as usize)
    }

    /// The positions of its columns, or with axis 1 of its rows, in metres from the land's sample (0, 0).
    pub(super) fn places(&self, axis: usize) -> Vec<f64> {
        // As in `Region::x_in_metres`: the scaling comes first, because it is exact.
        (self.first[axis]..=self.last[axis]).map(|index| index as f64 * self.cell).collect()
    }

    /// The rectangle that it covers, metres.
    pub(super) fn bounds(&self) -> [f64; 4] {
        let at = |index: i64| index as f64 * self.cell;
        [at(self.first[0]), at(self.first[1]), at(self.last[0]), at(self.last[1])]
    }
}

/// Values on a stroke's lattice.
#[derive(Debug)]
pub(super) struct Patch {
    lattice: Lattice,
    values: Vec<f32>,
}

/// The four columns or rows of a lattice around a place, and their weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tap {
    indices: [u32; 4],
    weights: [f64; 4],
}

impl Patch {
    pub(super) fn new(lattice: Lattice, values: Vec<f32>) -> Self {
        Self { lattice, values }
    }

    /// The taps of a place along an axis.
    pub(super) fn tap(&self, axis: usize, place: f64) -> Tap {
        let Lattice { cell, first, last, land, .. } = &self.lattice;
        let mut at = place / cell;
        if let Some(land) = land {
            // Beyond the land's last sample its value continues.
            at = at.clamp(0.0, land[axis] as f64);
        }
        let before = at.floor();
        let count = last[axis].saturating_sub(first[axis]);
        let index =
            |by: i64| (before as i64).saturating_add(by).saturating_sub(first[axis]).clamp(0, count) as u32;
        // Four neighbours at most one beyond the cell; at the lattice's end the last one counts again.
        Tap { indices: [index(-1), index(0), index(1), index(2)], weights: spline::bspline(at - before) }
    }

    /// The values interpolated along a row.
    // Down the columns first: a row of places shares this line, and each then reads four values of it.
    pub(super) fn line(&self, row: &Tap) -> Vec<f64> {
        let width = self.lattice.size()[0];
        let [a, b, c, d] = row.indices.map(|row| &self.values[row as usize * width..][..width]);
        let [of_a, of_b, of_c, of_d] = row.weights;
        let sum = |column: usize| {
            let [a, b, c, d] = [a, b, c, d].map(|row| f64::from(row[column]));
            of_a * a + of_b * b + of_c * c + of_d * d
        };
        (0..width).map(sum).collect()
    }
}

impl Tap {
    /// The value of a [line](Patch::line) at a tap. In f64, so that level values stay level when they are
    /// rounded to f32.
    pub(super) fn on(&self, line: &[f64]) -> f32 {
        let [a, b, c, d] = self.indices.map(|index| line[index as usize]);
        let [of_a, of_b, of_c, of_d] = self.weights;
        (of_a * a + of_b * b + of_c * c + of_d * d) as f32
    }
}
