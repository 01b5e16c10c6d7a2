//! Fractional Brownian motion: octaves of noise, each finer and lower than the one before.
//!
//! v = Σ wᵢ·N(pᵢ) with wᵢ = lacunarity^(−i·H) and pᵢ = p·frequency·lacunarityⁱ (Musgrave, in "Texturing
//! and Modeling"; Mandelbrot before him). Its power spectrum falls with the exponent 2H + 2.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::noise::Basis;
use crate::params::params;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Sample, Weight, octaves_of};

params! {
    /// Fractional Brownian motion: rolling hills, alike everywhere. The same landscape at every
    /// resolution.
    pub struct Fbm {
        /// The bound of the land: it stays between this far above and below 0.
        pub height: f32 = 1000.0, "m" in 0.0..=12000.0;
        /// Features of the first octave along the longer side.
        pub frequency: f32 = 4.0, "" in 0.05..=1024.0, log;
        /// How many times finer each octave is than the one before.
        pub lacunarity: f32 = 2.0, "" in 1.1..=8.0;
        /// Octaves; a fraction adds that share of the next one.
        pub octaves: f32 = 9.0, "" in 1.0..=16.0;
        /// Hurst exponent H: 1 is smooth, near 0 every octave is as high as the first.
        pub hurst: f32 = 0.9, "" in 0.0..=2.0;
        /// The noise that is summed.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Fbm {
    fn generate(&self, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        octaves.fill(grid, seed, ("fBm", work), FIRST, |octave| sum(scale, octave), |value| value)
    }
}

impl Fbm {
    /// What makes a few rows of the land at a time, at most [`BAND`](crate::noise::BAND), from the one
    /// that it is given on: for whoever has no room for all.
    pub(crate) fn bands(
        &self,
        grid: Grid,
        seed: u64,
    ) -> impl Fn(usize, &mut [f32], &Work) -> Result<()> + Sync + use<> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        octaves.bands(grid, seed, FIRST, move |octave| sum(scale, octave), |value| value)
    }
}

const FIRST: Sample = Sample { value: 0.0, weight: 0.0 };

/// What an octave does to a sample.
fn sum(scale: f32, octave: Weight) -> impl Fn(f32, Sample) -> Sample {
    let scale = octave.weight * octave.share * scale;
    move |noise, sample| Sample { value: sample.value + scale * noise, ..sample }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_land_stays_within_its_bound() -> Result<()> {
        let fbm = Fbm { height: 500.0, ..Fbm::default() };
        let (low, high) = fbm.generate(Grid::new(257, 129, 1.0)?, 3, &Work::new())?.range();
        assert!(low >= -500.0 && high <= 500.0 && high - low > 200.0, "{low} to {high}");
        Ok(())
    }

    #[test]
    fn a_fraction_of_an_octave_lies_between_the_two_whole_numbers() -> Result<()> {
        let grid = Grid::new(33, 33, 1.0)?;
        let at = |octaves| {
            let fbm = Fbm { octaves, hurst: 0.0, height: octaves, ..Fbm::default() };
            fbm.generate(grid, 1, &Work::new())
        };
        let (two, half, three) = (at(2.0)?, at(2.5)?, at(3.0)?);
        for index in 0..grid.count() {
            let mean = (two.heights()[index] + three.heights()[index]) / 2.0;
            assert!((half.heights()[index] - mean).abs() < 1e-5);
        }
        Ok(())
    }
}
