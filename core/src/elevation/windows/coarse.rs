//! All of a file, decimated until it fits into memory: coarse windows are read from it, and holes are filled
//! from it.

use super::samples::{Bytes, Keep, Samples};
use super::together::Together;
use crate::compute::work::Work;
use crate::elevation::raster::holes;
use crate::error::{Error, Result};
use crate::grid::{Grid, memory};

/// Rows of a coarse field that are read together, at least.
const ROWS: usize = 8;

/// A coarse field, made when it is first needed.
pub(super) struct Coarse {
    /// Its samples are those whose columns and rows are multiples of 2^level.
    pub(super) level: u32,
    /// Samples along x and z.
    size: [usize; 2],
    /// Rows of the decimated grid in one of its parts.
    band: usize,
    field: Together,
}

impl Coarse {
    /// The coarse field of `size` samples that has at most `most` of them. Reading rows of `size` is cheapest
    /// in multiples of `band`.
    pub(super) fn new(size: [usize; 2], most: usize, band: usize) -> Self {
        let mut level = 0;
        while size_at(size, level).into_iter().fold(1, usize::saturating_mul) > most.max(1) {
            level += 1;
        }
        // Whole rows of the file's blocks, so that no block is unpacked for two parts.
        let rows = ROWS << level;
        let band = band * rows.div_ceil(band);
        let field = Together::new(size[1].div_ceil(band));
        Self { level, size: size_at(size, level), band, field }
    }

    /// Its height at a column and row of the decimated grid, both multiples of 2^level; `heights` are all of
    /// its heights.
    pub(super) fn at(&self, heights: &[f32], column: usize, row: usize) -> f32 {
        heights[(row >> self.level) * self.size[0] + (column >> self.level)]
    }

    /// All its heights, row by row. `rows` returns those of some columns and rows, counted in the decimated
    /// grid.
    ///
    /// # Errors
    /// Those of `rows`, when there is too little memory; [`Error::Cancelled`].
    pub(super) fn heights(
        &self,
        stage: &str,
        working_bytes: u64,
        rows: impl Fn(&[usize], &[usize]) -> Result<Vec<f32>>,
        finish: impl FnOnce([usize; 2], Vec<f32>) -> Result<Vec<f32>>,
        work: &Work,
    ) -> Result<&[f32]> {
        let columns: Vec<usize> = (0..self.size[0]).map(|column| column << self.level).collect();
        let part = |index: usize| {
            let step = 1 << self.level;
            let end = ((index + 1) * self.band).min(((self.size[1] - 1) << self.level) + 1);
            let own: Vec<usize> = ((index * self.band).next_multiple_of(step)..end).step_by(step).collect();
            rows(&columns, &own)
        };
        let whole = |heights| {
            let grid = Grid { width: self.size[0], depth: self.size[1], cell: 1.0 };
            // The field, its parts, the memory for filling, and the working memory of the threads.
            memory::require(grid, 20 * grid.count() as u64 + working_bytes)?;
            finish(self.size, heights)
        };
        self.field.get(stage, part, whole, work)
    }

    /// As [`heights`](Self::heights), for the samples of a file, with holes filled; empty if all samples are
    /// holes.
    pub(super) fn filled(&self, samples: &Samples, bytes: &Bytes, work: &Work) -> Result<&[f32]> {
        let name = bytes.path.file_name().unwrap_or_default().to_string_lossy();
        let finish = |[width, depth]: [usize; 2], mut heights: Vec<f32>| {
            if heights.iter().all(|height| height.is_nan()) {
                return Ok(Vec::new());
            }
            holes::fill(width, depth, &mut heights);
            Ok(heights)
        };
        let rows = |columns: &[usize], rows: &[usize]| samples.gather(bytes, columns, rows, Keep::No, work);
        self.heights(&format!("survey {name}"), samples.working_bytes(), rows, finish, work)
    }

    /// Fills the holes (NaN) among the heights at all pairs of these columns and rows of the file, from
    /// [`filled`](Self::filled): bilinear.
    ///
    /// # Errors
    /// When there are no heights to fill them from.
    pub(super) fn fill(
        &self,
        filled: &[f32],
        columns: &[usize],
        rows: &[usize],
        heights: &mut [f32],
        bytes: &Bytes,
    ) -> Result<()> {
        if filled.is_empty() {
            let reason = format!("has only NODATA at every {}th column and row", 1u64 << self.level);
            return Err(Error::file(&bytes.path, reason + "; its holes cannot be filled"));
        }
        for (line, &row) in heights.chunks_exact_mut(columns.len()).zip(rows) {
            for (height, &column) in line.iter_mut().zip(columns).filter(|(height, _)| height.is_nan()) {
                *height = self.between(filled, [column, row]);
            }
        }
        Ok(())
    }

    fn between(&self, filled: &[f32], place: [usize; 2]) -> f32 {
        let axis = |axis: usize| {
            let (first, last) = (place[axis] >> self.level, self.size[axis] - 1);
            let share = (place[axis] - (first << self.level)) as f64 / (1u64 << self.level) as f64;
            (first.min(last), (first + 1).min(last), share)
        };
        let ((west, east, x), (north, south, z)) = (axis(0), axis(1));
        // In f64, as everywhere between samples: the same place gets the same bits in every window.
        let at = |column: usize, row: usize| f64::from(filled[row * self.size[0] + column]);
        let along = |row: usize| at(west, row) * (1.0 - x) + at(east, row) * x;
        (along(north) * (1.0 - z) + along(south) * z) as f32
    }
}

/// Samples along x and z at a level.
pub(super) fn size_at(size: [usize; 2], level: u32) -> [usize; 2] {
    size.map(|side| ((side - 1) >> level) + 1)
}
