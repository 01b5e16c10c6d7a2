//! Limits heights from below and above.

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::params::params;
use crate::steps::filter::remap::each_height;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Limits heights: plains, plateaus and sea floors.
    pub struct Clamp {
        /// Lowest height; what is lower is raised to it.
        pub low: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Highest height; what is higher is lowered to it.
        pub high: f32 = 9000.0, "m" in -12000.0..=12000.0;
    }
}

impl Operation for Clamp {
    step!("clamp", "Clamp", Filter);

    /// # Errors
    /// When `low` is above `high`.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = (self.low, self.high);
        if low > high {
            return Err(Error::parameter("low", format!("{low} m is above `high`, {high} m; swap them")));
        }
        each_height(ground, "clamp", work, |height| height.clamp(low, high))
    }

    fn formula(&self) -> Option<String> {
        let is_possible = self.low <= self.high;
        is_possible.then(|| format!("h′ = min(max(h, {}), {})", brief(self.low), brief(self.high)))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
}
