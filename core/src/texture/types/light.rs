//! The sun's light, painted into the colours for programs that don't light the land.

use glam::Vec3;

use crate::params::{in_recipes, params};
use crate::sky::sun::{SolarTime, Sun};

params! {
    /// Light that is multiplied into the baked colours: each texel's colour times
    /// `strength · cos(angle of incidence) + ambient`, at most white.
    ///
    /// The ambient part is multiplied by the sky-view factor, as far as the texture's
    /// [`occlusion`](super::Texture::occlusion) says. With `strength` 0, `ambient` 1 and no occlusion colours
    /// stay as they are. Light is multiplied in the space in which colours are blended, by default linear
    /// light.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let light: upland::texture::Light = ron::from_str("(bearing: 300, elevation: 30)")?;
    /// assert_eq!((light.strength, light.ambient, light.shadows), (1.0, 0.3, true));
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct Light {
        /// Compass bearing of the sun, clockwise from north. Maps are usually lit from the north-west.
        pub bearing: f32 = 315.0, "°" in -360.0..=360.0;
        /// Height of the sun above the horizon.
        pub elevation: f32 = 45.0, "°" in 0.0..=90.0;
        /// Where and when it is, in place of `bearing` and `elevation`; below the horizon the sun gives no
        /// light.
        pub time: Option<SolarTime> = None;
        /// How bright the sun makes ground that faces it.
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
    /// Where the sun stands.
    pub fn sun(&self) -> Sun {
        match self.time {
            Some(time) => time.sun(),
            None => Sun { bearing: self.bearing, elevation: self.elevation },
        }
    }

    /// The unit vector towards the sun.
    pub fn direction(&self) -> Vec3 {
        self.sun().direction()
    }

    /// How bright the sun makes ground that faces it: the strength, and 0 at night.
    pub fn direct(&self) -> f32 {
        // A sun given by hand shines from wherever it is put; one from the time of day sets.
        if self.time.is_some_and(|time| time.sun().elevation <= 0.0) { 0.0 } else { self.strength }
    }

    /// Whether shadows are cast and can be seen.
    pub(crate) fn casts_shadows(&self) -> bool {
        self.shadows && self.direct() > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_takes_the_place_of_bearing_and_elevation() {
        let noon = SolarTime { latitude: 60.0, day: 81, hour: 12.0 };
        let light = Light { time: Some(noon), ..Light::default() };
        assert_eq!(light.sun(), noon.sun());
        assert!(light.casts_shadows() && light.direct() == 1.0);
        let midnight = Light { time: Some(SolarTime { hour: 0.0, ..noon }), ..light };
        assert!(!midnight.casts_shadows() && midnight.direct() == 0.0);
    }
}
