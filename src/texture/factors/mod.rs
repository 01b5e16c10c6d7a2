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

use crate::files::FilePath;
use crate::grid::Heightfield;
use crate::params::{Param, Parameter, Params, Reading, Value, in_recipes, param, params};
use crate::steps::water::Course;

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
        match self {
            Self::Wetness => "wetness",
            Self::Concavity => "concavity",
            Self::Convexity => "convexity",
            Self::Shade => "shade",
            Self::Temperature => "temperature",
            Self::Moisture => "moisture",
            Self::WaterNearness => "water_nearness",
        }
    }
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

params! {
    /// Limits beyond elevation and slope; what is left out doesn't matter to the type. Each is
    /// about the [`Factor`] of its name.
    ///
    /// ```
    /// let factors: upland::texture::Factors =
    ///     ron::from_str("(wetness: (min: 0.5, release: 0.2), shade: (max: 0.6))")?;
    /// assert_eq!(factors.wetness.unwrap().max, 1.0);
    /// assert_eq!(factors.temperature, None);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct Factors {
        /// Water for plants, from sea, rivers and hollows: 0 dry to 1 wet.
        pub wetness: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// How hollow the ground is: 0 even or bulging, towards 1 in gorges.
        pub concavity: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// How much the ground bulges: 0 even or hollow, towards 1 on crests.
        pub convexity: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Share of a day's sun that the ground misses: 0 in full sun to 1.
        pub shade: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Warmth by height and side: 0.5 is freezing, each 0.1 is 4 °C.
        pub temperature: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Moisture of the climate, by the nearness of water and by the wind.
        pub moisture: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Nearness of water: 1 in the water, falling to 0 a kilometre away. Recipes of old may call it
        /// `water_distance`.
        pub water_nearness: Option<Limits> = None, "" in 0.0..=1.0, bare, was water_distance;
        /// Brightness of a picture over the whole land: 0 black to 1 white.
        pub mask: Option<MaskLimits> = None, "" in 0.0..=1.0, bare;
        /// Numbers of a layer that steps have written, in the layer's unit.
        pub layer: Option<LayerLimits> = None, bare;
    }
}

in_recipes!(Factors);

/// Limits of the brightness of a picture that lies over the whole land.
#[derive(Clone, Debug, Default, PartialEq)]
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
}

/// In a recipe the picture stands among the limits.
impl Params for MaskLimits {
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>)) {
        visitor(&mask_file(), self.picture.reading());
        self.limits.read(visitor);
    }

    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>)) {
        visitor(&mask_file(), self.picture.value());
        self.limits.visit(visitor);
    }

    fn doc(&self) -> &'static str {
        "Limits of the brightness of a picture that lies over the whole land."
    }

    fn type_name(&self) -> &'static str {
        "Mask"
    }

    fn law(&self) -> Result<(), String> {
        self.limits.law()
    }

    fn follow(&mut self, changed: &str) {
        self.limits.follow(changed);
    }
}

fn mask_file() -> Param {
    param!(file, ["Path of a picture over the whole land."], required,)
}

impl Parameter for MaskLimits {
    fn reading(&self) -> Reading<'_> {
        Reading::Group(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Group(self)
    }
}

impl MaskLimits {
    /// Limits of the brightness of the picture in `file`.
    pub fn new(file: FilePath, limits: Limits) -> Self {
        Self { picture: Picture::new(file), limits }
    }
}
