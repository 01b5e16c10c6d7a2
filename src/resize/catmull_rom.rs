//! Catmull-Rom resampling: cubics through the samples, rows first, then columns (Catmull and Rom 1974).

use rayon::prelude::*;

use crate::error::Result;
use crate::heightfield::{Grid, Heightfield, catmull_rom_weights};
use crate::work::Work;

/// `field` with the samples of `grid`, stretched so that the first and last samples of both lie on
/// each other. Planes stay planes; samples that coincide keep their height.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn catmull_rom(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let from = field.grid();
    work.stage("resample", from.depth + grid.depth);
    let columns = taps(from.width, grid.width);
    let mut narrow = vec![0.0; grid.width * from.depth];
    narrow.par_chunks_mut(grid.width).enumerate().try_for_each(|(row, out)| {
        work.check()?;
        let heights = field.row(row);
        for (out, tap) in out.iter_mut().zip(&columns) {
            *out = tap.blend(|index| heights[index]);
        }
        work.advance(1);
        Ok(())
    })?;
    let rows = taps(from.depth, grid.depth);
    let mut heights = vec![0.0; grid.count()];
    heights.par_chunks_mut(grid.width).zip(&rows).try_for_each(|(out, tap)| {
        work.check()?;
        let lines = tap.samples.map(|row| &narrow[row * grid.width..][..grid.width]);
        for (column, out) in out.iter_mut().enumerate() {
            *out = (0..4).map(|index| tap.weights[index] * lines[index][column]).sum();
        }
        work.advance(1);
        Ok(())
    })?;
    Heightfield::new(grid, heights)
}

/// The four samples around a point and their weights.
struct Tap {
    samples: [usize; 4],
    weights: [f32; 4],
}

impl Tap {
    fn blend(&self, at: impl Fn(usize) -> f32) -> f32 {
        (0..4).map(|index| self.weights[index] * at(self.samples[index])).sum()
    }
}

/// For each of `to` points spread evenly from the first to the last of `from` samples, its tap.
/// Beyond an end the line through the last two samples goes on, so that slopes are kept.
fn taps(from: usize, to: usize) -> Vec<Tap> {
    let step = (from - 1) as f64 / (to - 1).max(1) as f64;
    (0..to)
        .map(|index| {
            let place = index as f64 * step;
            let first = (place.floor() as usize).min(from.saturating_sub(2));
            let mut weights = catmull_rom_weights((place - first as f64) as f32);
            let mut samples = [first.wrapping_sub(1), first, first + 1, first + 2];
            if from == 1 {
                return Tap { samples: [0; 4], weights: [0.0, 1.0, 0.0, 0.0] };
            }
            if first == 0 {
                // The phantom sample 2·P₀ − P₁.
                samples[0] = 0;
                weights[1] += 2.0 * weights[0];
                weights[2] -= weights[0];
                weights[0] = 0.0;
            }
            if first + 2 >= from {
                samples[3] = from - 1;
                weights[2] += 2.0 * weights[3];
                weights[1] -= weights[3];
                weights[3] = 0.0;
            }
            Tap { samples, weights }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_stay_planes_at_any_size() -> Result<()> {
        let plane = Heightfield::from_fn(Grid::new(7, 5, 10.0)?, |c, r| 3.0 * c as f32 - 2.0 * r as f32);
        for (width, depth) in [(13, 9), (7, 5), (100, 3), (2, 2), (1, 1)] {
            let resized = catmull_rom(&plane, Grid::new(width, depth, 1.0)?, &Work::new())?;
            for row in 0..depth {
                for column in 0..width {
                    let c = 6.0 * column as f32 / (width - 1).max(1) as f32;
                    let r = 4.0 * row as f32 / (depth - 1).max(1) as f32;
                    assert!((resized.at(column, row) - (3.0 * c - 2.0 * r)).abs() < 1e-4);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn samples_that_coincide_keep_their_height() -> Result<()> {
        let field = Heightfield::from_fn(Grid::new(9, 9, 1.0)?, |c, r| ((c * 7 + r * 13) % 11) as f32);
        let twice = catmull_rom(&field, Grid::new(17, 17, 0.5)?, &Work::new())?;
        for row in 0..9 {
            for column in 0..9 {
                assert!((twice.at(2 * column, 2 * row) - field.at(column, row)).abs() < 1e-5);
            }
        }
        Ok(())
    }

    #[test]
    fn a_line_of_samples_can_be_resized() -> Result<()> {
        let line = Heightfield::from_fn(Grid::new(5, 1, 1.0)?, |c, _| c as f32);
        let resized = catmull_rom(&line, Grid::new(9, 3, 1.0)?, &Work::new())?;
        assert_eq!(resized.at(8, 2), 4.0);
        Ok(())
    }
}
