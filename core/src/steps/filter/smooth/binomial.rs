//! Binomial filter: weights from a row of Pascal's triangle, such as 1 4 6 4 1.
//!
//! Row n is the result of averaging neighbours n times. Its weights C(n, i)/2ⁿ tend to a Gaussian of σ =
//! √n/2, and the kernel needs no truncation.

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::params;
use crate::steps::filter::smooth::border::Border;
use crate::steps::filter::smooth::kernel::Kernel;
use crate::steps::filter::smooth::{smooth_heights, smoothing_needs};
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

params! {
    /// Smooths the land with a row of Pascal's triangle along each axis: close to a Gaussian with σ = √row
    /// / 2.
    pub struct Binomial {
        /// Row n of the triangle, an even number; the window is n + 1 samples wide.
        pub row: u32 = 4, "" in 0.0..=254.0, even;
        /// What lies beyond the border.
        pub border: Border = Border::Clamp;
    }
}

impl Operation for Binomial {
    step!("binomial", "Binomial", Filter);

    fn formula(&self) -> Option<String> {
        let (row, half) = (self.row, self.row / 2);
        let is_possible = row.is_multiple_of(2);
        is_possible.then(|| {
            format!(
                "h′(x, z) = Σ w(i) w(j) h(x + i, z + j),  |i|, |j| ≤ {half} samples\n\
                 w(i) = C({row}, {half} + i) / 2^{row}"
            )
        })
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 4.0 + 0.5 * f64::from(self.samples()))
    }

    fn reach(&self, domain: Domain) -> Reach {
        self.border.reach(self.samples(), domain)
    }

    /// Its bell has σ = √n/2 and is as good as a mean over 3σ in all.
    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        let deviation = 0.5 * (self.row as f32).sqrt();
        smoothing_needs(self.reach(window.domain()), window, 1.5 * deviation, self.samples())
    }

    /// # Errors
    /// When `row` is odd.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        smooth_heights(ground, work, |field, region| self.smooth(field, region, work))
    }
}

impl Binomial {
    /// Smooths the heights of a region.
    ///
    /// # Errors
    /// When `row` is odd.
    fn smooth(&self, field: &mut Heightfield, region: &Region, work: &Work) -> Result<()> {
        if self.row % 2 == 1 {
            let (below, above) = (self.row - 1, self.row + 1);
            let reason = format!("row {} has no middle number; use {below} or {above}", self.row);
            return Err(Error::parameter("row", reason));
        }
        // Its variance is a quarter of the row, in samples².
        // Variances add up: a bell of the same width in metres on a grid n times as fine needs a row n² times
        // as long, hence two conversions.
        let middle = region.samples(region.samples(f64::from(self.row / 2))).round();
        let reach = region.samples(f64::from(self.samples())).ceil();
        Kernel::from_half(&half_row(middle, middle.min(reach) as u32)).apply(
            field,
            self.border,
            "binomial",
            work,
        )
    }

    /// Samples to each side that it reads, at level 0. On finer levels the row that gives the same width is
    /// longer; there it is truncated at six standard deviations.
    fn samples(&self) -> f32 {
        let six_deviations = 3.0 * (self.row as f32).sqrt();
        six_deviations.ceil().max((self.row / 2) as f32)
    }
}

/// The first `reach` + 1 numbers of row 2·`middle` of Pascal's triangle from the middle outwards, relative
/// to the middle one: as ratios they never overflow f64, whatever the row.
fn half_row(middle: f64, reach: u32) -> Vec<f64> {
    let mut share = 1.0;
    let mut half = vec![share];
    for distance in 1..=reach {
        let distance = f64::from(distance);
        share *= (middle - distance + 1.0) / (middle + distance);
        half.push(share);
    }
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_those_of_pascals_triangle() {
        let mut row = vec![1.0];
        for n in 1..=52usize {
            row = (0..=n)
                .map(|i| {
                    let of = |i: Option<usize>| i.and_then(|i| row.get(i)).copied().unwrap_or(0.0);
                    of(i.checked_sub(1)) + of(Some(i))
                })
                .collect::<Vec<f64>>();
            if n % 2 == 0 {
                for (distance, share) in half_row((n / 2) as f64, n as u32 / 2).into_iter().enumerate() {
                    let expected = row[n / 2 + distance] / row[n / 2];
                    assert!((share / expected - 1.0).abs() < 1e-14, "row {n}, {distance} from the middle");
                }
            }
        }
    }
}
