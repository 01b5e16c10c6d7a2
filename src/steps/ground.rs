//! What steps work on: the heights, and the rivers that run over them.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::steps::water::Course;

/// Land in the making.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    region: Region,
    /// The heights in metres.
    pub heights: Heightfield,
    /// Where water runs, one course for each river, in the order in which they were dug.
    pub rivers: Vec<Course>,
}

impl Ground {
    /// All of a land of these heights, without rivers.
    pub fn new(heights: Heightfield) -> Self {
        Self { region: heights.grid().into(), heights, rivers: Vec::new() }
    }

    /// Level ground at height 0 in a part of a land.
    pub fn level_in(region: Region) -> Self {
        Self { region, heights: Heightfield::flat(region.grid(), 0.0), rivers: Vec::new() }
    }

    /// The part of the land that it is.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// A copy made on all cores.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn copy_while(&self, work: &Work) -> Result<Self> {
        Ok(self.with_heights(self.heights.copy_while(work)?))
    }

    /// The samples that lie in `inner`.
    ///
    /// # Errors
    /// As [`Region::cut`].
    pub(crate) fn cut(self, inner: &Region, work: &Work) -> Result<Self> {
        let heights = self.region.cut(self.heights, inner, work)?;
        Ok(Self { region: *inner, heights, ..self })
    }

    /// The same, where a step is to know the range of all the land.
    pub(crate) fn with_range(self, range: (f32, f32)) -> Self {
        Self { region: self.region.with_range(range), ..self }
    }

    /// The same with other heights.
    pub(crate) fn with_heights(&self, heights: Heightfield) -> Self {
        Self { heights, region: self.region, rivers: self.rivers.clone() }
    }

    /// Level ground at height 0, as the first step of a recipe finds it.
    pub fn level(grid: Grid) -> Self {
        Self::level_in(grid.into())
    }

    /// The grid of the heights and of all that lies on them.
    pub fn grid(&self) -> Grid {
        self.heights.grid()
    }
}
