//! Land at a wider spacing of its samples: each is the mean of the ground that it stands for.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, memory};

/// `field` with samples `cell` metres apart, which is at least its own spacing, from its north-west corner
/// on. Each sample is the mean of a square of that side around it, as far as that lies on the land.
pub(crate) fn coarsened(field: &Heightfield, cell: f32, work: &Work) -> Result<Heightfield> {
    let grid = field.grid();
    let ratio = f64::from(cell) / f64::from(grid.cell);
    // The rounding of the cell isn't worth a resampling, which would smooth the land.
    if ratio < 1.001 {
        return Ok(field.clone());
    }
    let taps = |count: usize| -> Vec<Tap> {
        let last = (count - 1) as f64;
        (0..(last / ratio) as usize + 1).map(|index| Tap::around(index as f64 * ratio, ratio, last)).collect()
    };
    let (columns, rows) = (taps(grid.width), taps(grid.depth));
    let to = Grid::new(columns.len(), rows.len(), cell)?;
    memory::require(to, 4 * (to.width * grid.depth + to.count()) as u64)?;
    work.stage("resampling", grid.depth + to.depth);
    let mut narrow = vec![0.0_f32; to.width * grid.depth];
    narrow.par_chunks_mut(to.width).enumerate().try_for_each(|(row, narrow)| {
        work.check()?;
        let heights = field.row(row);
        for (mean, tap) in narrow.iter_mut().zip(&columns) {
            *mean = tap.mean(|index| heights[index]);
        }
        work.advance(1);
        Ok::<_, Error>(())
    })?;
    let mut coarse = Heightfield::flat(to, 0.0);
    coarse.heights_mut().par_chunks_mut(to.width).zip(&rows).try_for_each(|(means, tap)| {
        work.check()?;
        for (column, mean) in means.iter_mut().enumerate() {
            *mean = tap.mean(|index| narrow[index * to.width + column]);
        }
        work.advance(1);
        Ok::<_, Error>(())
    })?;
    Ok(coarse)
}

/// Samples of which a mean is made, from the first on with a weight each.
struct Tap {
    first: usize,
    weights: Vec<f64>,
}

impl Tap {
    /// The mean of the ground within half of `width` of a place, which runs straight from sample to sample.
    /// The last sample lies at `last`.
    fn around(place: f64, width: f64, last: f64) -> Self {
        // On both sides only as far as there is land on both, so that a plane stays a plane.
        let reach = (width / 2.0).min(place).min(last - place).max(0.0);
        let (from, to) = (place - reach, place + reach);
        let (first, end) = (from as usize, to.ceil() as usize);
        let mut weights = vec![0.0; end - first + 1];
        for segment in first..end {
            // The part of the segment that counts, and what it has of the sample at its end.
            let [a, b] =
                [from.max(segment as f64), to.min(segment as f64 + 1.0)].map(|at| at - segment as f64);
            let of_end = (b * b - a * a) / 2.0;
            weights[segment - first] += (b - a) - of_end;
            weights[segment - first + 1] += of_end;
        }
        let sum: f64 = weights.iter().sum();
        if sum > 0.0 {
            weights.iter_mut().for_each(|weight| *weight /= sum);
        } else {
            // A single point, at the border.
            let nearest = place.round() as usize - first;
            weights[nearest] = 1.0;
        }
        Self { first, weights }
    }

    fn mean(&self, of: impl Fn(usize) -> f32) -> f32 {
        let weighed =
            self.weights.iter().enumerate().map(|(index, weight)| weight * f64::from(of(self.first + index)));
        weighed.sum::<f64>() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_stays_a_plane_at_any_spacing() {
        let plane = |grid: Grid| {
            Heightfield::from_fn(grid, |column, row| grid.cell * (0.5 * column as f32 - 0.25 * row as f32))
        };
        let fine = plane(Grid::new(101, 67, 2.0).unwrap());
        for cell in [2.0, 3.0, 5.1, 10.0, 40.0] {
            let coarse = coarsened(&fine, cell, &Work::new()).unwrap();
            let expected = plane(coarse.grid());
            for (found, expected) in coarse.heights().iter().zip(expected.heights()) {
                assert!((found - expected).abs() < 2e-4, "{found}, not {expected}, at {cell} m");
            }
        }
    }

    #[test]
    fn each_sample_is_the_mean_of_its_ground() {
        let land = Heightfield::from_fn(Grid::new(31, 31, 1.0).unwrap(), |column, _| (column % 2) as f32);
        let coarse = coarsened(&land, 6.0, &Work::new()).unwrap();
        assert_eq!(coarse.grid(), Grid::new(6, 6, 6.0).unwrap());
        assert!(coarse.row(2)[1..5].iter().all(|mean| (mean - 0.5).abs() < 1e-6), "{:?}", coarse.row(2));
    }
}
