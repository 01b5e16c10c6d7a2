//! Turning the land upside down.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::params::params;
use crate::steps::filter::{Filter, each_height};

params! {
    /// Turns the land upside down within its own range: peaks become pits.
    pub struct Invert {}
}

impl Filter for Invert {
    fn apply(&self, field: &mut Heightfield, _seed: u64, work: &Work) -> Result<()> {
        let (low, high) = field.range_while(work)?;
        each_height(field, "invert", work, |height| high - (height - low))
    }
}
