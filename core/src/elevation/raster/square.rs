//! Converts a raster's cells to square cells in metres.

use crate::compute::work::Work;
use crate::elevation::raster::{CellSize, Raster};
use crate::error::{Error, Result};
use crate::grid::memory;
use crate::grid::{Grid, Heightfield};
use crate::resize::limited_from_rows;

/// The largest aspect ratio of a cell. Cells in degrees reach it at latitude 89; making them square
/// multiplies the number of samples by it.
const LONGEST: f64 = 64.0;

impl Raster {
    /// The land of this raster, with square cells in metres.
    ///
    /// Cells whose sides differ, as all cells in degrees do away from the equator, are made square by
    /// resampling along their longer side: in that direction the grid gets more samples, with the first and
    /// last in place, and the other direction is unchanged. The extent changes by at most half a cell.
    /// Interpolation is Catmull-Rom limited to the heights around, so that cliffs don't overshoot. Degrees
    /// are converted at the grid's middle latitude.
    ///
    /// `default_cell`, in metres, is used where the spacing is unknown.
    ///
    /// # Errors
    /// When the cells' aspect ratio exceeds 64, or the square grid would have too many samples or need more
    /// memory than is free.
    pub fn to_heightfield(&self, default_cell: f32) -> Result<Heightfield> {
        let (width, depth) = (self.width(), self.depth());
        let square = Square::of([width, depth], self.cell(), default_cell)?;
        let grid = Grid::new(square.width, square.depth, square.cell)?;
        memory::require(grid, 4 * grid.count() as u64)?;
        if (square.width, square.depth) == (width, depth) {
            return Heightfield::new(grid, self.values().to_vec());
        }
        limited_from_rows(self.values(), [width, depth], grid, &Work::new())
    }
}

/// Square cells: how many samples there are, and the metres between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Square {
    pub(in crate::elevation) width: usize,
    pub(in crate::elevation) depth: usize,
    pub(in crate::elevation) cell: f32,
}

impl Square {
    /// The square cells for `size` samples that are `cell` apart; `default_cell`, in metres, where that is
    /// unknown.
    ///
    /// # Errors
    /// When the cells' aspect ratio exceeds 64, or the cells are too small.
    pub(in crate::elevation) fn of(
        [width, depth]: [usize; 2],
        cell: CellSize,
        default_cell: f32,
    ) -> Result<Self> {
        let Some((x, z)) = cell.in_metres() else {
            return Ok(Self { width, depth, cell: default_cell });
        };
        // The shorter side, so that no detail is lost.
        let cell = x.min(z);
        if !(cell as f32 > 0.0 && (cell as f32).is_finite()) {
            let reason = format!("{x} × {z} m is not a usable distance between samples");
            return Err(Error::parameter("cell", reason));
        }
        // Beyond that, most samples would be invented.
        if x.max(z) > LONGEST * cell {
            let times = short((x.max(z) / cell).round());
            let fact = format!("{} × {} m is {times} times as long as wide", short(x), short(z));
            let reason =
                format!("{fact}, and cells are made square; resample them to at most {LONGEST} times");
            return Err(Error::parameter("cell", reason));
        }
        let (width, depth) = (square_count(width, x / cell), square_count(depth, z / cell));
        Ok(Self { width, depth, cell: cell as f32 })
    }
}

/// A number for people: very large and very small ones in scientific notation.
fn short(number: f64) -> String {
    if (1e-4..1e9).contains(&number) { format!("{number}") } else { format!("{number:e}") }
}

/// The number of samples, at `1 / stretch` of the present spacing, that span the same length as `count`
/// samples.
fn square_count(count: usize, stretch: f64) -> usize {
    (((count - 1) as f64 * stretch).round() as usize).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raster(width: usize, depth: usize, x: f64, z: f64, height: impl Fn(usize, usize) -> f32) -> Raster {
        let values = (0..width * depth).map(|i| height(i % width, i / width)).collect();
        Raster::new(width, depth, values, CellSize::Metres { x, z }).unwrap()
    }

    #[test]
    fn a_plane_stays_that_plane_whichever_side_is_longer() {
        for (x, z) in [(10.0, 13.0), (13.0, 10.0), (10.0, 10.0), (3.0, 40.0)] {
            let plane = |c: usize, r: usize| (c as f64 * x * 0.5 - r as f64 * z * 0.25) as f32;
            let field = raster(41, 31, x, z, plane).to_heightfield(1.0).unwrap();
            let grid = field.grid();
            let (ex, ez) = (40.0 * x, 30.0 * z);
            assert!((f64::from(grid.extent().x) - ex).abs() <= f64::from(grid.cell) / 2.0);
            assert!((f64::from(grid.extent().y) - ez).abs() <= f64::from(grid.cell) / 2.0);
            for (column, row) in [(0, 0), (1, 1), (20, 15), (grid.width - 1, grid.depth - 1)] {
                let share_x = column as f64 / (grid.width - 1) as f64;
                let share_z = row as f64 / (grid.depth - 1) as f64;
                let expected = share_x * ex * 0.5 - share_z * ez * 0.25;
                assert!((f64::from(field.at(column, row)) - expected).abs() < 1e-3, "{column} {row}");
            }
        }
    }

    #[test]
    fn a_cliff_grows_no_lip() {
        let cliff = |_: usize, r: usize| if r < 10 { 100.0 } else { 0.0 };
        let field = raster(4, 20, 10.0, 33.0, cliff).to_heightfield(1.0).unwrap();
        assert_eq!(field.range(), (0.0, 100.0));
    }

    #[test]
    fn samples_that_fall_on_samples_keep_their_heights() {
        let field = raster(3, 9, 1.0, 2.0, |c, r| (c * 31 + r * r * 7) as f32).to_heightfield(1.0).unwrap();
        assert_eq!((field.grid().width, field.grid().depth), (3, 17));
        for row in 0..9 {
            assert_eq!(field.at(2, 2 * row), (62 + row * row * 7) as f32);
        }
    }

    #[test]
    fn needle_shaped_cells_are_refused_before_memory_is_allocated() {
        let needle = raster(2, 30_000, 1e-6, 1e6, |_, _| 0.0);
        assert!(needle.to_heightfield(1.0).is_err());
        let nothing = raster(2, 2, 1e-300, 1e-300, |_, _| 0.0);
        assert!(nothing.to_heightfield(1.0).is_err());
    }

    #[test]
    fn single_rows_and_columns_pass() {
        for (width, depth) in [(1, 1), (1, 5), (5, 1)] {
            let field = raster(width, depth, 1.0, 2.0, |c, r| (c + r) as f32).to_heightfield(1.0).unwrap();
            assert_eq!(field.range(), (0.0, (width + depth - 2) as f32));
        }
    }
}
