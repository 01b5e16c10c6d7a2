//! An object that stands on the land.

use glam::{DVec3, Quat, Vec3};

use super::points::{Point, unit};
use crate::noise::mix;
use crate::rules::Rule;

/// An object on the land.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Object {
    /// Identifies the object: the same in every request, as long as the recipe's seed and the seed, density
    /// and spacing of its rule stay the same.
    pub id: u64,
    /// The rule that placed it: its index in the recipe.
    pub rule: u32,
    /// The position of its foot, metres: X east and Z south of the land's sample (0, 0), Y up from height 0.
    pub position: DVec3,
    /// Its upright direction, of length 1.
    pub up: Vec3,
    /// Its turn around that direction, degrees anticlockwise as seen from above.
    pub turn: f32,
    /// A multiple of the object's own size.
    pub size: f32,
}

impl Object {
    /// An object at a point, where the ground has this height and normal.
    pub(super) fn at(point: Point, rule: (usize, &Rule), height: f32, normal: Vec3) -> Self {
        let (number, rule) = rule;
        // Each property has a hash of its own, so that changing one range leaves the others as they were.
        let chance = |stream: u64| unit(mix(point.bits.wrapping_add(stream))) as f32;
        let size = rule.size.min + (rule.size.max - rule.size.min) * chance(1);
        let leaning = Vec3::Y.lerp(normal, rule.lean).normalize_or(Vec3::Y);
        Self {
            id: point.bits,
            rule: number as u32,
            position: DVec3::new(point.x, f64::from(height) - f64::from(rule.sink * size), point.z),
            up: tilted(leaning, rule.tilt * chance(2), 360.0 * chance(3)),
            turn: rule.turn * chance(4),
            size,
        }
    }

    /// A number of its own, in \[0, 1): a stroke removes it where the brush is stronger.
    pub(crate) fn luck(&self) -> f32 {
        unit(mix(self.id.wrapping_add(5))) as f32
    }

    /// The rotation from the object's own axes, in which Y is up, to the land's.
    pub fn rotation(&self) -> Quat {
        let half = self.turn.to_radians() / 2.0;
        let turn = Quat::from_xyzw(0.0, libm::sinf(half), 0.0, libm::cosf(half));
        (Quat::from_rotation_arc(Vec3::Y, self.up) * turn).normalize()
    }
}

/// A direction, tilted by some degrees towards a bearing.
fn tilted(up: Vec3, degrees: f32, bearing: f32) -> Vec3 {
    if degrees == 0.0 {
        return up;
    }
    let (degrees, bearing) = (degrees.to_radians(), bearing.to_radians());
    let (one, other) = up.any_orthonormal_pair();
    let away = one * libm::cosf(bearing) + other * libm::sinf(bearing);
    (up * libm::cosf(degrees) + away * libm::sinf(degrees)).normalize_or(up)
}
