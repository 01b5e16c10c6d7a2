//! Turning the land upside down.

use crate::error::Result;
use crate::filter::{Filter, each_height};
use crate::heightfield::Heightfield;
use crate::params::params;
use crate::work::Work;

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
