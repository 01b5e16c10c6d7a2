//! How ambient light differs with the direction that a surface faces.

use bevy::prelude::*;

/// How the ambient light of a camera differs with a unit normal of the world, as shares of that on level
/// ground: `east` · x + `up` · (y − 1) + `bow` · (y² − 1) + `south` · z are to be added to 1. The default is the same light from
/// all sides. Twin of `ambient_on` in `shaders/ambient.wgsl`.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AmbientShape {
    pub(crate) east: Vec3,
    pub(crate) up: Vec3,
    pub(crate) bow: Vec3,
    pub(crate) south: Vec3,
}
