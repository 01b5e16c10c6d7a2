//! Separable resampling with four taps: along the rows, then along the columns.

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, Region};

/// New rows that one thread computes at a time; it keeps the four resampled rows around the present one.
const BLOCK: usize = 128;

/// One output position: the four samples that it is computed from and their weights. Its height is h₁ +
/// a·(h₀ − h₁) + b·(h₂ − h₁) + c·(h₃ − h₁): the weights sum to exactly 1, so level land stays level to the
/// last bit.
pub(super) struct Tap {
    pub(super) samples: [usize; 4],
    /// a, b and c.
    weights: [f32; 3],
}

impl Tap {
    /// The tap at `place`, in samples from the first of `count`, in [0, count − 1]. `weights(t)` are those
    /// of the samples at −1, 0, 1 and 2 for a point at `t` between 0 and 1; they sum to 1.
    ///
    /// Beyond the ends, samples are extrapolated: the one before P₀ is 2·P₀ − P₁. So slopes are kept.
    pub(super) fn new(place: f64, count: usize, weights: impl Fn(f64) -> [f64; 4]) -> Self {
        let first = (place as usize).min(count - 1);
        Self::after(first, place - first as f64, count, weights)
    }

    /// As [`new`](Self::new), for the point `share`, in samples, after the sample at `first`.
    fn after(first: usize, share: f64, count: usize, weights: impl Fn(f64) -> [f64; 4]) -> Self {
        let last = count - 1;
        // The weight of h₁ is left out: it is 1 minus the others by the form of the sum.
        let [mut a, _, mut b, mut c] = weights(share);
        // The extrapolated h₃ = 2·h₂ − h₁ is not a sample; c·(h₃ − h₁) becomes
        // 2c·(h₂ − h₁). Then h₂ and h₀ in the same way, in this order, since each passes its
        // weight on to the next.
        if first + 2 > last {
            b += 2.0 * c;
            c = 0.0;
        }
        if first + 1 > last {
            a -= b;
            b = 0.0;
        }
        if first == 0 {
            b -= a;
            a = 0.0;
        }
        Self {
            samples: [first.saturating_sub(1), first, (first + 1).min(last), (first + 2).min(last)],
            weights: [a as f32, b as f32, c as f32],
        }
    }

    /// The tap on a sample itself.
    pub(super) fn on(sample: usize) -> Self {
        Self { samples: [sample; 4], weights: [0.0; 3] }
    }

    /// `to` taps spread evenly from the sample at `begin` to the one at `end` out of `count`.
    pub(super) fn spread(
        [begin, end]: [usize; 2],
        count: usize,
        to: usize,
        weights: impl Fn(f64) -> [f64; 4],
    ) -> Vec<Self> {
        let steps = (to - 1).max(1);
        (0..to)
            .map(|index| {
                // Multiplied before it is divided, so that positions that fall on samples do so exactly.
                let place = begin as f64 + (index * (end - begin)) as f64 / steps as f64;
                Self::new(place, count, &weights)
            })
            .collect()
    }

    /// The taps of a region along an axis (0 for x, 1 for z), on `count` samples that are stretched over
    /// all of the land.
    pub(super) fn spread_over(
        region: &Region,
        axis: usize,
        count: usize,
        weights: impl Fn(f64) -> [f64; 4],
    ) -> Vec<Self> {
        let (window, domain) = (region.window(), region.domain());
        let steps = match domain.size() {
            Some(size) => f64::from((size[axis] - 1).max(1)),
            // Endless land has no last sample: one unit is stretched over the samples.
            None => f64::from(domain.unit()) / f64::from(domain.cell()),
        };
        (0..i64::from(window.size[axis]))
            .map(|index| {
                // In the same order of operations as `spread`, so that the whole land has the same bits.
                let samples = (window.first[axis] + index) as f64 * (count - 1) as f64;
                let place = libm::ldexp(samples, window.level) / steps;
                // Rounding, or a window over the border, may lead beyond the ends by a little.
                Self::new(place.clamp(0.0, (count - 1) as f64), count, &weights)
            })
            .collect()
    }

    /// The points of a region along an axis (0 for x, 1 for z) on the samples of a `coarser` one around it.
    pub(super) fn between(
        region: &Region,
        coarser: &Region,
        axis: usize,
        weights: impl Fn(f64) -> [f64; 4],
    ) -> Vec<Self> {
        let finer = coarser.level() - region.level();
        let (count, begin) = (coarser.window().size[axis] as usize, coarser.window().first[axis]);
        let window = region.window();
        (window.first[axis]..window.first[axis] + i64::from(window.size[axis]))
            .map(|number| {
                // From whole numbers, so that it is the same in every window.
                let first = number >> finer;
                let share = libm::ldexp((number - (first << finer)) as f64, -finer);
                Self::after((first - begin) as usize, share, count, &weights)
            })
            .collect()
    }

    /// Counts the samples of some taps from the first of them. Returns which that is, and the number of
    /// samples from it to the last.
    pub(super) fn count_from_first(taps: &mut [Self]) -> (u32, u32) {
        let samples = || taps.iter().flat_map(|tap| tap.samples);
        let (first, last) = (samples().min().unwrap_or(0), samples().max().unwrap_or(0));
        for tap in taps {
            tap.samples = tap.samples.map(|sample| sample - first);
        }
        (first as u32, (last - first + 1) as u32)
    }

    /// `to` taps spread evenly over `count` periodic samples, where the first follows the last. The first
    /// tap is at the first sample.
    pub(super) fn around(count: usize, to: usize, weights: impl Fn(f64) -> [f64; 4]) -> Vec<Self> {
        (0..to)
            .map(|index| {
                // Quotient and remainder of whole numbers, so that equal fractions have equal bits all
                // around.
                let first = index * count / to;
                let [a, _, b, c] = weights((index * count % to) as f64 / to as f64);
                let samples = [first + count - 1, first, first + 1, first + 2].map(|sample| sample % count);
                Self { samples, weights: [a as f32, b as f32, c as f32] }
            })
            .collect()
    }

    /// The interpolated height. `LIMITED` keeps it within the range of the four samples.
    #[inline(always)]
    pub(super) fn height<const LIMITED: bool>(&self, [h0, h1, h2, h3]: [f32; 4]) -> f32 {
        let [a, b, c] = self.weights;
        // Grouped from the middle outwards, so that the sum of three small differences is added to the height
        // once.
        let height = h1 + (a * (h0 - h1) + b * (h2 - h1) + c * (h3 - h1));
        // A constant of the compilation: the loops without limits have no trace of it.
        if LIMITED { height.max(h0.min(h1).min(h2.min(h3))).min(h0.max(h1).max(h2.max(h3))) } else { height }
    }
}

/// The source samples, row by row.
#[derive(Clone, Copy)]
pub(super) struct SourceRows<'a> {
    pub(super) heights: &'a [f32],
    pub(super) width: usize,
}

impl<'a> SourceRows<'a> {
    pub(super) fn of(field: &'a Heightfield) -> Self {
        Self { heights: field.heights(), width: field.grid().width }
    }

    fn row(&self, row: usize) -> &'a [f32] {
        &self.heights[row * self.width..][..self.width]
    }
}

/// Evaluates the taps `columns` and `rows`, one of each for every sample of `grid`.
///
/// # Errors
/// When a height overflows to infinity; [`Error::Cancelled`].
pub(super) fn resample(
    field: &Heightfield,
    grid: Grid,
    columns: &[Tap],
    rows: &[Tap],
    work: &Work,
) -> Result<Heightfield> {
    let mut resized = Heightfield::flat(grid, 0.0);
    resample_into(field, &mut resized, columns, rows, work)?;
    Ok(resized)
}

/// As [`resample`], into an existing field.
pub(super) fn resample_into(
    field: &Heightfield,
    resized: &mut Heightfield,
    columns: &[Tap],
    rows: &[Tap],
    work: &Work,
) -> Result<()> {
    make::<false>(SourceRows::of(field), resized, columns, rows, work)
}

/// As [`resample`], limited: a height stays within the range of the four samples along its row, and then of
/// the four such heights along its column.
pub(super) fn resample_limited(
    samples: SourceRows<'_>,
    grid: Grid,
    columns: &[Tap],
    rows: &[Tap],
    work: &Work,
) -> Result<Heightfield> {
    let mut resized = Heightfield::flat(grid, 0.0);
    make::<true>(samples, &mut resized, columns, rows, work)?;
    Ok(resized)
}

fn make<const LIMITED: bool>(
    samples: SourceRows<'_>,
    resized: &mut Heightfield,
    columns: &[Tap],
    rows: &[Tap],
    work: &Work,
) -> Result<()> {
    let grid = resized.grid();
    work.stage("resample", grid.depth);
    resized.heights_mut().par_chunks_mut(grid.width * BLOCK).zip(rows.par_chunks(BLOCK)).try_for_each(
        |(heights, rows)| {
            // Blocks start with an empty ring: its first rows are resampled a second time, which 128 rows
            // make negligible.
            let mut lines = RowRing::<LIMITED>::new(grid.width);
            for (out, row) in heights.chunks_exact_mut(grid.width).zip(rows) {
                work.check()?;
                // Rows of taps only move south, so a row that has left the ring is never needed again.
                row.samples.iter().for_each(|&sample| lines.hold(sample, samples, columns));
                let samples = row.samples.map(|sample| lines.line(sample));
                if !in_wide_registers(BlendRows::<LIMITED> { tap: row, samples, out }) {
                    return Err(Error::parameter(
                        "heights",
                        "are too large to lay a curve through; scale them down",
                    ));
                }
                work.advance(1);
            }
            Ok(())
        },
    )
}

/// The last four source rows, resampled to the new columns, at index row mod 4: the four samples of a tap
/// are consecutive rows. That also holds on a ring, because its length is a multiple of 4 or below 4.
struct RowRing<const LIMITED: bool> {
    held: [Option<usize>; 4],
    lines: [Vec<f32>; 4],
}

impl<const LIMITED: bool> RowRing<LIMITED> {
    fn new(width: usize) -> Self {
        Self { held: [None; 4], lines: std::array::from_fn(|_| vec![0.0; width]) }
    }

    fn hold(&mut self, row: usize, samples: SourceRows<'_>, columns: &[Tap]) {
        if self.held[row % 4] == Some(row) {
            return;
        }
        self.held[row % 4] = Some(row);
        let (samples, out) = (samples.row(row), &mut self.lines[row % 4][..]);
        in_wide_registers(ResampleRow::<LIMITED> { taps: columns, samples, out });
    }

    fn line(&self, row: usize) -> &[f32] {
        &self.lines[row % 4]
    }
}

/// Evaluates all taps along one row of samples.
struct ResampleRow<'a, const LIMITED: bool> {
    taps: &'a [Tap],
    samples: &'a [f32],
    out: &'a mut [f32],
}

impl<const LIMITED: bool> Loop for ResampleRow<'_, LIMITED> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        for (out, tap) in self.out.iter_mut().zip(self.taps) {
            *out = tap.height::<LIMITED>(tap.samples.map(|sample| self.samples[sample]));
        }
    }
}

/// Applies one tap between four rows, for all columns; returns whether all heights are finite.
struct BlendRows<'a, const LIMITED: bool> {
    tap: &'a Tap,
    samples: [&'a [f32]; 4],
    out: &'a mut [f32],
}

impl<const LIMITED: bool> Loop for BlendRows<'_, LIMITED> {
    type Done = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let [h0, h1, h2, h3] = self.samples;
        let samples = h0.iter().zip(h1).zip(h2.iter().zip(h3));
        for (out, ((&h0, &h1), (&h2, &h3))) in self.out.iter_mut().zip(samples) {
            *out = self.tap.height::<LIMITED>([h0, h1, h2, h3]);
        }
        // A second, vectorised pass over the row while it is in the L1 cache, instead of a branch at each
        // sample.
        self.out.iter().fold(true, |finite, height| finite & height.is_finite())
    }
}
