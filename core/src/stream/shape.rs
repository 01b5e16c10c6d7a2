//! Where there is land, and at which levels it is made.

use glam::{DVec2, DVec3};

use super::drawing::chunk::{COARSER, Chunk, QUADS};
use super::tile::{LandTile, TILE_CELLS, spacing};
use crate::grid::{Domain, Grid};

/// The farthest from sample (0, 0) that a line may lead, metres.
const FARTHEST: f64 = 1e12;

/// The extent and the levels of a land that is made in tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LandShape {
    /// Metres between samples of level 0.
    pub cell: f32,
    /// Samples along x and z at level 0; `None` where the land has no end.
    pub size: Option<[u32; 2]>,
    /// The finest level of tiles.
    pub finest: i32,
    /// The coarsest: one tile of it holds all of a bounded land.
    pub coarsest: i32,
}

impl LandShape {
    /// Bounded land of this many samples at level 0, with tiles down to level `finest`.
    pub fn bounded(cell: f32, size: [u32; 2], finest: i32) -> Self {
        let cells = i64::from(size[0].max(size[1])) - 1;
        let tiles = (cells.max(1) as u64).div_ceil(TILE_CELLS as u64);
        // Each level halves the number of tiles along a side; a power of two of them ends in a single one.
        let coarsest = tiles.next_power_of_two().trailing_zeros() as i32;
        Self { cell, size: Some(size), finest: finest.min(coarsest), coarsest }
    }

    /// Endless land whose coarsest tiles are at least `side` metres wide.
    pub fn endless(cell: f32, finest: i32, side: f64) -> Self {
        let tiles = side / (f64::from(cell) * TILE_CELLS as f64);
        let coarsest = (libm::log2(tiles.max(1.0)).ceil() as i32).clamp(finest, 20);
        Self { cell, size: None, finest, coarsest }
    }

    /// The coarsest level of chunks that are drawn: one such chunk covers a whole coarsest tile.
    pub fn coarsest_drawn(&self) -> i32 {
        self.coarsest + COARSER
    }

    /// The domain of the land; the length of a generator's unit is unknown.
    pub fn domain(&self) -> Domain {
        let [width, depth] = self.size.unwrap_or([1; 2]).map(|side| side as usize);
        let bounded = Domain::of(Grid { width, depth, cell: self.cell });
        match self.size {
            Some(_) => bounded,
            None => Domain::endless(self.cell, 1000.0).unwrap_or(bounded),
        }
    }

    /// Metres between samples of a level.
    pub fn cell_at(&self, level: i32) -> f32 {
        spacing(self.cell, level) as f32
    }

    /// Column and row of the last sample at level 0; `None` where the land has no end.
    pub fn last(&self) -> Option<[i64; 2]> {
        self.size.map(|size| size.map(|side| i64::from(side) - 1))
    }

    /// Column and row of the last sample of a level: the border's, even if that lies between two samples.
    pub(super) fn last_at(&self, level: i32) -> Option<[i64; 2]> {
        // Shifting right rounds down, so the negative number is shifted to round up.
        let round_up = |place: i64| if level < 0 { place << -level } else { -(-place >> level) };
        self.last().map(|last| last.map(round_up))
    }

    /// Metres from the first to the last sample; `None` where the land has no end.
    pub fn extent(&self) -> Option<DVec2> {
        let cell = f64::from(self.cell);
        self.last().map(|[x, z]| DVec2::new(x as f64 * cell, z as f64 * cell))
    }

    /// Whether any part of the land lies in a rectangle, in metres from sample (0, 0). A land without extent
    /// lies in the first rectangle.
    fn lies_in(&self, (low, high): (DVec2, DVec2)) -> bool {
        let Some(extent) = self.extent() else { return true };
        // A tile that begins at the border has no land, except along an axis without extent, where it has
        // all.
        high.x > 0.0
            && high.y > 0.0
            && (low.x < extent.x || low.x == 0.0)
            && (low.y < extent.y || low.y == 0.0)
    }

    /// Whether a tile has land and can be made.
    pub fn has(&self, tile: LandTile) -> bool {
        (self.finest..=self.coarsest).contains(&tile.level) && self.lies_in(tile.rectangle(self.cell))
    }

    /// Whether a chunk of any level has land.
    pub fn has_chunk(&self, chunk: Chunk) -> bool {
        self.lies_in(chunk.rectangle(self.cell))
    }

    /// Whether a side of a chunk that has land is a part of the land's border.
    pub fn is_at_border(&self, chunk: Chunk) -> bool {
        let Some(last) = self.last_at(chunk.level) else { return false };
        let places = [chunk.column, chunk.row].map(i64::from);
        (0..2).any(|axis| places[axis] == 0 || (places[axis] + 1) * i64::from(QUADS) >= last[axis])
    }

    /// Whether a place, in metres from sample (0, 0), is on the land.
    pub fn has_place(&self, x: f64, z: f64) -> bool {
        let extent = self.extent().unwrap_or(DVec2::INFINITY);
        let low = if self.size.is_some() { 0.0 } else { f64::NEG_INFINITY };
        x.is_finite() && z.is_finite() && (low..=extent.x).contains(&x) && (low..=extent.y).contains(&z)
    }

    /// The tile of a level at a place on the land, in metres from sample (0, 0).
    pub fn tile_at(&self, level: i32, x: f64, z: f64) -> LandTile {
        let side = f64::from(self.cell_at(level)) * TILE_CELLS as f64;
        let extent = self.extent();
        let place = |place: f64, end: Option<f64>| {
            let number = (place / side).floor() as i32;
            // The border belongs to the last tile that has land.
            end.map_or(number, |end| number.clamp(0, ((end / side).ceil() as i32 - 1).max(0)))
        };
        LandTile {
            level,
            column: place(x, extent.map(|extent| extent.x)),
            row: place(z, extent.map(|extent| extent.y)),
        }
    }

    /// The part of a line from `from` along `way` that is above or below land whose tiles can be counted: the
    /// shares of the line at which it begins and ends. `None` if there is none, or where the line leads more
    /// than 10¹² m away.
    pub(super) fn crossed(&self, from: DVec3, way: DVec3) -> Option<(f64, f64)> {
        self.crossed_within(from, way, 0.0)
    }

    /// As [`crossed`](Self::crossed), for land that reaches `spread` metres farther on all sides.
    pub(super) fn crossed_within(&self, from: DVec3, way: DVec3, spread: f64) -> Option<(f64, f64)> {
        // Written so that NaN is refused as well.
        let farthest = from.abs().max_element().max((from + way).abs().max_element());
        if farthest.is_nan() || farthest > FARTHEST {
            return None;
        }
        let side = f64::from(self.cell_at(self.finest)) * TILE_CELLS as f64;
        // Columns and rows of tiles are 32-bit numbers; a quarter of their range leaves room for neighbours
        // and children.
        let last = f64::from(1 << 30) * side;
        let (low, high) = match self.extent() {
            Some(extent) => (DVec2::splat(-spread), extent + spread),
            None => (DVec2::splat(-last), DVec2::splat(last)),
        };
        let (mut start, mut end) = (0.0f64, 1.0f64);
        // Clips the line by slabs, one axis after the other.
        for (from, way, low, high) in [(from.x, way.x, low.x, high.x), (from.z, way.z, low.y, high.y)] {
            if way == 0.0 {
                if !(low..=high).contains(&from) {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low - from) / way, (high - from) / way);
            (start, end) = (start.max(a.min(b)), end.min(a.max(b)));
        }
        (start <= end).then_some((start, end))
    }

    /// The coarsest tiles within `reach` metres of a place, in metres from sample (0, 0).
    pub fn roots(&self, place: DVec2, reach: f64) -> Vec<LandTile> {
        match self.size {
            Some(_) => vec![LandTile { level: self.coarsest, column: 0, row: 0 }],
            None => self.around(self.coarsest, place, reach),
        }
    }

    /// The tiles of a level within `reach` metres of a place, in metres from sample (0, 0), each entirely on
    /// endless land.
    pub fn around(&self, level: i32, place: DVec2, reach: f64) -> Vec<LandTile> {
        let side = f64::from(self.cell_at(level)) * TILE_CELLS as f64;
        let tile = |column, row| LandTile { level, column, row };
        let first = ((place - reach) / side).floor();
        let last = ((place + reach) / side).floor();
        let along = |first: f64, last: f64| first as i32..=last as i32;
        let columns = along(first.x, last.x);
        along(first.y, last.y).flat_map(|row| columns.clone().map(move |column| tile(column, row))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{ChunkPart, DrawnChunk};

    #[test]
    fn one_coarsest_tile_holds_a_bounded_land_and_half_of_it_does_not() {
        for (side, coarsest) in
            [(1, 0), (2, 0), (129, 0), (130, 1), (257, 1), (1025, 3), (4097, 5), (65_536, 9)]
        {
            let shape = LandShape::bounded(10.0, [side, side.div_ceil(2)], -4);
            assert_eq!(shape.coarsest, coarsest, "{side}");
            let roots = shape.roots(DVec2::ZERO, 1e9);
            assert_eq!(roots.len(), 1);
            assert!(
                shape.has(roots[0])
                    && !shape.has(roots[0].beside(1, 0))
                    && !shape.has(roots[0].beside(0, -1))
            );
        }
    }

    #[test]
    fn tiles_beyond_the_border_have_no_land_and_those_at_it_do() {
        let shape = LandShape::bounded(2.0, [300, 130], -1);
        let has = |level, column, row| shape.has(LandTile { level, column, row });
        assert!(has(0, 2, 0) && has(0, 2, 1) && !has(0, 3, 0) && !has(0, 0, 2) && !has(0, -1, 0));
        // The finest and the coarsest level, and one beyond each.
        assert!(has(-1, 0, 0) && !has(-2, 0, 0) && has(2, 0, 0) && !has(3, 0, 0));
        let dot = LandShape::bounded(2.0, [1, 1], 0);
        assert!(dot.has(LandTile { level: 0, column: 0, row: 0 }));
        assert!(!dot.has(LandTile { level: 0, column: 1, row: 0 }));
    }

    #[test]
    fn chunks_at_the_border_are_those_where_land_ends() {
        // 24 cells from west to east, 32 from north to south.
        let shape = LandShape::bounded(2.0, [25, 33], -1);
        let at = |level, column, row| shape.is_at_border(Chunk { level, column, row });
        assert!(at(0, 0, 0) && at(0, 1, 0) && at(0, 0, 1) && at(1, 0, 0));
        assert!(at(-1, 2, 1) && at(-1, 1, 3) && at(-1, 0, 1) && !at(-1, 1, 1) && !at(-1, 1, 2));
        assert!(!LandShape::endless(2.0, -1, 500.0).is_at_border(Chunk { level: 0, column: 0, row: 0 }));
        // For a quarter that is drawn alone, its own sides count.
        let quarters = ChunkPart::QUARTERS.map(|part| {
            shape.is_at_border(DrawnChunk { chunk: Chunk { level: 0, column: 0, row: 1 }, part }.place())
        });
        assert_eq!(quarters, [true, false, true, true]);
    }

    #[test]
    fn the_roots_of_endless_land_surround_the_place() {
        let shape = LandShape::endless(10.0, -5, 50_000.0);
        assert_eq!(shape.coarsest, 6);
        let side = 128.0 * 640.0;
        let roots = shape.roots(DVec2::new(-10.0, 5.0), 1000.0);
        assert_eq!(roots.len(), 4);
        let roots = shape.roots(DVec2::new(side * 1000.5, -side * 7.5), 1000.0);
        assert_eq!(roots, [LandTile { level: 6, column: 1000, row: -8 }]);
    }
}
