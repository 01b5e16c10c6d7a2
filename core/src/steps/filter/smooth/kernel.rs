//! Separable symmetric kernels, as the Gaussian and the binomial filter use them: rows first, then columns.
//!
//! A kernel is applied as h + Σ wᵢ·((h₋ᵢ − h) + (h₊ᵢ − h)), with h the height in the middle. That equals
//! the usual weighted sum with a middle weight of 1 minus the others, so every kernel sums to exactly 1:
//! level land stays level to the last bit, and slopes keep more digits than in a sum of whole heights.

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::grid::lines::units;
use crate::steps::filter::smooth::border::Border;
use crate::steps::filter::smooth::passes::{SlidingWindow, along_columns, along_rows};

/// Samples that are summed side by side, in registers.
const LANES: usize = 16;

/// Columns in a strip: the window of a usual kernel then fits into the L1 cache (32 KiB).
const WIDEST: usize = 192;

/// One direction of a separable symmetric kernel.
pub(super) struct Kernel {
    /// Weights at distance 1, 2 … from the middle.
    weights: Vec<f32>,
}

impl Kernel {
    /// The normalised kernel with weights proportional to `weights`: the middle one, then those at distance
    /// 1, 2 … on both sides.
    pub(super) fn from_half(weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().skip(1).map(|weight| 2.0 * weight).sum::<f64>() + weights[0];
        Self { weights: weights.iter().skip(1).map(|weight| (weight / sum) as f32).collect() }
    }

    /// Applies the kernel in both directions.
    pub(super) fn apply(
        &self,
        field: &mut Heightfield,
        border: Border,
        stage: &str,
        work: &Work,
    ) -> Result<()> {
        let reach = self.weights.len();
        if reach == 0 {
            return Ok(());
        }
        work.stage(stage, units(field));
        along_rows(field, reach, border, work, |lengthened, out| {
            let width = out.len();
            self.weigh(|place| &lengthened[place..][..width], out);
        })?;
        work.frame("pass", 1, 2, || Ok(&*field))?;
        along_columns(field, WIDEST, reach, border, work, |_: &mut (), window: &SlidingWindow, out| {
            self.weigh(|place| window.row(place), out);
        })?;
        work.frame("pass", 2, 2, || Ok(&*field))
    }

    /// Computes weighted sums of lines of samples; `line(reach)` is the one in the middle.
    fn weigh<'a>(&self, line: impl Fn(usize) -> &'a [f32], out: &mut [f32]) {
        in_wide_registers(Weigh { weights: &self.weights, line, out });
    }
}

struct Weigh<'a, Line> {
    weights: &'a [f32],
    line: Line,
    out: &'a mut [f32],
}

impl<'a, Line: Fn(usize) -> &'a [f32]> Loop for Weigh<'_, Line> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { weights, line, out } = self;
        let mut pieces = out.chunks_exact_mut(LANES);
        let mut start = 0;
        for out in &mut pieces {
            weigh_piece::<LANES>(weights, &line, start, out);
            start += LANES;
        }
        // The last columns one by one, by the same function: each sample has the same operations in the same
        // order, whatever its column.
        for out in pieces.into_remainder().chunks_mut(1) {
            weigh_piece::<1>(weights, &line, start, out);
            start += 1;
        }
    }
}

#[inline(always)]
fn weigh_piece<'a, const N: usize>(
    weights: &[f32],
    line: &impl Fn(usize) -> &'a [f32],
    start: usize,
    out: &mut [f32],
) {
    let reach = weights.len();
    let piece = |place: usize| {
        let mut piece = [0.0; N];
        piece.copy_from_slice(&line(place)[start..start + N]);
        piece
    };
    let middle = piece(reach);
    // h₋ᵢ + h₊ᵢ − 2h: one operation fewer than two differences.
    let twice = middle.map(|height| height + height);
    let mut sum = [0.0; N];
    for (index, &weight) in weights.iter().enumerate() {
        let (before, after) = (piece(reach - 1 - index), piece(reach + 1 + index));
        for lane in 0..N {
            sum[lane] += weight * ((before[lane] + after[lane]) - twice[lane]);
        }
    }
    for lane in 0..N {
        out[lane] = middle[lane] + sum[lane];
    }
}
