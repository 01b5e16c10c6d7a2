//! What the generators that know a height from its place alone have in common: rows on all cores.

use std::ops::Range;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, Region};

/// Rows that one thread does in one go, so that neighbouring rows can share what they look up.
const BLOCK: usize = 32;

/// A field whose rows are written by `row(state, number, heights)`; every block of rows begins with
/// a fresh `state`. Asks after every row whether to go on.
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

/// As [`fill`], for land that is a sum of `count` parts: `row(state, parts, number, heights)` adds some of
/// them. Whoever watches sees the sum so far.
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

/// Changes all rows of a field.
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
