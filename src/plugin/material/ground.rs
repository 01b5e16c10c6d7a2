//! What a terrain is drawn with: its shape and placement, and its textures.

use bevy::prelude::*;

use super::cover::DrawnCover;
use crate::lod::Pyramid;

/// The height at which a height of the field is drawn: `height · scale + bias`. It may be changed at any
/// time; nothing is rebuilt.
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
    /// The drawn height of a height of the field.
    pub fn map(self, height: f32) -> f32 {
        height * self.scale + self.bias
    }
}

/// A terrain's shape and placement.
#[derive(Clone, Copy)]
pub(crate) struct TerrainShape<'a> {
    pub(crate) pyramid: &'a Pyramid,
    pub(crate) mapping: HeightMapping,
    pub(crate) placement: &'a GlobalTransform,
}

impl TerrainShape<'_> {
    /// The lowest and highest height of the field, metres.
    pub(crate) fn height_range(&self) -> (f32, f32) {
        self.pyramid.bounds(self.pyramid.root()).unwrap_or_default()
    }
}

/// The textures of a ground, on the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroundTextures {
    /// Heights in metres, one texel per sample.
    pub(crate) heights: Handle<Image>,
    /// Rise per metre east and south, one texel per sample.
    pub(crate) gradients: Handle<Image>,
    pub(crate) colours: Handle<Image>,
    /// Splat weights and tiles, if any.
    pub(crate) cover: Option<DrawnCover>,
}
