//! Filters: each changes the heights or the layers of a ground.
//!
//! A new one is a file here (a struct declared by `params!`, its [`Operation`](crate::steps::Operation), its
//! tests), its `mod` and `pub use` lines, and its row in the table of [`steps`](crate::steps).

mod binomial;
mod border;
mod clamp;
mod convolve;
mod curve;
mod earthwork;
mod erode;
mod gaussian;
mod gullies;
mod hole;
mod invert;
mod island;
mod kernel;
mod ledges;
mod lie;
mod low_pass;
mod majority;
mod majority_of_many;
mod mean;
mod normalize;
mod paint;
mod passes;
mod place;
mod platform;
mod power;
mod ripples;
mod road;
mod scale;
mod sculpt_vector;
mod stamp;
mod stones;
mod strokes;
mod terrace;
mod undercut;
mod warp;

pub use binomial::Binomial;
pub use border::Border;
pub use clamp::Clamp;
pub use convolve::Convolve;
pub use curve::{Curve, CurveShape};
pub use erode::{Erode, Outlets};
pub use gaussian::Gaussian;
pub use gullies::Gullies;
pub use hole::{Hole, HoleShape};
pub use invert::Invert;
pub use island::{Island, Outline};
pub use ledges::Ledges;
pub use low_pass::LowPass;
pub use majority::majority;
pub use majority_of_many::{Majority, majority_of_many};
pub use mean::Mean;
pub use normalize::Normalize;
pub use paint::Paint;
pub use platform::{Platform, PlatformHeight, PlatformShape};
pub use power::Power;
pub use ripples::Ripples;
pub use road::Road;
pub(crate) use road::{NearRoads, Roads};
pub use scale::Scale;
pub use sculpt_vector::SculptVector;
pub(crate) use stamp::StampPicture;
pub use stamp::{Stamp, StampBlend, StampFrom, StampOutline};
pub use stones::Stones;
pub use strokes::SculptStrokes;
pub use terrace::Terrace;
pub use undercut::{Above, Undercut};
pub use warp::Warp;

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, LEVELS, Region};
use crate::resize::catmull_rom_between;
use crate::steps::{Ground, Needs, Reach};

/// Smooths the heights of a ground by a function of a field and its region. Where the ground knows land around it at
/// a coarser level, that is smoothed, and the heights lie on curves between its samples.
fn smooth_heights(
    ground: &mut Ground,
    work: &Work,
    smooth: impl Fn(&mut Heightfield, &Region) -> Result<()>,
) -> Result<()> {
    let region = *ground.region();
    match ground.context() {
        Some(around) => {
            let mut smoothed = around.heights.copy_while(work)?;
            smooth(&mut smoothed, around.region())?;
            ground.heights = catmull_rom_between(&smoothed, around.region(), &region, work)?;
            Ok(())
        }
        None => smooth(&mut ground.heights, &region),
    }
}

/// What a smoothing filter with this reach looks at around a window: `samples_read` samples of level 0 to each side.
/// It smooths over `samples` of them; where these are eight or more, finer ones would add nothing.
fn smoothing_needs(reach: Reach, window: &Region, samples: f32, samples_read: f32) -> Result<Needs> {
    const ENOUGH: f32 = 8.0;
    let halo = Needs::within(reach, window);
    if samples_read <= 0.0 {
        return Ok(halo);
    }
    let finer = libm::ceilf(libm::log2f(ENOUGH / samples)).max(0.0) as i32;
    let level = (-finer).max(*LEVELS.start());
    Ok(Needs::coarser(window, level, samples_read, true)?.unwrap_or(halo))
}

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
