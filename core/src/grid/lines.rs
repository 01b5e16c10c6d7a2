//! Recursive and sliding filters along rows or columns, over many lines side by side, so that the processor
//! works on all of them with one instruction.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Columns in a strip: eight cache lines of heights.
const STRIP: usize = 128;

/// Rows in a block.
const ROWS: usize = 16;

/// Columns that are transposed together for a block of rows, so that the transposed block stays in the L1
/// cache.
const PIECE: usize = 128;

/// Runs `change(lines, lanes)` on all rows, a block of `lanes` rows at a time. Sample `i` of all rows
/// of the block is `lines[i · lanes..][..lanes]`.
pub(crate) fn change_rows(
    field: &mut Heightfield,
    work: &Work,
    change: impl Fn(&mut [f32], usize) -> Result<()> + Sync,
) -> Result<()> {
    let width = field.grid().width;
    field.heights_mut().par_chunks_mut(width * ROWS).try_for_each_init(Vec::new, |lines, rows| {
        work.check()?;
        let lanes = rows.len() / width;
        // Transposed piece by piece, so that the output stays in the L1 cache.
        lines.clear();
        lines.resize(rows.len(), 0.0);
        for (piece, lines) in lines.chunks_mut(PIECE * lanes).enumerate() {
            for (lane, row) in rows.chunks_exact(width).enumerate() {
                for (samples, height) in lines.chunks_exact_mut(lanes).zip(&row[piece * PIECE..]) {
                    samples[lane] = *height;
                }
            }
        }
        change(lines, lanes)?;
        for (piece, lines) in lines.chunks(PIECE * lanes).enumerate() {
            for (lane, row) in rows.chunks_exact_mut(width).enumerate() {
                for (samples, height) in lines.chunks_exact(lanes).zip(&mut row[piece * PIECE..]) {
                    *height = samples[lane];
                }
            }
        }
        work.advance(lanes);
        Ok(())
    })
}

/// As [`change_rows`], but on all columns, one strip at a time.
pub(crate) fn change_columns(
    field: &mut Heightfield,
    work: &Work,
    change: impl Fn(&mut [f32], usize) -> Result<()> + Sync,
) -> Result<()> {
    let grid = field.grid();
    let empty = || Vec::with_capacity(grid.depth * STRIP.min(grid.width));
    strips(field, STRIP).into_par_iter().try_for_each_init(empty, |lines, mut rows| {
        work.check()?;
        lines.clear();
        rows.iter().for_each(|row| lines.extend_from_slice(row));
        let lanes = rows.first().map_or(0, |row| row.len());
        change(lines, lanes)?;
        for (row, samples) in rows.iter_mut().zip(lines.chunks_exact(lanes)) {
            row.copy_from_slice(samples);
        }
        work.advance(lanes);
        Ok(())
    })
}

/// How many units of work a pass along the rows and one along the columns report to a [`Work`] together:
/// one for each line.
pub(crate) fn units(field: &Heightfield) -> usize {
    field.grid().depth + field.grid().width
}

/// The rows of every strip of `width` columns, to be changed: strips from west to east, rows downwards.
/// The last strip has the columns that are left.
pub(crate) fn strips(field: &mut Heightfield, width: usize) -> Vec<Vec<&mut [f32]>> {
    let grid = field.grid();
    let mut strips: Vec<Vec<_>> =
        (0..grid.width.div_ceil(width)).map(|_| Vec::with_capacity(grid.depth)).collect();
    for row in field.heights_mut().chunks_mut(grid.width) {
        for (strip, piece) in strips.iter_mut().zip(row.chunks_mut(width)) {
            strip.push(piece);
        }
    }
    strips
}
