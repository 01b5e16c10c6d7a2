//! Heights in 16 bits: the range over which they are stretched. All commands have the same rule: the range
//! that `--to-range` gives, or else from the lowest to the highest height of all the land, even if only a
//! window of it is written; whole numbers from 0 to 65535 stay as they are.

use std::path::Path;

use super::land;
use super::report::note;
use crate::compute::work::Work;
use crate::elevation::formats;
use crate::elevation::windows::ElevationFile;
use crate::error::Result;
use crate::grid::{Heightfield, Window};
use crate::recipe::Recipe;

/// The range for a part of a recipe's land that is written to `path`: of its heights, or of the layer called
/// `layer`. `None` where it follows from the written values themselves.
pub(super) fn of_land(
    path: &Path,
    asked: Option<(f32, f32)>,
    (recipe, layer, window): (&Recipe, Option<&str>, Option<Window>),
    work: &Work,
) -> Result<Option<(f32, f32)>> {
    let Some(window) = window.filter(|_| asked.is_none() && formats::is_in_16_bits(path)) else {
        return Ok(asked);
    };
    if recipe.domain()?.is_endless() {
        note(&format!(
            "{}: endless land has no lowest and highest height, so that this window is stretched by its own; give \
             --to-range for windows that match",
            path.display()
        ));
        return Ok(None);
    }
    // All of the land is made for a window, so that windows written one by one match at their borders.
    let all = match layer {
        Some(name) => land::layer(recipe, name, None, work)?,
        None => land::heights(recipe, None, work)?,
    };
    // In finer windows there are other values between whole numbers.
    Ok(if window.level < 0 { Some(all.range()) } else { formats::stretch(all.heights()) })
}

/// The range for a window of a file that is written to `path`.
pub(super) fn of_file(
    path: &Path,
    asked: Option<(f32, f32)>,
    file: &ElevationFile,
    work: &Work,
) -> Result<Option<(f32, f32)>> {
    if asked.is_some() || !formats::is_in_16_bits(path) {
        return Ok(asked);
    }
    file.stretch(work)
}

/// Clamps heights to a range that was measured on the land at its own spacing: finer windows have detail that
/// may reach a little beyond it. A range that the user gave clamps nothing: heights beyond it are an error.
pub(super) fn fitted(
    path: &Path,
    field: Heightfield,
    asked: Option<(f32, f32)>,
    range: Option<(f32, f32)>,
) -> Result<Heightfield> {
    let Some((low, high)) = range.filter(|_| asked.is_none()) else { return Ok(field) };
    let is_beyond = |height: &f32| !(low..=high).contains(height);
    let count = field.heights().iter().filter(|height| is_beyond(height)).count();
    if count == 0 {
        return Ok(field);
    }
    note(&format!(
        "{}: {count} of {} heights lie beyond those of the land at its own spacing, {low} to {high} m, and were cut \
         to them; --to-range gives a wider range",
        path.display(),
        field.grid().count()
    ));
    let grid = field.grid();
    let heights = field.into_heights().into_iter().map(|height| height.clamp(low, high)).collect();
    Heightfield::new(grid, heights)
}
