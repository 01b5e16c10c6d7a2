//! The sun's light, painted into the colours for renderers that don't light them.

use glam::Vec3;
use serde::{Deserialize, Deserializer, Serialize};

use crate::sky::sun::Sun;

use super::ranges;

/// Light that is multiplied into the baked colours: each texel's colour times
/// `strength · cos(angle of incidence) + ambient`, at most white.
///
/// The ambient part arrives as far as the sky is visible, by the texture's
/// [`occlusion`](super::Texture::occlusion). With `strength` 0, `ambient` 1 and no occlusion colours
/// stay as they are. Light is multiplied where colours are blended, by default in linear light.
///
/// ```
/// let light: upland::texture::Light = ron::from_str("(bearing: 300, elevation: 30)")?;
/// assert_eq!((light.strength, light.ambient, light.shadows), (1.0, 0.3, true));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Light {
    /// Compass bearing of the sun in degrees, clockwise from north, from -360 to 360. Default 315,
    /// from the north-west, as maps are shaded.
    #[serde(default = "default_bearing", deserialize_with = "read_bearing")]
    pub bearing: f32,
    /// Height of the sun above the horizon in degrees, from 0 to 90. Default 45.
    #[serde(default = "default_elevation", deserialize_with = "read_elevation")]
    pub elevation: f32,
    /// How bright ground is that faces the sun, from 0 to 16. Default 1.
    #[serde(default = "default_strength", deserialize_with = "read_strength")]
    pub strength: f32,
    /// How bright ground is in the shadow, from 0 to 16. Default 0.3.
    #[serde(default = "default_ambient", deserialize_with = "read_ambient")]
    pub ambient: f32,
    /// Whether ground casts shadows. Default: yes.
    #[serde(default = "default_shadows")]
    pub shadows: bool,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            bearing: default_bearing(),
            elevation: default_elevation(),
            strength: default_strength(),
            ambient: default_ambient(),
            shadows: default_shadows(),
        }
    }
}

impl Light {
    /// Unit vector towards the sun.
    pub fn direction(&self) -> Vec3 {
        Sun { bearing: self.bearing, elevation: self.elevation }.direction()
    }

    /// Whether shadows are cast and can be seen.
    pub(super) fn casts_shadows(&self) -> bool {
        self.shadows && self.strength > 0.0
    }

    /// What is wrong with its numbers, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        ranges::LIGHT_BEARING.check(self.bearing)?;
        ranges::LIGHT_ELEVATION.check(self.elevation)?;
        ranges::LIGHT_STRENGTH.check(self.strength)?;
        ranges::LIGHT_AMBIENT.check(self.ambient)?;
        Ok(())
    }
}

fn default_bearing() -> f32 {
    315.0
}

fn default_elevation() -> f32 {
    45.0
}

fn default_strength() -> f32 {
    1.0
}

fn default_ambient() -> f32 {
    0.3
}

fn default_shadows() -> bool {
    true
}

fn read_bearing<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::LIGHT_BEARING.read(from)
}

fn read_elevation<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::LIGHT_ELEVATION.read(from)
}

fn read_strength<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::LIGHT_STRENGTH.read(from)
}

fn read_ambient<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::LIGHT_AMBIENT.read(from)
}
