//! Heterogeneous terrain: each octave is weighted by the sum so far, so that low ground is smooth and high
//! ground is rough.
//!
//! v = offset + N(p₀); then v += (N(pᵢ) + offset)·wᵢ·v, with wᵢ = lacunarity^(−i·H) and
//! pᵢ = p·frequency·lacunarityⁱ (Musgrave, in "Texturing and Modeling"). Heights are rescaled by the
//! range that is measured on a fixed lattice of the land.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::Basis;
use crate::steps::generate::Generate;
use crate::steps::generate::fractal::{Octaves, Sample, Weight, fractal, octaves_of};
use crate::steps::number::plus;
use crate::steps::{Ground, Operation, Reach, step};

fractal! {
    /// Heterogeneous terrain: smooth lowlands, rough highlands. The same landscape at every resolution. Its
    /// range is measured on 257 points along the longer side, or along 8 units of endless land, and mapped to
    /// `height`; values beyond it are clamped.
    pub struct Heterogeneous {
        /// Range of the land: heights stay between 0 and this.
        height: 2000.0,
        frequency: 3.0,
        hurst: 0.9;
        /// Added to each octave: 0 puts the zero level in the middle of the range, where the land is
        /// smoothest; larger numbers lift the land and roughen all of it.
        pub offset: f32 = 0.5, "" in 0.0..=2.0;
        /// The noise that is summed.
        pub basis: Basis = Basis::Gradient;
    }
}

impl Generate for Heterogeneous {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let offset = self.offset;
        let sum = |octave: Weight| {
            let scale = octave.weight * octave.share;
            move |noise: f32, Sample { value, weight }| {
                let value = value + (noise + offset) * scale * weight;
                Sample { value, weight: value }
            }
        };
        // The first octave counts in full: it starts from value 0 with weight 1.
        let first = Sample { value: 0.0, weight: 1.0 };
        octaves_of!(self).fill_rescaled(
            *region,
            seed,
            ("heterogeneous", work),
            offset,
            first,
            sum,
            self.height,
        )
    }
}

impl Operation for Heterogeneous {
    step!("heterogeneous", "Heterogeneous terrain", Generator);

    fn formula(&self) -> Option<String> {
        let (octaves, offset) = (octaves_of!(self), plus(self.offset));
        let sum = format!("v = N₀{offset},  then v ← v (1 + wᵢ ({}{offset}))", octaves.noise());
        Some([sum, octaves.formula(), Octaves::formula_of_range(self.height)].join("\n"))
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

    /// Height steps between neighbours where the first octave is low, and where it is high.
    #[test]
    fn lowlands_are_smooth_and_highlands_are_rough() -> Result<()> {
        let (grid, work) = (Grid::new(513, 513, 1.0)?, Work::new());
        let land = Heterogeneous::default();
        let fine = land.generate(grid, 3, &work)?;
        let coarse = Fbm { octaves: 1.0, frequency: land.frequency, ..Fbm::default() };
        let coarse = coarse.generate(grid, 3, &work)?;
        let (mut low, mut high) = ((0.0, 0.0), (0.0, 0.0));
        for row in 0..513 {
            for (pair, coarse) in fine.row(row).windows(2).zip(coarse.row(row)) {
                let of = if *coarse < -300.0 { &mut low } else { &mut high };
                *of = (of.0 + (pair[1] - pair[0]).abs(), of.1 + 1.0);
            }
        }
        assert!(high.0 / high.1 > 2.0 * low.0 / low.1, "{high:?} {low:?}");
        Ok(())
    }
}
