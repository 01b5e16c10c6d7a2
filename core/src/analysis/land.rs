//! The land that factors are measured on.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::steps::water::{Course, WaterBuffer};

/// Ground with its water.
#[derive(Clone, Copy)]
pub struct Land<'a> {
    /// The ground.
    pub field: &'a Heightfield,
    /// The height of the sea in metres, if there is one.
    pub sea_level: Option<f32>,
    /// The rivers that were made for the field.
    pub rivers: &'a [Course],
    /// The depth of all water on the samples in metres, if it is known already. A part of a land has this and
    /// no `rivers`, whose courses belong to all of the land.
    pub depths: Option<&'a Heightfield>,
}

impl<'a> Land<'a> {
    /// A land without any water.
    pub fn dry(field: &'a Heightfield) -> Self {
        Self { field, sea_level: None, rivers: &[], depths: None }
    }

    /// The water on it: that of the known depths, or of its sea and its rivers.
    ///
    /// # Errors
    /// As [`WaterBuffer::new`].
    pub(crate) fn water(&self, work: &Work) -> Result<WaterBuffer> {
        match self.depths {
            Some(depths) => WaterBuffer::of_depths(self.field, depths.heights().to_vec(), work),
            None => WaterBuffer::new(self.field, self.sea_level, self.rivers, work),
        }
    }
}
