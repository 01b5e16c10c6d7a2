//! Where a terrain is drawn.

use bevy::math::{DAffine3, DVec2, DVec3};
use bevy::prelude::*;

use crate::stream::Drawn;

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

impl LandPlacement {
    /// Of a land whose sample (0, 0) lies at `origin`, metres east and south of its entity; `None` while that
    /// has no size.
    pub(crate) fn new(world_from_entity: DAffine3, origin: DVec2, mapping: HeightMapping) -> Option<Self> {
        let world_from_land =
            world_from_entity * DAffine3::from_translation(DVec3::new(origin.x, 0.0, origin.y));
        let world_scale = world_from_land.matrix3.x_axis.length();
        let land_from_world = world_from_land.inverse();
        let is_sound = world_scale.is_normal() && land_from_world.is_finite();
        is_sound.then_some(Self { world_from_land, land_from_world, world_scale, mapping })
    }

    /// How heights are drawn.
    pub(crate) fn drawn(&self) -> Drawn {
        Drawn { scale: self.mapping.scale.into(), bias: self.mapping.bias.into() }
    }
}
