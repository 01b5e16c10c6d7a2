//! Filters: each changes a heightfield in place.
//!
//! A new one is a file here, its `mod` line and its line in the table of [`steps`](crate::steps), as for
//! generators.

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

use glam::DVec2;
use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, LEVELS, Region};
use crate::params::Params;
use crate::resize::catmull_rom_between;
use crate::steps::operation::shifts_of_unknown;
use crate::steps::{Ground, Reach, Site, estimate};

/// A filter: changes a heightfield.
pub trait Filter: Params + Send + Sync {
    /// Changes `field`, the heights of `region`, in place; `seed` matters only to filters that use noise.
    ///
    /// Samples farther from the region's border than the [`reach`](Self::reach), or near the land's own
    /// border only, get the same bits in every region. A filter whose reach is [`Whole`](Reach::Whole) is
    /// only given all of the land, at level 0.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation, which leaves the field
    /// half changed; and whatever the filter's own documentation names.
    fn change(&self, field: &mut Heightfield, region: &Region, seed: u64, work: &Work) -> Result<()>;

    /// As [`change`](Self::change), on all of a bounded land.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    fn apply(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<()> {
        let region = field.grid().into();
        self.change(field, &region, seed, work)
    }

    /// As [`change`](Self::change), on a copy of `field`.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    fn changed(&self, field: &Heightfield, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let mut changed = field.copy_while(work)?;
        self.change(&mut changed, region, seed, work)?;
        Ok(changed)
    }

    /// What it computes, as a formula with its present numbers; see
    /// [`Operation::formula`](crate::steps::Operation::formula).
    fn formula(&self) -> Option<String> {
        None
    }

    /// What should be known of its parameters where samples are `cell` metres apart; see
    /// [`Operation::note`](crate::steps::Operation::note).
    fn note(&self, _cell: f32) -> Option<String> {
        None
    }

    /// Chooses numbers that suit a land to which it is added; see
    /// [`Operation::suit`](crate::steps::Operation::suit).
    fn suit(&mut self, _site: &Site) {}

    /// About how many seconds of one processor core it takes; see
    /// [`Operation::seconds`](crate::steps::Operation::seconds).
    fn seconds(&self, grid: Grid) -> f64 {
        estimate::usual(grid)
    }

    /// How much of the land the filter must know to compute one sample. By default [`Reach::Whole`].
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Whole
    }

    /// The land that it looks at in place of a halo; see
    /// [`Operation::surroundings`](crate::steps::Operation::surroundings). A filter that smooths need say no more
    /// than the window with its halo at a coarser level: finer land is interpolated between what it makes of
    /// that, as long as [`change_ground`](Self::change_ground) says nothing else.
    ///
    /// # Errors
    /// As [`Operation::surroundings`](crate::steps::Operation::surroundings).
    fn surroundings(&self, _window: &Region, _seed: u64, _work: &Work) -> Result<Option<Region>> {
        Ok(None)
    }

    /// How many samples around a window it must know, where it has no surroundings; see
    /// [`Operation::halo`](crate::steps::Operation::halo).
    fn halo(&self, window: &Region, _seed: u64) -> u32 {
        self.reach(window.domain()).halo(window)
    }

    /// Whether it makes heights of surroundings alone; see
    /// [`Operation::makes_of_surroundings`](crate::steps::Operation::makes_of_surroundings).
    fn makes_of_surroundings(&self) -> bool {
        false
    }

    /// The places whose heights it must know; see [`Operation::places`](crate::steps::Operation::places).
    fn places(&self, _domain: &Domain) -> Vec<DVec2> {
        Vec::new()
    }

    /// Whether the parameter `name` has an effect; see [`Operation::uses`](crate::steps::Operation::uses).
    fn uses(&self, _name: &str) -> bool {
        true
    }

    /// The layers that it reads; see [`Operation::reads`](crate::steps::Operation::reads).
    fn reads(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The layers that it writes; see [`Operation::writes`](crate::steps::Operation::writes).
    fn writes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The farthest that it moves ground sideways; see [`Operation::shifts_by`](crate::steps::Operation::shifts_by).
    fn shifts_by(&self) -> f32 {
        shifts_of_unknown(&self.writes())
    }

    /// As [`change`](Self::change), with the layers.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    fn change_ground(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        match ground.surroundings() {
            Some(around) => {
                let changed = self.changed(&around.heights, around.region(), seed, work)?;
                ground.heights = catmull_rom_between(&changed, around.region(), &region, work)?;
                Ok(())
            }
            None => self.change(&mut ground.heights, &region, seed, work),
        }
    }

    /// As [`changed`](Self::changed), with the layers.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    fn changed_ground(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        if ground.surroundings().is_some() {
            let mut changed = ground.clone();
            changed.heights.unshare_while(work)?;
            self.change_ground(&mut changed, seed, work)?;
            return Ok(changed);
        }
        let heights = self.changed(&ground.heights, ground.region(), seed, work)?;
        Ok(ground.with_heights(heights))
    }
}

/// Changes the heights of a region by a filter that changes a ground: of all of a land, which it then knows.
///
/// # Errors
/// Those of the filter.
fn change_as_ground<F: Filter>(
    filter: &F,
    field: &mut Heightfield,
    region: &Region,
    seed: u64,
    work: &Work,
) -> Result<()> {
    let mut ground = Ground::level_in(*region).with_heights(field.copy_while(work)?).keeping(&[]);
    filter.change_ground(&mut ground, seed, work)?;
    *field = ground.heights;
    Ok(())
}

/// What a smoothing filter reads around a window: `reach` samples of level 0 to each side. It smooths over
/// `samples` of them; where these are eight or more, finer ones would add nothing.
fn smoothed_around(window: &Region, samples: f32, reach: f32) -> Result<Option<Region>> {
    const ENOUGH: f32 = 8.0;
    let finer = libm::ceilf(libm::log2f(ENOUGH / samples)).max(0.0) as i32;
    coarser_around(window, (-finer).max(*LEVELS.start()), reach)
}

/// A window with a halo of so many samples of level 0, at this `level`. `None` if the window is not finer.
fn coarser_around(window: &Region, level: i32, reach: f32) -> Result<Option<Region>> {
    if window.level() >= level {
        return Ok(None);
    }
    // Two samples more, for the curves between them.
    let around = window.at_coarser(level, 2)?;
    Ok(Some(around.grown(reach * window.domain().cell())?))
}

/// Maps every height by itself, in parallel, checking for cancellation after every row.
fn each_height(
    field: &mut Heightfield,
    stage: &str,
    work: &Work,
    change: impl Fn(f32) -> f32 + Sync,
) -> Result<()> {
    let grid = field.grid();
    work.stage(stage, grid.depth);
    field.heights_mut().par_chunks_mut(grid.width).try_for_each(|heights| {
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
