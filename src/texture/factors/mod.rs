//! What else than height and slope decides where a terrain type lies: water, the ground's shape,
//! shade, climate, a user's picture.
//!
//! A factor is a field over the land, from 0 to 1, and a type has limits of it as it has of elevation.
//! The further factors that "Generating Terrain Textures" wishes for.

mod climate;
mod layer;
mod measured;
mod picture;
mod shade;
mod shape;
mod smooth;
mod wet;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::files::FilePath;
use crate::grid::Heightfield;
use crate::steps::water::Course;

use super::ranges::{self, Range};
use super::types::Limits;

pub use climate::{FREEZING, LAPSE, REACH_OF_MOISTURE, WIND_BEARING};
pub use layer::LayerLimits;
pub(super) use measured::Measured;
pub use picture::Picture;
pub use shade::{DECLINATION, LATITUDE};
pub use shape::{FOLD, SCALE};
pub use wet::{WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS};

/// What is measured all over a land, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Factor {
    /// Water for plants: what reaches them from the sea and the rivers
    /// ([`WaterBuffer::available`](crate::steps::water::WaterBuffer::available)) and what gathers in hollows. With a the one
    /// and c the concavity it is 1 − (1 − a)(1 − c/2): either is enough, a hollow alone gives at most
    /// half.
    Wetness,
    /// How hollow the ground is at a scale of 75 metres ([`SCALE`]): 0 where it is even or bulges, one
    /// half where it lies 7.5 m below the mean of its surroundings, towards 1 in gorges.
    Concavity,
    /// How much the ground bulges: the same the other way round, highest on crests.
    Convexity,
    /// The share of the sun's light over a day that the ground misses, compared with level ground under
    /// an open sky, by turning away and by lying in the shadow of other ground. At 45° north at an
    /// equinox; never below 0 on slopes that get more than level ground.
    Shade,
    /// Warmth: 0 at −20 °C or less, one half at freezing, 1 at 20 °C or more. 15 °C on level ground at
    /// the sea's height (0 m on a dry land), 6.5 K less per kilometre upwards, and up to 6 K more on
    /// slopes that face south and less on those that face north, times the sine of the slope.
    Temperature,
    /// The moisture of the climate: half of it 1 over water and falling with the distance to nothing at
    /// ten kilometres; the other half where the wind, from the west, is made to rise, by the ground's
    /// slope at a scale of 600 metres: one half on level ground, all of it on windward slopes of 12°
    /// and nothing on lee slopes of 12°.
    Moisture,
    /// Nearness of water: 1 in it, falling evenly to 0 at a kilometre.
    WaterNearness,
}

impl Factor {
    /// Every factor, in the order of a menu.
    pub const ALL: [Self; 7] = [
        Self::Wetness,
        Self::Concavity,
        Self::Convexity,
        Self::Shade,
        Self::Temperature,
        Self::Moisture,
        Self::WaterNearness,
    ];

    /// Its name in recipes.
    pub fn name(self) -> &'static str {
        self.ranges().0.name
    }

    /// What its limits may be, and what their release may be.
    fn ranges(self) -> (Range, Range) {
        match self {
            Self::Wetness => named("wetness", "wetness release"),
            Self::Concavity => named("concavity", "concavity release"),
            Self::Convexity => named("convexity", "convexity release"),
            Self::Shade => named("shade", "shade release"),
            Self::Temperature => named("temperature", "temperature release"),
            Self::Moisture => named("moisture", "moisture release"),
            Self::WaterNearness => named("water_nearness", "water_nearness release"),
        }
    }
}

/// What the limits of a mask may be, and what their release may be.
fn mask_ranges() -> (Range, Range) {
    named("mask", "mask release")
}

fn named(limits: &'static str, release: &'static str) -> (Range, Range) {
    (Range { name: limits, ..ranges::FACTOR }, Range { name: release, ..ranges::FACTOR })
}

/// The land that factors are measured on.
#[derive(Clone, Copy)]
pub struct Land<'a> {
    /// The ground.
    pub field: &'a Heightfield,
    /// The height of the sea in metres, if there is one.
    pub sea_level: Option<f32>,
    /// The rivers that were made for the field.
    pub rivers: &'a [Course],
}

impl<'a> Land<'a> {
    /// A land without any water.
    pub fn dry(field: &'a Heightfield) -> Self {
        Self { field, sea_level: None, rivers: &[] }
    }
}

/// Limits beyond elevation and slope; what is left out doesn't matter to the type.
///
/// ```
/// let factors: upland::texture::Factors =
///     ron::from_str("(wetness: (min: 0.5, release: 0.2), shade: (max: 0.6))")?;
/// assert_eq!(factors.wetness.unwrap().max, 1.0);
/// assert_eq!(factors.temperature, None);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Factors {
    /// Limits of [`Factor::Wetness`].
    #[serde(
        deserialize_with = "read_wetness",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub wetness: Option<Limits>,
    /// Limits of [`Factor::Concavity`].
    #[serde(
        deserialize_with = "read_concavity",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub concavity: Option<Limits>,
    /// Limits of [`Factor::Convexity`].
    #[serde(
        deserialize_with = "read_convexity",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub convexity: Option<Limits>,
    /// Limits of [`Factor::Shade`].
    #[serde(
        deserialize_with = "read_shade",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub shade: Option<Limits>,
    /// Limits of [`Factor::Temperature`].
    #[serde(
        deserialize_with = "read_temperature",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub temperature: Option<Limits>,
    /// Limits of [`Factor::Moisture`].
    #[serde(
        deserialize_with = "read_moisture",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub moisture: Option<Limits>,
    /// Limits of [`Factor::WaterNearness`]. Recipes of old may call it `water_distance`.
    #[serde(
        alias = "water_distance",
        deserialize_with = "read_water_nearness",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub water_nearness: Option<Limits>,
    /// Limits of a picture's brightness.
    #[serde(
        deserialize_with = "read_mask",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub mask: Option<MaskLimits>,
    /// Limits of a layer that steps have written.
    #[serde(
        deserialize_with = "layer::read",
        serialize_with = "write",
        skip_serializing_if = "Option::is_none"
    )]
    pub layer: Option<LayerLimits>,
}

/// Limits of the brightness of a picture that lies over the whole land.
#[derive(Clone, Debug, PartialEq)]
pub struct MaskLimits {
    /// Which picture, and how bright it is where.
    pub picture: Picture,
    /// Which brightness, from 0 (black) to 1 (white).
    pub limits: Limits,
}

impl Factors {
    /// Whether nothing but elevation and slope decides.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The factors that there are limits of, the mask left out.
    pub fn used(&self) -> impl Iterator<Item = (Factor, Limits)> {
        let all = [
            self.wetness,
            self.concavity,
            self.convexity,
            self.shade,
            self.temperature,
            self.moisture,
            self.water_nearness,
        ];
        Factor::ALL.into_iter().zip(all).filter_map(|(factor, limits)| Some((factor, limits?)))
    }

    /// The limits, each with the name of the layer of the [`Surroundings`](super::Surroundings) that it
    /// is about.
    pub(super) fn limits(&self) -> Vec<(String, Limits)> {
        let measured = self.used().map(|(factor, limits)| (factor.name().to_owned(), limits));
        let mask = self.mask.iter().map(|mask| (mask.picture.layer(), mask.limits));
        let layer = self.layer.iter().map(|layer| (layer.key(), LayerLimits::WHOLE));
        measured.chain(mask).chain(layer).collect()
    }

    /// The limits of every factor in the order of [`Factor::ALL`], to be changed.
    pub(super) fn all_mut(&mut self) -> [&mut Option<Limits>; 7] {
        [
            &mut self.wetness,
            &mut self.concavity,
            &mut self.convexity,
            &mut self.shade,
            &mut self.temperature,
            &mut self.moisture,
            &mut self.water_nearness,
        ]
    }

    /// What is wrong with these limits, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        for (factor, limits) in self.used() {
            check(factor.ranges(), limits)?;
        }
        if let Some(layer) = &self.layer {
            layer.check()?;
        }
        match &self.mask {
            Some(mask) => check(mask_ranges(), mask.limits),
            None => Ok(()),
        }
    }
}

fn check((ends, release): (Range, Range), limits: Limits) -> Result<(), String> {
    limits.check(&ends, &release)
}

/// Writes what there is.
fn write<T: Serialize, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => value.serialize(to),
        None => to.serialize_none(),
    }
}

fn read<'de, D: Deserializer<'de>>(factor: Factor, from: D) -> Result<Option<Limits>, D::Error> {
    let (ends, release) = factor.ranges();
    Limits::read(from, &ends, &release).map(Some)
}

fn read_wetness<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::Wetness, from)
}

fn read_concavity<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::Concavity, from)
}

fn read_convexity<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::Convexity, from)
}

fn read_shade<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::Shade, from)
}

fn read_temperature<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::Temperature, from)
}

fn read_moisture<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::Moisture, from)
}

fn read_water_nearness<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    read(Factor::WaterNearness, from)
}

/// How a mask's limits stand in a recipe: the picture among them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Mask")]
struct WrittenMask {
    file: Picture,
    #[serde(default)]
    min: f32,
    #[serde(default = "one")]
    max: f32,
    #[serde(default)]
    release: f32,
}

fn one() -> f32 {
    1.0
}

impl Serialize for MaskLimits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Limits { min, max, release } = self.limits;
        WrittenMask { file: self.picture.clone(), min, max, release }.serialize(to)
    }
}

fn read_mask<'de, D: Deserializer<'de>>(from: D) -> Result<Option<MaskLimits>, D::Error> {
    let WrittenMask { file, min, max, release } = WrittenMask::deserialize(from)?;
    let limits = Limits::new(min, max, release);
    check(mask_ranges(), limits).map_err(D::Error::custom)?;
    Ok(Some(MaskLimits { picture: file, limits }))
}

impl MaskLimits {
    /// Limits of the brightness of the picture in `file`.
    pub fn new(file: FilePath, limits: Limits) -> Self {
        Self { picture: Picture::new(file), limits }
    }
}
