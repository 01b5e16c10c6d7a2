//! A finished landscape: what a recipe is built into and what is shown.

use crate::compute::work::{StageTime, Work};
use crate::error::Result;
use crate::grid::{Heightfield, Layers};
use crate::steps::water::{Course, WaterBuffer};
use crate::texture::{ColourMap, GroundCover};

/// A heightfield with all that was made for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    /// The ground.
    pub heightfield: Heightfield,
    /// What the ground wears.
    pub colour: ColourMap,
    /// Which terrain types lie where, for detail near the eye; `None` where nobody knows.
    pub cover: Option<GroundCover>,
    /// Everything below this height in metres is under water; `None` for a dry land.
    pub sea_level: Option<f32>,
    /// Where rivers run.
    pub rivers: Vec<Course>,
    /// The layers that the ground's terrain types ask for, as steps have left them.
    pub layers: Layers,
    /// What there is to say about its making, for people: that a mask was resampled, that a tile doesn't
    /// tile.
    pub notes: Vec<String>,
    /// How long each stage of its making took, in order; empty when nobody measured.
    pub stages: Vec<StageTime>,
}

impl Landscape {
    /// Dry land in these colours, of which nothing else is known.
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

    /// How deep the sea and the rivers stand, and how much of their water reaches plants. Made anew
    /// at every call.
    ///
    /// # Errors
    /// As [`WaterBuffer::new`].
    pub fn water(&self, work: &Work) -> Result<WaterBuffer> {
        WaterBuffer::new(&self.heightfield, self.sea_level, &self.rivers, work)
    }
}
