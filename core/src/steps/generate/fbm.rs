//! Fractional Brownian motion: octaves of noise, each finer and lower than the one before.
//!
//! v = Σ wᵢ·N(pᵢ) with wᵢ = lacunarity^(−i·H) and pᵢ = p·frequency·lacunarityⁱ (Musgrave, in "Texturing
//! and Modeling"; Mandelbrot before him). Its power spectrum falls with the exponent 2H + 2.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::Basis;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Sample, Scratch, Weight, fractal, octaves_of};
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

fractal! {
    /// Fractional Brownian motion: rolling hills, statistically the same everywhere. The same landscape at
    /// every resolution.
    pub struct Fbm {
        /// Bound of the land: heights stay between minus and plus this.
        height: 1000.0,
        frequency: 4.0,
        hurst: 0.9;
        /// The noise that is summed.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Fbm {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        octaves.fill(*region, seed, ("fBm", work), FIRST, |octave| sum(scale, octave), |value| value)
    }
}

impl Operation for Fbm {
    step!("fbm", "Fractional Brownian motion", Generator);

    fn formula(&self) -> Option<String> {
        let octaves = octaves_of!(self);
        let (height, noise) = (brief(self.height), octaves.noise());
        Some(format!("h(x) = {height} · Σ wᵢ {noise} / Σ wᵢ\n{}", octaves.formula()))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        octaves_of!(self).seconds(grid)
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

impl Fbm {
    /// Its shape alone in formulas: the noise of an octave, and the weights.
    pub(in crate::steps) fn shape_formula(&self) -> [String; 2] {
        let octaves = octaves_of!(self);
        [octaves.noise(), octaves.formula()]
    }

    /// Returns a function that computes a few rows of the land at a time, at most
    /// [`BAND`](crate::noise::BAND), starting at a given one: for callers without room for all of it.
    pub(crate) fn bands(
        &self,
        region: Region,
        seed: u64,
    ) -> impl Fn(usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync + use<> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        octaves.bands(region, seed, FIRST, move |octave| sum(scale, octave), |value| value)
    }
}

const FIRST: Sample = Sample { value: 0.0, weight: 0.0 };

/// What an octave adds to a sample.
fn sum(scale: f32, octave: Weight) -> impl Fn(f32, Sample) -> Sample {
    // One factor for the octave, so that a sample costs one multiplication and one addition.
    let scale = octave.weight * octave.share * scale;
    move |noise, sample| Sample { value: sample.value + scale * noise, ..sample }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

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
