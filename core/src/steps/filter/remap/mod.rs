//! Steps that map each height to another one, or each place to another place.

mod clamp;
mod curve;
mod invert;
mod island;
mod normalize;
mod power;
mod scale;
mod terrace;
mod warp;

pub use clamp::Clamp;
pub use curve::{Curve, CurveShape};
pub use invert::Invert;
pub use island::{Island, Outline};
pub use normalize::Normalize;
pub use power::Power;
pub use scale::Scale;
pub use terrace::Terrace;
pub use warp::Warp;

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
