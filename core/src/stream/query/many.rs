//! The known ground at many places together, with the same bits as at each alone.
//!
//! Places are processed in blocks, like points of a field (`grid/surface.rs`): first the samples around each
//! place are found, then the heights are read, then all of them are interpolated in wide registers. The tile
//! of a place is that of the place before as long as it must be: a walk over all levels is needed only where
//! places jump from tile to tile.

use glam::DVec2;

use super::ground::KnownGround;
use super::samples::{GroundAt, Heights, Samples};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::error::Result;
use crate::grid::surface::check;
use crate::stream::tile::{TILE_CELLS, TILE_TEXELS};

/// Places in a block.
const BLOCK: usize = 128;

/// How many leaves are cached, by column and row of squares, and the distance between two rows in the cache.
const KEPT: usize = 64;
const KEPT_ROW: usize = 8;

/// Tiles of the finest level along a side of a square.
const SQUARE: i64 = 2;

/// The least distance from a tile's border, as a share of its side, at which a place surely lies in the tile,
/// in spite of rounding.
const MARGIN: f64 = 1e-9;

impl KnownGround<'_> {
    /// The ground at many places: the result of [`at`](Self::at) for each.
    ///
    /// # Errors
    /// When there are not as many answers as places.
    pub fn all_of(&self, places: &[DVec2], grounds: &mut [Option<GroundAt>]) -> Result<()> {
        check(places.len(), grounds.len())?;
        self.each(places, grounds, All, |ground| ground);
        Ok(())
    }

    /// The heights of the ground at many places, metres; NaN where [`at`](Self::at) returns `None`.
    ///
    /// # Errors
    /// As [`all_of`](Self::all_of).
    pub fn heights_of(&self, places: &[DVec2], heights: &mut [f32]) -> Result<()> {
        check(places.len(), heights.len())?;
        self.each(places, heights, Height, |ground| ground.map_or(f32::NAN, |ground| ground.height));
        Ok(())
    }

    /// The slopes of the ground at many places, in degrees as in [`GroundAt::slope`]; NaN where there is
    /// none.
    ///
    /// # Errors
    /// As [`all_of`](Self::all_of).
    pub fn slopes_of(&self, places: &[DVec2], slopes: &mut [f32]) -> Result<()> {
        check(places.len(), slopes.len())?;
        self.each(places, slopes, Slope, |ground| ground.map_or(f32::NAN, |ground| ground.slope()));
        Ok(())
    }

    /// Answers block by block; `alone` converts the ground at one place to an answer.
    fn each<S: GroundQuery>(
        &self,
        places: &[DVec2],
        answers: &mut [S::Answer],
        query: S,
        alone: impl Fn(Option<GroundAt>) -> S::Answer,
    ) {
        // Shifted ground may have several surfaces over a place, which the block's interpolation doesn't
        // know.
        if self.may_overhang() {
            for (place, answer) in places.iter().zip(answers) {
                *answer = alone(self.at(place.x, place.y));
            }
            return;
        }
        in_wide_registers(AtPlaces { ground: self, places, answers, query, nowhere: || alone(None) });
    }
}

/// Samples that contain places, and an area within which no other samples can be the finest.
struct Leaf<'a> {
    samples: Samples<'a>,
    low: DVec2,
    high: DVec2,
}

/// The most recently found leaves: places that jump to and fro find theirs again.
struct RecentLeaves<'a> {
    leaves: [Option<Leaf<'a>>; KEPT],
    /// The most recently used one.
    last: usize,
    /// Squares per metre along a side: all places of a square share a slot.
    squares: f64,
}

impl<'a> RecentLeaves<'a> {
    fn new(ground: &KnownGround<'a>) -> Self {
        let shape = ground.residency().shape();
        let side = f64::from(shape.cell_at(shape.finest)) * (SQUARE * TILE_CELLS) as f64;
        Self { leaves: [const { None }; KEPT], last: 0, squares: 1.0 / side }
    }

    /// The leaf that contains a place; `None` where there is none. Beside the land it may be a wrong one.
    #[inline(always)]
    fn leaf(&mut self, ground: &KnownGround<'a>, place: DVec2) -> Option<&Leaf<'a>> {
        let is_inside = |leaf: &Leaf| place.cmpgt(leaf.low).all() && place.cmplt(leaf.high).all();
        if !self.leaves[self.last].as_ref().is_some_and(is_inside) {
            // A direct-mapped cache: a place's square gives its slot, so that looking up costs no search.
            let [column, row] =
                (place * self.squares).to_array().map(|square| square.floor() as i64 as usize);
            self.last = (column ^ row.wrapping_mul(KEPT_ROW)) % KEPT;
            if !self.leaves[self.last].as_ref().is_some_and(is_inside) {
                self.leaves[self.last] = ground.leaf(place);
            }
        }
        self.leaves[self.last].as_ref()
    }
}

/// What to compute at each place.
trait GroundQuery: Copy {
    type Answer;

    fn answer(self, height: f64, rise: DVec2, level: i32, cell: f32) -> Self::Answer;
}

#[derive(Clone, Copy)]
struct All;

#[derive(Clone, Copy)]
struct Height;

#[derive(Clone, Copy)]
struct Slope;

impl GroundQuery for All {
    type Answer = Option<GroundAt>;

    #[inline(always)]
    fn answer(self, height: f64, rise: DVec2, level: i32, cell: f32) -> Self::Answer {
        Some(GroundAt::of_plane(height, rise, level, cell))
    }
}

impl GroundQuery for Height {
    type Answer = f32;

    #[inline(always)]
    fn answer(self, height: f64, _: DVec2, _: i32, _: f32) -> f32 {
        height as f32
    }
}

impl GroundQuery for Slope {
    type Answer = f32;

    #[inline(always)]
    fn answer(self, height: f64, rise: DVec2, level: i32, cell: f32) -> f32 {
        GroundAt::of_plane(height, rise, level, cell).slope()
    }
}

/// The data of a block's places, each kind in its own row.
struct Block {
    /// Where the land ends.
    end: DVec2,
    /// Whether there is ground.
    is_known: [bool; BLOCK],
    level: [i32; BLOCK],
    cell: [f32; BLOCK],
    x: [f64; BLOCK],
    z: [f64; BLOCK],
    /// The column and row of the sample to the north-west, counted from the land's first.
    column: [f64; BLOCK],
    row: [f64; BLOCK],
    /// The heights around.
    corners: [[f32; BLOCK]; 4],
}

impl Block {
    fn new(end: DVec2) -> Self {
        Self {
            end,
            is_known: [false; BLOCK],
            level: [0; BLOCK],
            cell: [1.0; BLOCK],
            x: [0.0; BLOCK],
            z: [0.0; BLOCK],
            column: [0.0; BLOCK],
            row: [0.0; BLOCK],
            corners: [[0.0; BLOCK]; 4],
        }
    }

    /// Finds and reads the samples around places, at most a block of them.
    #[inline(always)]
    fn fill<'a>(&mut self, ground: &KnownGround<'a>, places: &[DVec2], recent: &mut RecentLeaves<'a>) {
        for (index, place) in places.iter().enumerate().take(BLOCK) {
            let has_ground =
                |leaf: &&Leaf| ground.has_land(*place) && !leaf.samples.is_hole(place.x, place.y);
            let leaf = recent.leaf(ground, *place).filter(has_ground);
            self.is_known[index] = leaf.is_some();
            let Some(Leaf { samples, .. }) = leaf else { continue };
            let cell = f64::from(samples.cell);
            let number = |place: f64, axis: usize| {
                ((place / cell).floor() as i64)
                    .saturating_sub(samples.first[axis])
                    .clamp(0, (samples.cells[axis] - 1).max(0))
            };
            let (column, row) = (number(place.x, 0), number(place.y, 1));
            (self.level[index], self.cell[index]) = (samples.level, samples.cell);
            (self.x[index], self.z[index]) = (place.x, place.y);
            self.column[index] = (samples.first[0] + column) as f64;
            self.row[index] = (samples.first[1] + row) as f64;
            for (corner, height) in self.corners.iter_mut().zip(samples.corners(column, row)) {
                corner[index] = height;
            }
        }
    }

    /// Interpolates like `Quad::plane`, operation by operation, for the same bits.
    #[inline(always)]
    fn interpolate<S: GroundQuery>(&self, query: S, answers: &mut [S::Answer]) {
        let Self { end, level, cell, x, z, column, row, corners, .. } = self;
        let [nw, ne, sw, se] = corners;
        for (index, answer) in answers.iter_mut().enumerate().take(BLOCK) {
            let wide = f64::from(cell[index]);
            let (corner_x, corner_z) = (column[index] * wide, row[index] * wide);
            let (size_x, size_z) = (size(end.x - corner_x, wide), size(end.y - corner_z, wide));
            let (east, south) = ((x[index] - corner_x) / size_x, (z[index] - corner_z) / size_z);
            let [nw, ne, sw, se] = [nw[index], ne[index], sw[index], se[index]].map(f64::from);
            let is_south_east = east + south > 1.0;
            let rise_x = if is_south_east { se - sw } else { ne - nw };
            let rise_z = if is_south_east { se - ne } else { sw - nw };
            let base = if is_south_east { se - (rise_x + rise_z) } else { nw };
            let height = base + (rise_x * east + rise_z * south);
            let rise = DVec2::new(rise_x / size_x, rise_z / size_z);
            *answer = query.answer(height, rise, level[index], cell[index]);
        }
    }
}

/// All places, block by block.
struct AtPlaces<'a, S: GroundQuery, N> {
    ground: &'a KnownGround<'a>,
    places: &'a [DVec2],
    answers: &'a mut [S::Answer],
    query: S,
    /// The answer where there is no ground.
    nowhere: N,
}

impl<S: GroundQuery, N: Fn() -> S::Answer> Loop for AtPlaces<'_, S, N> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let mut block = Block::new(self.ground.end());
        let mut recent = RecentLeaves::new(self.ground);
        for (places, answers) in self.places.chunks(BLOCK).zip(self.answers.chunks_mut(BLOCK)) {
            block.fill(self.ground, places, &mut recent);
            block.interpolate(self.query, answers);
            for (answer, is_known) in answers.iter_mut().zip(&block.is_known) {
                if !is_known {
                    *answer = (self.nowhere)();
                }
            }
        }
    }
}

/// The width of a cell: less at the land's end, but not for land without extent.
#[inline(always)]
fn size(left: f64, cell: f64) -> f64 {
    let size = if left < cell { left } else { cell };
    if size > 0.0 { size } else { cell }
}

impl<'a> KnownGround<'a> {
    /// The samples of the ground at a place, and an area around it that has no others; `None` without ground.
    fn leaf(&self, place: DVec2) -> Option<Leaf<'a>> {
        let samples = self.samples_at(place.x, place.y).filter(|_| self.has_land(place))?;
        let everywhere = (DVec2::NEG_INFINITY, DVec2::INFINITY);
        let shape = self.residency().shape();
        let (low, high) = match self.residency().finest_at(place.x, place.y) {
            None => everywhere,
            Some(tile) => {
                // A finer tile would lie in one of its quarters, and the quarter around the place has none.
                let level = if tile.level > shape.finest { tile.level - 1 } else { tile.level };
                let part = shape.tile_at(level, place.x, place.y);
                let (low, high) = part.rectangle(shape.cell);
                let margin = (high - low) * MARGIN + (low.abs().max(high.abs())) * f64::EPSILON * 4.0;
                (low + margin, high - margin)
            }
        };
        Some(Leaf { samples, low, high })
    }
}

impl Samples<'_> {
    /// The heights around a cell, counted from the first sample: north-west, north-east, south-west,
    /// south-east.
    #[inline(always)]
    pub(in crate::stream) fn corners(&self, column: i64, row: i64) -> [f32; 4] {
        match self.heights {
            Heights::Tile(heights) => {
                let here = crate::stream::sources::made::place(column, row);
                // Two slices instead of four indices: two bounds checks.
                let [north, south] = [here, here + TILE_TEXELS].map(|first| &heights[first..first + 2]);
                [north[0], north[1], south[0], south[1]]
            }
            // Strokes are applied at each sample.
            Heights::Field(_, Some(_)) => {
                let at = |columns: i64, rows: i64| self.height(column + columns, row + rows) as f32;
                [at(0, 0), at(1, 0), at(0, 1), at(1, 1)]
            }
            Heights::Field(field, None) => {
                let grid = field.grid();
                let columns = [column, column + 1].map(|column| (column as usize).min(grid.width - 1));
                let rows = [row, row + 1].map(|row| (row as usize).min(grid.depth - 1) * grid.width);
                let heights = field.heights();
                let at = |row: usize, column: usize| heights[row + column];
                [
                    at(rows[0], columns[0]),
                    at(rows[0], columns[1]),
                    at(rows[1], columns[0]),
                    at(rows[1], columns[1]),
                ]
            }
        }
    }
}
