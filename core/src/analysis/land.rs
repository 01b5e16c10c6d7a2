//! The land that factors are measured on.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::steps::water::{Course, Lake, WaterBuffer, Waters};

/// Ground with its water.
#[derive(Clone, Copy)]
pub struct Land<'a> {
    /// The ground.
    pub field: &'a Heightfield,
    /// The height of the sea in metres, if there is one.
    pub sea_level: Option<f32>,
    /// The rivers that were made for the field.
    pub rivers: &'a [Course],
    /// The lakes that were found on the field.
    pub lakes: &'a [Lake],
    /// The depth of all water on the samples in metres, if it is known already. A part of a land has this,
    /// and neither `rivers` nor `lakes`, which belong to all of the land.
    pub depths: Option<&'a Heightfield>,
}

impl<'a> Land<'a> {
    /// A land without any water.
    pub fn dry(field: &'a Heightfield) -> Self {
        Self { field, sea_level: None, rivers: &[], lakes: &[], depths: None }
    }

    /// Its water, known depths aside.
    pub(crate) fn waters(&self) -> Waters<'a> {
        Waters { sea_level: self.sea_level, rivers: self.rivers, lakes: self.lakes }
    }

    /// The water on it: that of the known depths, or of its sea, its rivers and its lakes.
    ///
    /// # Errors
    /// As [`WaterBuffer::new`].
    pub(crate) fn water(&self, work: &Work) -> Result<WaterBuffer> {
        match self.depths {
            Some(depths) => WaterBuffer::of_depths(self.field, depths.heights().to_vec(), work),
            None => WaterBuffer::of(self.field, self.waters(), work),
        }
    }
}
