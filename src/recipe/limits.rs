//! How large a land may be: what a recipe, the command line, resizing and the panel accept alike.

use std::ops::RangeInclusive;

use crate::grid::{MAX_SAMPLES, UNITS};

/// Metres that may lie between the samples of a recipe.
pub const CELLS: RangeInclusive<f32> = 0.001..=1_000_000.0;

/// Samples that a recipe may have along each side; at most [`MAX_SAMPLES`] in all.
pub const SIDES: RangeInclusive<u32> = 1..=65_536;

/// Metres from the middle of the land along each axis at which an eye may be.
pub const PLACES: RangeInclusive<f32> = -1e11..=1e11;

/// What is wrong with a number of columns and of rows, if anything.
pub(super) fn check_size((width, depth): (u32, u32)) -> Result<(), String> {
    let count = u64::from(width) * u64::from(depth);
    if SIDES.contains(&width) && SIDES.contains(&depth) && count <= MAX_SAMPLES as u64 {
        return Ok(());
    }
    let (low, high) = (SIDES.start(), SIDES.end());
    Err(format!("{width}×{depth} is outside {low} to {high} samples a side, {MAX_SAMPLES} in all"))
}

/// What is wrong with a unit of endless land, if anything.
pub(super) fn check_unit(unit: f32) -> Result<(), String> {
    if UNITS.contains(&unit) {
        return Ok(());
    }
    Err(format!("{unit} is outside {} to {} m", UNITS.start(), UNITS.end()))
}

/// What is wrong with a distance between samples, if anything.
pub(super) fn check_cell(cell: f32) -> Result<(), String> {
    if CELLS.contains(&cell) {
        return Ok(());
    }
    Err(format!("{cell} is outside {} to {} m between samples", CELLS.start(), CELLS.end()))
}
