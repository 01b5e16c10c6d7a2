//! The common parts of steps that add detail far below the spacing of a recipe's samples.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, Region};
use crate::math::smoothstep::smoothstep;
use crate::steps::filter::detail::slope_field::SlopeField;
use crate::steps::filter::detail::slope_limits::SlopeLimits;
use crate::steps::{Bedding, Ground, Needs, Operation};

/// At level 0 and coarser ones the slope is measured between the neighbouring samples of the window's own
/// level: one on every side is looked at.
const BESIDE: u32 = 1;

/// A filter that adds detail far below the spacing of the land's own samples, by the slope there.
pub(super) trait MicroDetail: Operation {
    /// Whether it needs the bend of the land, too.
    const NEEDS_BEND: bool = false;

    /// The slopes on which it acts.
    ///
    /// # Errors
    /// When their limits are not possible.
    fn limits(&self) -> Result<SlopeLimits>;

    /// Whether a region's samples are close enough together to show anything of it.
    fn is_seen(&self, region: &Region, seed: u64) -> bool;

    /// Adds its detail, if it is seen, to land with these slopes.
    ///
    /// # Errors
    /// As [`Operation::apply`].
    fn add(&self, field: &mut Heightfield, region: &Region, seed: u64, on: On<'_>, work: &Work)
    -> Result<()>;
}

/// What decides where such a step acts.
pub(super) struct On<'a> {
    /// The slopes of the land.
    pub(super) slopes: &'a SlopeField,
    /// Those on which it acts.
    pub(super) limits: SlopeLimits,
    /// The beds of the rock.
    pub(super) bedding: Option<&'a Bedding>,
}

/// The [`apply`](Operation::apply) of such a step.
pub(super) fn apply<Step: MicroDetail>(
    step: &Step,
    ground: &mut Ground,
    seed: u64,
    work: &Work,
) -> Result<()> {
    let region = *ground.region();
    let limits = step.limits()?;
    if !step.is_seen(&region, seed) {
        return Ok(());
    }
    let slopes = &SlopeField::of(ground, Step::NEEDS_BEND, work)?;
    let bedding = ground.bedding().cloned();
    let on = On { slopes, limits, bedding: bedding.as_deref() };
    step.add(&mut ground.heights, &region, seed, on, work)
}

/// The land that such a step [looks at](Operation::looks_at): nothing around a window that is too coarse for
/// its detail.
pub(super) fn looks_at(step: &impl MicroDetail, window: &Region, seed: u64) -> Result<Needs> {
    // Asked first: most windows are too coarse for the detail, and then need no land around them.
    if !step.is_seen(window, seed) {
        return Ok(Needs::Halo(0));
    }
    Ok(SlopeField::around(window)?.unwrap_or(Needs::Halo(BESIDE)))
}

/// How much of a feature of this length is left at a region's spacing: it fades from four samples to two.
pub(super) fn resolved_share(length: f32, region: &Region) -> f32 {
    smoothstep((length / region.grid().cell - 2.0) / 2.0)
}
