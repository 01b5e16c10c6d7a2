//! What the texture section knows about the land, and how it writes elevations and slopes.

use std::cell::Cell;
use std::path::Path;

use super::histogram::GroundHistogram;
use crate::plugin::Quality;
use crate::texture::{ElevationUnit, Texture};

/// The section's knowledge of the land.
pub(super) struct LandInfo<'a> {
    /// The distribution of heights and slopes, once computed.
    pub histogram: Option<&'a GroundHistogram>,
    /// Height of its sea, metres.
    pub sea_level: Option<f32>,
    /// The folder that relative paths of pictures start from.
    pub folder: &'a Path,
    /// The quality that the window draws with.
    pub quality: Quality,
    /// A quality that shows what the present one hides, if the user requests it.
    pub better: Cell<Option<Quality>>,
}

impl LandInfo<'_> {
    /// The lowest and highest point in metres; a guess while they are unknown.
    pub fn range(&self) -> (f32, f32) {
        let (low, high) = self.histogram.map_or((0.0, 1000.0), |histogram| histogram.height.range);
        if high > low { (low, high) } else { (low, low + 1.0) }
    }

    /// Like [`range`](Self::range), in the texture's unit.
    pub fn range_in_unit(&self, texture: &Texture) -> (f32, f32) {
        let (low, high) = self.range();
        let in_unit = |metres| texture.elevation_from_metres(metres, (low, high), self.sea_level);
        (in_unit(low), in_unit(high))
    }

    /// Converts an elevation from the texture's unit to metres.
    pub fn metres(&self, texture: &Texture, elevation: f32) -> f32 {
        let ((low, high), (from, to)) = (self.range(), self.range_in_unit(texture));
        low + (elevation - from) / (to - from) * (high - low)
    }
}

/// An elevation in the texture's unit, as text.
pub(super) fn elevation_text(unit: ElevationUnit, value: f32) -> String {
    let text = match unit {
        ElevationUnit::Metres if value.abs() < 9.95 => format!("{value:.1} m"),
        ElevationUnit::Metres => format!("{value:.0} m"),
        ElevationUnit::Share => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    text.replace('-', "−")
}

/// A slope in degrees, as text.
pub(super) fn slope_text(value: f32) -> String {
    let text = format!("{value:.1}");
    format!("{}°", text.trim_end_matches(".0"))
}
