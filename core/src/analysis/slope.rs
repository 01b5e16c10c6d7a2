//! Slope and aspect from gradients, in formulas that run on several samples together.

use crate::math::simd::{arc_tangent, larger};

/// Ground is taken for level, facing nowhere, where the squared length of its unit normal's horizontal part
/// is below this: up to a slope of 0.18°.
pub(crate) const FACES_NOWHERE: f32 = 1e-5;

/// The aspect as a vector: the direction of steepest descent for a gradient (rise per metre towards east and
/// towards south), a unit vector, or 0 where the ground faces nowhere.
#[inline(always)]
pub(crate) fn downhill_from_gradient(x: f32, z: f32) -> (f32, f32) {
    let squared = x * x + z * z;
    // The squared length of the normal's horizontal part is g² / (1 + g²).
    let faces = if squared < FACES_NOWHERE * (1.0 + squared) { 0.0 } else { -1.0 };
    // The bound keeps level ground from dividing 0 by 0; multiplied by `faces` the result is 0 there.
    let scale = faces / larger(squared, 1e-12).sqrt();
    (x * scale, z * scale)
}

/// The slope in degrees of ground that rises by `gradient`, 0 or more, per metre; to 2e-5 degrees.
#[inline(always)]
pub(crate) fn degrees_from_gradient(gradient: f32) -> f32 {
    arc_tangent(gradient) * (180.0 / std::f32::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_run_from_level_to_a_wall() {
        assert_eq!([0.0, 1.0, f32::INFINITY].map(degrees_from_gradient), [0.0, 45.0, 90.0]);
    }

    #[test]
    fn level_ground_faces_nowhere_and_slopes_face_down() {
        assert_eq!(downhill_from_gradient(0.0, 0.0), (0.0, 0.0));
        assert_eq!(downhill_from_gradient(0.001, 0.003), (0.0, 0.0));
        let (x, z) = downhill_from_gradient(3.0, -4.0);
        assert!((x + 0.6).abs() < 1e-6 && (z - 0.8).abs() < 1e-6);
    }
}
