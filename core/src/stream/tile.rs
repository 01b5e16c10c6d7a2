//! Land tiles: the squares in which land is made, kept and drawn.

use glam::DVec2;

use crate::grid::Window;

/// Cells along a side of a tile.
pub const TILE_CELLS: i64 = 128;

/// Samples of a tile beyond its north-west corner, and beyond its last cell, so that gradients, and filters
/// over a few texels, never need a neighbour.
pub const TILE_BORDER: i64 = 4;

/// Samples along a side of a tile, with its border.
pub const TILE_TEXELS: usize = (TILE_CELLS + 2 * TILE_BORDER) as usize;

/// A square of [`TILE_CELLS`]² cells of a land, at a level: at level 0 cells are as large as the land's own,
/// at level 1 twice as large. `column` and `row` count tiles of the level from the land's sample (0, 0),
/// which is the north-west corner of tile (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LandTile {
    /// As in a [`Window`].
    pub level: i32,
    /// Tiles of this level to the west; below 0 west of the origin.
    pub column: i32,
    /// Tiles of this level to the north.
    pub row: i32,
}

impl LandTile {
    /// The tile of the next coarser level of which it is a quarter.
    pub fn parent(self) -> Self {
        Self { level: self.level.saturating_add(1), column: self.column >> 1, row: self.row >> 1 }
    }

    /// Its quarters: north-west, north-east, south-west, south-east. As in [`beside`](Self::beside), numbers
    /// wrap around from the largest to the smallest.
    pub fn children(self) -> [Self; 4] {
        let child = |column, row| Self {
            level: self.level.saturating_sub(1),
            column: self.column.wrapping_mul(2).wrapping_add(column),
            row: self.row.wrapping_mul(2).wrapping_add(row),
        };
        [child(0, 0), child(1, 0), child(0, 1), child(1, 1)]
    }

    /// The tile `columns` to the east and `rows` to the south.
    pub fn beside(self, columns: i32, rows: i32) -> Self {
        let (column, row) = (self.column.wrapping_add(columns), self.row.wrapping_add(rows));
        Self { column, row, ..self }
    }

    /// Column and row of its north-west sample, counted from the land's sample (0, 0) at its level.
    pub fn first_sample(self) -> [i64; 2] {
        [i64::from(self.column) * TILE_CELLS, i64::from(self.row) * TILE_CELLS]
    }

    /// Its samples with `border` more on every side; without a border, the north-west corners of its cells.
    pub fn window(self, border: u32) -> Window {
        let size = [TILE_CELLS as u32; 2];
        Window { level: self.level, first: self.first_sample(), size }.grown(border)
    }

    /// Its north-west and south-east corner, in metres from the land's sample (0, 0), where samples of level
    /// 0 lie `cell` metres apart.
    pub fn rectangle(self, cell: f32) -> (DVec2, DVec2) {
        let side = spacing(cell, self.level) * TILE_CELLS as f64;
        let corner = |column: i64, row: i64| DVec2::new(column as f64, row as f64) * side;
        let (column, row) = (i64::from(self.column), i64::from(self.row));
        (corner(column, row), corner(column + 1, row + 1))
    }
}

/// Metres between samples of a level, where those of level 0 lie `cell` metres apart: `cell · 2^level` to the
/// bit. Levels outside -1022 to 1023 count as the nearest of these. Faster than `ldexp`, because it is called
/// thousands of times a frame.
pub(super) fn spacing(cell: f32, level: i32) -> f64 {
    f64::from(cell) * f64::from_bits(((level.clamp(-1022, 1023) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_tile_their_parent_on_both_sides_of_the_origin() {
        for (column, row) in [(0, 0), (3, -5), (-1, -1), (-8, 7)] {
            let tile = LandTile { level: 2, column, row };
            let children = tile.children();
            assert!(children.iter().all(|child| child.parent() == tile));
            assert_eq!(children[0].rectangle(3.0).0, tile.rectangle(3.0).0);
            assert_eq!(children[3].rectangle(3.0).1, tile.rectangle(3.0).1);
            assert_eq!(children[0].beside(1, 1), children[3]);
        }
    }

    #[test]
    fn samples_of_a_level_lie_twice_as_far_apart_as_those_of_the_next_finer_one() {
        for level in [-1022, -64, -1, 0, 1, 20, 1023] {
            assert_eq!(spacing(0.3, level), libm::ldexp(f64::from(0.3f32), level));
        }
    }

    #[test]
    fn a_window_has_the_border_on_every_side() {
        let tile = LandTile { level: -1, column: 2, row: -1 };
        assert_eq!(tile.window(0).to_string(), "-1:256,-128,128x128");
        let window = tile.window(TILE_BORDER as u32);
        assert_eq!(window.to_string(), "-1:252,-132,136x136");
        assert_eq!(window.size, [TILE_TEXELS as u32; 2]);
    }
}
