//! Chunks: the squares of a mesh with which land is drawn.

use std::ops::Range;

use glam::DVec2;

use crate::stream::tile::{LandTile, TILE_CELLS, spacing};

/// Quads along a side of a chunk. Twin of `QUADS` in `shaders/land.wgsl`.
pub const QUADS: i32 = 16;

/// Chunks along a side of a tile. Twin of `TILE_CHUNKS` in `shaders/land.wgsl`.
pub const TILE_CHUNKS: i32 = TILE_CELLS as i32 / QUADS;

/// Number of levels of chunks above the coarsest tiles. A chunk of the highest covers a whole tile. There are
/// no tiles of these levels: their chunks use the samples of the coarsest tile, each level every other one of
/// the level below. Twin of `COARSER` in `shaders/land.wgsl`.
pub const COARSER: i32 = TILE_CHUNKS.ilog2() as i32;

/// Chunks of all levels with which one coarsest tile is drawn.
pub const CHUNKS_OF_ROOT: usize = first_of_coarser(COARSER) + 1;

/// Index of the first chunk that is `coarser` levels above its tile, among all chunks with which the tile is
/// drawn: first those of the tile's own level, then level by level, each with a quarter as many.
pub(in crate::stream) const fn first_of_coarser(coarser: i32) -> usize {
    // The sum of a geometric series: n² + n²/4 + … with n² chunks of the tile's own level.
    let all = 4 * TILE_CHUNKS * TILE_CHUNKS;
    ((all - (all >> (2 * coarser))) / 3) as usize
}

/// A square of [`QUADS`]² quads, each a cell of its level. `column` and `row` count chunks of the level from
/// the land's sample (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chunk {
    /// As of a [`LandTile`].
    pub level: i32,
    /// Chunks of this level to the west; below 0 west of the origin.
    pub column: i32,
    /// Chunks of this level to the north.
    pub row: i32,
}

/// How much of a chunk is drawn: all of it, or one quarter while others are drawn finer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
// As wide as the numbers of a chunk: thousands of both are copied in every frame, and padding between them
// would make that slower.
#[repr(u32)]
pub enum ChunkPart {
    /// All of it.
    #[default]
    Whole,
    /// Its north-western quarter.
    NorthWest,
    /// Its north-eastern quarter.
    NorthEast,
    /// Its south-western quarter.
    SouthWest,
    /// Its south-eastern quarter.
    SouthEast,
}

impl ChunkPart {
    /// The quarters, in the order of [`Chunk::children`].
    pub const QUARTERS: [Self; 4] = [Self::NorthWest, Self::NorthEast, Self::SouthWest, Self::SouthEast];
    /// All parts, each at the index of its [`number`](Self::number).
    pub const ALL: [Self; 5] =
        [Self::Whole, Self::NorthWest, Self::NorthEast, Self::SouthWest, Self::SouthEast];

    /// Its index in [`ALL`](Self::ALL).
    pub fn number(self) -> usize {
        self as usize
    }

    /// The columns and rows of the chunk's quads that belong to it.
    pub fn quads(self) -> [Range<i32>; 2] {
        let (first, last) = (0..QUADS / 2, QUADS / 2..QUADS);
        match self {
            Self::Whole => [0..QUADS, 0..QUADS],
            Self::NorthWest => [first.clone(), first],
            Self::NorthEast => [last, first],
            Self::SouthWest => [first, last],
            Self::SouthEast => [last.clone(), last],
        }
    }

    /// How many triangles it is drawn with.
    pub fn triangles(self) -> usize {
        let [columns, rows] = self.quads();
        2 * columns.len() * rows.len()
    }
}

/// A chunk or a part of one that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DrawnChunk {
    /// The chunk.
    pub chunk: Chunk,
    /// The part that is drawn.
    pub part: ChunkPart,
}

impl DrawnChunk {
    /// The chunk with the same area as the part: itself, or one of the next finer level.
    pub fn place(self) -> Chunk {
        let quarter = ChunkPart::QUARTERS.iter().position(|part| *part == self.part);
        quarter.map_or(self.chunk, |quarter| self.chunk.children()[quarter])
    }

    /// As [`Chunk::rectangle`], for the part alone.
    pub fn rectangle(self, cell: f32) -> (DVec2, DVec2) {
        self.place().rectangle(cell)
    }
}

/// Bits of a packed chunk's column, and also of its row.
const PLACE_BITS: u32 = 13;

impl Chunk {
    /// The chunk of the next coarser level of which it is a quarter.
    pub fn parent(self) -> Self {
        Self { level: self.level + 1, column: self.column >> 1, row: self.row >> 1 }
    }

    /// Its quarters: north-west, north-east, south-west, south-east.
    pub fn children(self) -> [Self; 4] {
        let child = |column, row| Self {
            level: self.level - 1,
            column: self.column * 2 + column,
            row: self.row * 2 + row,
        };
        [child(0, 0), child(1, 0), child(0, 1), child(1, 1)]
    }

    /// The chunk `columns` to the east and `rows` to the south.
    pub fn beside(self, columns: i32, rows: i32) -> Self {
        let (column, row) = (self.column.wrapping_add(columns), self.row.wrapping_add(rows));
        Self { column, row, ..self }
    }

    /// The tile to which it belongs.
    pub fn tile(self) -> LandTile {
        let [column, row] = [self.column, self.row].map(|place| place.div_euclid(TILE_CHUNKS));
        LandTile { level: self.level, column, row }
    }

    /// The tile that holds a chunk's samples, where the coarsest tiles are of level `coarsest`, and the
    /// chunk's number among those with which the tile is drawn. `None` where no tile is so coarse.
    pub(in crate::stream) fn drawn_with(self, coarsest: i32) -> Option<(LandTile, usize)> {
        let coarser = (self.level - coarsest).max(0);
        if coarser > COARSER {
            return None;
        }
        // A power of two, so that a shift replaces a division.
        let side = TILE_CHUNKS >> coarser;
        let [column, row] = [self.column, self.row].map(|place| place >> (COARSER - coarser));
        let [east, south] = [self.column, self.row].map(|place| place & (side - 1));
        let number = first_of_coarser(coarser) + (south * side + east) as usize;
        Some((LandTile { level: self.level - coarser, column, row }, number))
    }

    /// The number from [`drawn_with`](Self::drawn_with), and the difference to that of the next row, if the
    /// whole square of `count`² chunks to its east and south belongs to the same tile.
    pub(in crate::stream) fn square_in_tile(self, coarsest: i32, count: i32) -> Option<(usize, usize)> {
        let side = TILE_CHUNKS >> (self.level - coarsest).clamp(0, COARSER);
        // The remainder by a power of two, also for numbers below 0.
        let [east, south] = [self.column, self.row].map(|place| place & (side - 1));
        let (_, number) = self.drawn_with(coarsest)?;
        (east.max(south) + count <= side).then_some((number, side as usize))
    }

    /// Its number among the chunks of its tile, row by row.
    pub fn in_tile(self) -> usize {
        let [column, row] = [self.column, self.row].map(|place| place.rem_euclid(TILE_CHUNKS));
        (row * TILE_CHUNKS + column) as usize
    }

    /// The chunks of a tile, row by row.
    pub fn of_tile(tile: LandTile) -> impl Iterator<Item = Self> {
        (0..TILE_CHUNKS * TILE_CHUNKS).map(move |number| Self {
            level: tile.level,
            column: tile.column.wrapping_mul(TILE_CHUNKS).wrapping_add(number % TILE_CHUNKS),
            row: tile.row.wrapping_mul(TILE_CHUNKS).wrapping_add(number / TILE_CHUNKS),
        })
    }

    /// Its north-west and south-east corner, in metres from the land's sample (0, 0), where samples of level
    /// 0 lie `cell` metres apart.
    pub fn rectangle(self, cell: f32) -> (DVec2, DVec2) {
        let side = spacing(cell, self.level) * f64::from(QUADS);
        let (column, row) = (f64::from(self.column), f64::from(self.row));
        (DVec2::new(column, row) * side, DVec2::new(column + 1.0, row + 1.0) * side)
    }

    /// Level, column and row packed into one number for the vertex shader. Columns and rows lose all but
    /// their last 13 bits; the shader restores the others from the position of the eye. Twin of
    /// `unpack_chunk` in `shaders/cdlod.wgsl`, for which the finest level is 0.
    pub fn pack(self, finest: i32) -> u32 {
        let mask = (1 << PLACE_BITS) - 1;
        let [column, row] = [self.column, self.row].map(|place| place as u32 & mask);
        (((self.level - finest) as u32) << (2 * PLACE_BITS)) | (row << PLACE_BITS) | column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_all_levels_of_a_coarsest_tile_are_numbered_once() {
        let root = LandTile { level: 3, column: -2, row: 1 };
        let mut chunks = vec![Chunk { level: root.level + COARSER, column: root.column, row: root.row }];
        let mut numbers = Vec::new();
        for _ in 0..=COARSER {
            for chunk in &chunks {
                let (tile, number) = chunk.drawn_with(root.level).unwrap();
                assert_eq!(tile, root);
                numbers.push(number);
                for count in 1..4 {
                    let last = chunk.beside(count - 1, count - 1);
                    let square = chunk.square_in_tile(root.level, count);
                    let is_of_one = [(count - 1, 0), (0, count - 1), (count - 1, count - 1)].iter().all(
                        |(east, south)| chunk.beside(*east, *south).drawn_with(root.level).unwrap().0 == root,
                    );
                    assert_eq!(square.is_some(), is_of_one);
                    if let Some((first, row)) = square {
                        let more = (count - 1) as usize;
                        assert_eq!(first, number);
                        assert_eq!(last.drawn_with(root.level).unwrap().1, number + more * row + more);
                    }
                }
            }
            chunks = chunks.into_iter().flat_map(Chunk::children).collect();
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..CHUNKS_OF_ROOT).collect::<Vec<_>>());
        // Finer chunks are numbered as in their tile; there are no coarser ones.
        assert!(chunks.iter().all(|chunk| chunk.drawn_with(3) == Some((chunk.tile(), chunk.in_tile()))));
        assert_eq!(Chunk { level: 4 + COARSER, column: 0, row: 0 }.drawn_with(3), None);
    }

    #[test]
    fn quarters_have_each_quad_of_their_chunk_once_and_lie_where_its_children_do() {
        let chunk = Chunk { level: 2, column: -3, row: 5 };
        let mut quads = Vec::new();
        for (part, child) in ChunkPart::QUARTERS.into_iter().zip(chunk.children()) {
            let drawn = DrawnChunk { chunk, part };
            assert_eq!(drawn.rectangle(4.0), child.rectangle(4.0));
            let [columns, rows] = part.quads();
            let cell = spacing(4.0, chunk.level);
            let (north_west, _) = chunk.rectangle(4.0);
            let first = DVec2::new(f64::from(columns.start), f64::from(rows.start));
            let end = DVec2::new(f64::from(columns.end), f64::from(rows.end));
            assert_eq!(drawn.rectangle(4.0), (north_west + cell * first, north_west + cell * end));
            quads.extend(rows.flat_map(|row| columns.clone().map(move |column| (row, column))));
            assert_eq!(4 * part.triangles(), ChunkPart::Whole.triangles());
        }
        quads.sort_unstable();
        let [columns, rows] = ChunkPart::Whole.quads();
        let all: Vec<_> = rows.flat_map(|row| columns.clone().map(move |column| (row, column))).collect();
        assert_eq!(quads, all);
        assert!(ChunkPart::ALL.iter().enumerate().all(|(number, part)| part.number() == number));
    }

    #[test]
    fn chunks_tile_their_tile_on_both_sides_of_the_origin() {
        for (column, row) in [(0, 0), (3, -5), (-1, -1)] {
            let tile = LandTile { level: -2, column, row };
            let chunks: Vec<Chunk> = Chunk::of_tile(tile).collect();
            for (number, chunk) in chunks.iter().enumerate() {
                assert_eq!((chunk.tile(), chunk.in_tile()), (tile, number));
                assert_eq!(chunk.parent().tile(), tile.parent());
                assert!(chunk.children().iter().all(|child| child.parent() == *chunk));
            }
            let (first, last) = (chunks[0], chunks[chunks.len() - 1]);
            assert_eq!(first.rectangle(2.0).0, tile.rectangle(2.0).0);
            assert_eq!(last.rectangle(2.0).1, tile.rectangle(2.0).1);
            assert_eq!(first.beside(TILE_CHUNKS - 1, TILE_CHUNKS - 1), last);
        }
    }
}
