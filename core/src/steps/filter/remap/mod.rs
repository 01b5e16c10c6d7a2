//! Steps that map each height to another one, or each place to another place.

pub(super) mod clamp;
pub(super) mod curve;
pub(super) mod invert;
pub(super) mod island;
pub(super) mod normalize;
pub(super) mod power;
pub(super) mod scale;
pub(super) mod terrace;
pub(super) mod warp;

pub use curve::CurveShape;
pub use island::Outline;

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::steps::Ground;

/// Maps every height by itself, in parallel, checking for cancellation after every row.
fn each_height(
    ground: &mut Ground,
    stage: &str,
    work: &Work,
    change: impl Fn(f32) -> f32 + Sync,
) -> Result<()> {
    let grid = ground.grid();
    work.stage(stage, grid.depth);
    ground.heights.heights_mut().par_chunks_mut(grid.width).try_for_each(|heights| {
        work.check()?;
        in_wide_registers(EachHeight { heights, change: &change });
        work.advance(1);
        Ok(())
    })
}

// A struct, because a closure can't be compiled once for each instruction set.
struct EachHeight<'a, Change> {
    heights: &'a mut [f32],
    change: &'a Change,
}

impl<Change: Fn(f32) -> f32> Loop for EachHeight<'_, Change> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        self.heights.iter_mut().for_each(|height| *height = (self.change)(*height));
    }
}
