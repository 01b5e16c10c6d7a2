//! The line of a fault, and where a row of samples crosses it.

use std::ops::Range;

use crate::grid::Region;
use crate::noise::stream;
use crate::steps::generate::Wander;

/// Jumps are whole multiples of 2⁻²⁰ m: their sum is exact in any order, at any resolution.
pub(super) const FINEST: f64 = (1 << 20) as f64;

/// Positions of a region's columns, in units.
pub(super) struct ColumnPlaces {
    pub(super) x: Vec<f64>,
    pub(super) x_narrow: Vec<f32>,
    /// Columns in a unit.
    per_unit: f64,
}

impl ColumnPlaces {
    pub(super) fn of(region: &Region) -> Self {
        let x: Vec<f64> = (0..region.grid().width).map(|column| region.x(column)).collect();
        let x_narrow = x.iter().map(|x| *x as f32).collect();
        Self { x, x_narrow, per_unit: 1.0 / region.domain().in_units(region.level(), 1) }
    }
}

/// A fault: the signed distance of a point from its line is normal·(x, z) − offset.
pub(super) struct FaultLine {
    pub(super) normal: [f64; 2],
    pub(super) offset: f64,
    pub(super) d: f32,
    /// d in multiples of 1/[`FINEST`] m.
    pub(super) jump: i64,
    /// The mean that is taken away everywhere, in the same unit.
    pub(super) mean: i64,
    /// 1 / normal x.
    pub(super) per_normal_x: f64,
    /// Where its trace begins on the rough line.
    pub(super) phase: f64,
}

impl FaultLine {
    /// Whether the signed distance grows along a row, west to east.
    fn grows(&self) -> bool {
        self.normal[0] >= 0.0
    }

    /// Half of what the ground gains at the line, going along a row.
    pub(super) fn rising_jump(&self) -> i64 {
        if self.grows() { self.jump } else { -self.jump }
    }

    /// The first column of the row at `z` beyond the line's parallel at `distance`, in the direction of the
    /// row; the number of columns if there is none.
    fn first_beyond(&self, columns: &ColumnPlaces, z: f64, distance: f64) -> usize {
        let [normal_x, normal_z] = self.normal;
        let rest = self.offset + distance - z * normal_z;
        let is_beyond = |column: usize| (columns.x[column] * normal_x >= rest) == self.grows();
        // Solved for the column, then corrected by the same test that a single sample would use: its side
        // doesn't depend on the grid.
        let count = columns.x.len();
        let guess = (rest * self.per_normal_x - columns.x[0]) * columns.per_unit;
        let mut column = (guess.clamp(0.0, count as f64) as usize + 1).min(count);
        while column > 0 && is_beyond(column - 1) {
            column -= 1;
        }
        while column < count && !is_beyond(column) {
            column += 1;
        }
        column
    }

    /// The columns of the row at `z` that are closer to the line than `width`.
    pub(super) fn band(&self, columns: &ColumnPlaces, z: f64, width: f32) -> Range<usize> {
        let width = if self.grows() { f64::from(width) } else { -f64::from(width) };
        self.first_beyond(columns, z, -width)..self.first_beyond(columns, z, width)
    }

    /// Jump from −d, with which a row begins, to d beyond the line.
    pub(super) fn step(&self, columns: &ColumnPlaces, z: f64, jumps: &mut [i64]) {
        jumps[self.first_beyond(columns, z, 0.0)] += 2 * self.rising_jump();
    }

    /// Jump from −d, with which a row begins, to d across the band, which is left to the caller. Returns
    /// the band.
    pub(super) fn slope(
        &self,
        columns: &ColumnPlaces,
        z: f64,
        width: f32,
        jumps: &mut [i64],
    ) -> Range<usize> {
        let band = self.band(columns, z, width);
        let jump = self.rising_jump();
        jumps[band.start] += jump;
        jumps[band.end] += jump;
        band
    }

    /// Signed distance of a point from the rough trace, measured perpendicular to the straight line.
    pub(super) fn beside_trace(&self, x: f64, z: f64, rough: &Rough) -> f64 {
        let [normal_x, normal_z] = self.normal;
        let strays = rough.wander.at(self.phase + z * normal_x - x * normal_z);
        x * normal_x + z * normal_z - self.offset - rough.farthest * f64::from(strays)
    }

    /// Jumps from −d, with which a row begins, to d on the far side of the rough trace.
    pub(super) fn rough_step(&self, columns: &ColumnPlaces, z: f64, rough: &Rough, jumps: &mut [i64]) {
        let band = self.band(columns, z, rough.farthest as f32);
        let jump = self.rising_jump();
        let mut is_beyond = false;
        for column in band.clone() {
            let crosses =
                is_beyond != ((self.beside_trace(columns.x[column], z, rough) >= 0.0) == self.grows());
            if crosses {
                jumps[column] += if is_beyond { -2 * jump } else { 2 * jump };
                is_beyond = !is_beyond;
            }
        }
        if !is_beyond {
            jumps[band.end] += 2 * jump;
        }
    }
}

/// The rough line by which traces deviate.
pub(super) struct Rough {
    pub(super) wander: Wander,
    /// The largest deviation, as a share of the longer side.
    farthest: f64,
}

impl Rough {
    /// Halvings of the longer side: the finest bend of a trace is 1/4096 of it.
    const LEVELS: u32 = 12;
    /// The Hurst exponent of the traces: bends of half the length are 2^(−this) as large.
    const EXPONENT: f32 = 0.85;

    /// The one of a seed, which strays so far; nothing if it strays nowhere.
    pub(super) fn new(farthest: f64, seed: u64) -> Option<Self> {
        let wander = || Wander::new(Self::LEVELS, Self::EXPONENT, stream(seed, 0x74_7261_6365));
        (farthest > 0.0).then(|| Self { wander: wander(), farthest })
    }
}
