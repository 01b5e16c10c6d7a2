//! The position of the sun.

use glam::Vec3;

use crate::params::params;

params! {
    /// The position of the sun in the sky.
    pub struct Sun {
        /// Compass bearing of the sun, clockwise from north.
        pub bearing: f32 = 130.0, "°" in 0.0..=360.0;
        /// Height of the sun above the horizon.
        pub elevation: f32 = 32.0, "°" in -10.0..=90.0;
    }
}

impl Copy for Sun {}

impl Sun {
    /// The unit vector towards the sun: a bearing b points to (x, z) = (sin b, −cos b). Y is up.
    ///
    /// ```
    /// let sun = upland::Sun { bearing: 90.0, elevation: 0.0 };
    /// assert!(sun.direction().abs_diff_eq(glam::Vec3::X, 1e-6)); // sunrise, in the east
    /// ```
    pub fn direction(&self) -> Vec3 {
        let (bearing, elevation) = (self.bearing.to_radians(), self.elevation.to_radians());
        let level = libm::cosf(elevation);
        Vec3::new(level * libm::sinf(bearing), libm::sinf(elevation), -level * libm::cosf(bearing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bearings_run_clockwise_from_north() {
        for (bearing, expected) in
            [(0.0, Vec3::NEG_Z), (90.0, Vec3::X), (180.0, Vec3::Z), (270.0, Vec3::NEG_X)]
        {
            assert!(Sun { bearing, elevation: 0.0 }.direction().abs_diff_eq(expected, 1e-6));
        }
        assert!(Sun { bearing: 77.0, elevation: 90.0 }.direction().abs_diff_eq(Vec3::Y, 1e-6));
    }
}
