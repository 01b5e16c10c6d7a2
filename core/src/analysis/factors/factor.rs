//! A factor: something that is measured all over a land, and how it is measured.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::analysis::land::Land;
use crate::analysis::shade_day::ShadeDay;
use crate::analysis::share_map::ShareMap;
use crate::compute::panics::without_panic;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::memory;

/// Something that is measured all over a land: a share from 0 to 1 for every sample. Terrain types and rules
/// of scattered objects have limits of factors.
///
/// Two factors of the same name are equal.
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::{Land, factors};
/// use upland::{Grid, Heightfield, Work};
///
/// let ramp = Heightfield::from_fn(Grid::new(3, 1, 1000.0)?, |column, _| 1000.0 * column as f32);
/// let warmth = factors::TEMPERATURE.measure(Land::dry(&ramp), &Work::new())?;
/// assert!(warmth.at(0, 0) > 0.8 && warmth.at(2, 0) < 0.6);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Factor {
    /// Its name in recipes: lower-case letters, digits and underscores.
    pub name: &'static str,
    /// A line for people: its meaning, and that of its ends.
    pub doc: &'static str,
    /// Its name in older recipes, which is still read.
    pub was: Option<&'static str>,
    /// The numbers that 0 and 1 stand for, if they have a unit. Recipes have limits from 0 to 1 in any
    /// case; the panel shows them in this unit as well.
    pub scale: Option<FactorScale>,
    /// How far from a sample the land decides what the factor is there.
    pub reach: FactorReach,
    /// Bytes that measuring it takes at most for each sample, in addition to the land.
    pub bytes_a_sample: u64,
    /// Whether it changes with the sea or the rivers, the ground being the same.
    pub depends_on_water: bool,
    /// Whether it changes with the latitude and the day of the year.
    pub depends_on_day: bool,
    /// Measures it at every sample. The result must be the same on any number of threads, which
    /// [`ShareMap::from_rows`] sees to, and it should hardly depend on the spacing of the samples: lengths
    /// are best given in metres.
    pub measure: Measure,
}

/// The function that measures a factor.
pub type Measure = fn(Land, ShadeDay, &Work) -> Result<ShareMap>;

impl Factor {
    /// A factor of this name. What is not given has the most careful value: it looks far, takes 16 bytes a
    /// sample and depends on water; but it doesn't depend on the day.
    pub const fn new(name: &'static str, doc: &'static str, measure: Measure) -> Self {
        Self {
            name,
            doc,
            was: None,
            scale: None,
            reach: FactorReach::FAR,
            bytes_a_sample: 16,
            depends_on_water: true,
            depends_on_day: false,
            measure,
        }
    }

    /// Measures the factor at every sample of a land. The same on any number of threads; lengths are in
    /// metres, so that it hardly depends on the spacing of the samples.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a river was made for another grid, [`Error::Size`] when there is too little
    /// memory, and [`Error::Cancelled`]. Of a game's own factor also its own errors, [`Error::Panic`] when it
    /// panics, and [`Error::Parameter`] when it measures other samples than those of the land.
    pub fn measure(&self, land: Land, work: &Work) -> Result<ShareMap> {
        self.measure_on(ShadeDay::default(), land, work)
    }

    /// As [`measure`](Self::measure), on another day of the year or at another latitude.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_on(&self, day: ShadeDay, land: Land, work: &Work) -> Result<ShareMap> {
        let grid = land.field.grid();
        memory::require(grid, self.bytes_a_sample.saturating_mul(grid.count() as u64))?;
        // Factors may come from games: a panic in one becomes an error with its name.
        let measured = without_panic(|| (self.measure)(land, day, work))
            .map_err(|said| Error::panic(self.name, said))??;
        if measured.grid() != grid {
            let reason = "measures other samples than those of the land; this is a bug in the factor";
            return Err(Error::parameter(self.name, reason));
        }
        Ok(measured)
    }

    /// The name under which [`TerrainAnalysis`](crate::analysis::TerrainAnalysis) keeps it, measured on a
    /// day: its own name on the default day.
    pub(crate) fn layer(&self, day: ShadeDay) -> String {
        if !self.depends_on_day || day == ShadeDay::default() {
            return self.name.into();
        }
        format!("{} {} {}", self.name, day.latitude, day.day)
    }
}

/// The numbers that the ends of a factor stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorScale {
    /// The number at 0.
    pub at_0: f32,
    /// The number at 1; it may be below that at 0.
    pub at_1: f32,
    /// The unit, as it stands behind a number.
    pub unit: &'static str,
}

impl FactorScale {
    /// The number that a share stands for.
    pub fn number(&self, share: f32) -> f32 {
        self.at_0 + (self.at_1 - self.at_0) * share
    }

    /// The numbers from one share to another, smaller first, for people: `−20 to 0 °C`.
    pub fn describe(&self, from: f32, to: f32) -> String {
        let decimals = match (self.at_1 - self.at_0).abs() {
            10.0.. => 0,
            1.0.. => 1,
            _ => 2,
        };
        let (from, to) = (self.number(from), self.number(to));
        // Rounded to 0, a negative number would keep its sign.
        let text = |number: f32| {
            let text = format!("{number:.decimals$}");
            if text.contains(|digit| ('1'..='9').contains(&digit)) { text } else { text.replace('-', "") }
        };
        format!("{} to {} {}", text(from.min(to)), text(from.max(to)), self.unit).replace('-', "−")
    }
}

/// How far from a sample the land decides what a factor is there: up to a distance in metres, and in any case
/// up to a number of samples, however far apart they are.
///
/// Land that is endless or too large to be made whole is measured in blocks with a margin around each, which
/// is as wide as the farthest reach of the measured factors. There a reach in metres counts for at most
/// [`MOST_SAMPLES`](Self::MOST_SAMPLES) samples, because the margin is made for every block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorReach {
    /// Metres beyond which nothing has an effect.
    pub metres: f32,
    /// Samples beyond which nothing has an effect, unless it lies within `metres`.
    pub samples: u32,
}

impl FactorReach {
    /// The most samples that blocks have beyond their border for the sake of a reach in metres.
    pub const MOST_SAMPLES: u32 = 128;

    /// As far as shadows fall: for factors that depend on light, and for those with an unknown reach.
    pub const FAR: Self = Self { metres: 30_000.0, samples: 1 };

    /// A reach of a number of samples, such as 1 for a factor that follows from the slope.
    pub const fn samples(samples: u32) -> Self {
        Self { metres: 0.0, samples }
    }

    /// A reach in metres, and at least the sample's neighbours.
    pub const fn metres(metres: f32) -> Self {
        Self { metres, samples: 1 }
    }

    /// The reach of a factor that follows from two others with these reaches.
    pub const fn or(self, other: Self) -> Self {
        Self {
            metres: self.metres.max(other.metres),
            samples: if self.samples > other.samples { self.samples } else { other.samples },
        }
    }

    /// The samples beyond the border of a block that it asks for, where samples are `cell` metres apart.
    pub(crate) fn margin(&self, cell: f32) -> u32 {
        // Limited, since the margin is made for every block.
        ((self.metres / cell).ceil() as u32).min(Self::MOST_SAMPLES).max(self.samples)
    }
}

impl PartialEq for Factor {
    // Function pointers can't be compared reliably; a name belongs to one factor.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Factor {}

impl Hash for Factor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl PartialOrd for Factor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By name.
impl Ord for Factor {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

/// Its name.
impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_gives_the_smaller_number_first_with_as_many_digits_as_tell() {
        let describe = |at_0: f32, at_1: f32, from: f32, to: f32| {
            FactorScale { at_0, at_1, unit: "m" }.describe(from, to)
        };
        assert_eq!(describe(-20.0, 20.0, 0.0, 0.5), "−20 to 0 m");
        assert_eq!(describe(1000.0, 0.0, 0.5, 1.0), "0 to 500 m");
        assert_eq!(describe(0.0, 3.0, 0.5, 1.0), "1.5 to 3.0 m");
        assert_eq!(describe(0.0, 0.5, 0.5, 1.0), "0.25 to 0.50 m");
        assert_eq!(describe(-1.0, 20.0, 0.047, 1.0), "0 to 20 m");
    }

    #[test]
    fn a_margin_is_bounded_for_metres_alone() {
        assert_eq!([0.5, 10.0, 1e6].map(|cell| FactorReach::FAR.margin(cell)), [128, 128, 1]);
        assert_eq!(FactorReach::metres(300.0).margin(10.0), 30);
        assert_eq!([1e-45, 1e9].map(|cell| FactorReach::samples(300).margin(cell)), [300, 300]);
    }
}
