//! The plain grid: two triangles for every cell, or for every block of cells.

use super::{Bound, Triangulation};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, memory};

/// Bytes of a vertex and its two triangles.
const BYTES_A_VERTEX: u64 = 8 + 24;

/// All samples of a field with at least 2 along either side; if that makes too many triangles, every n-th
/// column and row for the smallest n that does not, and the last ones.
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
            // The diagonal from north-east to south-west, as everywhere in the crate.
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
