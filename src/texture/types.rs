//! A terrain type: what it looks like, and on which ground it lies.

use glam::Vec3;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::blend::Blend;
use super::factors::Factors;
use super::ranges::{self, Range};
use super::srgb;
use super::tile::Tiling;
use super::weights::{Point, Rule, Scale};

/// Where a quantity must lie, and how far beyond the influence fades to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// Full influence from here; left out in a recipe: no lower limit.
    pub min: f32,
    /// Full influence up to here, at least `min`; left out in a recipe: no upper limit.
    pub max: f32,
    /// Outside by this much the influence is 0, linear between; 0 (default) is a hard edge.
    pub release: f32,
}

impl Limits {
    /// Any height at all.
    pub const ANY_ELEVATION: Self =
        Self { min: ranges::ELEVATION.low, max: ranges::ELEVATION.high, release: 0.0 };

    /// Any slope at all.
    pub const ANY_SLOPE: Self = Self { min: ranges::SLOPE.low, max: ranges::SLOPE.high, release: 0.0 };

    /// Limits from `min` to `max` that fade over `release`.
    pub const fn new(min: f32, max: f32, release: f32) -> Self {
        Self { min, max, release }
    }

    /// What is wrong with these limits, if anything.
    pub(super) fn check(&self, ends: &Range, release: &Range) -> Result<(), String> {
        let Self { min, max, .. } = *self;
        ends.check(min)?;
        ends.check(max)?;
        release.check(self.release)?;
        if min > max {
            let name = ends.name;
            return Err(format!(
                "{name} limits the wrong way round: min {min} is above max {max}; swap them"
            ));
        }
        Ok(())
    }

    /// Reads limits; an end that is left out is the range's.
    pub(super) fn read<'de, D>(from: D, ends: &Range, release: &Range) -> Result<Self, D::Error>
    where
        D: Deserializer<'de>,
    {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename = "Limits")]
        struct Written {
            #[serde(default = "lowest")]
            min: f32,
            #[serde(default = "highest")]
            max: f32,
            #[serde(default)]
            release: f32,
        }
        fn lowest() -> f32 {
            f32::NEG_INFINITY
        }
        fn highest() -> f32 {
            f32::INFINITY
        }
        let written = Written::deserialize(from)?;
        let min = if written.min == lowest() { ends.low } else { written.min };
        let max = if written.max == highest() { ends.high } else { written.max };
        let limits = Self { min, max, release: written.release };
        limits.check(ends, release).map_err(D::Error::custom)?;
        Ok(limits)
    }
}

/// One kind of ground: its colour, and the heights and slopes it lies on.
///
/// Everything vertical (elevation limits and their release, skew, roughen) is in metres or in shares
/// of the height range, as the texture's [`elevation_unit`](super::Texture::elevation_unit) says.
///
/// ```
/// use glam::Vec3;
/// use upland::texture::{Limits, TerrainType};
/// let grass = TerrainType {
///     elevation: Limits::new(200.0, 900.0, 24.0),
///     ..TerrainType::new("grass", [0.37, 0.45, 0.22])
/// };
/// assert_eq!(grass.weight(300.0, Vec3::Y), 1.0);
/// assert!((grass.weight(190.0, Vec3::Y) - 14.0 / 24.0).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerrainType {
    /// What people call it.
    pub name: String,
    /// It lies only where the texture's [`map`](super::Texture::map) has this id, from 0 to 255.
    /// Default: none, wherever its limits say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u8>,
    /// sRGB-encoded red, green and blue, each in [0, 1]; in a recipe "#rrggbb". A type that wears a
    /// tile may leave it out; given, the tile is recoloured so that this is its mean.
    #[serde(default, deserialize_with = "srgb::read_some", serialize_with = "srgb::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f32; 3]>,
    /// The tiling picture that it wears. Default: none, it is of an even colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<Tiling>,
    /// Heights, in the texture's unit, from -100000 to 100000. Default: any.
    #[serde(default = "any_elevation", deserialize_with = "read_elevation")]
    pub elevation: Limits,
    /// Slopes in degrees, from 0 to 90. Default: any.
    #[serde(default = "any_slope", deserialize_with = "read_slope")]
    pub slope: Limits,
    /// How far the elevation limits lie higher on ground that faces `skew_bearing`, and lower on
    /// ground that faces away; in the texture's unit, from -100000 to 100000. Default 0.
    #[serde(default, deserialize_with = "read_skew")]
    pub skew: f32,
    /// Compass bearing of the skew in degrees, clockwise from north, from -360 to 360. Default 0.
    #[serde(default, deserialize_with = "read_skew_bearing")]
    pub skew_bearing: f32,
    /// What else decides where it lies. Default: nothing.
    #[serde(default, skip_serializing_if = "Factors::is_empty")]
    pub factors: Factors,
    /// How it is laid over the types before it in the list. Default: mixed.
    #[serde(default)]
    pub blend: Blend,
    /// How much noise mottles the colour, from 0 (even, default) to 1.
    #[serde(default, deserialize_with = "read_variation")]
    pub variation: f32,
    /// How far noise moves the elevation limits up and down, so that borders aren't contour lines;
    /// in the texture's unit, from 0 (default) to 100000.
    #[serde(default, deserialize_with = "read_roughen")]
    pub roughen: f32,
    /// How far noise moves the slope limits, in degrees from 0 (default) to 90.
    #[serde(default, deserialize_with = "read_slope_roughen")]
    pub slope_roughen: f32,
}

impl TerrainType {
    /// A type of an even sRGB colour that lies everywhere.
    pub fn new(name: impl Into<String>, colour: [f32; 3]) -> Self {
        Self {
            name: name.into(),
            id: None,
            colour: Some(colour),
            tile: None,
            elevation: Limits::ANY_ELEVATION,
            slope: Limits::ANY_SLOPE,
            skew: 0.0,
            skew_bearing: 0.0,
            factors: Factors::default(),
            blend: Blend::Mix,
            variation: 0.0,
            roughen: 0.0,
            slope_roughen: 0.0,
        }
    }

    /// The weight of this type, in [0, 1] and before it is divided by the sum over all types, on
    /// ground of `height` (in the limits' unit) and unit `normal`: the elevation's influence times
    /// the slope's, without the noise that roughens borders.
    pub fn weight(&self, height: f32, normal: Vec3) -> f32 {
        Rule::new(self, Scale::METRES).weight(&Point::new(height, normal))
    }

    /// How far ground is from qualifying for this type: 0 inside the limits, else the excess over
    /// the release, summed over elevation and slope.
    pub fn distance(&self, height: f32, normal: Vec3) -> f32 {
        Rule::new(self, Scale::METRES).distance(&Point::new(height, normal))
    }

    /// What is wrong with this type, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        self.elevation.check(&ranges::ELEVATION, &ranges::ELEVATION_RELEASE)?;
        self.slope.check(&ranges::SLOPE, &ranges::SLOPE_RELEASE)?;
        ranges::SKEW.check(self.skew)?;
        ranges::SKEW_BEARING.check(self.skew_bearing)?;
        ranges::VARIATION.check(self.variation)?;
        ranges::ROUGHEN.check(self.roughen)?;
        ranges::SLOPE_ROUGHEN.check(self.slope_roughen)?;
        self.factors.check()?;
        if let Some(tile) = &self.tile {
            tile.check()?;
        }
        match self.colour {
            Some(colour) => colour.iter().try_for_each(|&channel| ranges::CHANNEL.check(channel).map(drop)),
            None if self.tile.is_some() => Ok(()),
            None => Err("it has neither a colour nor a tile; give one of them".into()),
        }
    }
}

fn any_elevation() -> Limits {
    Limits::ANY_ELEVATION
}

fn any_slope() -> Limits {
    Limits::ANY_SLOPE
}

fn read_elevation<'de, D: Deserializer<'de>>(from: D) -> Result<Limits, D::Error> {
    Limits::read(from, &ranges::ELEVATION, &ranges::ELEVATION_RELEASE)
}

fn read_slope<'de, D: Deserializer<'de>>(from: D) -> Result<Limits, D::Error> {
    Limits::read(from, &ranges::SLOPE, &ranges::SLOPE_RELEASE)
}

fn read_skew<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::SKEW.read(from)
}

fn read_skew_bearing<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::SKEW_BEARING.read(from)
}

fn read_variation<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::VARIATION.read(from)
}

fn read_roughen<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::ROUGHEN.read(from)
}

fn read_slope_roughen<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::SLOPE_ROUGHEN.read(from)
}
