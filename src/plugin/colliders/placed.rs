//! Where the colliders of a terrain stand.

use bevy::math::{DAffine3, DMat3, DVec2, DVec3};
use bevy::prelude::*;

use crate::colliders::ColliderTile;
use crate::plugin::material::{HeightMapping, LandPlacement};
use crate::{Error, Result};

/// Where land stands in the world, in 64 bits, for what has a place and a turn in 32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) land_from_world: DAffine3,
    world_from_land: DAffine3,
    turn: Quat,
    scale: DVec3,
    mapping: HeightMapping,
}

impl Placed {
    /// For land whose sample (0, 0) lies at `origin`, metres east and south of its entity.
    ///
    /// # Errors
    /// Why it cannot stand like that, in which case it isn't drawn either.
    pub(super) fn new(world_from_entity: DAffine3, origin: DVec2, mapping: HeightMapping) -> Result<Self> {
        LandPlacement::check(&world_from_entity, mapping)?;
        let Some(placement) = LandPlacement::new(world_from_entity, origin, mapping) else {
            return Err(Error::parameter("transform", "is so far away that no number tells its place"));
        };
        let LandPlacement { world_from_land, land_from_world, mapping, .. } = placement;
        let axes = world_from_land.matrix3;
        // The axes are alike as far as 32 bits are exact; taking each by itself keeps tiles together where
        // they meet.
        let scale = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
        let [x, y, z] = [axes.x_axis / scale.x, axes.y_axis / scale.y, axes.z_axis / scale.z];
        let turn = DMat3::from_cols(x, y, z);
        // Normalised: axes of 32 bits are not quite at right angles.
        let turn = bevy::math::DQuat::from_mat3(&turn).normalize().as_quat();
        Ok(Self { land_from_world, world_from_land, turn, scale, mapping })
    }

    /// The least metres of the world for a metre of the land along the ground.
    pub(super) fn least_scale(&self) -> f64 {
        self.scale.x.min(self.scale.z)
    }

    /// As [`TerrainCollider::scale`](super::TerrainCollider::scale).
    pub(super) fn scale(&self) -> Vec3 {
        (self.scale * DVec3::new(1.0, f64::from(self.mapping.scale), 1.0)).as_vec3()
    }

    /// Where the entity of a tile is.
    pub(super) fn transform(&self, tile: &ColliderTile) -> Transform {
        let middle = tile.middle();
        let place = DVec3::new(middle.x, f64::from(self.mapping.bias), middle.y);
        let translation = self.world_from_land.transform_point3(place).as_vec3();
        Transform { translation, rotation: self.turn, scale: Vec3::ONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(transform: Transform) -> Result<Placed> {
        let affine = transform.compute_affine();
        let matrix = Mat3::from(affine.matrix3).as_dmat3();
        let place = DAffine3::from_mat3_translation(matrix, transform.translation.as_dvec3());
        Placed::new(place, DVec2::new(-5.0, 7.0), HeightMapping { scale: 2.0, bias: 3.0 })
    }

    #[test]
    fn colliders_stand_turned_and_scaled_where_land_is_drawn_and_nowhere_else() {
        let turn = Quat::from_euler(EulerRot::YXZ, 0.7, 0.2, -0.4);
        let turned = Transform::from_xyz(10.0, 20.0, 30.0).with_rotation(turn);
        let turned = placed(turned.with_scale(Vec3::splat(3.0))).unwrap();
        assert!(turned.turn.angle_between(turn) < 1e-3);
        assert!((turned.scale() - Vec3::new(3.0, 6.0, 3.0)).length() < 1e-4);
        assert!((turned.least_scale() - 3.0).abs() < 1e-6);
        let error = |transform| placed(transform).unwrap_err().to_string();
        assert!(error(Transform::from_scale(Vec3::new(2.0, 3.0, 4.0))).contains("scales by 2, 3 and 4"));
        assert!(error(Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0))).contains("mirrors"));
        assert!(error(Transform::from_scale(Vec3::new(0.0, 1.0, 1.0))).contains("scale of 0"));
        assert!(error(Transform::from_xyz(f32::NAN, 0.0, 0.0)).contains("not finite"));
        let sheared = DMat3::from_cols(DVec3::X, DVec3::new(0.6, 0.8, 0.0), DVec3::Z);
        let sheared = Placed::new(DAffine3::from_mat3(sheared), DVec2::ZERO, HeightMapping::default());
        assert!(sheared.unwrap_err().to_string().contains("shears"));
        let far = Placed::new(DAffine3::IDENTITY, DVec2::splat(f64::MAX) * 2.0, HeightMapping::default());
        assert!(far.unwrap_err().to_string().contains("far away"));
    }
}
