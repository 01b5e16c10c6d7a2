//! A smoothed copy of the land, at a scale in metres whatever the spacing of the samples.
//!
//! Three box filters of fractional width in a row come close to a Gaussian of the same standard deviation, at
//! a cost that doesn't depend on it: Gwosdek, Grewenig, Bruhn and Weickert, "Theoretical foundations of
//! Gaussian convolution by extended box filtering" (2011). Beyond the border the land goes on as its own
//! point reflection, so that a plane stays a plane up to its border.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::grid::lines::{change_columns, change_rows};

/// How often the box is passed over the land.
const PASSES: usize = 3;

/// The largest standard deviation: [`MOST_LINES`] times the length of a line, but at least [`MOST_SAMPLES`]
/// samples. A line smoothed over that much more than its length is practically level, and more would change
/// nothing.
const MOST_LINES: usize = 4;
const MOST_SAMPLES: usize = 1 << 14;

/// `field` smoothed with a standard deviation of `metres`.
pub(crate) fn smoothed(field: &Heightfield, metres: f32, work: &Work) -> Result<Heightfield> {
    let grid = field.grid();
    let mut smooth = field.clone();
    let run = |count: usize| {
        let most = (MOST_LINES * count).max(MOST_SAMPLES) as f32;
        let side = Box::new((metres / grid.cell).min(most));
        move |lines: &mut [f32], lanes: usize| {
            let mut padded = Vec::new();
            for _ in 0..PASSES {
                work.check()?;
                side.pass(lines, lanes, count, &mut padded);
            }
            Ok(())
        }
    };
    change_rows(&mut smooth, work, run(grid.width))?;
    change_columns(&mut smooth, work, run(grid.depth))?;
    Ok(smooth)
}

/// A box filter of fractional width: samples up to `reach` to either side count in full, the next ones by
/// `rest`.
#[derive(Clone, Copy)]
struct Box {
    reach: usize,
    rest: f64,
}

impl Box {
    /// The box whose passes together have a standard deviation of `sigma` samples.
    fn new(sigma: f32) -> Self {
        // Variances of passes add up, so each pass has a third of it.
        let variance = f64::from(sigma) * f64::from(sigma) / PASSES as f64;
        let reach = (0.5 * (12.0 * variance + 1.0).sqrt() - 0.5).floor();
        let next = reach + 1.0;
        // α of the paper: the weight of the two outermost samples at which the box has exactly this variance.
        let rest = (2.0 * reach + 1.0) * (reach * next - 3.0 * variance) / (6.0 * (variance - next * next));
        Self { reach: reach as usize, rest }
    }

    /// Replaces every sample of `lanes` lines by the mean over the box.
    fn pass(&self, lines: &mut [f32], lanes: usize, count: usize, padded: &mut Vec<f32>) {
        let pad = self.reach + 1;
        fill_padded(lines, lanes, count, pad, padded);
        let per_sample = 1.0 / ((2 * self.reach + 1) as f64 + 2.0 * self.rest);
        let at = |index: usize| &padded[index * lanes..][..lanes];
        let mut sums = vec![0.0f64; lanes];
        for index in 1..2 * self.reach + 1 {
            sums.iter_mut().zip(at(index)).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        for (index, out) in lines.chunks_exact_mut(lanes).enumerate() {
            let (before, first) = (at(index), at(index + 1));
            let (last, after) = (at(index + 2 * self.reach + 1), at(index + 2 * self.reach + 2));
            for lane in 0..lanes {
                let full = sums[lane] + f64::from(last[lane]);
                let ends = f64::from(before[lane]) + f64::from(after[lane]);
                out[lane] = ((full + self.rest * ends) * per_sample) as f32;
                // In f64, so that adding and subtracting for thousands of samples leaves no visible drift.
                sums[lane] = full - f64::from(first[lane]);
            }
        }
    }
}

/// The lines, longer at either end by `pad` samples of their point reflection.
fn fill_padded(lines: &[f32], lanes: usize, count: usize, pad: usize, padded: &mut Vec<f32>) {
    padded.clear();
    let at = |index: usize| &lines[index * lanes..][..lanes];
    let mut reflected = |end: usize, inner: usize| {
        padded.extend(at(end).iter().zip(at(inner)).map(|(end, inner)| 2.0 * end - inner));
    };
    // 2·end − inner: the point reflection, by which a plane goes on as itself.
    (1..=pad).rev().for_each(|away| reflected(0, away.min(count - 1)));
    padded.extend_from_slice(lines);
    let mut reflected = |end: usize, inner: usize| {
        padded.extend(at(end).iter().zip(at(inner)).map(|(end, inner)| 2.0 * end - inner));
    };
    (1..=pad).for_each(|away| reflected(count - 1, (count - 1).saturating_sub(away)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn a_plane_stays_a_plane_up_to_its_border() {
        for sigma in [3.0, 40.0, 75.0] {
            let field = Heightfield::from_fn(Grid::new(80, 90, 10.0).unwrap(), |column, row| {
                3.0 * column as f32 - 2.0 * row as f32
            });
            let smooth = smoothed(&field, sigma, &Work::new()).unwrap();
            let worst = smooth.heights().iter().zip(field.heights());
            assert!(worst.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-3);
        }
    }

    #[test]
    fn whatever_the_distance_of_samples_it_ends_soon_at_finite_heights() {
        for cell in [1e-45, 1e-38, 1e-20, 1e-3, 1e9, 3e38] {
            for (width, depth) in [(1, 1), (2, 300), (129, 65)] {
                let grid = Grid::new(width, depth, cell).unwrap();
                let field = Heightfield::from_fn(grid, |column, row| (column * row % 97) as f32);
                let smooth = smoothed(&field, 600.0, &Work::new()).unwrap();
                let (low, high) =
                    smooth.heights().iter().fold((f32::MAX, f32::MIN), |(low, high), &height| {
                        assert!(height.is_finite());
                        (low.min(height), high.max(height))
                    });
                // Far below the spread's scale nothing is left of the ups and downs.
                assert!(cell > 1.0 || high - low < 2.0, "{low} to {high} at {cell}");
            }
        }
    }

    #[test]
    fn an_impulse_spreads_by_what_was_asked() {
        for (sigma, cell) in [(30.0, 10.0), (75.0, 10.0), (5.0, 10.0), (200.0, 7.0)] {
            let field = Heightfield::from_fn(Grid::new(401, 1, cell).unwrap(), |column, _| {
                if column == 200 { 1000.0 } else { 0.0 }
            });
            let smooth = smoothed(&field, sigma, &Work::new()).unwrap();
            let away = |index: usize| (index as f64 - 200.0) * f64::from(cell);
            let moment = |power: i32| {
                let parts = smooth.heights().iter().enumerate();
                parts.map(|(index, &height)| f64::from(height) * away(index).powi(power)).sum::<f64>()
            };
            assert!((moment(0) - 1000.0).abs() < 1e-2);
            let spread = (moment(2) / moment(0)).sqrt();
            assert!((spread / f64::from(sigma) - 1.0).abs() < 1e-3, "{spread} for {sigma}");
        }
    }
}
