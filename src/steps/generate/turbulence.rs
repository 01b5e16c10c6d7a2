//! Turbulence: octaves of noise, each folded at zero, summed.
//!
//! v = Σ wᵢ·|N(pᵢ)| with wᵢ = lacunarity^(−i·H) and pᵢ = p·frequency·lacunarityⁱ (Perlin, "An Image
//! Synthesizer", 1985). The folds are creases along the zero lines of every octave.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::noise::Basis;
use crate::params::params;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Sample, Weight, octaves_of};

params! {
    /// Turbulence: billowing hills between sharp clefts, alike everywhere. The same landscape at
    /// every resolution.
    pub struct Turbulence {
        /// The bound of the land: it stays between 0 and this.
        pub height: f32 = 1500.0, "m" in 0.0..=12000.0;
        /// Features of the first octave along the longer side.
        pub frequency: f32 = 3.0, "" in 0.05..=1024.0, log;
        /// How many times finer each octave is than the one before.
        pub lacunarity: f32 = 2.0, "" in 1.1..=8.0;
        /// Octaves; a fraction adds that share of the next one.
        pub octaves: f32 = 9.0, "" in 1.0..=16.0;
        /// Hurst exponent H: 1 is smooth, near 0 every octave is as high as the first.
        pub hurst: f32 = 1.0, "" in 0.0..=2.0;
        /// The noise that is folded and summed.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Turbulence {
    fn generate(&self, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        let sum = |octave: Weight| {
            let scale = octave.weight * octave.share * scale;
            move |noise: f32, sample: Sample| Sample { value: sample.value + scale * noise.abs(), ..sample }
        };
        let first = Sample { value: 0.0, weight: 0.0 };
        octaves.fill(grid, seed, ("turbulence", work), first, sum, |value| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
