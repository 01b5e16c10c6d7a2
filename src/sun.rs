//! Where the sun stands.

use glam::Vec3;
use serde::{Deserialize, Deserializer, Serialize};

/// The place of the sun in the sky.
///
/// ```
/// let sun = upland::Sun { bearing: 90.0, elevation: 0.0 };
/// assert!(sun.direction().abs_diff_eq(glam::Vec3::X, 1e-6)); // sunrise, in the east
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sun {
    /// Compass bearing of the sun, degrees clockwise from north, in \[0, 360\].
    #[serde(deserialize_with = "bearing_in_range")]
    pub bearing: f32,
    /// Height of the sun above the horizon, degrees, in \[−10, 90\].
    #[serde(deserialize_with = "elevation_in_range")]
    pub elevation: f32,
}

impl Default for Sun {
    /// A morning sun in the south-east, low enough for mountains to throw shadows.
    fn default() -> Self {
        Self { bearing: 130.0, elevation: 32.0 }
    }
}

impl Sun {
    /// Bearings that are accepted, degrees.
    pub const BEARINGS: (f32, f32) = (0.0, 360.0);
    /// Elevations that are accepted, degrees. Below −10° it is night, which is not drawn.
    pub const ELEVATIONS: (f32, f32) = (-10.0, 90.0);

    /// The unit vector towards the sun: a bearing b points to (x, z) = (sin b, −cos b).
    pub fn direction(&self) -> Vec3 {
        let (bearing, elevation) = (self.bearing.to_radians(), self.elevation.to_radians());
        let level = libm::cosf(elevation);
        Vec3::new(level * libm::sinf(bearing), libm::sinf(elevation), -level * libm::cosf(bearing))
    }
}

// The ranges are checked while a field is being read, so that a recipe's error has its place.

fn bearing_in_range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    in_range(f32::deserialize(deserializer)?, "the sun's bearing", Sun::BEARINGS)
}

fn elevation_in_range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    in_range(f32::deserialize(deserializer)?, "the sun's elevation", Sun::ELEVATIONS)
}

fn in_range<E: serde::de::Error>(value: f32, what: &str, (low, high): (f32, f32)) -> Result<f32, E> {
    if (low..=high).contains(&value) {
        Ok(value)
    } else {
        Err(E::custom(format_args!("{what} is {value}; give degrees from {low} to {high}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bearings_go_round_the_compass_clockwise() {
        for (bearing, expected) in [
            (0.0, Vec3::NEG_Z),
            (90.0, Vec3::X),
            (180.0, Vec3::Z),
            (270.0, Vec3::NEG_X),
            (360.0, Vec3::NEG_Z),
        ] {
            let direction = Sun { bearing, elevation: 0.0 }.direction();
            assert!(direction.abs_diff_eq(expected, 1e-6), "{bearing}: {direction}");
        }
    }

    #[test]
    fn elevation_is_the_angle_above_the_horizon() {
        for elevation in [-10.0, -3.0, 0.0, 30.0, 60.0, 90.0] {
            let direction = Sun { bearing: 217.0, elevation }.direction();
            assert!((direction.length() - 1.0).abs() < 1e-6);
            assert!((direction.y.asin().to_degrees() - elevation).abs() < 0.05);
        }
    }

    #[test]
    fn a_sun_is_read_from_a_recipe_and_written_back() {
        let sun: Sun = ron::from_str("(bearing: 200, elevation: -2.5)").unwrap();
        assert_eq!(sun, Sun { bearing: 200.0, elevation: -2.5 });
        assert_eq!(ron::from_str::<Sun>(&ron::to_string(&sun).unwrap()).unwrap(), sun);
        assert_eq!(ron::from_str::<Sun>("()").unwrap(), Sun::default());
    }

    #[test]
    fn a_sun_out_of_range_is_an_error_with_its_place_and_the_range() {
        let error = ron::from_str::<Sun>("(\n  bearing: 10,\n  elevation: 91.0,\n)").unwrap_err();
        assert_eq!(error.span.start.line, 3);
        let message = error.to_string();
        assert!(message.contains("elevation is 91") && message.contains("-10 to 90"), "{message}");
        for wrong in ["(bearing: -1)", "(bearing: 361)", "(bearing: NaN)", "(elevation: -11)", "(height: 3)"]
        {
            assert!(ron::from_str::<Sun>(wrong).is_err(), "{wrong}");
        }
    }
}
