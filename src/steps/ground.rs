//! What steps work on: the heights, and the rivers that run over them.

use crate::grid::{Grid, Heightfield};
use crate::steps::water::Course;

/// Land in the making.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    /// The heights in metres.
    pub heights: Heightfield,
    /// Where water runs, one course for each river, in the order in which they were dug.
    pub rivers: Vec<Course>,
}

impl Ground {
    /// Land of these heights, without rivers.
    pub fn new(heights: Heightfield) -> Self {
        Self { heights, rivers: Vec::new() }
    }

    /// Level ground at height 0, as the first step of a recipe finds it.
    pub fn level(grid: Grid) -> Self {
        Self::new(Heightfield::flat(grid, 0.0))
    }

    /// The grid of the heights and of all that lies on them.
    pub fn grid(&self) -> Grid {
        self.heights.grid()
    }
}
