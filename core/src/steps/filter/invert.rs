//! Turns the land upside down.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Heightfield, Region};
use crate::params::params;
use crate::steps::Reach;
use crate::steps::filter::{Filter, each_height};

params! {
    /// Turns the land upside down within its own range: peaks become pits.
    pub struct Invert {}
}

impl Filter for Invert {
    fn change(&self, field: &mut Heightfield, region: &Region, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = region.range_of(field, work)?;
        each_height(field, "invert", work, |height| high - (height - low))
    }

    fn formula(&self) -> Option<String> {
        Some("h′ = max h − (h − min h)".to_owned())
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Range
    }
}
