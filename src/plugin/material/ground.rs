//! What is drawn of a terrain: its shape and place, and the textures of its ground.

use bevy::prelude::*;

use super::cover::DrawnCover;
use crate::lod::Pyramid;

/// At which height a height of the field is drawn: `height · scale + bias`. May be changed at any
/// time, nothing is built anew.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
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
    /// Where a height of the field is drawn.
    pub fn map(self, height: f32) -> f32 {
        height * self.scale + self.bias
    }
}

/// A terrain's shape and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Land<'a> {
    pub(crate) pyramid: &'a Pyramid,
    pub(crate) mapping: HeightMapping,
    pub(crate) placement: &'a GlobalTransform,
}

impl Land<'_> {
    /// The lowest and the highest height of the field, metres.
    pub(crate) fn height_range(&self) -> (f32, f32) {
        self.pyramid.bounds(self.pyramid.root()).unwrap_or_default()
    }
}

/// What the shaders read of a ground, on the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroundTextures {
    /// Metres, a texel a sample.
    pub(crate) heights: Handle<Image>,
    /// Rise per metre east and south, a texel a sample.
    pub(crate) gradients: Handle<Image>,
    pub(crate) colours: Handle<Image>,
    /// Which tiles lie where, if any do.
    pub(crate) cover: Option<DrawnCover>,
}
