//! The hybrid multifractal: each octave is weighted by the product of those before it, so that ground is
//! smooth at any height where a coarser octave is low.
//!
//! r = weight = (N(p₀) + offset)·w₀; then weight = min(weight, 1), s = (N(pᵢ) + offset)·wᵢ,
//! r += weight·s, weight ·= s, with wᵢ = lacunarity^(−i·H) and pᵢ = p·frequency·lacunarityⁱ (Musgrave,
//! in "Texturing and Modeling").

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::Basis;
use crate::params::choice;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Sample, Weight, fractal, octaves_of};
use crate::steps::number::{brief, plus};
use crate::steps::{Ground, Operation, Reach, step};

choice! {
    /// How the weight of an octave, the product of the octaves before it, is kept in bounds.
    pub enum HybridWeight {
        /// It is at most 1, so that low ground stays smooth.
        Least = "least",
        /// It is at least 1. A mistake that some programs make, kept to demonstrate it: low ground gets as
        /// much detail as summits, and heights may exceed the bound.
        Most = "most",
    }
}

impl HybridWeight {
    fn bounded(self, weight: f32) -> f32 {
        match self {
            Self::Least => f32::min(weight, 1.0),
            Self::Most => f32::max(weight, 1.0),
        }
    }
}

fractal! {
    /// Hybrid multifractal: valleys are smooth at every height, summits are rough. The same
    /// landscape at every resolution.
    pub struct Hybrid {
        /// Bound of the land: heights stay below this, mostly below half of it, and seldom below 0.
        height: 3000.0,
        frequency: 3.0,
        hurst: 0.25;
        /// Added to each octave: larger values leave fewer smooth valleys.
        pub offset: f32 = 0.7, "" in 0.0..=2.0;
        /// Whether an octave's weight is the least of 1 and the product of the octaves before it, as it
        /// should be, or the most: a common mistake, kept to demonstrate it.
        pub weight: HybridWeight = HybridWeight::Least;
        /// The noise that is summed.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Hybrid {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let octaves = octaves_of!(self);
        let (offset, bound) = (self.offset, self.weight);
        // Weights are at most 1, so the maxima of all octaves add up to the bound.
        let scale = self.height / (octaves.bound() * (1.0 + offset));
        let sum = |octave: Weight| {
            move |noise: f32, Sample { value, weight }| {
                let weight = bound.bounded(weight);
                let signal = (noise + offset) * octave.weight;
                Sample { value: value + octave.share * weight * signal, weight: weight * signal }
            }
        };
        let first = Sample { value: 0.0, weight: 1.0 };
        octaves.fill(*region, seed, ("hybrid", work), first, sum, |value| value * scale)
    }
}

impl Operation for Hybrid {
    step!("hybrid", "Hybrid multifractal", Generator);

    fn formula(&self) -> Option<String> {
        let (octaves, noise) = (octaves_of!(self), octaves_of!(self).noise());
        let (height, bound) = (brief(self.height), brief(1.0 + self.offset));
        let signal = format!("sᵢ = wᵢ ({noise}{})", plus(self.offset));
        let least = if self.weight == HybridWeight::Least { "min" } else { "max" };
        let weight = format!("W₀ = 1,  Wᵢ = {least}(1, Wᵢ₋₁ sᵢ₋₁)");
        Some(format!(
            "h(x) = {height} · Σ Wᵢ sᵢ / ({bound} Σ wᵢ),  {weight}\n{signal}\n{}",
            octaves.formula()
        ))
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
    fn two_octaves_are_the_formula() -> Result<()> {
        let (grid, work) = (Grid::new(65, 65, 1.0)?, Work::new());
        let noise = |octaves| {
            let fbm = Fbm { height: octaves, octaves, hurst: 0.0, ..Fbm::default() };
            fbm.generate(grid, 5, &work)
        };
        let (first, both) = (noise(1.0)?, noise(2.0)?);
        let (hurst, offset) = (0.5, 0.7);
        let second_weight = libm::exp2f(-hurst);
        let bound = (1.0 + second_weight) * (1.0 + offset);
        for weight in [HybridWeight::Least, HybridWeight::Most] {
            let octaves = 2.0;
            let hybrid =
                Hybrid { height: bound, octaves, hurst, offset, weight, frequency: 4.0, ..Hybrid::default() };
            let land = hybrid.generate(grid, 5, &work)?;
            for index in 0..grid.count() {
                let n0 = first.heights()[index];
                let n1 = both.heights()[index] - n0;
                let product = n0 + offset;
                let bounded = if weight == HybridWeight::Least { product.min(1.0) } else { product.max(1.0) };
                let expected = product + bounded * (n1 + offset) * second_weight;
                assert!((land.heights()[index] - expected).abs() < 1e-5);
            }
        }
        Ok(())
    }

    #[test]
    fn the_land_stays_below_its_bound() -> Result<()> {
        let hybrid = Hybrid { height: 800.0, ..Hybrid::default() };
        let (low, high) = hybrid.generate(Grid::new(200, 301, 1.0)?, 3, &Work::new())?.range();
        assert!(low > -100.0 && high <= 800.0 && high > 200.0, "{low} to {high}");
        Ok(())
    }
}
