//! Resampling from a part of a field that is not in memory as a whole, with the bits that all of it would
//! give.

use super::bilinear;
use super::taps::{Tap, resample_into};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::math::spline;

/// Reads a rectangle of a field, row by row: its first column and row, and its columns and rows.
pub(crate) type FetchPart<'a> = dyn Fn([u32; 2], [u32; 2]) -> Result<Vec<f32>> + 'a;

/// As [`SplineSurface::over`](super::SplineSurface::over), from the control points of all the land, of which
/// a part is fetched. There are `size` of them along x and z.
///
/// # Errors
/// Those of `fetch`; when heights become infinite; [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn spline_over_part(
    size: [u32; 2],
    region: &Region,
    fetch: &FetchPart<'_>,
    work: &Work,
) -> Result<Heightfield> {
    over_part(size, region, spline::bspline, fetch, work)
}

/// As [`bilinear_over`](super::bilinear_over), from a field of `size` samples of which a part is fetched.
///
/// # Errors
/// Those of `fetch`; [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn bilinear_over_part(
    size: [u32; 2],
    region: &Region,
    fetch: &FetchPart<'_>,
    work: &Work,
) -> Result<Heightfield> {
    over_part(size, region, bilinear::straight, fetch, work)
}

fn over_part(
    size: [u32; 2],
    region: &Region,
    weights: impl Fn(f64) -> [f64; 4],
    fetch: &FetchPart<'_>,
    work: &Work,
) -> Result<Heightfield> {
    let mut taps = [0, 1].map(|axis| Tap::spread_over(region, axis, size[axis] as usize, &weights));
    let spans = taps.each_mut().map(|taps| Tap::count_from_first(taps));
    let [width, depth] = spans.map(|(_, count)| count as usize);
    let part = fetch(spans.map(|(first, _)| first), spans.map(|(_, count)| count))?;
    let part = Heightfield::new(Grid::new(width, depth, region.domain().cell())?, part)?;
    let mut heights = Heightfield::flat(region.grid(), 0.0);
    resample_into(&part, &mut heights, &taps[0], &taps[1], work)?;
    Ok(heights)
}

/// As [`samples_of`](super::samples_of), for a region of level 0 or coarser of a land whose samples of level
/// `level` are fetched, where `level` is not coarser than the region's. Strips bound the memory: of a coarse
/// region few samples are kept of all that are fetched.
///
/// # Errors
/// Those of `fetch`; [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn samples_of_part(
    level: i32,
    region: &Region,
    fetch: &FetchPart<'_>,
    work: &Work,
) -> Result<Heightfield> {
    /// Samples that are fetched together.
    const STRIP: usize = 1 << 22;

    let (grid, apart) = (region.grid(), 1usize << (region.level() - level));
    let first = [0, 1].map(|axis| (region.window().first[axis] << (region.level() - level)) as u32);
    let width = (grid.width - 1) * apart + 1;
    let rows_at_once = (STRIP / width / apart).clamp(1, grid.depth);
    let mut samples = Vec::with_capacity(grid.count());
    for row in (0..grid.depth).step_by(rows_at_once) {
        work.check()?;
        let rows = rows_at_once.min(grid.depth - row);
        let size = [width as u32, ((rows - 1) * apart + 1) as u32];
        let part = fetch([first[0], first[1] + (row * apart) as u32], size)?;
        for line in part.chunks_exact(width).step_by(apart) {
            samples.extend(line.iter().step_by(apart));
        }
    }
    Heightfield::new(grid, samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Domain, Window};
    use crate::resize::{SplineSurface, bilinear_over, samples_of};

    #[test]
    fn parts_give_the_bits_of_the_whole() -> Result<()> {
        let grid = Grid::new(37, 23, 3.0)?;
        let field = Heightfield::from_fn(grid, |column, row| ((column * 31 + row * 17) % 29) as f32);
        let (domain, work) = (Domain::of(grid), Work::new());
        let surface = SplineSurface::through(&field, &work)?;
        let of = |field: &Heightfield, first: [u32; 2], size: [u32; 2]| {
            let [column, row] = first.map(|first| first as usize);
            let [width, depth] = size.map(|side| side as usize);
            let rows = row..row + depth;
            Ok(rows.flat_map(|row| field.row(row)[column..column + width].to_vec()).collect::<Vec<_>>())
        };
        let size = [37, 23];
        for window in ["-2:0,0,145x89", "-2:70,31,40x9", "-1:72,44,1x1", "-3:1,2,3x170"] {
            let region = domain.region(window.parse::<Window>()?)?;
            let points = |first, size| of(surface.control_points(), first, size);
            let found = spline_over_part(size, &region, &points, &work)?;
            assert_eq!(found, surface.over(&region, &work)?, "{window}");
            let found = bilinear_over_part(size, &region, &|first, size| of(&field, first, size), &work)?;
            assert_eq!(found, bilinear_over(&field, &region, &work)?, "{window}");
        }
        for window in ["0:0,0,37x23", "0:5,6,7x8", "2:1,1,9x5", "5:0,0,2x1"] {
            let region = domain.region(window.parse::<Window>()?)?;
            let found = samples_of_part(0, &region, &|first, size| of(&field, first, size), &work)?;
            assert_eq!(found, samples_of(&field, &region, &work)?, "{window}");
        }
        Ok(())
    }
}
