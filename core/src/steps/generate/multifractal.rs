//! The multiplicative multifractal: octaves of noise plus an offset, multiplied, so that roughness
//! concentrates where many octaves are high.
//!
//! v = Π (wᵢ·N(pᵢ) + offset) with wᵢ = lacunarity^(−i·H) and pᵢ = p·frequency·lacunarityⁱ (Musgrave, in
//! "Texturing and Modeling"; the printed listing has errors, this is the form in use). A partial last
//! octave with share s enters as the factor 1 + s·(wᵢ·N + offset − 1).
//!
//! The product has no useful bound: it varies wildly with an offset near 0 and flattens as the offset
//! grows. Heights are therefore rescaled by a range measured on a fixed lattice of the land.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::Basis;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Octaves, Sample, Weight, fractal, octaves_of};
use crate::steps::number::plus;
use crate::steps::{Ground, Operation, Reach, step};

fractal! {
    /// Multiplicative multifractal: plains with rough massifs. The same landscape at every resolution. Its
    /// range is measured on 257 points along the longer side, or along 8 units of endless land, and mapped to
    /// `height`; values beyond it are clamped.
    pub struct Multifractal {
        /// Range of the land: heights stay between 0 and this.
        height: 1500.0,
        frequency: 4.0,
        hurst: 0.9;
        /// Added to each octave: near 0 the land is flat but for a few spikes, towards 4 it is equally
        /// rough everywhere.
        pub offset: f32 = 0.8, "" in 0.0..=4.0;
        /// The noise that is multiplied.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Multifractal {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let offset = self.offset;
        let multiply = |Weight { weight, share }: Weight| {
            let (scale, base) = (share * weight, 1.0 + share * (offset - 1.0));
            move |noise: f32, sample: Sample| Sample {
                value: sample.value * (scale * noise + base),
                ..sample
            }
        };
        let first = Sample { value: 1.0, weight: 0.0 };
        octaves_of!(self).fill_rescaled(
            *region,
            seed,
            ("multifractal", work),
            offset,
            first,
            multiply,
            self.height,
        )
    }
}

impl Operation for Multifractal {
    step!("multifractal", "Multiplicative multifractal", Generator);

    fn formula(&self) -> Option<String> {
        let octaves = octaves_of!(self);
        let (noise, kind) = (octaves.noise(), octaves.noise_kind());
        let product = format!("v(x) = Π fᵢ,  fᵢ = wᵢ {noise}{},  N: {kind}", plus(self.offset));
        let weights = octaves.weights_formula(|last, share| format!("f{last} = 1 + {share} (… − 1)"));
        Some([product, weights, Octaves::formula_of_range(self.height)].join("\n"))
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

    /// The range is affine in the product, so two octaves can be checked against noise alone.
    #[test]
    fn the_product_of_one_octave_is_the_noise_rescaled() -> Result<()> {
        let grid = Grid::new(257, 257, 1.0)?;
        let noise = Fbm { height: 1.0, octaves: 1.0, ..Fbm::default() }.generate(grid, 5, &Work::new())?;
        let one = Multifractal { height: 1.0, octaves: 1.0, ..Default::default() };
        let land = one.generate(grid, 5, &Work::new())?;
        let (low, high) = noise.range();
        for (noise, height) in noise.heights().iter().zip(land.heights()) {
            assert!(((noise - low) / (high - low) - height).abs() < 1e-5);
        }
        Ok(())
    }

    #[test]
    fn rough_ground_is_high_ground() -> Result<()> {
        let field = Multifractal::default().generate(Grid::new(513, 513, 1.0)?, 3, &Work::new())?;
        let (mut low, mut high) = ((0.0, 0.0), (0.0, 0.0));
        let mean = field.statistics(1).mean as f32;
        for row in 0..513 {
            for pair in field.row(row).windows(2) {
                let of = if pair[0] < mean { &mut low } else { &mut high };
                *of = (of.0 + (pair[1] - pair[0]).abs(), of.1 + 1.0);
            }
        }
        assert!(high.0 / high.1 > 1.3 * low.0 / low.1, "{high:?} {low:?}");
        Ok(())
    }

    #[test]
    fn few_points_lie_outside_the_measured_range() -> Result<()> {
        let land = Multifractal { height: 1.0, ..Default::default() };
        let field = land.generate(Grid::new(1025, 1025, 1.0)?, 8, &Work::new())?;
        let cut = field.heights().iter().filter(|height| **height <= 0.0 || **height >= 1.0).count();
        assert!(cut < field.grid().count() / 1000, "{cut}");
        Ok(())
    }
}
