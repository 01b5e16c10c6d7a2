//! Lattices of squares in which features lie, such as one stone in each.

use crate::noise::{mix, stream};

/// A lattice of squares that is turned, so that its lines do not coincide with those of other lattices and
/// none show.
pub(super) struct RotatedLattice {
    per_side: f64,
    /// Cosine and sine of the angle by which it is turned.
    turn: [f64; 2],
    origin: [f64; 2],
}

/// A point on a lattice: its square, and the place within, from 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct LatticePoint {
    pub(super) square: [i64; 2],
    pub(super) along: [f32; 2],
}

impl RotatedLattice {
    /// Squares with sides of this length in metres, turned by `angle` in radians.
    pub(super) fn new(side: f64, angle: f64, seed: u64) -> Self {
        let begin = |number: u64| (mix(stream(seed, number)) >> 11) as f64 / (1u64 << 53) as f64;
        Self {
            per_side: 1.0 / side,
            turn: [libm::cos(angle), libm::sin(angle)],
            origin: [begin(1), begin(2)],
        }
    }

    /// The position of a point, given in metres, in sides of a square.
    #[inline]
    pub(super) fn position(&self, x: f64, z: f64) -> [f64; 2] {
        let [cosine, sine] = self.turn;
        let [east, south] = self.origin;
        // In f64: far from the origin a place within a square needs more digits than f32 has.
        [(x * cosine + z * sine) * self.per_side + east, (z * cosine - x * sine) * self.per_side + south]
    }
}

impl LatticePoint {
    #[inline]
    pub(super) fn new(position: [f64; 2]) -> Self {
        let square = position.map(floor);
        let along = [0, 1].map(|axis| (position[axis] - square[axis] as f64) as f32);
        Self { square, along }
    }
}

/// The largest whole number that is not larger.
#[inline]
pub(super) fn floor(value: f64) -> i64 {
    // The cast cuts towards 0, so numbers below 0 need one less. Without SSE 4.1 `f64::floor` is a call of a
    // function.
    let whole = value as i64;
    whole.saturating_sub(i64::from(whole as f64 > value))
}

/// A number from 0 to 1 from 16 of a hash's bits.
#[inline]
pub(super) fn unit(bits: u64, number: u32) -> f32 {
    f32::from((bits >> (16 * number)) as u16) * (1.0 / 65_535.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_floors() {
        let values = [-2.0, -1.5, -0.1, 0.0, 0.9, 3.0, 1e15];
        assert_eq!(values.map(floor), values.map(|value: f64| value.floor() as i64));
    }
}
