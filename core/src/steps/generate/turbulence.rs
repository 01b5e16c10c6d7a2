//! Turbulence: a sum of octaves of absolute noise.
//!
//! v = Σ wᵢ·|N(pᵢ)| with wᵢ = lacunarity^(−i·H) and pᵢ = p·frequency·lacunarityⁱ (Perlin, "An Image
//! Synthesizer", 1985). The folds are creases along the zero lines of every octave.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::Basis;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Sample, Weight, fractal, octaves_of};
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

fractal! {
    /// Turbulence: billowing hills between sharp clefts, statistically the same everywhere. The same
    /// landscape at every resolution.
    pub struct Turbulence {
        /// Bound of the land: heights stay between 0 and this.
        height: 1500.0,
        frequency: 3.0,
        hurst: 1.0;
        /// The noise whose absolute value is summed.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Turbulence {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        let sum = |octave: Weight| {
            let scale = octave.weight * octave.share * scale;
            move |noise: f32, sample: Sample| Sample { value: sample.value + scale * noise.abs(), ..sample }
        };
        let first = Sample { value: 0.0, weight: 0.0 };
        octaves.fill(*region, seed, ("turbulence", work), first, sum, |value| value)
    }
}

impl Operation for Turbulence {
    step!("turbulence", "Turbulence", Generator);

    fn formula(&self) -> Option<String> {
        let octaves = octaves_of!(self);
        let (height, noise) = (brief(self.height), octaves.noise());
        Some(format!("h(x) = {height} · Σ wᵢ |{noise}| / Σ wᵢ\n{}", octaves.formula()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::steps::generate::Fbm;

    #[test]
    fn one_octave_is_the_size_of_the_noise() -> Result<()> {
        let grid = Grid::new(65, 65, 1.0)?;
        let noise = Fbm { height: 1.0, octaves: 1.0, ..Fbm::default() };
        let folded =
            Turbulence { height: 1.0, octaves: 1.0, frequency: noise.frequency, ..Default::default() };
        let (noise, folded) =
            (noise.generate(grid, 5, &Work::new())?, folded.generate(grid, 5, &Work::new())?);
        for (noise, folded) in noise.heights().iter().zip(folded.heights()) {
            assert_eq!(noise.abs(), *folded);
        }
        Ok(())
    }

    #[test]
    fn the_land_stays_within_its_bound() -> Result<()> {
        let turbulence = Turbulence { height: 800.0, ..Turbulence::default() };
        let (low, high) = turbulence.generate(Grid::new(200, 301, 1.0)?, 3, &Work::new())?.range();
        assert!(low >= 0.0 && high <= 800.0 && high > 300.0, "{low} to {high}");
        Ok(())
    }
}
