//! Mean filter: every height becomes the mean of the N × N around it (box filter).
//!
//! A running sum slides along each row, and then along the columns: one sample enters, one leaves, so the
//! run time does not depend on N. Heights are summed as multiples of 2⁻²⁰ m (a micrometre) in f64, whose 53
//! bits hold the sums exactly up to 2³³ m: sums don't drift, level land stays level, and a mean has the
//! same bits wherever the sum started.

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::lines::units;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::params;
use crate::steps::filter::smooth::border::{Border, reach_of_window};
use crate::steps::filter::smooth::passes::{SlidingWindow, along_columns, along_rows};
use crate::steps::filter::smooth::{smooth_heights, smoothing_needs};
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

/// Columns in a strip: many, because only two rows of the window are read for each one written.
const WIDEST: usize = 2048;

/// The most heights in the window of a strip: 1 MiB of them, about the size of the L2 cache.
const HELD: usize = 1 << 18;

params! {
    /// Replaces every height by the mean of the square around it. The fastest smoothing filter, independent
    /// of the size of the square; steps turn into straight ramps.
    pub struct Mean {
        /// Side N of the square; an odd number.
        pub size: u32 = 5, "samples" in 1.0..=1023.0, odd;
        /// What lies beyond the border.
        pub border: Border = Border::Clamp;
    }
}

impl Operation for Mean {
    step!("mean", "Mean", Filter);

    fn formula(&self) -> Option<String> {
        let reach = reach_of_window(self.size).ok()?;
        Some(format!("h′(x, z) = Σ h(x + i, z + j) / {0}²,  |i|, |j| ≤ {reach} samples", self.size))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 8.0)
    }

    fn reach(&self, domain: Domain) -> Reach {
        self.border.reach((self.size / 2) as f32, domain)
    }

    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        let reach = (self.size / 2) as f32;
        smoothing_needs(self.reach(window.domain()), window, reach, reach)
    }

    /// # Errors
    /// When `size` is even.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        smooth_heights(ground, work, |field, region| self.smooth(field, region, work))
    }
}

impl Mean {
    /// Smooths the heights of a region.
    ///
    /// # Errors
    /// When `size` is even.
    pub(in crate::steps) fn smooth(
        &self,
        field: &mut Heightfield,
        region: &Region,
        work: &Work,
    ) -> Result<()> {
        let reach = region.samples(reach_of_window(self.size)? as f64).round() as usize;
        let size = 2 * reach + 1;
        // A multiplication in f64 instead of a division: its error is far below the rounding to f32.
        let share = 1.0 / size as f64;
        work.stage("mean", units(field));
        along_rows(field, reach, self.border, work, |lengthened, out| {
            in_wide_registers(MeansAcross { lengthened, size, share, out });
        })?;
        work.frame("pass", 1, 2, || Ok(&*field))?;
        let widest = (HELD / size).min(WIDEST);
        along_columns(
            field,
            widest,
            reach,
            self.border,
            work,
            |sums: &mut Vec<f64>, window: &SlidingWindow, out| {
                in_wide_registers(MeansDown { sums, window, size, share, out });
            },
        )?;
        work.frame("pass", 2, 2, || Ok(&*field))
    }
}

/// Rounds a height to a multiple of 2⁻²⁰ m: at 1.5 · 2³² that is the spacing of f64.
#[inline(always)]
fn exact(height: f32) -> f64 {
    const ROUNDS: f64 = 1.5 * (1u64 << 32) as f64;
    (f64::from(height) + ROUNDS) - ROUNDS
}

/// The mean of exact heights around a sample of this height. One that is the sample's own but for what
/// [`exact`] took off is that height again, so that level land stays level near 0 as well, where heights have
/// finer digits.
#[inline(always)]
fn or_level(mean: f32, height: f32) -> f32 {
    /// What `exact` takes off at most.
    const TAKEN_OFF: f32 = 0.5 / (1u32 << 20) as f32;
    if (mean - height).abs() <= TAKEN_OFF { height } else { mean }
}

/// The means of `size` samples along a row.
struct MeansAcross<'a> {
    lengthened: &'a [f32],
    size: usize,
    share: f64,
    /// The row itself, at first.
    out: &'a mut [f32],
}

impl Loop for MeansAcross<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { lengthened, size, share, out } = self;
        let mut sum = sum(&lengthened[..size]);
        out[0] = or_level((sum * share) as f32, out[0]);
        let change = |(&left, &entered): (&f32, &f32)| exact(entered) - exact(left);
        let mut changes = lengthened.iter().zip(&lengthened[size..]).map(change);
        let mut pieces = out[1..].chunks_exact_mut(16);
        for out in &mut pieces {
            let mut means = [0.0; 16];
            // Summed in groups first, so that only every fourth addition waits for the running sum.
            for means in means.chunks_exact_mut(4) {
                // Regrouping is safe because the terms are exact multiples of 2⁻²⁰: any order gives the same
                // bits.
                let [a, b, c, d] = std::array::from_fn(|_| changes.next().unwrap_or(0.0));
                let sums = [sum + a, sum + (a + b), sum + ((a + b) + c), sum + ((a + b) + (c + d))];
                means.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = (sum * share) as f32);
                sum = sums[3];
            }
            out.iter_mut().zip(means).for_each(|(out, mean)| *out = or_level(mean, *out));
        }
        for (out, change) in pieces.into_remainder().iter_mut().zip(changes) {
            sum += change;
            *out = or_level((sum * share) as f32, *out);
        }
    }
}

/// The sum of `heights`, each lane by itself first, so that additions are independent.
#[inline(always)]
fn sum(heights: &[f32]) -> f64 {
    let mut sums = [0.0; 16];
    let mut pieces = heights.chunks_exact(sums.len());
    for piece in &mut pieces {
        sums.iter_mut().zip(piece).for_each(|(sum, &height)| *sum += exact(height));
    }
    let rest = pieces.remainder().iter().map(|&height| exact(height));
    sums.into_iter().chain(rest).sum()
}

/// The means down the `size` samples of every column in the window.
struct MeansDown<'a> {
    /// The sums of all rows but the one that enters; empty before the first row.
    sums: &'a mut Vec<f64>,
    window: &'a SlidingWindow,
    size: usize,
    share: f64,
    /// The row in the middle itself, at first.
    out: &'a mut [f32],
}

impl Loop for MeansDown<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { sums, window, size, share, out } = self;
        // All rows but the last: that one enters with the first output.
        if sums.is_empty() {
            sums.resize(out.len(), 0.0);
            for place in 0..size - 1 {
                sums.iter_mut().zip(window.row(place)).for_each(|(sum, &height)| *sum += exact(height));
            }
        }
        let (leaving, entered) = (window.row(0), window.row(size - 1));
        for (((out, sum), &leaving), &entered) in out.iter_mut().zip(sums).zip(leaving).zip(entered) {
            let whole = *sum + exact(entered);
            *out = or_level((whole * share) as f32, *out);
            // The row that leaves is rounded again instead of stored: reading 4 bytes is cheaper than keeping
            // 8.
            *sum = whole - exact(leaving);
        }
    }
}
