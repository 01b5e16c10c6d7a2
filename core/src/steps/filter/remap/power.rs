//! Power: reshapes the land's profile by an exponent.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::params::params;
use crate::steps::filter::remap::each_height;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Raises every height, as a share of the land's range, to a power: above 1 widens the valleys, below 1
    /// the summits.
    pub struct Power {
        /// The exponent.
        pub exponent: f32 = 1.6, "" in 0.1..=8.0, log;
    }
}

impl Operation for Power {
    step!("power", "Power curve", Filter);

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = ground.region().range_of(&ground.heights, work)?;
        let span = high - low;
        if span <= 0.0 {
            return Ok(());
        }
        each_height(ground, "power", work, |height| {
            // Clamped: the root of a share just below 0 would be NaN.
            low + span * libm::powf(((height - low) / span).clamp(0.0, 1.0), self.exponent)
        })
    }

    fn formula(&self) -> Option<String> {
        let exponent = brief(self.exponent);
        Some(format!("h′ = min h + r · ((h − min h) / r)^{exponent},  r = max h − min h"))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Range
    }
}
