//! Catmull-Rom resampling: cubics through the samples, along rows and along columns ("A class of local
//! interpolating splines", 1974).

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::math::spline;
use crate::resize::taps::{SourceRows, Tap, resample, resample_limited};

/// Resamples `field` to `grid`; the first and last samples of both coincide. Planes stay planes, and
/// samples that coincide keep their height exactly. Beyond the border, samples are extrapolated linearly,
/// so that slopes are kept.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn catmull_rom(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let from = field.grid();
    let columns = Tap::spread([0, from.width - 1], from.width, grid.width, spline::catmull_rom);
    let rows = Tap::spread([0, from.depth - 1], from.depth, grid.depth, spline::catmull_rom);
    resample(field, grid, &columns, &rows, work)
}

/// The heights in `region` on the surface through `field`, the samples of a coarser region around it: see
/// [`Region::at_coarser`], with two samples more. Samples that coincide keep their height exactly.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn catmull_rom_between(
    field: &Heightfield,
    coarser: &Region,
    region: &Region,
    work: &Work,
) -> Result<Heightfield> {
    let columns = Tap::between(region, coarser, 0, spline::catmull_rom);
    let rows = Tap::between(region, coarser, 1, spline::catmull_rom);
    resample(field, region.grid(), &columns, &rows, work)
}

/// As [`catmull_rom`], limited: no height leaves the range of the 4 × 4 samples around it, so that cliffs
/// have no overshoot.
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Grid, Heightfield, Work, resize::{catmull_rom, catmull_rom_limited}};
/// let cliff = Heightfield::new(Grid::new(4, 1, 2.0)?, vec![0.0, 0.0, 100.0, 100.0])?;
/// let finer = Grid::new(7, 1, 1.0)?;
/// assert_eq!(catmull_rom(&cliff, finer, &Work::new())?.range(), (-6.25, 106.25));
/// assert_eq!(catmull_rom_limited(&cliff, finer, &Work::new())?.range(), (0.0, 100.0));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn catmull_rom_limited(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let from = field.grid();
    limited_from_rows(field.heights(), [from.width, from.depth], grid, work)
}

/// As [`catmull_rom_limited`], from `width × depth` heights, row by row.
pub(crate) fn limited_from_rows(
    heights: &[f32],
    [width, depth]: [usize; 2],
    grid: Grid,
    work: &Work,
) -> Result<Heightfield> {
    let columns = Tap::spread([0, width - 1], width, grid.width, spline::catmull_rom);
    let rows = Tap::spread([0, depth - 1], depth, grid.depth, spline::catmull_rom);
    resample_limited(SourceRows { heights, width }, grid, &columns, &rows, work)
}

/// As [`catmull_rom`], for a periodic `field` and a periodic `grid`: east of the last column comes the
/// first again, one cell away. The first samples of both coincide.
///
/// Each side of `field` must be a multiple of 4, or less than 4.
pub(crate) fn catmull_rom_around(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let from = field.grid();
    let columns = Tap::around(from.width, grid.width, spline::catmull_rom);
    let rows = Tap::around(from.depth, grid.depth, spline::catmull_rom);
    resample(field, grid, &columns, &rows, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_stay_planes_at_any_size() -> Result<()> {
        let plane = Heightfield::from_fn(Grid::new(7, 5, 10.0)?, |c, r| 3.0 * c as f32 - 2.0 * r as f32);
        for (width, depth) in [(13, 9), (7, 5), (100, 3), (2, 2), (1, 1)] {
            let resized = catmull_rom(&plane, Grid::new(width, depth, 1.0)?, &Work::new())?;
            for row in 0..depth {
                for column in 0..width {
                    let c = 6.0 * column as f32 / (width - 1).max(1) as f32;
                    let r = 4.0 * row as f32 / (depth - 1).max(1) as f32;
                    assert!((resized.at(column, row) - (3.0 * c - 2.0 * r)).abs() < 1e-4);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn samples_that_coincide_keep_their_height() -> Result<()> {
        let field = Heightfield::from_fn(Grid::new(9, 9, 1.0)?, |c, r| ((c * 7 + r * 13) % 11) as f32);
        let twice = catmull_rom(&field, Grid::new(17, 17, 0.5)?, &Work::new())?;
        for row in 0..9 {
            for column in 0..9 {
                assert_eq!(twice.at(2 * column, 2 * row), field.at(column, row));
            }
        }
        Ok(())
    }

    #[test]
    fn a_line_of_samples_can_be_resized() -> Result<()> {
        let line = Heightfield::from_fn(Grid::new(5, 1, 1.0)?, |c, _| c as f32);
        let resized = catmull_rom(&line, Grid::new(9, 3, 1.0)?, &Work::new())?;
        assert_eq!(resized.at(8, 2), 4.0);
        Ok(())
    }
}
