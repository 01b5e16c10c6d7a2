//! The ridged multifractal: the absolute value of noise is inverted, so that its zero lines become crests,
//! and each octave is weighted by the one before, so that crests are rough and valleys smooth.
//!
//! s = (offset − |N|)², r = s; then weight = clamp(s·gain, 0, 1), s = (offset − |N(pᵢ)|)²·weight,
//! r += s·wᵢ (Musgrave, in "Texturing and Modeling"). With offset 1 the bound of r is Σ wᵢ.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::Basis;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Sample, Weight, fractal, octaves_of};
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

fractal! {
    /// Ridged multifractal: alpine crests with rough ridges and smooth valleys. The same landscape
    /// at every resolution.
    pub struct Ridged {
        /// Bound of the land: with offset 1, heights stay between 0 and this.
        height: 2000.0,
        frequency: 3.0,
        hurst: 1.0;
        /// Value from which |N| is subtracted. Heights grow with its square, beyond `height` above 1; below 1
        /// ground where |N| is larger than it folds up again.
        pub offset: f32 = 1.0, "" in 0.0..=2.0;
        /// How much roughness a crest passes to the next octave.
        pub gain: f32 = 2.0, "" in 0.0..=8.0;
        /// The noise that is folded.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Ridged {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let octaves = octaves_of!(self);
        let scale = self.height / octaves.bound();
        let (offset, gain) = (self.offset, self.gain);
        let fold = |octave: Weight| {
            let scale = octave.weight * octave.share * scale;
            move |noise: f32, Sample { value, weight }| {
                let folded = offset - noise.abs();
                let signal = folded * folded * weight;
                Sample { value: value + signal * scale, weight: (signal * gain).clamp(0.0, 1.0) }
            }
        };
        let first = Sample { value: 0.0, weight: 1.0 };
        octaves.fill(*region, seed, ("ridged", work), first, fold, |value| value)
    }
}

impl Operation for Ridged {
    step!("ridged", "Ridged multifractal", Generator);

    fn formula(&self) -> Option<String> {
        let octaves = octaves_of!(self);
        let (height, gain, offset, noise) =
            (brief(self.height), brief(self.gain), brief(self.offset), octaves.noise());
        let sum = format!("h(x) = {height} · Σ wᵢ sᵢ / Σ wᵢ,  sᵢ = Wᵢ ({offset} − |{noise}|)²");
        Some(format!("{sum}\nW₀ = 1,  Wᵢ = min(1, {gain} sᵢ₋₁)\n{}", octaves.formula()))
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

    #[test]
    fn with_offset_one_the_land_stays_within_its_bound() -> Result<()> {
        let ridged = Ridged { height: 800.0, ..Ridged::default() };
        let (low, high) = ridged.generate(Grid::new(200, 301, 1.0)?, 3, &Work::new())?.range();
        assert!(low >= 0.0 && high <= 800.0 && high > 500.0, "{low} to {high}");
        Ok(())
    }

    #[test]
    fn one_octave_is_the_folded_noise() -> Result<()> {
        let grid = Grid::new(65, 65, 1.0)?;
        let noise = crate::steps::generate::Fbm { height: 1.0, octaves: 1.0, ..Default::default() };
        let ridged = Ridged { height: 1.0, octaves: 1.0, frequency: noise.frequency, ..Ridged::default() };
        let (noise, ridged) =
            (noise.generate(grid, 5, &Work::new())?, ridged.generate(grid, 5, &Work::new())?);
        for (noise, ridged) in noise.heights().iter().zip(ridged.heights()) {
            assert!(((1.0 - noise.abs()) * (1.0 - noise.abs()) - ridged).abs() < 1e-6);
        }
        Ok(())
    }
}
