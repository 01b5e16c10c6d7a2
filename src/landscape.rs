//! A finished landscape: what a recipe is built into and what is shown.

use crate::heightfield::Heightfield;
use crate::texture::ColourMap;

/// A heightfield with all that was made for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    /// The ground.
    pub heightfield: Heightfield,
    /// What the ground wears.
    pub colour: ColourMap,
    /// Everything below this height in metres is under water; `None` for a dry land.
    pub sea_level: Option<f32>,
    /// How long each stage of its making took, in order; empty when nobody measured.
    pub stages: Vec<StageTime>,
}

/// How long a stage of some work took.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTime {
    /// What was done, for people.
    pub name: String,
    /// Seconds of wall clock.
    pub seconds: f32,
}
