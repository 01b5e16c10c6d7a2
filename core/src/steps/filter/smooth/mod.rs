//! Steps that make each height of those around it: smoothing filters, masks of coefficients, and majorities.

pub(super) mod binomial;
mod border;
pub(super) mod convolve;
pub(super) mod gaussian;
mod kernel;
pub(super) mod low_pass;
mod majority;
pub(super) mod majority_of_many;
pub(super) mod mean;
mod passes;

pub use border::Border;
pub use majority::majority;
pub use majority_of_many::majority_of_many;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, LEVELS, Region};
use crate::resize::catmull_rom_between;
use crate::steps::{Ground, Needs, Reach};

/// Smooths the heights of a ground by a function of a field and its region. Where the ground knows land
/// around it at a coarser level, that is smoothed, and the heights lie on curves between its samples.
fn smooth_heights(
    ground: &mut Ground,
    work: &Work,
    smooth: impl Fn(&mut Heightfield, &Region) -> Result<()>,
) -> Result<()> {
    let region = *ground.region();
    match ground.context() {
        Some(around) => {
            // A copy, since other windows share the context.
            let mut smoothed = around.heights.copy_while(work)?;
            smooth(&mut smoothed, around.region())?;
            ground.heights = catmull_rom_between(&smoothed, around.region(), &region, work)?;
            Ok(())
        }
        None => smooth(&mut ground.heights, &region),
    }
}

/// The land that a smoothing filter with this reach looks at around a window: `samples_read` samples of level
/// 0 to each side. It smooths over `samples` of them; where these are eight or more, finer ones would add
/// nothing.
fn smoothing_needs(reach: Reach, window: &Region, samples: f32, samples_read: f32) -> Result<Needs> {
    const ENOUGH: f32 = 8.0;
    let halo = Needs::within(reach, window);
    if samples_read <= 0.0 {
        return Ok(halo);
    }
    // Each finer level halves the distance between samples: as many levels as give at least `ENOUGH` of them.
    let finer = libm::ceilf(libm::log2f(ENOUGH / samples)).max(0.0) as i32;
    let level = (-finer).max(*LEVELS.start());
    Ok(Needs::coarser(window, level, samples_read, true)?.unwrap_or(halo))
}
