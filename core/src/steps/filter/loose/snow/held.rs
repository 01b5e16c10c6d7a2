//! How much snow a slope holds, after Bernhardt and Schulz, "SnowSlide: A simple routine for calculating
//! gravitational snow transport" (2010).

use super::year::THICKEST;
use crate::grid::finite_rise;

/// The depth that a slope of 1° holds, metres, and the power of the slope in degrees by which that falls.
pub(super) const HELD: f32 = 3178.4;
pub(super) const POWER: f32 = -1.998;

/// The thickest snow, metres and measured upright, on ground that falls by `tangent` metres for each metre.
pub(super) fn held(tangent: f32) -> f32 {
    if tangent <= 0.0 {
        return THICKEST;
    }
    let degrees = libm::atanf(tangent).to_degrees();
    // The power is nearly −2: a series for the rest takes a third of the time of a power, and is as exact.
    let rest = (POWER + 2.0) * libm::logf(degrees);
    let rest = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0)));
    (HELD * rest / (degrees * degrees)).min(THICKEST)
}

/// The tangent of the steepest slope down from a sample, where its neighbours lie `drops` lower, in cells:
/// first the eight neighbours in a circle, beginning with one along an axis. At least 0.
///
/// The steepest of the eight triangles around the sample, as in Tarboton (1997), so that a plane has its own
/// slope whatever its bearing.
pub(super) fn steepest(drops: [f32; 8]) -> f32 {
    let mut steepest = 0.0f32;
    for corner in [1, 3, 5, 7] {
        let diagonal = drops[corner];
        for axis in [drops[corner - 1], drops[(corner + 1) % 8]] {
            let aside = diagonal - axis;
            // The slope of the triangle, unless the steepest way leaves it along one of its sides.
            let slope = if aside <= 0.0 {
                axis
            } else if aside >= axis {
                diagonal * std::f32::consts::FRAC_1_SQRT_2
            } else {
                (axis * axis + aside * aside).sqrt()
            };
            steepest = if slope > steepest { slope } else { steepest };
        }
    }
    finite_rise(steepest)
}
