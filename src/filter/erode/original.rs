//! The land before the erosion, in three quarters of the memory of a field.

use rayon::prelude::*;

use crate::error::Result;
use crate::heightfield::Heightfield;
use crate::work::Work;

/// Steps that heights are kept in: 24 km of them are less than 2 mm each, and the code 0 stays free.
const STEPS: f64 = ((1 << 24) - 2) as f64;

/// Heights in 24 bits each, and which samples are sea bed.
pub(super) struct Original {
    low: f64,
    metres_per_step: f64,
    /// 0 is sea bed; the others count steps from the lowest point, from 1.
    codes: Vec<[u8; 3]>,
}

impl Original {
    /// The heights of `field`. What is no higher than `base_level` is sea bed.
    pub(super) fn of(field: &Heightfield, base_level: f32, work: &Work) -> Result<Self> {
        let (low, high) = field.range_while(work)?;
        let (low, span) = (f64::from(low), f64::from(high) - f64::from(low));
        let steps_per_metre = if span > 0.0 { STEPS / span } else { 0.0 };
        let width = field.grid().width;
        let mut codes = vec![[0; 3]; field.grid().count()];
        let rows = codes.par_chunks_mut(width).zip(field.heights().par_chunks(width));
        rows.try_for_each(|(codes, heights)| {
            work.check()?;
            for (code, &height) in codes.iter_mut().zip(heights) {
                if height > base_level {
                    let steps = (f64::from(height) - low) * steps_per_metre + 0.5;
                    let [a, b, c, _] = (steps as u32 + 1).to_le_bytes();
                    *code = [a, b, c];
                }
            }
            Ok(())
        })?;
        Ok(Self { low, metres_per_step: span / STEPS, codes })
    }

    /// Whether a sample was no higher than the base level.
    pub(super) fn is_sea_bed(&self, sample: usize) -> bool {
        self.codes[sample] == [0; 3]
    }

    /// The height of a sample that is not sea bed.
    pub(super) fn height(&self, sample: usize) -> f32 {
        let [a, b, c] = self.codes[sample];
        let steps = u32::from_le_bytes([a, b, c, 0]).saturating_sub(1);
        (self.low + f64::from(steps) * self.metres_per_step) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heightfield::Grid;

    #[test]
    fn heights_come_back_to_a_thousandth() -> Result<()> {
        let grid = Grid::new(100, 30, 1.0)?;
        let field = Heightfield::from_fn(grid, |column, row| (column * 173 + row * 71) as f32 * 0.61 - 900.0);
        let original = Original::of(&field, 0.0, &Work::new())?;
        for (sample, &height) in field.heights().iter().enumerate() {
            assert_eq!(original.is_sea_bed(sample), height <= 0.0);
            assert!(height <= 0.0 || (original.height(sample) - height).abs() < 1.5e-3);
        }
        let (_, high) = field.range();
        assert!((0..grid.count()).all(|sample| original.height(sample) <= high));
        Ok(())
    }
}
