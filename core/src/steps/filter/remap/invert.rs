//! Turns the land upside down.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::params::params;
use crate::steps::filter::remap::each_height;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Turns the land upside down within its own range: peaks become pits.
    pub struct Invert {}
}

impl Operation for Invert {
    step!("invert", "Invert", Filter);

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = ground.region().range_of(&ground.heights, work)?;
        // Not `high + low - height`: this is exact at the lowest point, which becomes `high`.
        each_height(ground, "invert", work, |height| high - (height - low))
    }

    fn formula(&self) -> Option<String> {
        Some("h′ = max h − (h − min h)".to_owned())
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Range
    }
}
