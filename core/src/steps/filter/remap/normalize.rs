//! Normalise: maps the land's range of heights to a given one.

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::params::params;
use crate::steps::filter::remap::each_height;
use crate::steps::number::sum;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Stretches the land so that its lowest and highest points lie at the given heights. Level land goes
    /// to `low`.
    pub struct Normalize {
        /// Height of the lowest point.
        pub low: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the highest point.
        pub high: f32 = 1000.0, "m" in -12000.0..=12000.0;
    }
}

impl Operation for Normalize {
    step!("normalize", "Normalise to a range", Filter);

    /// # Errors
    /// When `low` is above `high`.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = (self.low, self.high);
        if low > high {
            return Err(Error::parameter("low", format!("{low} m is above `high`, {high} m; swap them")));
        }
        let (lowest, highest) = ground.region().range_of(&ground.heights, work)?;
        let span = highest - lowest;
        if span <= 0.0 {
            return each_height(ground, "normalise", work, |_| low);
        }
        each_height(ground, "normalise", work, |height| {
            // Rounding could put the summit slightly above `high`.
            (low + (height - lowest) / span * (high - low)).min(high)
        })
    }

    fn formula(&self) -> Option<String> {
        if self.low > self.high {
            return None;
        }
        let share = "(h − min h) / (max h − min h)";
        Some(format!("h′ = {}", sum(&[(self.low, "", ""), (self.high - self.low, " · ", share)])))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Range
    }
}
