//! All water of a land: its sea, its rivers and its lakes.

use super::{Course, Lake};
use crate::error::Result;
use crate::grid::Grid;

/// The water of a land. Where several of them meet, the highest surface is that of the water.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waters<'a> {
    /// Height of the sea in metres, if there is one.
    pub sea_level: Option<f32>,
    /// Courses of the rivers.
    pub rivers: &'a [Course],
    /// The lakes.
    pub lakes: &'a [Lake],
}

impl Waters<'_> {
    /// Refuses land of another grid than that for which rivers and lakes were made.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter).
    pub(super) fn check_grid(&self, land: Grid) -> Result<()> {
        self.rivers.iter().try_for_each(|river| river.check_grid(land))?;
        self.lakes.iter().try_for_each(|lake| lake.check_grid(land))
    }
}
