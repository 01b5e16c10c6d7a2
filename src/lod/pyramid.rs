//! The bounds, lowest and highest height, of every chunk of every level.

use rayon::prelude::*;

use crate::lod::{Chunk, QUADS};
use crate::{Grid, Heightfield};

/// A min/max pyramid over a field's chunks, finest level first.
///
/// A chunk's bounds include every sample on it and on its border, so they are valid for the chunk drawn at
/// its own level and at every coarser or finer one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    grid: Grid,
    levels: Vec<PyramidLevel>,
}

#[derive(Clone, Debug, PartialEq)]
struct PyramidLevel {
    columns: usize,
    rows: usize,
    bounds: Vec<(f32, f32)>,
}

impl Pyramid {
    /// The pyramid of a field.
    pub fn new(field: &Heightfield) -> Self {
        let grid = field.grid();
        let mut levels = vec![finest_level(field)];
        for _ in 0..Chunk::coarsest_level(grid) {
            let finer = &levels[levels.len() - 1];
            levels.push(coarser_level(finer));
        }
        Self { grid, levels }
    }

    /// The field's shape.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The one chunk that covers all of the field.
    pub fn root(&self) -> Chunk {
        Chunk { level: self.levels.len() as u32 - 1, column: 0, row: 0 }
    }

    /// The lowest and highest height on a chunk, in metres; `None` if there is no such chunk.
    pub fn bounds(&self, chunk: Chunk) -> Option<(f32, f32)> {
        let level = self.levels.get(chunk.level as usize)?;
        let (column, row) = (chunk.column as usize, chunk.row as usize);
        (column < level.columns && row < level.rows).then(|| level.bounds[row * level.columns + column])
    }
}

fn finest_level(field: &Heightfield) -> PyramidLevel {
    let grid = field.grid();
    let quads = QUADS as usize;
    let columns = (grid.width - 1).div_ceil(quads).max(1);
    let rows = (grid.depth - 1).div_ceil(quads).max(1);
    let bounds = (0..columns * rows)
        .into_par_iter()
        .map(|index| {
            let (first_column, first_row) = (index % columns * quads, index / columns * quads);
            // One more sample than quads: neighbouring chunks share their border.
            let last_column = (first_column + quads).min(grid.width - 1);
            let last_row = (first_row + quads).min(grid.depth - 1);
            (first_row..=last_row)
                .flat_map(|row| &field.row(row)[first_column..=last_column])
                .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &height| {
                    (low.min(height), high.max(height))
                })
        })
        .collect();
    PyramidLevel { columns, rows, bounds }
}

fn coarser_level(finer: &PyramidLevel) -> PyramidLevel {
    let (columns, rows) = (finer.columns.div_ceil(2), finer.rows.div_ceil(2));
    let mut bounds = vec![(f32::INFINITY, f32::NEG_INFINITY); columns * rows];
    for (index, &(low, high)) in finer.bounds.iter().enumerate() {
        let (column, row) = (index % finer.columns / 2, index / finer.columns / 2);
        let bounds = &mut bounds[row * columns + column];
        *bounds = (bounds.0.min(low), bounds.1.max(high));
    }
    PyramidLevel { columns, rows, bounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_every_height_of_a_chunk_and_are_reached() {
        let grid = Grid::new(150, 77, 3.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| ((column * 31 + row * 57) % 101) as f32);
        let pyramid = Pyramid::new(&field);
        assert_eq!(pyramid.bounds(pyramid.root()), Some(field.range()));
        for level in 0..=pyramid.root().level {
            for (column, row) in [(0, 0), (1, 0), (2, 1), (4, 2)] {
                let chunk = Chunk { level, column, row };
                let Some((low, high)) = pyramid.bounds(chunk) else {
                    assert!(!chunk.is_within(grid));
                    continue;
                };
                let first = chunk.first_sample();
                let inside: Vec<f32> = (first.y..=first.y + chunk.cells())
                    .flat_map(|row| (first.x..=first.x + chunk.cells()).map(move |column| (column, row)))
                    .filter(|&(column, row)| column < 150 && row < 77)
                    .map(|(column, row)| field.at(column as usize, row as usize))
                    .collect();
                assert_eq!(low, inside.iter().copied().fold(f32::INFINITY, f32::min));
                assert_eq!(high, inside.iter().copied().fold(f32::NEG_INFINITY, f32::max));
            }
        }
    }

    #[test]
    fn the_smallest_and_the_thinnest_fields_have_one() {
        for (width, depth) in [(1, 1), (2, 1), (3, 1000), (33, 33), (34, 33)] {
            let field = Heightfield::flat(Grid::new(width, depth, 1.0).unwrap(), 5.0);
            let pyramid = Pyramid::new(&field);
            assert_eq!(pyramid.bounds(pyramid.root()), Some((5.0, 5.0)), "{width}×{depth}");
        }
    }
}
