//! The bearings of a rose: which of them ground falls to.

use crate::analysis::slope::downhill_from_gradient;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// Bearings that a rose may have.
const BEARINGS: std::ops::RangeInclusive<usize> = 4..=360;

/// Refuses a number of bearings that a rose cannot have.
///
/// # Errors
/// When it is outside 4 to 360.
pub(super) fn check_bearings(bearings: usize) -> Result<()> {
    if BEARINGS.contains(&bearings) {
        return Ok(());
    }
    let reason = format!("{bearings} is outside {} to {}", BEARINGS.start(), BEARINGS.end());
    Err(Error::parameter("bearings", reason))
}

/// The direction of the steepest way down at a sample, east (x) and south (z), one metre long; `None` on
/// level ground, below 0.18°.
pub(super) fn downhill(field: &Heightfield, column: usize, row: usize) -> Option<[f32; 2]> {
    let gradient = field.gradient_at(column, row);
    let (x, z) = downhill_from_gradient(gradient.x, gradient.y);
    ((x, z) != (0.0, 0.0)).then_some([x, z])
}

/// The index of the bearing nearest to a direction, among `bearings` of them, counted clockwise from north,
/// which is 0.
pub(super) fn nearest([x, z]: [f32; 2], bearings: usize) -> usize {
    let turn = f64::from(libm::atan2f(x, -z)) / std::f64::consts::TAU;
    (turn * bearings as f64).round().rem_euclid(bearings as f64) as usize % bearings
}
