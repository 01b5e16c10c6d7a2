//! The land before the erosion, in three quarters of the memory of a field.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Quantisation steps of heights: over a range of 24 km each is less than 2 mm, and the code 0 stays free.
const STEPS: f64 = ((1 << 24) - 2) as f64;

/// The heights before the erosion, 24 bits each, and which samples are sea bed.
pub(super) struct Original<'a> {
    low: f64,
    steps_per_metre: f64,
    metres_per_step: f64,
    base_level: f32,
    heights: Heights<'a>,
}

enum Heights<'a> {
    /// 0 is sea bed; other codes count steps from the lowest point, from 1.
    Kept(Vec<[u8; 3]>),
    /// Read from a field that the caller keeps.
    Beside(&'a [f32]),
}

impl Original<'static> {
    /// Stores the heights of `field`, which may change afterwards. Heights up to `base_level` are sea bed.
    pub(super) fn keep(field: &Heightfield, base_level: f32, work: &Work) -> Result<Self> {
        let mut codes = vec![[0; 3]; field.grid().count()];
        let original = Original::beside(field, base_level, work)?;
        let width = field.grid().width;
        let rows = codes.par_chunks_mut(width).zip(field.heights().par_chunks(width));
        rows.try_for_each(|(codes, heights)| {
            work.check()?;
            for (code, &height) in codes.iter_mut().zip(heights) {
                if height > base_level {
                    let [a, b, c, _] = (original.steps(height) + 1).to_le_bytes();
                    *code = [a, b, c];
                }
            }
            Ok(())
        })?;
        Ok(Original { heights: Heights::Kept(codes), ..original })
    }
}

impl<'a> Original<'a> {
    /// As [`keep`](Original::keep), for a field that does not change meanwhile: heights are read from it,
    /// with the same precision.
    pub(super) fn beside(field: &'a Heightfield, base_level: f32, work: &Work) -> Result<Self> {
        let (low, high) = field.range_while(work)?;
        // In f64, which holds 24 bits of steps and the offset exactly enough to round to the same code twice.
        let (low, span) = (f64::from(low), f64::from(high) - f64::from(low));
        let steps_per_metre = if span > 0.0 { STEPS / span } else { 0.0 };
        let metres_per_step = span / STEPS;
        let heights = Heights::Beside(field.heights());
        Ok(Self { low, steps_per_metre, metres_per_step, base_level, heights })
    }

    /// Whether a sample was at or below the base level.
    pub(super) fn is_sea_bed(&self, sample: usize) -> bool {
        match &self.heights {
            Heights::Kept(codes) => codes[sample] == [0; 3],
            Heights::Beside(heights) => heights[sample] <= self.base_level,
        }
    }

    /// The height of a sample that is not sea bed.
    pub(super) fn height(&self, sample: usize) -> f32 {
        let steps = match &self.heights {
            Heights::Kept(codes) => {
                let [a, b, c] = codes[sample];
                u32::from_le_bytes([a, b, c, 0]).saturating_sub(1)
            }
            // Quantised here as well, so that eroding in place and on a copy give the same bits.
            Heights::Beside(heights) => self.steps(heights[sample]),
        };
        (self.low + f64::from(steps) * self.metres_per_step) as f32
    }

    /// The quantised height, in steps above the lowest.
    fn steps(&self, height: f32) -> u32 {
        // Plus one half before it is cut off: the nearest step.
        ((f64::from(height) - self.low) * self.steps_per_metre + 0.5) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn heights_come_back_to_a_thousandth() -> Result<()> {
        let grid = Grid::new(100, 30, 1.0)?;
        let field = Heightfield::from_fn(grid, |column, row| (column * 173 + row * 71) as f32 * 0.61 - 900.0);
        let original = Original::keep(&field, 0.0, &Work::new())?;
        let beside = Original::beside(&field, 0.0, &Work::new())?;
        for (sample, &height) in field.heights().iter().enumerate() {
            assert_eq!(original.is_sea_bed(sample), height <= 0.0);
            assert_eq!(beside.is_sea_bed(sample), height <= 0.0);
            assert!(height <= 0.0 || (original.height(sample) - height).abs() < 1.5e-3);
            assert!(height <= 0.0 || original.height(sample) == beside.height(sample));
        }
        let (_, high) = field.range();
        assert!((0..grid.count()).all(|sample| original.height(sample) <= high));
        Ok(())
    }
}
