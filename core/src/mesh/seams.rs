//! Seams: the sides at which tiles of one land meet.
//!
//! Two tiles share the samples of their common side, and their triangles must meet there without a crack,
//! although neither knows the other. So the vertices of a seam follow from the heights along it alone, as in
//! Douglas & Peucker, "Algorithms for the Reduction of the Number of Points Required to Represent a Digitized
//! Line", The Canadian Cartographer 10, 1973: the sample farthest from the line between two vertices becomes
//! a vertex, too, as long as it is farther than allowed.

use crate::error::{Error, Result};
use crate::grid::{Heightfield, MAX_SAMPLES};

/// A seam is kept within this share of the allowed error, so that a triangle's plane, which is computed
/// differently, stays within all of it.
const KEPT: f64 = 1.0 - 1e-6;

/// Which sides of a field are seams, where a neighbouring tile continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seams {
    /// The first row.
    pub north: bool,
    /// The last column.
    pub east: bool,
    /// The last row.
    pub south: bool,
    /// The first column.
    pub west: bool,
}

impl Seams {
    /// The seams of the tile in this column and row, among this many columns and rows of tiles.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::mesh::Seams;
    /// let corner = Seams::of_tile([0, 0], [2, 3]);
    /// assert_eq!(corner, Seams { east: true, south: true, ..Seams::default() });
    /// ```
    pub fn of_tile([column, row]: [usize; 2], [columns, rows]: [usize; 2]) -> Self {
        let is_last = |place: usize, count: usize| place >= count.saturating_sub(1);
        Self { north: row > 0, east: !is_last(column, columns), south: !is_last(row, rows), west: column > 0 }
    }

    /// Whether there are any.
    pub(super) fn any(self) -> bool {
        self != Self::default()
    }

    /// Whether a sample (column, row) lies on a seam of a field with this last column and row.
    pub(super) fn touch(self, [column, row]: [u32; 2], [east, south]: [u32; 2]) -> bool {
        self.west && column == 0
            || self.east && column == east
            || self.north && row == 0
            || self.south && row == south
    }

    /// The samples of the seams that become vertices, within an error in metres; corners may be among them.
    pub(super) fn vertices(self, field: &Heightfield, error: f64) -> Vec<[u32; 2]> {
        let (east, south) = (field.grid().width - 1, field.grid().depth - 1);
        let mut vertices = Vec::new();
        for (is_seam, row) in [(self.north, 0), (self.south, south)] {
            if is_seam {
                let along = simplified(field.row(row), error * KEPT);
                vertices.extend(along.into_iter().map(|column| [column as u32, row as u32]));
            }
        }
        for (is_seam, column) in [(self.west, 0), (self.east, east)] {
            if is_seam {
                let heights: Vec<f32> = (0..=south).map(|row| field.at(column, row)).collect();
                let along = simplified(&heights, error * KEPT);
                vertices.extend(along.into_iter().map(|row| [column as u32, row as u32]));
            }
        }
        vertices
    }
}

/// The indices of heights such that straight lines between neighbouring ones pass within `error` of the
/// others.
fn simplified(heights: &[f32], error: f64) -> Vec<usize> {
    let mut kept = vec![0];
    // The parts that remain to be examined, the first on top.
    let mut pending = vec![(0, heights.len() - 1)];
    while let Some((first, last)) = pending.pop() {
        let (from, to) = (f64::from(heights[first]), f64::from(heights[last]));
        let slope = (to - from) / (last - first).max(1) as f64;
        let off = |index: usize| (f64::from(heights[index]) - (from + slope * (index - first) as f64)).abs();
        let mut farthest = (error, None);
        for index in first + 1..last {
            let off = off(index);
            if off > farthest.0 {
                farthest = (off, Some(index));
            }
        }
        match farthest.1 {
            // In reverse, so that the first part is on top of the stack and vertices come out in order.
            Some(index) => pending.extend([(index, last), (first, index)]),
            None => kept.push(last),
        }
    }
    kept
}

/// Where the tiles of a land begin and end: `count` parts of `samples` samples, as equal as possible, with
/// neighbours sharing one. Returns the first sample of each, and the last of all.
///
/// ```
/// # use upland_core as upland;
/// assert_eq!(upland::mesh::tile_borders(1025, 2)?, [0, 512, 1024]);
/// assert_eq!(upland::mesh::tile_borders(6, 2)?, [0, 2, 5]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When there are no tiles, or more tiles than cells.
pub fn tile_borders(samples: usize, count: usize) -> Result<Vec<usize>> {
    let cells = samples.saturating_sub(1);
    let most = cells.min(MAX_SAMPLES);
    if count == 0 || count > most {
        let reason = format!(
            "{samples} samples cannot be cut into {count} tiles a side; give from 1 to {}",
            most.max(1)
        );
        return Err(Error::parameter("tiles", reason));
    }
    Ok((0..=count).map(|index| (index as u128 * cells as u128 / count as u128) as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_samples_farther_than_the_error() {
        assert_eq!(simplified(&[0.0, 1.0, 2.0, 3.0], 1e-9), [0, 3]);
        assert_eq!(simplified(&[0.0, 5.0, 0.0, 0.0, 0.2, 0.0], 0.5), [0, 1, 2, 5]);
        assert_eq!(simplified(&[0.0, 5.0, 0.0, 0.0, 0.2, 0.0], 0.1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(simplified(&[7.0, 9.0], 0.1), [0, 1]);
    }

    #[test]
    fn more_tiles_than_cells_are_refused() {
        assert!(tile_borders(5, 0).is_err() && tile_borders(5, 5).is_err() && tile_borders(1, 1).is_err());
        assert_eq!(tile_borders(5, 4).ok(), Some(vec![0, 1, 2, 3, 4]));
    }
}
