//! Bilinear resampling: straight lines from sample to sample, along rows and along columns.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::resize::taps::{Tap, resample};

/// Resamples `field` to `grid`; the first and last samples of both coincide. Heights stay within their
/// range; slopes have creases at the old samples.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn bilinear(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let spread = |from: usize, to| Tap::spread([0, from - 1], from, to, straight);
    let from = field.grid();
    resample(field, grid, &spread(from.width, grid.width), &spread(from.depth, grid.depth), work)
}

/// Stretches `field` over all of a land and resamples the part of it in a region. On endless land the field
/// covers the unit at the origin.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn bilinear_over(field: &Heightfield, region: &Region, work: &Work) -> Result<Heightfield> {
    let from = field.grid();
    let columns = Tap::spread_over(region, 0, from.width, straight);
    let rows = Tap::spread_over(region, 1, from.depth, straight);
    resample(field, region.grid(), &columns, &rows, work)
}

pub(super) fn straight(t: f64) -> [f64; 4] {
    [0.0, 1.0 - t, t, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_samples_lies_the_line_from_one_to_the_other() -> Result<()> {
        let field = Heightfield::new(Grid::new(3, 1, 2.0)?, vec![0.0, 8.0, 4.0])?;
        let finer = bilinear(&field, Grid::new(9, 1, 0.5)?, &Work::new())?;
        assert_eq!(finer.heights(), [0.0, 2.0, 4.0, 6.0, 8.0, 7.0, 6.0, 5.0, 4.0]);
        Ok(())
    }
}
