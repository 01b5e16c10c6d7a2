//! What is measured of a land beyond height and slope: water, the shape of the ground, shade, climate.
//!
//! These are the further factors that "Generating Terrain Textures" wishes for.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, memory};
use crate::steps::water::Course;

use super::shade::ShadeDay;
use super::share_map::ShareMap;
use super::{climate, position, shade, water};

/// What is measured all over a land, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Factor {
    /// Water for plants. With w what reaches them from the sea and the rivers
    /// ([`WaterBuffer::available`](crate::steps::water::WaterBuffer::available)) and c the concavity of the
    /// ground, in which water gathers, it is 1 − (1 − w)(1 − c/2): either is enough, but a hollow alone gives
    /// at most one half.
    Wetness,
    /// How hollow the ground is, by its topographic position index: its height above the mean of its
    /// surroundings, which a Gaussian with a standard deviation of 75 metres weighs ([`POSITION_SCALE`]). 0
    /// where that isn't negative, one half at −7.5 m, towards 1 in gorges.
    ///
    /// [`POSITION_SCALE`]: crate::texture::POSITION_SCALE
    Concavity,
    /// How much the ground bulges: as the concavity, by the positive side of the index. Towards 1 on crests.
    Convexity,
    /// The share of a day's direct sunlight that the ground misses, compared with level ground under an open
    /// sky: by turning away, and by lying in the shadow of other ground. At 45° north at an equinox, unless
    /// another [`ShadeDay`] is given; 0 on slopes that get more than level ground.
    Shade,
    /// Warmth: 0 at −20 °C or less, one half at freezing, 1 at 20 °C or more. 15 °C on level ground at sea
    /// level (at 0 m on a dry land), 6.5 K less per kilometre upwards. Slopes that face south are up to 6 K
    /// warmer, times the sine of the slope, those that face north as much colder.
    Temperature,
    /// Moisture of the climate, half of it by the nearness of water: all over water, nothing from ten
    /// kilometres on. The other half by orographic lift, as the wind comes from the west: all on windward
    /// slopes of 12° or more, half on level ground, nothing on lee slopes of 12°. These slopes are those of
    /// the land smoothed over 600 metres.
    Moisture,
    /// Nearness of water: 1 in it, falling evenly to 0 a kilometre away.
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

    /// Measures the factor at every sample of a land. The same on any number of threads; lengths are in
    /// metres, so that it hardly depends on the spacing of the samples.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::{Factor, Land};
    /// use upland::{Grid, Heightfield, Work};
    ///
    /// let ramp = Heightfield::from_fn(Grid::new(3, 1, 1000.0)?, |column, _| 1000.0 * column as f32);
    /// let warmth = Factor::Temperature.measure(Land::dry(&ramp), &Work::new())?;
    /// assert!(warmth.at(0, 0) > 0.8 && warmth.at(2, 0) < 0.6);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when a river was made for another grid,
    /// [`Error::Size`](crate::Error::Size) when there is too little memory, and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn measure(self, land: Land, work: &Work) -> Result<ShareMap> {
        self.measure_on(ShadeDay::default(), land, work)
    }

    /// As [`measure`](Self::measure), with the shade of another latitude or day of the year.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_on(self, day: ShadeDay, land: Land, work: &Work) -> Result<ShareMap> {
        let grid = land.field.grid();
        memory::require(grid, self.bytes_a_sample() * grid.count() as u64)?;
        match self {
            Self::Wetness => water::wetness(land, work),
            Self::Concavity => position::concavity(land.field, work),
            Self::Convexity => position::convexity(land.field, work),
            Self::Shade => shade::shade(land.field, day, work),
            Self::Temperature => climate::temperature(land, work),
            Self::Moisture => climate::moisture(land, work),
            Self::WaterNearness => water::water_nearness(land, work),
        }
    }

    /// Bytes that measuring it takes at most for each sample, beside the land.
    pub fn bytes_a_sample(self) -> u64 {
        match self {
            Self::Wetness | Self::Moisture | Self::WaterNearness => 15,
            Self::Concavity | Self::Convexity => 7,
            Self::Shade => 8,
            Self::Temperature => 3,
        }
    }

    /// The name under which [`TerrainAnalysis`](super::TerrainAnalysis) keep it, with the shade of a day.
    pub(crate) fn layer(self, day: ShadeDay) -> String {
        if self == Self::Shade { day.layer() } else { self.name().into() }
    }

    /// Whether it changes with the sea or the rivers, the ground being the same.
    pub(super) fn depends_on_water(self) -> bool {
        matches!(self, Self::Wetness | Self::Temperature | Self::Moisture | Self::WaterNearness)
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
