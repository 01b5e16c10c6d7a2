//! Hollows and bulges: how the ground lies against the mean of its surroundings.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

use crate::texture::surroundings::Layer;

use super::measured::layer_from_rows;
use super::smooth::smoothed;

/// Metres: the spread of the surroundings that ground is compared with.
pub const SCALE: f32 = 75.0;

/// Metres below or above the surroundings at which ground is half hollow or half bulging.
pub const FOLD: f32 = 7.5;

/// Ground below the mean of its surroundings.
pub(super) fn concavity(field: &Heightfield, work: &Work) -> Result<Layer> {
    shape(field, work, |below| below)
}

/// Ground above the mean of its surroundings.
pub(super) fn convexity(field: &Heightfield, work: &Work) -> Result<Layer> {
    shape(field, work, |below| -below)
}

fn shape(field: &Heightfield, work: &Work, side: impl Fn(f32) -> f32 + Sync) -> Result<Layer> {
    let grid = field.grid();
    work.stage("shape of the ground", 2 * grid.depth + grid.width);
    let mean = smoothed(field, SCALE, work)?;
    layer_from_rows(grid, work, |row, values| {
        for ((value, height), mean) in values.iter_mut().zip(field.row(row)).zip(mean.row(row)) {
            *value = folded(side(mean - height));
        }
        Ok(())
    })
}

/// From metres to [0, 1): one half at [`FOLD`], and no gorge is so deep that others don't count.
fn folded(metres: f32) -> f32 {
    let metres = metres.max(0.0);
    metres / (metres + FOLD)
}
