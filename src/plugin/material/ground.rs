//! Where a terrain is drawn.

use bevy::math::{DAffine3, DVec2, DVec3};
use bevy::prelude::*;

use crate::stream::Drawn;
use crate::{Error, Result};

/// The height at which a height of the field is drawn: `height · scale + bias`. It may be changed at any
/// time; nothing is rebuilt.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub struct HeightMapping {
    /// Vertical exaggeration; 1 is true to scale, 0 flat, below 0 upside down. Default 1.
    pub scale: f32,
    /// Metres added after scaling. Default 0.
    pub bias: f32,
}

impl Default for HeightMapping {
    fn default() -> Self {
        Self { scale: 1.0, bias: 0.0 }
    }
}

impl HeightMapping {
    /// The drawn height of a height of the field.
    pub fn map(self, height: f32) -> f32 {
        height * self.scale + self.bias
    }

    fn check(self) -> Result<()> {
        if self.scale.is_finite() && self.bias.is_finite() {
            return Ok(());
        }
        Err(Error::parameter("height mapping", "is not finite: its numbers must be"))
    }
}

/// Where a land is drawn. *Land* space is in metres from the land's sample (0, 0): +x east, +z south, +y up,
/// heights as they are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LandPlacement {
    pub(crate) world_from_land: DAffine3,
    pub(crate) land_from_world: DAffine3,
    /// Metres in the world for each metre of the land.
    pub(crate) world_scale: f64,
    pub(crate) mapping: HeightMapping,
}

/// How much the scale may differ between axes, as a share: transforms of 32 bits are not exact.
const UNEVEN: f64 = 1e-3;

/// The cosine of the angle between axes up to which they count as upright to each other, for the same reason.
const SKEW: f64 = 1e-4;

impl LandPlacement {
    /// Checks that land can be drawn, stood on and asked for with this transform and this height mapping.
    /// Whatever belongs to a terrain asks here, so that all of it is there or none.
    ///
    /// # Errors
    /// Why it cannot, and what would do.
    pub(crate) fn check(world_from_entity: &DAffine3, mapping: HeightMapping) -> Result<()> {
        match Self::flaw(world_from_entity) {
            Some(flaw) => Err(Error::parameter("transform", flaw)),
            None => mapping.check(),
        }
    }

    fn flaw(world_from_entity: &DAffine3) -> Option<String> {
        let matrix = &world_from_entity.matrix3;
        let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let [x, y, z] = axes.map(DVec3::length);
        // The order matters: each reason is only true if those above are not.
        if !world_from_entity.is_finite() {
            return Some("is not finite: its numbers must be".into());
        }
        // A scale may be so small that its inverse overflows.
        if !x.is_normal() || !world_from_entity.inverse().is_finite() {
            return Some("has a scale of 0; it must be above 0".into());
        }
        // Mirrored ground would show its back, which is culled, and its normals would point down.
        if matrix.determinant() < 0.0 {
            return Some("mirrors: the number of negative scales must be even".into());
        }
        let is_even = |scale: f64| (scale - x).abs() <= UNEVEN * x;
        if !is_even(y) || !is_even(z) {
            let [x, y, z] = [x, y, z].map(|scale| (scale * 1e4).round() / 1e4);
            let reason = format!(
                "scales by {x}, {y} and {z}; land is scaled alike along all axes, and HeightMapping makes it higher"
            );
            return Some(reason);
        }
        let [a, b, c] = axes.map(DVec3::normalize_or_zero);
        if a.dot(b).abs().max(b.dot(c).abs()).max(c.dot(a).abs()) > SKEW {
            let reason = "shears: a child is turned within a parent that is scaled unevenly; scale the parent alike along \
                          all axes";
            return Some(reason.into());
        }
        None
    }

    /// The placement of a land whose sample (0, 0) lies at `origin`, metres east and south of its entity;
    /// `None` where it [cannot](Self::check) be drawn.
    pub(crate) fn new(world_from_entity: DAffine3, origin: DVec2, mapping: HeightMapping) -> Option<Self> {
        Self::check(&world_from_entity, mapping).ok()?;
        let world_from_land =
            world_from_entity * DAffine3::from_translation(DVec3::new(origin.x, 0.0, origin.y));
        // All axes have the same length here, so any will do.
        let world_scale = world_from_land.matrix3.x_axis.length();
        let land_from_world = world_from_land.inverse();
        // That of a land whose samples begin very far away may not be.
        let is_sound = land_from_world.is_finite();
        is_sound.then_some(Self { world_from_land, land_from_world, world_scale, mapping })
    }

    /// How heights are drawn.
    pub(crate) fn drawn(&self) -> Drawn {
        Drawn { scale: self.mapping.scale.into(), bias: self.mapping.bias.into() }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::{DMat3, DQuat};

    use super::*;

    fn scaled(x: f64, y: f64, z: f64) -> DAffine3 {
        let turn = DQuat::from_rotation_y(0.7);
        DAffine3::from_scale_rotation_translation(DVec3::new(x, y, z), turn, DVec3::new(1e5, 3.0, -2e5))
    }

    /// Axes of one length, of which two are not upright to each other.
    fn sheared(sine: f64) -> DAffine3 {
        let y = DVec3::new(sine, libm::sqrt(1.0 - sine * sine), 0.0);
        DAffine3::from_mat3(DMat3::from_cols(DVec3::X, y, DVec3::Z))
    }

    #[test]
    fn land_is_placed_where_it_can_be_drawn_and_the_rest_is_told() {
        for sound in [
            scaled(1.0, 1.0, 1.0),
            scaled(0.01, 0.01, 0.01),
            scaled(7.0, 7.0, 7.003),
            scaled(-2.0, 2.0, -2.0),
        ] {
            assert!(LandPlacement::check(&sound, HeightMapping::default()).is_ok());
            assert!(LandPlacement::new(sound, DVec2::ZERO, HeightMapping::default()).is_some());
        }
        for (bad, told) in [
            (scaled(f64::NAN, 1.0, 1.0), "not finite"),
            (scaled(1.0, f64::INFINITY, 1.0), "not finite"),
            (scaled(0.0, 0.0, 0.0), "scale of 0"),
            (scaled(1.0, 0.0, 1.0), "scale of 0"),
            (scaled(-1.0, 1.0, 1.0), "mirrors"),
            (scaled(-1.0, -1.0, -1.0), "mirrors"),
            (scaled(1.0, 2.0, 1.0), "scales by 1, 2 and 1"),
            (sheared(0.01), "shears"),
            (sheared(-0.5), "shears"),
        ] {
            let flaw = LandPlacement::check(&bad, HeightMapping::default()).unwrap_err().to_string();
            assert!(flaw.starts_with("transform: ") && flaw.contains(told), "{flaw}");
            assert!(LandPlacement::new(bad, DVec2::ZERO, HeightMapping::default()).is_none());
        }
        let mapping = HeightMapping { scale: f32::NAN, bias: 0.0 };
        let flaw = LandPlacement::check(&DAffine3::IDENTITY, mapping).unwrap_err().to_string();
        assert!(flaw.starts_with("height mapping: is not finite"), "{flaw}");
        assert!(LandPlacement::new(DAffine3::IDENTITY, DVec2::ZERO, mapping).is_none());
    }
}
