//! What the caller decides about a file that is read.

use super::channel::HeightChannel;
use super::raw::raw_layout::RawLayout;
use crate::elevation::map::MapUnit;
use crate::error::{Error, Result};

/// Options for reading, where a format leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// What is read as height from an image with several channels; by default it depends on the file.
    pub channel: HeightChannel,
    /// Columns and rows of a file without a header, such as `.r16`; square by default.
    pub size: Option<(usize, usize)>,
    /// The heights, in metres, of the values 0 and 65535 of a 16-bit grey image or an `.r16`, of black and
    /// white of an 8-bit grey PNG, or of the lowest and the highest number of another raw type of whole
    /// numbers. By default those that the file gives; without these, the stored numbers are the heights.
    pub range: Option<(f32, f32)>,
    /// The layout of the numbers in a file without a header.
    pub raw: RawLayout,
    /// The unit of the coordinates, instead of what the file says or what is guessed.
    pub map_unit: Option<MapUnit>,
    /// Metres in a unit of the heights, instead of what the file says; finite and above 0.
    pub height_unit: Option<f64>,
    /// Metres between samples on the ground, instead of what the file says; finite and above 0.
    pub cell: Option<f64>,
}

impl ReadOptions {
    /// Refuses numbers that are not sizes.
    pub(in crate::elevation) fn check(&self) -> Result<()> {
        let map_unit = match self.map_unit {
            Some(MapUnit::Metres(metres)) => Some(metres),
            Some(MapUnit::Degrees) | None => None,
        };
        for (name, size) in [("map_unit", map_unit), ("height_unit", self.height_unit), ("cell", self.cell)] {
            if let Some(size) = size.filter(|size| !(size.is_finite() && *size > 0.0)) {
                return Err(Error::parameter(name, format!("{size} m is not a size; give a number above 0")));
            }
        }
        Ok(())
    }
}
