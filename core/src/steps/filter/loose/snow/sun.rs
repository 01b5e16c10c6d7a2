//! The sun in clear air through the year: where it stands, and how strong it shines, after Hock (1999).

use std::f64::consts::TAU;

/// Declinations at which the sun's course over the sky is computed. Days in between interpolate.
pub(super) const COURSES: usize = 7;

/// Bearings in which horizons are known.
pub(super) const BEARINGS: usize = 16;

/// Positions of the sun in a day.
const HOURS: usize = 16;

/// The sun above the atmosphere, W/m².
const SOLAR_CONSTANT: f64 = 1367.0;

/// The share of it that passes straight down through clear air (Hock 1999).
const CLEAR_AIR: f64 = 0.75;

/// The greatest declination, degrees.
const TILT: f64 = 23.45;

/// A position of the sun above the horizon.
pub(super) struct Sun {
    /// Its direction (east, up, south), times its part of the day's mean strength in W/m².
    pub(super) strength: [f32; 3],
    /// The tangent of its height above the horizon.
    pub(super) rise: f32,
    /// The bearings on both sides of it, and how far it stands from the first to the second.
    pub(super) bearings: [usize; 2],
    pub(super) between: f32,
}

/// The sun's courses at a latitude in degrees, from the shortest day of the north to the longest.
pub(super) fn courses(latitude: f32) -> [Vec<Sun>; COURSES] {
    std::array::from_fn(|course| {
        let share = 2.0 * course as f64 / (COURSES - 1) as f64 - 1.0;
        let declination = libm::asin(share * libm::sin(TILT.to_radians()));
        (0..HOURS).filter_map(|hour| Sun::at(f64::from(latitude), declination, hour)).collect()
    })
}

/// Where a day lies between courses: the one before it, and how far it is to the next. Days are counted from
/// the first of January.
pub(super) fn course_of(day: f64) -> (usize, f32) {
    // Cooper 1969; courses are evenly spaced in the sine of the declination.
    let declination = TILT.to_radians() * libm::sin(TAU * (284.0 + day) / 365.0);
    let share = libm::sin(declination) / libm::sin(TILT.to_radians());
    let place = ((share + 1.0) * 0.5).clamp(0.0, 1.0) * (COURSES - 1) as f64;
    let course = (place as usize).min(COURSES - 2);
    (course, (place - course as f64) as f32)
}

impl Sun {
    fn at(latitude: f64, declination: f64, hour: usize) -> Option<Self> {
        let latitude = latitude.to_radians();
        let [sines, cosines] =
            [[latitude, declination].map(libm::sin), [latitude, declination].map(libm::cos)];
        let angle = TAU * ((hour as f64 + 0.5) / HOURS as f64 - 0.5);
        let up = sines[0] * sines[1] + cosines[0] * cosines[1] * libm::cos(angle);
        let south = sines[0] * cosines[1] * libm::cos(angle) - cosines[0] * sines[1];
        let east = -cosines[1] * libm::sin(angle);
        if up <= 0.0 {
            return None;
        }
        // A low sun shines through more air.
        let strength = SOLAR_CONSTANT * libm::pow(CLEAR_AIR, 1.0 / up.max(0.01)) / HOURS as f64;
        let along = libm::hypot(east, south);
        let place = libm::atan2(east, -south).rem_euclid(TAU) / TAU * BEARINGS as f64;
        let first = place as usize;
        Some(Self {
            strength: [east, up, south].map(|axis| (axis * strength) as f32),
            rise: (up / along.max(1e-6)) as f32,
            bearings: [first % BEARINGS, (first + 1) % BEARINGS],
            between: (place - first as f64) as f32,
        })
    }
}
