//! A finished landscape: the result of building a recipe.

use crate::compute::work::{StageTime, Work};
use crate::error::Result;
use crate::grid::{Heightfield, Layers};
use crate::steps::water::{Course, WaterBuffer};
use crate::texture::{ColourMap, GroundCover};

/// A heightfield with its colours, water and notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    /// The ground.
    pub heightfield: Heightfield,
    /// The colours of the ground.
    pub colour: ColourMap,
    /// Which terrain types lie where, for detail near the eye; `None` if unknown.
    pub cover: Option<GroundCover>,
    /// Height of the sea in metres; `None` for a land without one.
    pub sea_level: Option<f32>,
    /// Courses of the rivers.
    pub rivers: Vec<Course>,
    /// The layers that the ground's terrain types depend on.
    pub layers: Layers,
    /// Notes for the user, such as that a mask was resampled, or that a tile's edges don't match.
    pub notes: Vec<String>,
    /// How long each stage of the build took, in order; empty if not measured. Of a landscape that
    /// was kept since an earlier build, of that build.
    pub stages: Vec<StageTime>,
}

impl Landscape {
    /// Dry land with these colours and nothing else.
    pub fn new(heightfield: Heightfield, colour: ColourMap) -> Self {
        Self {
            heightfield,
            colour,
            cover: None,
            sea_level: None,
            rivers: Vec::new(),
            layers: Default::default(),
            notes: Vec::new(),
            stages: Vec::new(),
        }
    }

    /// Depth of the sea and the rivers, and how much of their water reaches plants. Computed at every call.
    ///
    /// # Errors
    /// As [`WaterBuffer::new`].
    pub fn water(&self, work: &Work) -> Result<WaterBuffer> {
        WaterBuffer::new(&self.heightfield, self.sea_level, &self.rivers, work)
    }
}
