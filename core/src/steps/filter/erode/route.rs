//! Routing: all water of a land finds its way to an outlet.

use super::drainage::Drainage;
use super::hollow;
use super::original::Original;
use crate::compute::work::Work;
use crate::error::Result;

impl Drainage {
    /// Routes all water on land of these heights, and computes the drainage area of every sample.
    ///
    /// A sample drains to its steepest lower neighbour, in a depression towards the sill.
    pub(super) fn route(&mut self, heights: &[f32], original: &Original<'_>, work: &Work) -> Result<()> {
        self.descend(heights, original, work)?;
        hollow::drain(self, heights, |_, _| {}, work)?;
        self.gather(&(), work)
    }
}
