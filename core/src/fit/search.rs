//! The numbers that are searched for.

use crate::analysis::likeness::Signature;
use crate::grid::Grid;

/// Numbers of a recipe: as they are, or as logarithms, so that equal steps are equally large changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    /// The Hurst exponent, and the logarithms of frequency, strength and smoothing in metres.
    searched: [f64; 4],
    /// Taken over from the real land, degrees.
    steepest: f32,
    octaves: f32,
}

/// Of each number the first step, which halves with every round, and the ends of its range.
pub(super) const STEPS: [(f64, [f64; 2]); 4] = [
    (0.2, [0.2, 1.2]),
    // Factors of 1.6, 2.7 and 2.7.
    (0.5, [-0.7, 2.8]),
    (1.0, [-3.0, 4.0]),
    (1.0, [-1.0, 7.0]),
];

impl Numbers {
    /// The numbers to begin with.
    pub(super) fn like(real: &Signature, grid: Grid) -> Self {
        // Of a surface with the Hurst exponent H the spectrum falls with the exponent 2H + 2.
        let hurst = real.beta.map_or(0.8, |beta| (beta - 2.0) / 2.0).clamp(0.4, 1.0);
        let smoothing = libm::log(0.5 * f64::from(grid.cell)).clamp(STEPS[3].1[0], STEPS[3].1[1]);
        let octaves = libm::log2(grid.longer().max(4) as f64) - 1.0;
        Self {
            searched: [hurst, libm::log(2.5), libm::log(4.0), smoothing],
            steepest: real.slope.quantile(0.998).clamp(3.0, 75.0) as f32,
            octaves: octaves.clamp(1.0, 12.0) as f32,
        }
    }

    /// With one number moved by its step in a round, if it stays within its range.
    pub(super) fn moved(&self, number: usize, way: f64, round: usize) -> Option<Self> {
        let (step, [low, high]) = STEPS[number];
        let mut moved = *self;
        moved.searched[number] += way * step / f64::from(1u32 << round.min(16));
        (low..=high).contains(&moved.searched[number]).then_some(moved)
    }

    pub(super) fn hurst(&self) -> f32 {
        rounded(self.searched[0])
    }

    pub(super) fn frequency(&self) -> f32 {
        rounded(libm::exp(self.searched[1]))
    }

    pub(super) fn strength(&self) -> f32 {
        rounded(libm::exp(self.searched[2]))
    }

    pub(super) fn smoothing(&self) -> f32 {
        rounded(libm::exp(self.searched[3]))
    }

    pub(super) fn steepest(&self) -> f32 {
        rounded(f64::from(self.steepest))
    }

    pub(super) fn octaves(&self) -> f32 {
        rounded(f64::from(self.octaves))
    }
}

/// To three digits, as a person would write it into a recipe.
fn rounded(number: f64) -> f32 {
    format!("{number:.2e}").parse().unwrap_or(number as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_stay_within_their_range() {
        assert_eq!([0.123_456, 12.345, 6543.2].map(rounded), [0.123, 12.3, 6540.0]);
        let numbers = Numbers { searched: [1.15, 0.0, 0.0, 0.0], steepest: 30.0, octaves: 7.0 };
        assert_eq!(numbers.moved(0, 1.0, 0), None);
        // A tie is rounded one way or the other.
        let hurst = numbers.moved(0, 1.0, 3).unwrap().hurst();
        assert!(hurst == 1.17 || hurst == 1.18, "{hurst}");
        assert_eq!(numbers.moved(0, -1.0, 0).unwrap().hurst(), 0.95);
    }
}
