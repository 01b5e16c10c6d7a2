//! Hollows and crests, by the topographic position index: the height of the ground above the mean of its
//! surroundings (Weiss, "Topographic position and landforms analysis", 2001).

use super::factor::FactorReach;
use crate::analysis::share_map::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::grid::smooth::smoothed;

/// The scale of the topographic position index: the standard deviation, in metres, of the Gaussian that
/// weighs the surroundings.
pub const POSITION_SCALE: f32 = 75.0;

/// The topographic position index, metres below or above 0, at which concavity or convexity is one half.
pub const POSITION_HALF: f32 = 7.5;

/// How far the index looks. The boxes of the smoothing reach three standard deviations far, and where samples
/// are far apart one sample more than that each; four contain them at any spacing.
pub(super) const POSITION_REACH: FactorReach = FactorReach { metres: 4.0 * POSITION_SCALE, samples: 3 };

/// How far the ground lies below the mean of its surroundings.
pub(super) fn concavity(field: &Heightfield, work: &Work) -> Result<ShareMap> {
    position(field, work, |index| -index)
}

/// How far the ground lies above the mean of its surroundings.
pub(super) fn convexity(field: &Heightfield, work: &Work) -> Result<ShareMap> {
    position(field, work, |index| index)
}

/// The share of the metres that `side` picks from the topographic position index.
fn position(field: &Heightfield, work: &Work, side: impl Fn(f32) -> f32 + Sync) -> Result<ShareMap> {
    let grid = field.grid();
    work.stage("shape of the ground", 2 * grid.depth + grid.width);
    let mean = smoothed(field, POSITION_SCALE, work)?;
    ShareMap::from_rows(grid, work, |row, values| {
        for ((value, height), mean) in values.iter_mut().zip(field.row(row)).zip(mean.row(row)) {
            *value = share_from_metres(side(height - mean));
        }
        Ok(())
    })
}

/// From metres to [0, 1), one half at [`POSITION_HALF`]. Nothing else on the land matters to it, so that one
/// deep gorge doesn't make all other hollows look even.
fn share_from_metres(metres: f32) -> f32 {
    // The difference of heights near the limit of f32 can be infinite.
    let metres = metres.clamp(0.0, f32::MAX / 2.0);
    metres / (metres + POSITION_HALF)
}
