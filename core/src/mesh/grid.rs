//! The plain grid: two triangles for every cell, or for every block of cells.

use super::scan::worst;
use super::{Bound, Triangulation};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, memory};

/// Bytes of a vertex and its two triangles.
const BYTES_A_VERTEX: u64 = 8 + 24;

/// All samples of a field with at least 2 along either side. If that makes too many triangles, every n-th
/// column and row, for the smallest n that doesn't, and the last ones.
///
/// # Errors
/// When there is too little memory, and [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn triangulate(field: &Heightfield, bound: Bound, work: &Work) -> Result<Triangulation> {
    let grid = field.grid();
    let step = match bound {
        Bound::Error(_) => 1,
        Bound::Triangles(most) => step_for(grid, most),
    };
    let columns = lines(grid.width, step);
    let rows = lines(grid.depth, step);
    memory::require(grid, (columns.len() * rows.len()) as u64 * BYTES_A_VERTEX)?;
    work.stage("triangulate", rows.len());
    let mut points = Vec::with_capacity(columns.len() * rows.len());
    let mut triangles = Vec::with_capacity(2 * (columns.len() - 1) * (rows.len() - 1));
    let across = columns.len() as u32;
    for (number, &row) in rows.iter().enumerate() {
        work.check()?;
        work.advance(1);
        points.extend(columns.iter().map(|&column| [column, row]));
        if number > 0 {
            // The diagonal from north-east to south-west, as everywhere in this crate.
            triangles.extend((1..across).flat_map(|column| {
                let south_east = number as u32 * across + column;
                let (south_west, north_east) = (south_east - 1, south_east - across);
                [[north_east - 1, south_west, north_east], [south_east, north_east, south_west]]
            }));
        }
    }
    let mut triangulation = Triangulation { grid, points, triangles, error: 0.0 };
    if step > 1 {
        triangulation.error = triangulation.measure(field, work)?;
    }
    Ok(triangulation)
}

/// The largest vertical distance, in metres, of a field's samples from a patch of a grid that has every
/// `step`-th of them along either side: `quads` by `quads`, starting at a column and row. Quads that lie
/// partly outside the field are left out.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn patch_error(
    field: &Heightfield,
    [column, row]: [i64; 2],
    step: u32,
    quads: u32,
    work: &Work,
) -> Result<f64> {
    let Grid { width, depth, .. } = field.grid();
    let inside = |from: i64, samples: usize| {
        let from = (0..quads).map(move |quad| from + i64::from(quad) * i64::from(step));
        from.filter(move |&from| from >= 0 && from + i64::from(step) < samples as i64).map(|from| from as u32)
    };
    let mut largest = 0.0f64;
    for north in inside(row, depth) {
        for west in inside(column, width) {
            let (south, east) = (north + step, west + step);
            for triangle in
                [[[west, north], [west, south], [east, north]], [[east, south], [east, north], [west, south]]]
            {
                largest = largest.max(worst(field, triangle, work)?.error);
            }
        }
    }
    Ok(largest)
}

/// The smallest distance between lines, in samples, that makes at most `most` triangles.
fn step_for(grid: Grid, most: usize) -> usize {
    let blocks =
        |step: usize| (grid.width - 1).div_ceil(step) as u64 * (grid.depth - 1).div_ceil(step) as u64;
    // Larger steps never make more blocks.
    let (mut too_small, mut enough) = (0, grid.longer());
    while enough - too_small > 1 {
        let step = too_small + (enough - too_small) / 2;
        if 2 * blocks(step) <= most as u64 { enough = step } else { too_small = step }
    }
    enough
}

/// Every `step`-th of `count` indices, and the last.
fn lines(count: usize, step: usize) -> Vec<u32> {
    (0..count - 1).step_by(step).chain([count - 1]).map(|index| index as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_error_of_its_grid() {
        let grid = Grid::new(41, 33, 2.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| ((column * column + 3 * row) % 17) as f32);
        let error = |first, step, quads| patch_error(&field, first, step, quads, &Work::new()).unwrap();
        assert_eq!(error([0, 0], 1, 40), 0.0);
        // Quads of 8 cells: 5 along x, 4 along z.
        let coarse = triangulate(&field, Bound::Triangles(40), &Work::new()).unwrap();
        assert_eq!(coarse.triangles.len(), 40);
        assert_eq!(error([0, 0], 8, 5), coarse.error);
        let parts = [[0, 0], [16, 0], [32, 0], [0, 16], [16, 16], [32, 16]];
        assert_eq!(parts.map(|first| error(first, 8, 2)).into_iter().fold(0.0, f64::max), coarse.error);
        assert_eq!(error([40, 0], 8, 2), 0.0);
        assert_eq!(error([-8, -8], 8, 3), error([0, 0], 8, 2));
    }

    #[test]
    fn steps_are_the_smallest_that_suffice() {
        let grid = Grid::new(101, 51, 1.0).unwrap();
        for (most, step) in
            [(10_000, 1), (9_999, 2), (2_500, 2), (2, 100), (3, 100), (4, 50), (usize::MAX, 1)]
        {
            assert_eq!(step_for(grid, most), step, "{most}");
        }
        assert_eq!(lines(8, 3), [0, 3, 6, 7]);
        assert_eq!(lines(7, 3), [0, 3, 6]);
        assert_eq!(lines(2, 100), [0, 1]);
    }
}
