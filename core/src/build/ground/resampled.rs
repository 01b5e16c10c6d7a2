//! Layers and heights of a whole land at level 0, resampled to a region of it.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, Layers, Region};
use crate::resize::{bilinear_over, samples_of};

/// Resamples the layers of a whole land at level 0 to a region of it.
pub(super) fn layers_over(layers: &Layers, region: &Region, work: &Work) -> Result<Layers> {
    layers.map(|layer| resampled(layer, region, work))
}

/// Resamples a layer of a whole land at level 0 to a region of it.
pub(super) fn resampled(layer: &Heightfield, region: &Region, work: &Work) -> Result<Heightfield> {
    if region.level() >= 0 {
        return samples_of(layer, region, work);
    }
    // Bilinear, and not by splines, which overshoot: shares must stay within 0 to 1.
    let mut finer = bilinear_over(layer, region, work)?;
    keep_samples(&mut finer, layer, region);
    Ok(finer)
}

/// Gives samples of a finer region that coincide with samples of the base their very bits: the spline
/// passes through them only up to rounding.
pub(super) fn keep_samples(heights: &mut Heightfield, base: &Heightfield, region: &Region) {
    keep_samples_of_part(heights, base, [0; 2], region);
}

/// As [`keep_samples`], where `base` is the part of the land from its sample `start` on.
pub(super) fn keep_samples_of_part(
    heights: &mut Heightfield,
    base: &Heightfield,
    start: [i64; 2],
    region: &Region,
) {
    let apart = 1i64 << -region.level();
    let (columns, rows) = (region.grid().width, region.grid().depth);
    // The first sample in the window that is also one of level 0; `rem_euclid`, because numbers on endless
    // land may be negative.
    let first = |number: i64| (apart - number.rem_euclid(apart)).rem_euclid(apart) as usize;
    let width = region.grid().width;
    for row in (first(region.row(0))..rows).step_by(apart as usize) {
        let samples = base.row((region.row(row) / apart - start[1]) as usize);
        let out = &mut heights.heights_mut()[row * width..][..width];
        for column in (first(region.column(0))..columns).step_by(apart as usize) {
            out[column] = samples[(region.column(column) / apart - start[0]) as usize];
        }
    }
}
