//! Low clouds as shaders know them.

use bevy::prelude::*;
use bevy::render::render_resource::ShaderType;

/// The low clouds of the sky that a camera sees, a component of the camera. The default has none. Twin of
/// `Clouds` in `shaders/clouds.wgsl`, where the fields are explained.
#[derive(Component, ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct CloudsUniform {
    pub(crate) whole: IVec2,
    pub(crate) rest: Vec2,
    pub(crate) drift: Vec2,
    pub(crate) cover: f32,
    pub(crate) base: f32,
}

impl CloudsUniform {
    /// Whether there are any.
    pub(crate) fn exist(&self) -> bool {
        self.cover > 0.0
    }
}
