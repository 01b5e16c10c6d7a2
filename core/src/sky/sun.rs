//! The position of the sun.

use glam::Vec3;

use crate::params::{in_recipes, params};

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

params! {
    /// A place and a moment, which say where the sun stands: by true solar time, without the equation of time,
    /// without refraction.
    pub struct SolarTime {
        /// Latitude, north of the equator above 0.
        pub latitude: f32 = 45.0, "°" in -90.0..=90.0;
        /// Day of the year: 1 is the first of January, 81 the equinox in March, 172 the solstice in June.
        pub day: u32 = 172, "" in 1.0..=366.0;
        /// Hour of the day, by the sun: at 12 it stands highest.
        pub hour: f32 = 12.0, "h" in 0.0..=24.0;
    }
}

in_recipes!(SolarTime);

impl Copy for SolarTime {}

impl SolarTime {
    /// Where the sun stands. Its elevation is negative at night, down to -90°.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::SolarTime;
    /// // Noon at an equinox: in the south, as high as the pole is far from the zenith.
    /// let sun = SolarTime { latitude: 50.0, day: 81, hour: 12.0 }.sun();
    /// assert!((sun.bearing - 180.0).abs() < 1e-3 && (sun.elevation - 40.0).abs() < 1e-3);
    /// ```
    pub fn sun(&self) -> Sun {
        let (latitude, declination) = (self.latitude.to_radians(), declination(self.day).to_radians());
        // The hour angle; then the direction of the sun towards east, north and up.
        let angle = (15.0 * (self.hour - 12.0)).to_radians();
        let level = libm::cosf(declination);
        let east = -level * libm::sinf(angle);
        let north =
            libm::sinf(declination) * libm::cosf(latitude) - level * libm::cosf(angle) * libm::sinf(latitude);
        let up =
            libm::sinf(declination) * libm::sinf(latitude) + level * libm::cosf(angle) * libm::cosf(latitude);
        Sun {
            bearing: libm::atan2f(east, north).to_degrees().rem_euclid(360.0),
            elevation: libm::asinf(up.clamp(-1.0, 1.0)).to_degrees(),
        }
    }
}

/// The sun's declination on a day of the year in degrees: 23.45° · sin(360° · (284 + day) / 365), after Cooper,
/// "The absorption of radiation in solar stills", Solar Energy 12, 1969. Off by less than 2°.
fn declination(day: u32) -> f32 {
    // Whole turns are taken off first, so that it is exactly 0 at the equinox in March.
    let days = f64::from((284 + day) % 365);
    (23.45 * libm::sin((360.0 * days / 365.0).to_radians())) as f32
}

impl Sun {
    /// The unit vector towards the sun: a bearing b points to (x, z) = (sin b, −cos b). Y is up.
    ///
    /// ```
    /// # use upland_core as upland;
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

    #[test]
    fn the_declination_turns_at_the_solstices_and_is_0_at_the_equinox() {
        assert_eq!(declination(81), 0.0);
        assert!((declination(172) - 23.45).abs() < 0.01, "{}", declination(172));
        assert!((declination(355) + 23.45).abs() < 0.01, "{}", declination(355));
        assert!((1..=366).all(|day| declination(day).abs() <= 23.45));
    }

    #[test]
    fn the_sun_rises_in_the_east_and_stands_highest_at_noon() {
        let at = |latitude, day, hour| SolarTime { latitude, day, hour }.sun();
        for latitude in [-60.0, -23.0, 0.0, 45.0, 80.0] {
            // At an equinox it rises at six, due east, everywhere.
            let rise = at(latitude, 81, 6.0);
            assert!((rise.bearing - 90.0).abs() < 1e-3 && rise.elevation.abs() < 1e-3, "{rise:?}");
            for day in [1, 81, 172, 300] {
                let noon = at(latitude, day, 12.0).elevation;
                let height = 90.0 - (latitude - declination(day)).abs();
                assert!((noon - height).abs() < 0.05, "{latitude} {day}: {noon}, not {height}");
                assert!((0..24).all(|hour| at(latitude, day, hour as f32).elevation <= noon + 0.05));
            }
        }
        // In the north the sun of noon is in the south, and the other way round.
        assert!((at(50.0, 172, 12.0).bearing - 180.0).abs() < 1e-2);
        let south = at(-50.0, 172, 12.0).bearing;
        assert!(!(0.01..=359.99).contains(&south), "{south}");
        // Polar day and polar night.
        assert!(at(80.0, 172, 0.0).elevation > 0.0 && at(80.0, 355, 12.0).elevation < 0.0);
    }
}
