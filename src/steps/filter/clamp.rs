//! Cutting the land off above and below.

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Heightfield, Region};
use crate::params::params;
use crate::steps::Reach;
use crate::steps::filter::{Filter, each_height};

params! {
    /// Cuts the land off above and below: plains, plateaus and sea floors.
    pub struct Clamp {
        /// Nothing lies below this.
        pub low: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Nothing lies above this.
        pub high: f32 = 9000.0, "m" in -12000.0..=12000.0;
    }
}

impl Filter for Clamp {
    /// # Errors
    /// When `low` is above `high`.
    fn change(&self, field: &mut Heightfield, _region: &Region, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = (self.low, self.high);
        if low > high {
            return Err(Error::parameter("low", format!("{low} m is above `high`, {high} m; swap them")));
        }
        each_height(field, "clamp", work, |height| height.clamp(low, high))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
}
