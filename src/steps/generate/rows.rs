//! What the generators that know a height from its place alone have in common: rows on all cores.

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
    let grid = region.grid();
    work.stage(stage, grid.depth);
    let mut field = Heightfield::flat(grid, 0.0);
    field.heights_mut().par_chunks_mut(grid.width * BLOCK).enumerate().try_for_each(|(block, heights)| {
        let mut state = state();
        for (index, heights) in heights.chunks_mut(grid.width).enumerate() {
            work.check()?;
            row(&mut state, block * BLOCK + index, heights);
            work.advance(1);
        }
        Ok(())
    })?;
    Ok(field)
}
