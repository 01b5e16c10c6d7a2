//! The land that factors are measured on.

use crate::grid::Heightfield;
use crate::steps::water::Course;

/// Ground with its water.
#[derive(Clone, Copy)]
pub struct Land<'a> {
    /// The ground.
    pub field: &'a Heightfield,
    /// The height of the sea in metres, if there is one.
    pub sea_level: Option<f32>,
    /// The rivers that were made for the field.
    pub rivers: &'a [Course],
}

impl<'a> Land<'a> {
    /// A land without any water.
    pub fn dry(field: &'a Heightfield) -> Self {
        Self { field, sea_level: None, rivers: &[] }
    }
}
