//! Where a terrain is, in 64 bits.

use bevy::math::{DAffine3, DVec3};
use bevy::prelude::*;

/// Where a terrain is in the world, in 64 bits, in place of its [`GlobalTransform`]: so land is precise
/// relative to the eye although its entity is 1000 km away.
///
/// `None`, the default, says that the [`GlobalTransform`] counts. The feature `big_space` sets it for
/// terrains in that crate's grids; a game with another floating origin of its own sets it in each frame,
/// before [`TransformSystems::Propagate`] ends. The place is relative to the world's present origin.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct PrecisePlace(pub Option<DAffine3>);

impl PrecisePlace {
    /// The place of an entity with a transform.
    pub(crate) fn or(&self, transform: &GlobalTransform) -> DAffine3 {
        self.0.unwrap_or_else(|| {
            let affine = transform.affine();
            let matrix = Mat3::from(affine.matrix3).as_dmat3();
            DAffine3::from_mat3_translation(matrix, DVec3::from(transform.translation()))
        })
    }
}
