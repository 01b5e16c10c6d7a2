//! Limits on the size of land, shared by recipes, the command line, resizing and the panel.

use std::ops::RangeInclusive;

use crate::grid::UNITS;

/// Accepted metres between the samples of a recipe.
pub const CELLS: RangeInclusive<f32> = 0.001..=1_000_000.0;

/// Accepted samples along each side of a recipe. Of land with more than
/// [`MAX_SAMPLES`](crate::MAX_SAMPLES) in all only windows can be made.
pub const SIDES: RangeInclusive<u32> = 1..=65_536;

/// Accepted coordinates of a viewpoint, in metres from the centre of the land.
pub const PLACES: RangeInclusive<f32> = -1e11..=1e11;

/// Checks a number of columns and rows; the error is the message.
pub(super) fn check_size((width, depth): (u32, u32)) -> Result<(), String> {
    if SIDES.contains(&width) && SIDES.contains(&depth) {
        return Ok(());
    }
    let (low, high) = (SIDES.start(), SIDES.end());
    Err(format!("{width}×{depth} is outside {low} to {high} samples a side"))
}

/// Checks the unit of endless land; the error is the message.
pub(super) fn check_unit(unit: f32) -> Result<(), String> {
    if UNITS.contains(&unit) {
        return Ok(());
    }
    Err(format!("{unit} is outside {} to {} m", UNITS.start(), UNITS.end()))
}

/// Checks a distance between samples; the error is the message.
pub(super) fn check_cell(cell: f32) -> Result<(), String> {
    if CELLS.contains(&cell) {
        return Ok(());
    }
    Err(format!("{cell} is outside {} to {} m between samples", CELLS.start(), CELLS.end()))
}
