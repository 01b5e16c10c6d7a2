//! What each number of a texture may be, said once: for reading a recipe and for checking a value
//! that a program set.

use serde::{Deserialize, Deserializer, de::Error as _};

use crate::params::read_named;

/// The numbers that a parameter may take, both ends included.
pub(super) struct Range {
    pub(super) name: &'static str,
    pub(super) low: f32,
    pub(super) high: f32,
    pub(super) unit: &'static str,
}

/// Elevation limits: metres, or shares of the height range.
pub(super) const ELEVATION: Range =
    Range { name: "elevation", low: -100_000.0, high: 100_000.0, unit: " metres or shares" };
/// How far an elevation limit reaches out.
pub(super) const ELEVATION_RELEASE: Range = Range { name: "elevation release", low: 0.0, ..ELEVATION };
/// Slope limits.
pub(super) const SLOPE: Range = Range { name: "slope", low: 0.0, high: 90.0, unit: " degrees" };
/// How far a slope limit reaches out.
pub(super) const SLOPE_RELEASE: Range = Range { name: "slope release", ..SLOPE };
/// How far the side that faces the skew's bearing shifts the elevation limits.
pub(super) const SKEW: Range = Range { name: "skew", ..ELEVATION };
/// A compass bearing.
pub(super) const SKEW_BEARING: Range =
    Range { name: "skew_bearing", low: -360.0, high: 360.0, unit: " degrees" };
/// How much the colour is mottled.
pub(super) const VARIATION: Range = Range { name: "variation", low: 0.0, high: 1.0, unit: "" };
/// How far noise moves the elevation limits.
pub(super) const ROUGHEN: Range = Range { name: "roughen", low: 0.0, ..ELEVATION };
/// How far noise moves the slope limits.
pub(super) const SLOPE_ROUGHEN: Range = Range { name: "slope_roughen", ..SLOPE };
/// The size of the largest patches of noise.
pub(super) const PATCH: Range = Range { name: "patch", low: 0.1, high: 1_000_000.0, unit: " metres" };
/// Cells that a pixel of a painted map becomes along each side.
pub(super) const MAP_SCALE: Range = Range { name: "scale", low: 1.0, high: 64.0, unit: " cells a pixel" };
/// The window of a painted map's majority filter.
pub(super) const MAP_MAJORITY: Range = Range { name: "majority", low: 1.0, high: 255.0, unit: " cells" };
/// How far noise moves the borders of a painted map.
pub(super) const MAP_ROUGHEN: Range = Range { name: "roughen", low: 0.0, high: 100_000.0, unit: " metres" };
/// The size of a tile on the ground.
pub(super) const TILE_SIZE: Range = Range { name: "size", low: 0.01, high: 100_000.0, unit: " metres" };
/// Limits of a factor; each has its own name.
pub(super) const FACTOR: Range = Range { name: "factor", low: 0.0, high: 1.0, unit: "" };
/// How much of the ambient occlusion is baked.
pub(super) const OCCLUSION: Range = Range { name: "occlusion", low: 0.0, high: 1.0, unit: "" };
/// Where the sun stands whose light is painted, and how bright it is.
pub(super) const LIGHT_BEARING: Range = Range { name: "bearing", ..SKEW_BEARING };
pub(super) const LIGHT_ELEVATION: Range = Range { name: "elevation", ..SLOPE };
pub(super) const LIGHT_STRENGTH: Range = Range { name: "strength", low: 0.0, high: 16.0, unit: "" };
pub(super) const LIGHT_AMBIENT: Range = Range { name: "ambient", ..LIGHT_STRENGTH };
/// A band's reach to either side of its centre.
pub(super) const BAND_RANGE: Range = Range { name: "range", low: 0.0, ..ELEVATION };
/// A channel of a colour.
pub(super) const CHANNEL: Range = Range { name: "colour", low: 0.0, high: 1.0, unit: "" };
/// Texels along the longer side.
pub(super) const RESOLUTION: Range =
    Range { name: "resolution", low: 0.0, high: 65_536.0, unit: " texels along the longer side" };

impl Range {
    /// What is wrong with `value`, if it lies outside.
    pub(super) fn check(&self, value: f32) -> Result<f32, String> {
        if (self.low..=self.high).contains(&value) {
            return Ok(value);
        }
        Err(format!("{} is {value}; it must be {}", self.name, self.accepted()))
    }

    fn accepted(&self) -> String {
        format!("from {} to {}{}", self.low, self.high, self.unit)
    }

    /// Reads a number and checks it, so that a recipe's error points at the number.
    pub(super) fn read<'de, D: Deserializer<'de>>(&self, from: D) -> Result<f32, D::Error> {
        self.check(self.read_any(from)?).map_err(D::Error::custom)
    }

    /// Reads a number as it is, so that one that is none is told with its name and what it takes.
    pub(super) fn read_any<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        &self,
        from: D,
    ) -> Result<T, D::Error> {
        read_named(self.name, &format!("a number {}", self.accepted()), from)
    }
}
