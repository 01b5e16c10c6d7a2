//! Gaussian filter: weights e^(−(i² + j²)/(2σ²)), isotropic.
//!
//! The weight is a product of one factor for the row and one for the column, so rows are filtered first,
//! then columns. The window is N × N; beyond 3σ the weights are negligible.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::params;
use crate::steps::filter::smooth::border::{Border, reach_of_window};
use crate::steps::filter::smooth::kernel::Kernel;
use crate::steps::filter::smooth::{smooth_heights, smoothing_needs};
use crate::steps::number::brief;
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

params! {
    /// Smooths the land evenly in all directions, without the box-shaped artefacts of plain averages.
    pub struct Gaussian {
        /// Standard deviation σ: details smaller than this vanish.
        pub sigma: f32 = 1.5, "samples" in 0.1..=40.0, log;
        /// Side N of the window, an odd number; 0 takes the smallest that extends 3σ to each side.
        pub size: u32 = 0, "samples" in 0.0..=255.0, odd;
        /// What lies beyond the border.
        pub border: Border = Border::Clamp;
    }
}

impl Operation for Gaussian {
    step!("gaussian", "Gaussian", Filter);

    fn formula(&self) -> Option<String> {
        let (reach, sigma) = (self.radius().ok()?, brief(self.sigma));
        Some(format!(
            "h′(x, z) = Σ w(i, j) h(x + i, z + j) / Σ w(i, j),  |i|, |j| ≤ {reach} samples\n\
             w(i, j) = e^(−(i² + j²) / (2 · {sigma}²))"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 4.0 + 0.5 * self.radius().unwrap_or(0) as f64)
    }

    fn reach(&self, domain: Domain) -> Reach {
        // An even window is an error, reported when the filter runs.
        self.border.reach(self.radius().unwrap_or(0) as f32, domain)
    }

    /// The bell is as good as a mean over 3σ in all.
    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        let reach = self.radius_felt()?;
        smoothing_needs(self.reach(window.domain()), window, reach.min(1.5 * self.sigma), reach)
    }

    /// # Errors
    /// When `size` is even and not 0.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        smooth_heights(ground, work, |field, region| self.smooth(field, region, work))
    }
}

impl Gaussian {
    /// Smooths the heights of a region.
    ///
    /// # Errors
    /// When `size` is even and not 0.
    fn smooth(&self, field: &mut Heightfield, region: &Region, work: &Work) -> Result<()> {
        // At level 0 and coarser the window is as the parameters say; what is truncated at finer levels is
        // below f32's digits.
        let radius = if region.level() < 0 { self.radius_felt()? } else { self.radius()? as f32 };
        let radius = region.samples(f64::from(radius)).ceil() as usize;
        let weights = weights(region.samples(f64::from(self.sigma)), radius);
        Kernel::from_half(&weights).apply(field, self.border, "Gaussian", work)
    }

    /// The same as far as it is felt at fine levels: beyond 8σ a weight is less than 10⁻¹³ of the largest,
    /// and a wide window around a narrow bell would be thousands of samples there.
    fn radius_felt(&self) -> Result<f32> {
        Ok((self.radius()? as f32).min(8.0 * self.sigma))
    }

    /// Samples from the middle of the window to its edge.
    fn radius(&self) -> Result<usize> {
        match self.size {
            // The smallest odd N that is at least 6σ + 1.
            0 => Ok((3.0 * self.sigma).ceil() as usize),
            size => reach_of_window(size),
        }
    }
}

/// e^(−i²/(2σ²)) for i from 0 to `reach`.
fn weights(sigma: f64, reach: usize) -> Vec<f64> {
    (0..=reach).map(|index| libm::exp(-((index * index) as f64) / (2.0 * sigma * sigma))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_the_smallest_odd_one_of_six_sigma_and_one() -> Result<()> {
        for (sigma, size) in [(1.0, 7), (0.1, 3), (1.5, 11), (1.4, 11), (4.0, 25)] {
            assert_eq!(2 * Gaussian { sigma, ..Gaussian::default() }.radius()? + 1, size);
        }
        assert_eq!(Gaussian { size: 5, ..Gaussian::default() }.radius()?, 2);
        assert!(Gaussian { size: 4, ..Gaussian::default() }.radius().is_err());
        Ok(())
    }
}
