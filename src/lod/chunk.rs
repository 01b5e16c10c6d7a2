//! A chunk: its position in the quadtree and the area that it covers.

use glam::{UVec2, Vec2};

use crate::Grid;

/// Quads along a side of a chunk. Twin of `QUADS` in `shaders/cdlod.wgsl`.
pub const QUADS: u32 = 32;

/// A square of the field, drawn with [`QUADS`]² quads. `column` and `row` count chunks of the same level
/// from the north-west corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chunk {
    /// Each quad spans `2^level` cells.
    pub level: u32,
    /// Chunks of this level to the west.
    pub column: u32,
    /// Chunks of this level to the north.
    pub row: u32,
}

impl Chunk {
    /// The coarsest level of a field: the first at which one chunk covers all of it.
    pub fn coarsest_level(grid: Grid) -> u32 {
        let cells = grid.longer().saturating_sub(1).max(1) as u32;
        cells.div_ceil(QUADS).next_power_of_two().trailing_zeros()
    }

    /// Cells along a side.
    pub fn cells(self) -> u32 {
        QUADS << self.level
    }

    /// The sample at the north-west corner.
    pub fn first_sample(self) -> UVec2 {
        UVec2::new(self.column, self.row) * self.cells()
    }

    /// Whether any part of the field lies in it.
    pub fn is_within(self, grid: Grid) -> bool {
        let cells = UVec2::new(grid.width as u32, grid.depth as u32) - 1;
        self.first_sample().cmplt(cells.max(UVec2::ONE)).all()
    }

    /// The four chunks of the next finer level that it consists of, including those outside the field.
    pub fn children(self) -> [Chunk; 4] {
        let child = |column, row| Chunk {
            level: self.level - 1,
            column: self.column * 2 + column,
            row: self.row * 2 + row,
        };
        [child(0, 0), child(1, 0), child(0, 1), child(1, 1)]
    }

    /// The area that it covers: north-west and south-east corner, in metres from the field's north-west
    /// corner.
    pub fn rectangle(self, grid: Grid) -> (Vec2, Vec2) {
        let first = self.first_sample().as_vec2() * grid.cell;
        let end = (self.first_sample() + self.cells()).as_vec2() * grid.cell;
        (first, end.min(grid.extent()))
    }

    /// Level, column and row packed into one number for the vertex shader: column in the low 12 bits, row
    /// in the next 12, level in the top 8. Twin of `unpack_chunk` in `shaders/cdlod.wgsl`.
    pub fn pack(self) -> u32 {
        self.level << 24 | self.row << 12 | self.column
    }
}
