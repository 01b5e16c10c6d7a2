//! Large land, of which drainage is found on fewer samples.

use std::borrow::Cow;

use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// Samples of a side, at most: of a larger land every second, third … sample.
const MAX_SIDE: usize = 2049;

/// The land itself, or every second, third … sample of a large one with a remark that says so.
pub(super) fn thinned(field: &Heightfield) -> Result<(Cow<'_, Heightfield>, Option<String>)> {
    let whole = field.grid();
    let step = whole.longer().div_ceil(MAX_SIDE);
    if step <= 1 {
        return Ok((Cow::Borrowed(field), None));
    }
    let thin = every(field, step)?;
    let Grid { width, depth, .. } = thin.grid();
    let remark = format!(
        "One in {step} columns and rows was looked at, {width} × {depth} of {} × {} samples.",
        whole.width, whole.depth
    );
    Ok((Cow::Owned(thin), Some(remark)))
}

/// Every `step`-th sample of a land.
fn every(field: &Heightfield, step: usize) -> Result<Heightfield> {
    let Grid { width, depth, cell } = field.grid();
    let grid = Grid::new(width.div_ceil(step), depth.div_ceil(step), cell * step as f32)?;
    Ok(Heightfield::from_fn(grid, |column, row| field.at(column * step, row * step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_land_has_the_same_heights_farther_apart() {
        let land =
            Heightfield::from_fn(Grid::new(7, 4, 5.0).unwrap(), |column, row| (10 * row + column) as f32);
        let thin = every(&land, 3).unwrap();
        assert_eq!(thin.grid(), Grid::new(3, 2, 15.0).unwrap());
        assert_eq!(thin.heights(), [0.0, 3.0, 6.0, 30.0, 33.0, 36.0]);
    }
}
