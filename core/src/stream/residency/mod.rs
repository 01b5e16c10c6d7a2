//! Which tiles are resident, which are requested, and which are evicted.
//!
//! A resident tile's parent is resident, too, so a coarser tile is drawn wherever a fine one is missing:
//! there is never a hole. Tiles are requested from coarse to fine, the most needed first; the least recently
//! used are evicted.

mod arrive;
mod plan;

use std::collections::BTreeMap;
use std::sync::Arc;

use half::f16;
use rustc_hash::FxHashMap;

use super::drawing::chunk::Chunk;
use super::drawing::table::Table;
use super::shape::LandShape;
use super::sources::made::{CHUNKS_IN_TILE, ChunkFacts, MadeTile, TileTexels, place};
use super::tile::{LandTile, TILE_CELLS};
use crate::grid::{Heightfield, Window};

/// Limits of a residency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Tiles that can be resident, at most [`MAX_SLOTS`].
    pub slots: usize,
    /// Tiles that are made in parallel.
    pub jobs: usize,
    /// Seconds over which a tile that has arrived replaces its parent.
    pub fade: f64,
}

/// The most tiles that can be resident.
pub const MAX_SLOTS: usize = 1 << 16;

/// Marks a tile whose strokes have since been undone, in place of its number of strokes.
const LOST: usize = usize::MAX;

/// A tile, and its neighbours to the east, the south and the south-east.
const BESIDE: [(i32, i32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// How heights are transformed when the ground is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Factor on heights.
    pub scale: f64,
    /// Metres that are added afterwards.
    pub bias: f64,
}

impl Drawn {
    /// True to scale.
    pub const TRUE: Self = Self { scale: 1.0, bias: 0.0 };

    /// The lowest and highest drawn height.
    pub fn range(self, low: f32, high: f32) -> (f64, f64) {
        let [a, b] = [low, high].map(|height| f64::from(height) * self.scale + self.bias);
        (a.min(b), a.max(b))
    }
}

/// A resident tile. It is small, because a plan visits all of them in every frame.
#[derive(Clone, Debug)]
pub(super) struct Resident {
    slot: u32,
    /// The plan that last needed it.
    used: u64,
    /// The edit after which it was made.
    edit: u64,
    /// Whether it is to be remade, even though no edit of all tiles requires it.
    is_touched: bool,
    /// When it begins to replace its parent, seconds.
    shows_from: f64,
    /// The lowest and highest height of any of its chunks, metres.
    pub(super) range: (f32, f32),
    pub(super) ground: Box<ResidentGround>,
}

/// The ground of a resident tile.
#[derive(Clone, Debug)]
pub(super) struct ResidentGround {
    pub(super) chunks: [ChunkBounds; CHUNKS_IN_TILE],
    /// For a coarsest tile: the bounds of coarser chunks, and their own errors, metres.
    coarser: Vec<ChunkBounds>,
    coarser_errors: Vec<f32>,
    pub(super) heights: Arc<[f32]>,
    /// How many strokes of a brush the heights include.
    strokes: usize,
    shifts: Arc<[[f16; 2]]>,
    pub(super) holes: Arc<[f16]>,
    weights: Arc<[[u8; 4]]>,
}

impl Resident {
    /// Whether it is to be remade after this number of edits.
    fn is_stale(&self, edits: u64) -> bool {
        self.edit != edits || self.is_touched
    }
}

impl ResidentGround {
    /// The bounds of one of the chunks with which the tile is drawn.
    pub(super) fn known(&self, number: usize) -> Option<&ChunkBounds> {
        let coarser = || self.coarser.get(number - CHUNKS_IN_TILE);
        self.chunks.get(number).or_else(coarser)
    }
}

/// The ground of a resident tile and its holes: planes as in a [`MadeTile`].
#[derive(Clone, Copy, Debug)]
pub struct SlotGround<'a> {
    /// The tile's slot.
    pub slot: u32,
    /// Heights, metres.
    pub heights: &'a [f32],
    /// How far it lies from its samples; empty if it lies on them.
    pub shifts: &'a [[f16; 2]],
    /// The layer of holes; empty for a tile without any.
    pub holes: &'a [f16],
}

/// Bounds of a resident tile's chunk, including all finer tiles within its area that have been resident.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkBounds {
    /// The lowest height of any of them, metres.
    pub low: f32,
    /// The highest.
    pub high: f32,
    /// Its error, and at least twice that of any finer one, so that the ranges of levels at least double from
    /// one to the next. Metres.
    pub error: f32,
    /// The greatest such error of its quarters.
    pub finer: f32,
    /// The farthest that ground of any of them lies from its sample along either axis, metres.
    pub spread: f32,
}

impl ChunkBounds {
    /// For a chunk that is drawn with every other sample of its quarters, from their bounds and an error of
    /// its own.
    fn of_coarser(quarters: [Self; 4], error: f32) -> Self {
        let most = |of: fn(&Self) -> f32| quarters.iter().map(of).fold(f32::NEG_INFINITY, f32::max);
        let finer = most(|known| known.error);
        Self {
            // The least is the negative of the greatest negative.
            low: -most(|known| -known.low),
            high: most(|known| known.high),
            error: error.max(2.0 * finer),
            finer,
            spread: most(|known| known.spread),
        }
    }
}

impl From<ChunkFacts> for ChunkBounds {
    fn from(ChunkFacts { low, high, error, spread }: ChunkFacts) -> Self {
        Self { low, high, error, finer: 0.0, spread }
    }
}

/// The result of planning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Tiles to start making now, most needed first.
    pub start: Vec<LandTile>,
    /// Tiles that are being made and no longer needed.
    pub stop: Vec<LandTile>,
    /// How many more are needed.
    pub waiting: usize,
}

/// What happened to a tile that has arrived.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// It is to be uploaded to this slot.
    Shown {
        /// The slot.
        slot: u32,
        /// Its heights.
        heights: Arc<[f32]>,
        /// Its other drawn data.
        texels: TileTexels,
        /// Seconds since it was first needed; 0 if it was requested ahead and arrived before it was needed.
        latency: f64,
    },
    /// It waits for its parent, which is on the way.
    Early,
    /// It is no longer needed, or all slots hold tiles that are needed more.
    Dropped,
}

/// The residency of a land's tiles.
#[derive(Debug)]
pub struct Residency {
    shape: LandShape,
    budget: Budget,
    residents: FxHashMap<LandTile, Resident>,
    table: Table,
    free: Vec<u32>,
    /// Tiles that are being made, and the edit after which each is made.
    in_flight: FxHashMap<LandTile, u64>,
    /// Tiles that were made before their parents had arrived.
    early: FxHashMap<LandTile, MadeTile>,
    /// Tiles that could not be made, and the plan that last needed them.
    failed: FxHashMap<LandTile, u64>,
    /// When missing tiles were first needed, rather than only requested ahead, seconds.
    missed: FxHashMap<LandTile, f64>,
    plans: u64,
    edits: u64,
    /// The last edit that has changed the ground.
    new_ground: u64,
    /// Whether a tile has arrived since.
    shows_present: bool,
    /// Factors on the size of texels, because there are not enough slots, or not enough time.
    fullness: f64,
    lateness: f64,
    /// Whether the last plan changed these factors.
    is_pressing: bool,
    /// Whether a tile may be from before the last edit.
    has_stale: bool,
    /// Whether the last plan found nothing missing, and nothing has arrived since.
    is_complete: bool,
    /// How many tiles the last plan needed, and how many of them were missing.
    needed: usize,
    missing: usize,
    /// The farthest that ground of any tile so far lies from its sample along either axis, metres.
    spread: f32,
    /// Tiles that are replacing their parents, and when they will have done so.
    fading: BTreeMap<LandTile, f64>,
    /// How often a tile has arrived or gone.
    changes: u64,
    /// Tiles that are gone, and whose memory has not been freed yet.
    gone: Vec<Resident>,
}

impl Residency {
    /// A residency without tiles. It has at least 64 slots and one job, whatever the budget says; a fade that
    /// is not finite counts as 0.
    pub fn new(shape: LandShape, budget: Budget) -> Self {
        // The coarsest tiles around the eye, with one finer tile each, are the least that is useful.
        let fade = if budget.fade.is_finite() { budget.fade.max(0.0) } else { 0.0 };
        let budget = Budget { slots: budget.slots.clamp(64, MAX_SLOTS), jobs: budget.jobs.max(1), fade };
        Self {
            shape,
            budget,
            residents: FxHashMap::default(),
            table: Table::new(budget.slots),
            // In reverse, so that slot 0 is taken first.
            free: (0..budget.slots as u32).rev().collect(),
            in_flight: FxHashMap::default(),
            early: FxHashMap::default(),
            failed: FxHashMap::default(),
            missed: FxHashMap::default(),
            plans: 0,
            edits: 0,
            new_ground: 0,
            shows_present: false,
            fullness: 1.0,
            lateness: 1.0,
            is_pressing: false,
            has_stale: false,
            is_complete: false,
            needed: 0,
            missing: 0,
            spread: 0.0,
            fading: BTreeMap::new(),
            changes: 0,
            gone: Vec::new(),
        }
    }

    /// The land of a field without any tile, for queries of the field alone.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use glam::DVec2;
    /// use upland::stream::{KnownGround, Residency};
    ///
    /// let grid = upland::Grid::new(3, 2, 10.0)?;
    /// let ramp = upland::Heightfield::from_fn(grid, |column, _row| column as f32);
    /// let no_tiles = Residency::without_tiles(&ramp);
    /// let ground = KnownGround::new(&no_tiles).with_field(&ramp, ramp.range());
    /// let mut heights = [0.0; 2];
    /// ground.heights_of(&[DVec2::new(15.0, 5.0), DVec2::new(-1.0, 0.0)], &mut heights)?;
    /// assert!(heights[0] == 1.5 && heights[1].is_nan());
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn without_tiles(field: &Heightfield) -> Self {
        let grid = field.grid();
        let shape = LandShape::bounded(grid.cell, [grid.width as u32, grid.depth as u32], 0);
        Self::new(shape, Budget { slots: 0, jobs: 1, fade: 0.0 })
    }

    /// The shape of the land.
    pub fn shape(&self) -> &LandShape {
        &self.shape
    }

    /// The limits.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The table for the shaders.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table, from which changes can be taken.
    pub fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// How many tiles are resident.
    pub fn resident(&self) -> usize {
        self.residents.len()
    }

    /// Bytes of memory of resident tiles, and of those that have just gone, without the device's memory.
    pub fn bytes(&self) -> usize {
        let texels = |ground: &ResidentGround| {
            4 * (ground.heights.len() + ground.shifts.len() + ground.weights.len()) + 2 * ground.holes.len()
        };
        let of_one = size_of::<(LandTile, Resident)>() + size_of::<ResidentGround>();
        self.residents.values().chain(&self.gone).map(|resident| of_one + texels(&resident.ground)).sum()
    }

    /// How many times larger than requested texels are, because there are not enough slots or time; 1 at
    /// best.
    pub fn pressure(&self) -> f64 {
        self.fullness * self.lateness
    }

    /// The resident tiles, and the edit after which each was made, in no order.
    pub fn made(&self) -> impl Iterator<Item = (LandTile, u64)> {
        self.residents.iter().map(|(tile, resident)| (*tile, resident.edit))
    }

    /// How often a tile has arrived, been remade or gone: while it is the same, so are the tiles.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether a tile is resident.
    pub fn has(&self, tile: LandTile) -> bool {
        self.residents.contains_key(&tile)
    }

    /// The lowest and highest height of resident ground, metres; `None` while there is none.
    pub fn height_range(&self) -> Option<(f32, f32)> {
        // A parent's bounds include those of its children.
        let coarsest = self.residents.iter().filter(|(tile, _)| tile.level == self.shape.coarsest);
        coarsest.map(|(_, resident)| resident.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// The heights of a resident tile, as in a [`MadeTile`].
    pub fn heights(&self, tile: LandTile) -> Option<&Arc<[f32]>> {
        self.residents.get(&tile).map(|resident| &resident.ground.heights)
    }

    /// The ground of all resident tiles, in no order.
    pub fn grounds(&self) -> impl Iterator<Item = SlotGround<'_>> {
        self.residents.values().map(|Resident { slot, ground, .. }| SlotGround {
            slot: *slot,
            heights: &ground.heights,
            shifts: &ground.shifts,
            holes: &ground.holes,
        })
    }

    /// How far the ground of a resident tile lies from its samples, as in a [`MadeTile`]; empty if it lies on
    /// them.
    pub fn shifts(&self, tile: LandTile) -> Option<&Arc<[[f16; 2]]>> {
        self.residents.get(&tile).map(|resident| &resident.ground.shifts)
    }

    /// The layer of holes of a resident tile, as in a [`MadeTile`]; empty for land without any.
    pub fn holes(&self, tile: LandTile) -> Option<&Arc<[f16]>> {
        self.residents.get(&tile).map(|resident| &resident.ground.holes)
    }

    /// The farthest that ground of any tile so far lies from its sample along either axis, metres; 0 for land
    /// whose ground lies on its samples.
    pub fn spread(&self) -> f64 {
        f64::from(self.spread)
    }

    /// The splat weights of a resident tile, as in a [`MadeTile`].
    pub fn weights(&self, tile: LandTile) -> Option<&Arc<[[u8; 4]]>> {
        self.residents.get(&tile).map(|resident| &resident.ground.weights)
    }

    /// The lowest and highest height, metres, of a resident tile, including all finer ones within its area
    /// that have been resident.
    pub fn range(&self, tile: LandTile) -> Option<(f32, f32)> {
        self.residents.get(&tile).map(|resident| resident.range)
    }

    /// The finest resident tile that contains the sample of a place.
    pub fn finest_at(&self, x: f64, z: f64) -> Option<LandTile> {
        (self.shape.finest..=self.shape.coarsest)
            .map(|level| self.shape.tile_at(level, x, z))
            .find(|tile| self.has(*tile))
    }

    /// The bounds of a chunk whose tile is resident.
    pub fn known(&self, chunk: Chunk) -> Option<ChunkBounds> {
        let (tile, number) = chunk.drawn_with(self.shape.coarsest)?;
        self.ground_of(tile)?.known(number).copied()
    }

    /// The land has changed: all tiles are to be remade, coarse before fine. Each is drawn as it is until a
    /// tile of the new land, possibly a coarser one, has been made in its place.
    pub fn edit(&mut self) {
        self.repaint();
        (self.new_ground, self.shows_present) = (self.edits, false);
    }

    /// All tiles are to be remade with the same ground: each is drawn as it is until then.
    pub fn repaint(&mut self) {
        self.edits += 1;
        self.has_stale = true;
        // What failed may succeed on the changed land.
        self.failed.clear();
        self.missed.clear();
    }

    /// Whether any tile of the present ground has arrived since the last edit.
    pub fn shows_present(&self) -> bool {
        self.shows_present
    }

    /// Whether the ground of a resident tile still has strokes that were undone.
    fn has_lost_strokes(&self, tile: LandTile) -> bool {
        self.strokes(tile) == Some(LOST)
    }

    /// Whether a tile of the present ground is resident.
    fn has_present(&self, tile: LandTile) -> bool {
        self.residents.get(&tile).is_some_and(|resident| resident.edit >= self.new_ground)
    }

    /// The resident tiles whose ground has fewer strokes than this.
    pub(super) fn behind(&self, strokes: usize) -> Vec<LandTile> {
        let behind = self.residents.iter().filter(|(_, resident)| resident.ground.strokes < strokes);
        behind.map(|(tile, _)| *tile).collect()
    }

    /// How many strokes the heights of a resident tile have.
    pub(super) fn strokes(&self, tile: LandTile) -> Option<usize> {
        self.residents.get(&tile).map(|resident| resident.ground.strokes)
    }

    pub(super) fn set_strokes(&mut self, tile: LandTile, strokes: usize) {
        if let Some(resident) = self.residents.get_mut(&tile) {
            resident.ground.strokes = strokes;
        }
    }

    pub(super) fn slot(&self, tile: LandTile) -> Option<u32> {
        self.residents.get(&tile).map(|resident| resident.slot)
    }

    pub(super) fn ground_of(&self, tile: LandTile) -> Option<&ResidentGround> {
        self.residents.get(&tile).map(|resident| &*resident.ground)
    }

    pub(super) fn resident_mut(&mut self, tile: LandTile) -> Option<&mut Resident> {
        self.residents.get_mut(&tile)
    }

    /// The heights of a window that lies on the land, from resident tiles of the present ground with this
    /// number of strokes; `None` if any of them is missing.
    pub fn heights_of(&self, window: Window, strokes: usize) -> Option<Vec<f32>> {
        let mut heights = Vec::with_capacity(window.size.iter().map(|side| *side as usize).product());
        let last = self.shape.last_at(window.level);
        for row in window.first[1]..window.first[1] + i64::from(window.size[1]) {
            for column in window.first[0]..window.first[0] + i64::from(window.size[0]) {
                let number = |index: i64, axis: usize| {
                    // The last sample belongs to the last tile.
                    let index = last.map_or(index, |last| index.min((last[axis] - 1).max(0)));
                    // Rounds down also for negative samples of endless land.
                    index.div_euclid(TILE_CELLS) as i32
                };
                let tile = LandTile { level: window.level, column: number(column, 0), row: number(row, 1) };
                let resident = self.residents.get(&tile)?;
                if resident.ground.strokes != strokes || resident.edit < self.new_ground {
                    return None;
                }
                let first = tile.first_sample();
                heights.push(resident.ground.heights[place(column - first[0], row - first[1])]);
            }
        }
        Some(heights)
    }

    /// Marks a tile to be remade. It is drawn as it is until then.
    pub(super) fn remake_tile(&mut self, tile: LandTile) {
        if let Some(resident) = self.residents.get_mut(&tile) {
            resident.is_touched = true;
            (self.has_stale, self.is_complete) = (true, false);
        }
    }

    /// Only the first `left` strokes remain: `is_touched` says whether the others touched a rectangle (west,
    /// north, east, south, metres). Tiles that they touched are to be remade, and tiles being made with them
    /// are no longer wanted: both are returned.
    pub fn unsculpt(&mut self, left: usize, is_touched: impl Fn([f64; 4]) -> bool) -> Vec<LandTile> {
        let shape = self.shape;
        let touched = |tile: LandTile| is_touched(super::sources::sculpted_tile::reach_of(tile, &shape));
        let residents: Vec<LandTile> = self.residents.keys().copied().collect();
        for tile in residents {
            // Strokes can't be subtracted from heights: the tile is made again from the land below.
            if touched(tile) {
                self.remake_tile(tile);
                // No more strokes are to be added to it until then.
                self.set_strokes(tile, LOST);
            } else if let Some(resident) = self.residents.get_mut(&tile) {
                resident.ground.strokes = resident.ground.strokes.min(left);
            }
        }
        // Tiles that are being made still have the strokes that are taken back.
        let unwanted: Vec<LandTile> = self.in_flight.keys().copied().filter(|tile| touched(*tile)).collect();
        for tile in &unwanted {
            self.in_flight.remove(tile);
            self.early.remove(tile);
        }
        for made in self.early.values_mut() {
            made.strokes = made.strokes.min(left);
        }
        self.failed.retain(|tile, _| !touched(*tile));
        unwanted
    }

    /// Whether all resident tiles that touch a rectangle (west, north, east, south, metres; all tiles without
    /// one) have the present ground, with this number of strokes. Stand-ins for tiles that could not be made
    /// are permanent, so they don't count.
    pub fn has_present_ground(&self, bounds: Option<[f64; 4]>, strokes: usize) -> bool {
        let touches = |tile: &LandTile| {
            bounds.is_none_or(|bounds| {
                let reach = super::sources::sculpted_tile::reach_of(*tile, &self.shape);
                (0..2).all(|axis| reach[axis] <= bounds[axis + 2] && bounds[axis] <= reach[axis + 2])
            })
        };
        let is_present =
            |resident: &Resident| resident.edit >= self.new_ground && resident.ground.strokes == strokes;
        self.residents
            .iter()
            .all(|(tile, resident)| is_present(resident) || self.failed.contains_key(tile) || !touches(tile))
    }

    /// How many resident tiles are to be remade.
    pub fn stale(&self) -> usize {
        self.residents.values().filter(|resident| resident.is_stale(self.edits)).count()
    }

    /// How many edits there have been: each tile is made after one of them.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Sets how many tiles are made in parallel from now on.
    pub fn set_jobs(&mut self, jobs: usize) {
        self.budget.jobs = jobs.max(1);
    }

    /// How many tiles the last plan needed, and how many of them were resident or could not be made. More may
    /// be needed once the ground is better known.
    pub fn needed(&self) -> (usize, usize) {
        (self.needed, self.needed.saturating_sub(self.missing))
    }

    /// Whether all needed tiles, as far as there is room for them, are resident and fully shown.
    pub fn is_settled(&self) -> bool {
        self.is_complete && !self.is_pressing && self.fading.is_empty()
    }
}

/// The sizes of a residency's collections.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    pub(super) free: usize,
    pub(super) in_flight: usize,
    pub(super) early: usize,
    pub(super) failed: usize,
    pub(super) missed: usize,
    pub(super) fading: usize,
    pub(super) gone: usize,
}

#[cfg(test)]
impl Residency {
    pub(super) fn sizes(&self) -> Sizes {
        Sizes {
            free: self.free.len(),
            in_flight: self.in_flight.len(),
            early: self.early.len(),
            failed: self.failed.len(),
            missed: self.missed.len(),
            fading: self.fading.len(),
            gone: self.gone.len(),
        }
    }

    pub(super) fn tiles(&self) -> impl Iterator<Item = LandTile> {
        self.residents.keys().copied()
    }
}

/// The lowest and highest height of chunks.
pub(super) fn range_of(chunks: &[ChunkBounds]) -> (f32, f32) {
    let range = (f32::INFINITY, f32::NEG_INFINITY);
    chunks.iter().fold(range, |(low, high), known| (low.min(known.low), high.max(known.high)))
}
