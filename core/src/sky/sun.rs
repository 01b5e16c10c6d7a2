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
    /// A place and a moment, which determine the sun's position: by true solar time, without the equation of
    /// time, without refraction.
    pub struct SolarTime {
        /// Latitude, north of the equator above 0.
        pub latitude: f32 = 45.0, "°" in -90.0..=90.0;
        /// Day of the year: 1 is the first of January, 81 the equinox in March, 172 the solstice in June.
        pub day: u32 = 172, "" in 1.0..=366.0;
        /// Hour of the day, by the sun: at 12 it is highest.
        pub hour: f32 = 12.0, "h" in 0.0..=24.0;
    }
}

in_recipes!(SolarTime);

impl Copy for SolarTime {}

impl SolarTime {
    /// The sun's position. Its elevation is negative at night, down to -90°.
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
            // Rounding may exceed 1 at the zenith.
            elevation: libm::asinf(up.clamp(-1.0, 1.0)).to_degrees(),
        }
    }
}

impl SolarTime {
    /// Finds when the sun has a position in the sky, seen from a latitude in degrees: the hour, and the day
    /// nearest to `near` on which it reaches that position. `None` if it never does.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::SolarTime;
    /// let evening = SolarTime { latitude: 50.0, day: 130, hour: 17.5 };
    /// let found = SolarTime::when(evening.sun(), 50.0, 100).unwrap();
    /// assert!(found.day.abs_diff(130) <= 1 && (found.hour - 17.5).abs() < 0.01);
    /// ```
    pub fn when(sun: Sun, latitude: f32, near: u32) -> Option<Self> {
        let to_sun = sun.direction();
        // z points south.
        let (east, north, up) = (to_sun.x, -to_sun.z, to_sun.y);
        let (sin, cos) = libm::sincosf(latitude.to_radians());
        let declined = libm::asinf((up * sin + north * cos).clamp(-1.0, 1.0)).to_degrees();
        let off = |day: &u32| (declination(*day) - declined).abs();
        // The declination has each value twice a year; the day nearer to the one that is known is meant.
        let day = (1..=365).filter(|day| off(day) <= A_DAY).min_by_key(|day| day.abs_diff(near))?;
        // Among the days around, the one on which it comes closest to the position.
        let around = day.saturating_sub(3).max(1)..=(day + 3).min(365);
        let day = around.min_by(|a, b| off(a).total_cmp(&off(b)))?;
        // The inverse of the rotation in `sun`: the hour angle from east and the equator's plane.
        let angle = libm::atan2f(-east, up * cos - north * sin).to_degrees();
        Some(Self { latitude, day, hour: (12.0 + angle / 15.0).rem_euclid(24.0) })
    }
}

/// The declination changes by less than this from one day to the next, degrees.
const A_DAY: f32 = 0.45;

/// The sun's declination on a day of the year in degrees: 23.45° · sin(360° · (284 + day) / 365), after
/// Cooper, "The absorption of radiation in solar stills", Solar Energy 12, 1969. Off by less than 2°.
fn declination(day: u32) -> f32 {
    // Whole turns are subtracted first, so that it is exactly 0 at the equinox in March.
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
    fn the_time_of_a_sun_is_found_from_where_it_stands() {
        for latitude in [-60.0, -23.0, 0.0, 45.0, 70.0] {
            for day in [10, 81, 172, 266, 300, 355] {
                for hour in [0.5, 6.0, 9.25, 12.0, 17.5, 23.0] {
                    let time = SolarTime { latitude, day, hour };
                    let found = SolarTime::when(time.sun(), latitude, day).unwrap();
                    assert!(found.day.abs_diff(day) <= 4, "{time:?}: {found:?}");
                    let off = (found.hour - hour + 12.0).rem_euclid(24.0) - 12.0;
                    assert!(off.abs() < 0.02, "{time:?}: {found:?}");
                    let apart = found.sun().direction().angle_between(time.sun().direction()).to_degrees();
                    assert!(apart < 0.5, "{time:?}: {apart}");
                }
            }
        }
        // At 45° the sun never reaches the zenith.
        assert_eq!(SolarTime::when(Sun { bearing: 180.0, elevation: 90.0 }, 45.0, 172), None);
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
