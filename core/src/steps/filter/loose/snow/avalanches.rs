//! Avalanches: what slopes don't hold runs down the land in one sweep ([`Slide`]). What comes together in a
//! hollow heaps up there ([`heap`]), and heaps spread to their sides ([`spread`]), both as far as slopes hold
//! it.

use rayon::prelude::*;

use super::heap::heap;
use super::margin::Margin;
use super::slide::{BREATH, Slide};
use super::spread::spread;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Lets snow slide. `avalanches` is the share of what slopes don't hold that moves. Returns how much has left
/// the land over its border, in metres on a sample.
pub(super) fn slide(
    bare: &Heightfield,
    lying: &mut Heightfield,
    avalanches: f32,
    work: &Work,
) -> Result<f64> {
    let grid = bare.grid();
    work.stage("ground smoothed for avalanches", grid.depth + grid.width);
    let mut slide = Slide::new(bare, lying, work)?;
    work.stage("avalanches run", grid.count().div_ceil(BREATH));
    slide.sweep(avalanches, work)?;
    let rest = std::mem::take(&mut slide.rest);
    for (at, amount) in rest {
        work.check()?;
        slide.left += heap(&mut slide, at, amount.into());
    }
    (slide.moving, slide.energy) = (Vec::new(), Vec::new());
    let ground = Margin::around(bare, work)?;
    spread(&mut slide, &ground.values, work)?;
    let Slide { snow, stride, left, .. } = slide;
    lying.heights_mut().par_chunks_mut(grid.width).enumerate().try_for_each(|(row, lying)| {
        work.check()?;
        lying.copy_from_slice(&snow[(row + 1) * stride + 1..][..grid.width]);
        Ok::<_, crate::Error>(())
    })?;
    Ok(left)
}
