//! Cubics through or near evenly spaced points: the weights of four neighbouring points for a point between
//! the middle two.

use std::ops::{Add, Mul, Sub};

use glam::DVec2;

/// `f32` or `f64`.
pub(crate) trait Real:
    Copy + From<f32> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

impl Real for f32 {}
impl Real for f64 {}

/// Weights of the points at −1, 0, 1 and 2 for the one at `t` in [0, 1] of a Catmull-Rom cubic, which goes
/// through all of them ("A class of local interpolating splines", 1974).
#[inline(always)]
pub(crate) fn catmull_rom<T: Real>(t: T) -> [T; 4] {
    let (t2, t3) = (t * t, t * t * t);
    let times = |factor: f32, power: T| T::from(factor) * power;
    [
        times(0.5, times(2.0, t2) - t3 - t),
        times(0.5, times(3.0, t3) - times(5.0, t2) + T::from(2.0)),
        times(0.5, times(4.0, t2) - times(3.0, t3) + t),
        times(0.5, t3 - t2),
    ]
}

/// The point at `t` in [0, 1] of the same cubic. It sums powers of t instead of weighted points, which rounds
/// differently; rivers keep this form because their courses depend on these bits.
pub(crate) fn on_catmull_rom([a, b, c, d]: [DVec2; 4], t: f64) -> DVec2 {
    let (t2, t3) = (t * t, t * t * t);
    0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t2 + (3.0 * (b - c) + d - a) * t3)
}

/// Weights of the control points at −1, 0, 1 and 2 for the point at `t` in [0, 1] of a uniform cubic
/// B-spline, which goes near them.
pub(crate) fn bspline(t: f64) -> [f64; 4] {
    let (t2, t3, s) = (t * t, t * t * t, 1.0 - t);
    [s * s * s / 6.0, (3.0 * t3 - 6.0 * t2 + 4.0) / 6.0, (3.0 * (t + t2 - t3) + 1.0) / 6.0, t3 / 6.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_keep_straight_lines() {
        for step in 0..=16 {
            let t = f64::from(step) / 16.0;
            for weights in [catmull_rom(t), bspline(t)] {
                let sum: f64 = weights.iter().sum();
                let place: f64 = (-1..).zip(weights).map(|(point, weight)| f64::from(point) * weight).sum();
                assert!((sum - 1.0).abs() < 1e-12 && (place - t).abs() < 1e-12, "{t}: {sum}, {place}");
            }
        }
    }

    #[test]
    fn weights_and_powers_give_the_same_curve() {
        let points = [(0.0, 1.0), (3.0, -2.0), (4.0, 4.0), (9.0, 0.0)].map(DVec2::from);
        for step in 0..=16 {
            let t = f64::from(step) / 16.0;
            let summed: DVec2 =
                points.iter().zip(catmull_rom(t)).map(|(&point, weight)| weight * point).sum();
            assert!(summed.distance(on_catmull_rom(points, t)) < 1e-12, "{t}");
        }
        assert_eq!([0.0, 1.0].map(|t| on_catmull_rom(points, t)), [points[1], points[2]]);
    }
}
