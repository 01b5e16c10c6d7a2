//! The positions of the nodes: displaced at random from the points of the grid, so that rivers don't follow
//! the grid's eight directions.

use std::ops::Range;

use glam::Vec2;
use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::noise::{hash_along, hash_of_column, signed_unit, stream};

/// Largest displacement of a node along X and Z, in cells.
const JITTER: f32 = 0.45;

/// Rows that one thread resamples at a time: they share the nodes around.
const BLOCK: usize = 32;

/// The nodes of one grid. On large grids their positions are not stored but computed from random numbers
/// whenever they are needed.
pub(super) struct Jitter {
    grid: Grid,
    columns: [Vec<u64>; 2],
    /// The displacement of each node, if stored.
    kept: Vec<Vec2>,
}

impl Jitter {
    /// The nodes of `grid`, and whether their positions are stored (`kept`): eight bytes each.
    pub(super) fn new(grid: Grid, seed: u64, kept: bool, work: &Work) -> Result<Self> {
        let columns = [0, 1].map(|axis| {
            let seed = stream(seed, axis);
            (0..grid.width).map(|column| hash_of_column(seed, column as i64)).collect()
        });
        let mut jitter = Self { grid, columns, kept: Vec::new() };
        if kept {
            let mut nodes = vec![Vec2::ZERO; grid.count()];
            nodes.par_chunks_mut(grid.width).enumerate().try_for_each(|(row, nodes)| {
                work.check()?;
                nodes.iter_mut().enumerate().for_each(|(column, node)| *node = jitter.made(column, row));
                Ok(())
            })?;
            jitter.kept = nodes;
        }
        Ok(jitter)
    }

    /// Displacement of a node in metres east and south. Nodes on the border stay on it.
    #[inline]
    pub(super) fn of(&self, column: usize, row: usize) -> Vec2 {
        let kept = self.kept.get(row * self.grid.width + column);
        kept.copied().unwrap_or_else(|| self.made(column, row))
    }

    /// How many metres the nodes of a row are moved east, and how many south.
    pub(super) fn of_row(&self, row: usize, [east, south]: &mut [Vec<f32>; 2]) {
        let width = self.grid.width;
        east.clear();
        south.clear();
        match self.kept.get(row * width..(row + 1) * width) {
            Some(kept) => {
                east.extend(kept.iter().map(|node| node.x));
                south.extend(kept.iter().map(|node| node.y));
            }
            None if row == 0 || row + 1 == self.grid.depth => {
                east.resize(width, 0.0);
                south.resize(width, 0.0);
            }
            None => {
                let scale = JITTER * self.grid.cell;
                for (out, columns) in [east, south].into_iter().zip(&self.columns) {
                    in_wide_registers(Moved { columns, row, scale, out });
                    (out[0], out[width - 1]) = (0.0, 0.0);
                }
            }
        }
    }

    fn made(&self, column: usize, row: usize) -> Vec2 {
        let Grid { width, depth, cell } = self.grid;
        // Nodes of the border stay on it, so that the displaced land covers the same area.
        if column == 0 || row == 0 || column + 1 == width || row + 1 == depth {
            return Vec2::ZERO;
        }
        // A hash of the position: computed again later, or on another thread, it has the same bits.
        let along = |axis: usize| signed_unit(hash_along(self.columns[axis][column], row as i64));
        Vec2::new(along(0), along(1)) * (JITTER * cell)
    }

    /// Nodes in a row, and number of rows.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.grid.width, self.grid.depth)
    }

    /// Metres between points of the grid.
    pub(super) fn cell(&self) -> f32 {
        self.grid.cell
    }

    /// Resamples heights at the nodes to a field of another grid, each node at its displaced position.
    pub(super) fn upsample(&self, heights: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
        let per_sample = |from: usize, to: usize| (from - 1) as f32 * self.grid.cell / (to - 1).max(1) as f32;
        let scale =
            Vec2::new(per_sample(self.grid.width, grid.width), per_sample(self.grid.depth, grid.depth));
        let node_row = |row: usize| (row as f32 * scale.y / self.grid.cell) as usize;
        let mut out = Heightfield::flat(grid, 0.0);
        let blocks = out.heights_mut().par_chunks_mut(grid.width * BLOCK);
        blocks.enumerate().try_for_each(|(block, out)| {
            let rows = block * BLOCK..block * BLOCK + out.len() / grid.width;
            // Nodes move by less than a cell.
            let around = node_row(rows.start).saturating_sub(1)..node_row(rows.end - 1) + 3;
            let moves = self.moves(around);
            for (row, out) in rows.zip(out.chunks_exact_mut(grid.width)) {
                work.check()?;
                for (column, out) in out.iter_mut().enumerate() {
                    let moved = Vec2::new(column as f32, row as f32) * scale;
                    let mut node = moved;
                    // The node that was moved here, by three rounds of the fixed-point iteration node ← moved
                    // − displacement(node).
                    for _ in 0..3 {
                        node = moved - moves.at(node / self.grid.cell);
                    }
                    *out = heights.sample_smooth(node);
                }
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// The displacements of the nodes of some rows.
    fn moves(&self, rows: Range<usize>) -> Moves {
        let Grid { width, depth, .. } = self.grid;
        let rows = rows.start.min(depth - 1)..rows.end.min(depth);
        let metres =
            rows.clone().flat_map(|row| (0..width).map(move |column| self.of(column, row))).collect();
        Moves { width, rows, metres }
    }
}

/// How many metres the nodes of a row are moved along one axis.
struct Moved<'a> {
    columns: &'a [u64],
    row: usize,
    scale: f32,
    out: &'a mut Vec<f32>,
}

impl Loop for Moved<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { columns, row, scale, out } = self;
        out.extend(columns.iter().map(|column| signed_unit(hash_along(*column, row as i64)) * scale));
    }
}

/// Displacements, in metres, of neighbouring rows of nodes.
struct Moves {
    width: usize,
    rows: Range<usize>,
    metres: Vec<Vec2>,
}

impl Moves {
    /// The displacement at a point, bilinear between the nodes around.
    fn at(&self, p_in_cells: Vec2) -> Vec2 {
        let first = Vec2::new(0.0, self.rows.start as f32);
        let last = Vec2::new((self.width - 1) as f32, (self.rows.end - 1) as f32);
        let p = p_in_cells.clamp(first, last) - first;
        let (column, row) = (p.x as usize, p.y as usize);
        let (next, below) = ((column + 1).min(self.width - 1), (row + 1).min(self.rows.len() - 1));
        let t = p - p.floor();
        let of = |column: usize, row: usize| self.metres[row * self.width + column];
        let (north, south) =
            (of(column, row).lerp(of(next, row), t.x), of(column, below).lerp(of(next, below), t.x));
        north.lerp(south, t.y)
    }
}
