//! Parallel loops over rows, for generators that compute a height from its position alone.

use std::ops::Range;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, Region};

/// Rows that one thread computes at a time, so that neighbouring rows share lookups.
const BLOCK: usize = 32;

/// Fills a field by `row(state, index, heights)`; every block of rows begins with a fresh `state`. Checks
/// for cancellation after every row.
pub(super) fn fill<State>(
    region: &Region,
    stage: &str,
    work: &Work,
    state: impl Fn() -> State + Sync,
    row: impl Fn(&mut State, usize, &mut [f32]) + Sync,
) -> Result<Heightfield> {
    work.stage(stage, region.grid().depth);
    let mut field = Heightfield::flat(region.grid(), 0.0);
    each(&mut field, work, state, row)?;
    Ok(field)
}

/// As [`fill`], for a sum of `count` parts: `row(state, parts, index, heights)` adds a range of them.
/// Observers see the partial sums.
pub(super) fn sum<State>(
    region: &Region,
    (stage, part, count): (&str, &'static str, usize),
    work: &Work,
    state: impl Fn() -> State + Sync,
    row: impl Fn(&mut State, Range<usize>, usize, &mut [f32]) + Sync,
) -> Result<Heightfield> {
    let pauses = work.pauses(part, count);
    work.stage(stage, region.grid().depth * pauses.clone().count());
    let mut field = Heightfield::flat(region.grid(), 0.0);
    let mut done = 0;
    for pause in pauses {
        each(&mut field, work, &state, |state, number, heights| row(state, done..pause, number, heights))?;
        work.frame(part, pause, count, || Ok(&field))?;
        done = pause;
    }
    Ok(field)
}

/// Calls a function on all rows of a field, in parallel.
fn each<State>(
    field: &mut Heightfield,
    work: &Work,
    state: impl Fn() -> State + Sync,
    row: impl Fn(&mut State, usize, &mut [f32]) + Sync,
) -> Result<()> {
    let grid = field.grid();
    field.heights_mut().par_chunks_mut(grid.width * BLOCK).enumerate().try_for_each(|(block, heights)| {
        let mut state = state();
        for (index, heights) in heights.chunks_mut(grid.width).enumerate() {
            work.check()?;
            row(&mut state, block * BLOCK + index, heights);
            work.advance(1);
        }
        Ok(())
    })
}
