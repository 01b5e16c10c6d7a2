//! The two passes of a separable filter, in place: along all rows, then along all columns.
//!
//! Filters don't handle borders: they are given rows extended at both ends, and for columns a window of
//! rows around the one that they write. Columns are processed many side by side, in pieces of whole rows.
//! Results don't depend on how the work is divided among threads.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::lines::strips;
use crate::grid::{Grid, Heightfield};
use crate::steps::filter::smooth::border::Border;

/// Columns that a strip should have at least: four cache lines of heights.
const NARROWEST: usize = 64;

/// Runs `filter(extended, out)` along every row. `extended` is the row with `reach` more samples at both
/// ends.
pub(super) fn along_rows(
    field: &mut Heightfield,
    reach: usize,
    border: Border,
    work: &Work,
    filter: impl Fn(&[f32], &mut [f32]) + Sync,
) -> Result<()> {
    let width = field.grid().width;
    let before: Vec<usize> = (0..reach).map(|index| border.before(index, reach, width)).collect();
    let after: Vec<usize> = (0..reach).map(|index| border.before(index + width, 0, width)).collect();
    let empty = || Vec::with_capacity(width + 2 * reach);
    field.heights_mut().par_chunks_mut(width).try_for_each_init(empty, |lengthened, row| {
        work.check()?;
        lengthened.clear();
        lengthened.extend(before.iter().map(|&column| row[column]));
        lengthened.extend_from_slice(row);
        lengthened.extend(after.iter().map(|&column| row[column]));
        filter(lengthened, row);
        work.advance(1);
        Ok(())
    })
}

/// Runs `filter(state, window, out)` down all columns, a strip of at most `widest` columns at a time.
/// `window` holds the row to be written, `reach` rows above it and `reach` below; every strip begins with a
/// fresh `state`. Wide strips read longer pieces of rows; but what the filter reads of the window should
/// fit into the L1 cache.
pub(super) fn along_columns<State: Default>(
    field: &mut Heightfield,
    widest: usize,
    reach: usize,
    border: Border,
    work: &Work,
    filter: impl Fn(&mut State, &SlidingWindow, &mut [f32]) + Sync,
) -> Result<()> {
    let Grid { width, depth, .. } = field.grid();
    // Enough strips for every thread. Columns are independent, so the division changes no bits.
    let strip = (width / (2 * rayon::current_num_threads())).clamp(NARROWEST.min(widest), widest);
    strips(field, strip).into_par_iter().try_for_each(|mut rows| {
        let mut state = State::default();
        // The window keeps copies, so that rows may be overwritten while later ones still need them.
        let mut window = SlidingWindow::new(rows[0].len(), 2 * reach + 1);
        for row in 0..2 * reach {
            window.enter(rows[border.before(row, reach, depth)]);
        }
        // Kept for wrapping: when the last rows need the first ones, these have been overwritten.
        let first = if border == Border::Wrap { reach.min(depth) } else { 0 };
        let first: Vec<Vec<f32>> = rows[..first].iter().map(|row| row.to_vec()).collect();
        for row in 0..depth {
            work.check()?;
            let entering = border.before(row + reach, 0, depth);
            match first.get(entering) {
                Some(saved) if row + reach >= depth => window.enter(saved),
                _ => window.enter(rows[entering]),
            }
            filter(&mut state, &window, rows[row]);
        }
        work.advance(rows[0].len());
        Ok(())
    })
}

/// A sliding window of rows of a strip, as a ring buffer.
pub(super) struct SlidingWindow {
    width: usize,
    size: usize,
    /// The rows of the ring buffer.
    rows: Vec<f32>,
    /// Distance between the starts of rows.
    stride: usize,
    /// Index of the uppermost row in the ring.
    upper: usize,
}

impl SlidingWindow {
    /// An empty window of `size` rows.
    fn new(width: usize, size: usize) -> Self {
        // Rows a power of two apart would compete for the same few cache sets.
        let stride = width.next_multiple_of(16) + 16;
        Self { width, size, rows: vec![0.0; size * stride], stride, upper: 0 }
    }

    fn enter(&mut self, row: &[f32]) {
        self.rows[self.upper * self.stride..][..self.width].copy_from_slice(row);
        self.upper = (self.upper + 1) % self.size;
    }

    /// Row number `place`, counted downwards from the uppermost.
    pub(super) fn row(&self, place: usize) -> &[f32] {
        let place = self.upper + place;
        let place = if place < self.size { place } else { place - self.size };
        &self.rows[place * self.stride..][..self.width]
    }
}
