//! The sun's light, painted into the colours for renderers that don't light them.

use glam::Vec3;

use crate::params::{in_recipes, params};
use crate::sky::sun::Sun;

params! {
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
    pub struct Light {
        /// Compass bearing of the sun, clockwise from north. Usually from the north-west, as maps are shaded.
        pub bearing: f32 = 315.0, "°" in -360.0..=360.0;
        /// Height of the sun above the horizon.
        pub elevation: f32 = 45.0, "°" in 0.0..=90.0;
        /// How bright ground is that faces the sun.
        pub strength: f32 = 1.0, "" in 0.0..=16.0;
        /// How bright ground is in the shadow.
        pub ambient: f32 = 0.3, "" in 0.0..=16.0;
        /// Whether ground casts shadows.
        pub shadows: bool = true;
    }
}

in_recipes!(Light);

impl Copy for Light {}

impl Light {
    /// Unit vector towards the sun.
    pub fn direction(&self) -> Vec3 {
        Sun { bearing: self.bearing, elevation: self.elevation }.direction()
    }

    /// Whether shadows are cast and can be seen.
    pub(super) fn casts_shadows(&self) -> bool {
        self.shadows && self.strength > 0.0
    }
}
