//! Which tiles are resident, which are asked for, and which give way.
//!
//! A resident tile's parent is resident too, so wherever a fine tile is missing a coarser one is drawn: there
//! is never a hole. Tiles are asked for from coarse to fine, the most needed first; the least recently used
//! give way.

use std::collections::BTreeMap;
use std::sync::Arc;

use half::f16;
use rustc_hash::{FxHashMap, FxHashSet};

use super::chunk::Chunk;
use super::eye::{Eye, Need};
use super::made::{CHUNKS_IN_TILE, ChunkFacts, MadeTile, TileTexels, place};
use super::shape::LandShape;
use super::table::{Entry, OPEN_NORTH, OPEN_NORTH_WEST, OPEN_WEST, Table};
use super::tile::{LandTile, TILE_CELLS};
use crate::grid::{Heightfield, Window};

/// What may be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Tiles that can be resident, at most [`MAX_SLOTS`].
    pub slots: usize,
    /// Tiles that are made at a time.
    pub jobs: usize,
    /// Seconds in which a tile that has arrived takes its parent's place.
    pub fade: f64,
}

/// The most tiles that can be resident.
pub const MAX_SLOTS: usize = 1 << 16;

/// The greatest factors on the size of texels while not everything that is needed can be had.
const MOST_FULL: f64 = 64.0;
const MOST_LATE: f64 = 8.0;

/// A tile, and its neighbours to the east, the south and the south-east.
const BESIDE: [(i32, i32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// Plans after which a tile that could not be made, and that none of them needed, is forgotten.
const FORGOTTEN: u64 = 1000;

/// A plan gives back the memory of at least so many tiles that have gone, if there are as many. After an edit hundreds go
/// at once, and to give back the memory of all of them in one frame would take some milliseconds.
const GIVEN_BACK: usize = 8;

/// A height of the ground as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Factor on heights.
    pub scale: f64,
    /// Metres added then.
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

/// A resident tile.
#[derive(Clone, Debug)]
pub(super) struct Resident {
    slot: u32,
    /// The plan that last needed it.
    used: u64,
    /// The edit that it was made after.
    edit: u64,
    /// Whether it is to be made anew, though others need not be.
    is_touched: bool,
    /// When it begins to take its parent's place, seconds.
    shows_from: f64,
    pub(super) chunks: [Known; CHUNKS_IN_TILE],
    /// The lowest and highest height of any of them, metres.
    pub(super) range: (f32, f32),
    pub(super) heights: Arc<[f32]>,
    /// How many strokes of a brush the heights have.
    strokes: usize,
    shifts: Arc<[[f16; 2]]>,
    pub(super) holes: Arc<[f16]>,
    weights: Arc<[[u8; 4]]>,
}

impl Resident {
    /// Whether it is to be made anew, where there have been so many edits.
    fn is_stale(&self, edits: u64) -> bool {
        self.edit != edits || self.is_touched
    }
}

/// Where the ground of a resident tile is, and its holes: planes as of a [`MadeTile`].
#[derive(Clone, Copy, Debug)]
pub struct SlotGround<'a> {
    /// The slot that the tile lies in.
    pub slot: u32,
    /// Metres.
    pub heights: &'a [f32],
    /// How far it stands from its samples; empty if it doesn't.
    pub shifts: &'a [[f16; 2]],
    /// The layer of holes; empty of a tile without any.
    pub holes: &'a [f16],
}

/// What is known of a resident tile's chunk, and of all finer tiles in its place that have been there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The lowest and highest height of any of them, metres.
    pub low: f32,
    /// As `low`.
    pub high: f32,
    /// Its error, and at least twice that of any finer one: so the ranges of levels at least double from one to
    /// the next. Metres.
    pub error: f32,
    /// The greatest such error of its quarters.
    pub finer: f32,
    /// The farthest that ground of any of them stands from its sample along either axis, metres.
    pub spread: f32,
}

impl From<ChunkFacts> for Known {
    fn from(ChunkFacts { low, high, error, spread }: ChunkFacts) -> Self {
        Self { low, high, error, finer: 0.0, spread }
    }
}

/// What a plan asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Tiles to begin to make now, most needed first.
    pub start: Vec<LandTile>,
    /// Tiles being made that are no longer needed.
    pub stop: Vec<LandTile>,
    /// How many more are needed.
    pub waiting: usize,
}

/// What became of a tile that has been made.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// It is to be uploaded to this slot.
    Shown {
        /// The slot.
        slot: u32,
        /// Its heights.
        heights: Arc<[f32]>,
        /// What else is drawn of it.
        texels: TileTexels,
        /// Seconds since it was first needed; 0 where it was asked for ahead and arrived before it was.
        latency: f64,
    },
    /// It waits for its parent, which is on the way.
    Early,
    /// It is not needed any more, or all slots hold what is needed more.
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
    /// Tiles being made, and the edit that they are made after.
    in_flight: FxHashMap<LandTile, u64>,
    /// Tiles that were made before their parents had arrived.
    early: FxHashMap<LandTile, MadeTile>,
    /// Tiles that could not be made, and the plan that last needed them.
    failed: FxHashMap<LandTile, u64>,
    /// When tiles that are missing were first needed, not only asked for ahead, seconds.
    missed: FxHashMap<LandTile, f64>,
    plans: u64,
    edits: u64,
    /// The last of them that has changed the ground.
    new_ground: u64,
    /// Whether a tile has arrived since.
    shows_present: bool,
    /// Factors on the size of texels, because there are not enough slots, or not enough time.
    fullness: f64,
    lateness: f64,
    /// Whether the last plan changed them.
    is_pressing: bool,
    /// Whether a tile may be from before the last edit.
    has_stale: bool,
    /// Whether the last plan found nothing missing, and nothing has arrived since.
    is_complete: bool,
    /// The farthest that ground of any tile so far stands from its sample along either axis, metres.
    spread: f32,
    /// Tiles that are taking their parents' place, and when they will have.
    fading: BTreeMap<LandTile, f64>,
    /// How often a tile has arrived or gone.
    changes: u64,
    /// What has gone, and whose memory has not been given back yet.
    gone: Vec<Resident>,
}

impl Residency {
    /// No tile of a land yet. There are at least 64 slots and one job, whatever the budget says; a fade that is not
    /// finite is none.
    pub fn new(shape: LandShape, budget: Budget) -> Self {
        // The coarsest tiles around the eye, with one finer each, are the least that is of any use.
        let fade = if budget.fade.is_finite() { budget.fade.max(0.0) } else { 0.0 };
        let budget = Budget { slots: budget.slots.clamp(64, MAX_SLOTS), jobs: budget.jobs.max(1), fade };
        Self {
            shape,
            budget,
            residents: FxHashMap::default(),
            table: Table::new(budget.slots),
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
            spread: 0.0,
            fading: BTreeMap::new(),
            changes: 0,
            gone: Vec::new(),
        }
    }

    /// The land of a field without any tile, for questions to the field alone.
    ///
    /// ```
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

    /// Where there is land.
    pub fn shape(&self) -> &LandShape {
        &self.shape
    }

    /// What may be used.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The table for the shaders.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table, to take what has changed.
    pub fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// How many tiles are resident.
    pub fn resident(&self) -> usize {
        self.residents.len()
    }

    /// Bytes of memory that resident tiles take, and those that have just gone, without those of the device.
    pub fn bytes(&self) -> usize {
        let texels = |resident: &Resident| {
            4 * (resident.heights.len() + resident.shifts.len() + resident.weights.len())
                + 2 * resident.holes.len()
        };
        let all = self.residents.values().chain(&self.gone);
        all.map(|resident| size_of::<(LandTile, Resident)>() + texels(resident)).sum()
    }

    /// How many times larger texels are than asked for, because there are not enough slots or time; 1 at best.
    pub fn pressure(&self) -> f64 {
        self.fullness * self.lateness
    }

    /// The resident tiles, and the edit that each was made after, in no order.
    pub fn made(&self) -> impl Iterator<Item = (LandTile, u64)> {
        self.residents.iter().map(|(tile, resident)| (*tile, resident.edit))
    }

    /// How often a tile has arrived, been made anew or gone: while it is the same, so are the tiles.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether a tile is resident.
    pub fn has(&self, tile: LandTile) -> bool {
        self.residents.contains_key(&tile)
    }

    /// The lowest and highest height of resident ground, metres; `None` while there is none.
    pub fn height_range(&self) -> Option<(f32, f32)> {
        // A parent knows of what its children have.
        let coarsest = self.residents.iter().filter(|(tile, _)| tile.level == self.shape.coarsest);
        coarsest.map(|(_, resident)| resident.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// The heights of a resident tile, as of a [`MadeTile`].
    pub fn heights(&self, tile: LandTile) -> Option<&Arc<[f32]>> {
        self.residents.get(&tile).map(|resident| &resident.heights)
    }

    /// Where the ground of all resident tiles is, in no order.
    pub fn grounds(&self) -> impl Iterator<Item = SlotGround<'_>> {
        self.residents.values().map(|resident| SlotGround {
            slot: resident.slot,
            heights: &resident.heights,
            shifts: &resident.shifts,
            holes: &resident.holes,
        })
    }

    /// How far the ground of a resident tile stands from its samples, as of a [`MadeTile`]; empty if it doesn't.
    pub fn shifts(&self, tile: LandTile) -> Option<&Arc<[[f16; 2]]>> {
        self.residents.get(&tile).map(|resident| &resident.shifts)
    }

    /// The layer of holes of a resident tile, as of a [`MadeTile`]; empty of land without any.
    pub fn holes(&self, tile: LandTile) -> Option<&Arc<[f16]>> {
        self.residents.get(&tile).map(|resident| &resident.holes)
    }

    /// The farthest that ground of any tile so far stands from its sample along either axis, metres; 0 of land that
    /// stands on its samples.
    pub fn spread(&self) -> f64 {
        f64::from(self.spread)
    }

    /// The splat weights of a resident tile, as of a [`MadeTile`].
    pub fn weights(&self, tile: LandTile) -> Option<&Arc<[[u8; 4]]>> {
        self.residents.get(&tile).map(|resident| &resident.weights)
    }

    /// The lowest and highest height, metres, of a resident tile, and of all finer ones in its place that have
    /// been there.
    pub fn range(&self, tile: LandTile) -> Option<(f32, f32)> {
        self.residents.get(&tile).map(|resident| resident.range)
    }

    /// The finest resident tile that a sample of a level lies in.
    pub fn finest_at(&self, x: f64, z: f64) -> Option<LandTile> {
        (self.shape.finest..=self.shape.coarsest)
            .map(|level| self.shape.tile_at(level, x, z))
            .find(|tile| self.has(*tile))
    }

    /// What is known of a chunk whose tile is resident.
    pub fn known(&self, chunk: Chunk) -> Option<Known> {
        self.residents.get(&chunk.tile()).map(|resident| resident.chunks[chunk.in_tile()])
    }

    /// The land has changed: all tiles are to be made anew, coarse before fine. They are drawn as they are until
    /// one of the new land has been made in their place, which may be a coarser one.
    pub fn edit(&mut self) {
        self.repaint();
        (self.new_ground, self.shows_present) = (self.edits, false);
    }

    /// All tiles are to be made anew, but their ground is the same: each is drawn as it is until it has been.
    pub fn repaint(&mut self) {
        self.edits += 1;
        self.has_stale = true;
        self.failed.clear();
        self.missed.clear();
    }

    /// Whether any tile of the present ground has arrived since the last edit.
    pub fn shows_present(&self) -> bool {
        self.shows_present
    }

    /// Whether a tile of the present ground is resident.
    fn has_present(&self, tile: LandTile) -> bool {
        self.residents.get(&tile).is_some_and(|resident| resident.edit >= self.new_ground)
    }

    /// The resident tiles that have fewer strokes than so many.
    pub(super) fn behind(&self, strokes: usize) -> Vec<LandTile> {
        let behind = self.residents.iter().filter(|(_, resident)| resident.strokes < strokes);
        behind.map(|(tile, _)| *tile).collect()
    }

    /// How many strokes the heights of a resident tile have.
    pub(super) fn strokes(&self, tile: LandTile) -> Option<usize> {
        self.residents.get(&tile).map(|resident| resident.strokes)
    }

    pub(super) fn set_strokes(&mut self, tile: LandTile, strokes: usize) {
        if let Some(resident) = self.residents.get_mut(&tile) {
            resident.strokes = strokes;
        }
    }

    pub(super) fn slot(&self, tile: LandTile) -> Option<u32> {
        self.residents.get(&tile).map(|resident| resident.slot)
    }

    pub(super) fn resident_mut(&mut self, tile: LandTile) -> Option<&mut Resident> {
        self.residents.get_mut(&tile)
    }

    /// The heights of a window that lies on the land, of resident tiles of the present ground whose heights have so many
    /// strokes; `None` where one of them lacks.
    pub fn heights_of(&self, window: Window, strokes: usize) -> Option<Vec<f32>> {
        let mut heights = Vec::with_capacity(window.size.iter().map(|side| *side as usize).product());
        let last = self.shape.last_at(window.level);
        for row in window.first[1]..window.first[1] + i64::from(window.size[1]) {
            for column in window.first[0]..window.first[0] + i64::from(window.size[0]) {
                let number = |index: i64, axis: usize| {
                    // The last sample belongs to the last tile.
                    let index = last.map_or(index, |last| index.min((last[axis] - 1).max(0)));
                    index.div_euclid(TILE_CELLS) as i32
                };
                let tile = LandTile { level: window.level, column: number(column, 0), row: number(row, 1) };
                let resident = self.residents.get(&tile)?;
                if resident.strokes != strokes || resident.edit < self.new_ground {
                    return None;
                }
                let first = tile.first_sample();
                heights.push(resident.heights[place(column - first[0], row - first[1])]);
            }
        }
        Some(heights)
    }

    /// A tile is to be made anew, and is drawn as it is until it has been.
    pub(super) fn make_tile_anew(&mut self, tile: LandTile) {
        if let Some(resident) = self.residents.get_mut(&tile) {
            resident.is_touched = true;
            (self.has_stale, self.is_complete) = (true, false);
        }
    }

    /// Of the last strokes that tiles have had, only so many are left: `is_touched` says whether those that are gone
    /// touched a rectangle (west, north, east, south, metres). Tiles that they touched are to be made anew, and what is being made of them is
    /// not wanted any more: these tiles are returned.
    pub fn unsculpt(&mut self, left: usize, is_touched: impl Fn([f64; 4]) -> bool) -> Vec<LandTile> {
        let shape = self.shape;
        let touched = |tile: LandTile| is_touched(super::sculpted::reach_of(tile, &shape));
        let residents: Vec<LandTile> = self.residents.keys().copied().collect();
        for tile in residents {
            if touched(tile) {
                self.make_tile_anew(tile);
                // Nothing is to be added to what it shows until then.
                self.set_strokes(tile, usize::MAX);
            } else if let Some(resident) = self.residents.get_mut(&tile) {
                resident.strokes = resident.strokes.min(left);
            }
        }
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

    /// How many resident tiles are to be made anew.
    pub fn stale(&self) -> usize {
        self.residents.values().filter(|resident| resident.is_stale(self.edits)).count()
    }

    /// How many edits there have been: tiles are made after one of them.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Finds out which tiles these eyes need, at a time in seconds.
    pub fn plan(&mut self, eyes: &[Eye], drawn: Drawn, now: f64) -> Plan {
        self.plans += 1;
        // A share of them, too, so that they don't become more and more where many go in every frame.
        let given_back = GIVEN_BACK.max(self.gone.len() / 16);
        self.gone.truncate(self.gone.len().saturating_sub(given_back));
        let mut walk = Walk { eyes, drawn, now, needed: 0, missing: Vec::new() };
        let mut roots: Vec<LandTile> =
            eyes.iter().filter(|eye| eye.is_somewhere()).flat_map(|eye| self.roots(eye)).collect();
        roots.sort_unstable();
        roots.dedup();
        for root in roots {
            // Without them there is nothing at all: those near by come first.
            let side = f64::from(self.shape.cell_at(root.level)) * TILE_CELLS as f64;
            let middle = (root.rectangle(self.shape.cell).0 + root.rectangle(self.shape.cell).1) * 0.5;
            let away = |eye: &Eye| glam::DVec2::new(eye.position.x, eye.position.z).distance(middle) / side;
            let nearest = eyes.iter().map(away).fold(f64::INFINITY, f64::min);
            let need = f64::MAX / (1.0 + nearest);
            self.visit(root, Need { now: need, soon: need }, (0.0, 0.0), &mut walk);
        }
        let Walk { needed, mut missing, .. } = walk;
        // A parent is needed at least as much as its children: of equals it goes first.
        missing.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.level.cmp(&a.1.level)).then(a.1.cmp(&b.1)));

        let wanted: FxHashSet<LandTile> = missing.iter().map(|(_, tile)| *tile).collect();
        self.missed.retain(|tile, _| wanted.contains(tile));
        self.failed.retain(|_, used| *used + FORGOTTEN > self.plans);
        let stop: Vec<LandTile> = self
            .in_flight
            .iter()
            .filter(|(tile, edit)| !wanted.contains(tile) || **edit != self.edits)
            .map(|(tile, _)| *tile)
            .collect();
        for tile in &stop {
            self.in_flight.remove(tile);
            self.early.remove(tile);
        }
        let mut start = Vec::new();
        for (_, tile) in &missing {
            // What was made early waits, and nobody works on it.
            if self.in_flight.len() - self.early.len() >= self.budget.jobs {
                break;
            }
            let can_come = |parent| self.has_present(parent) || self.in_flight.contains_key(&parent);
            let is_root = tile.level == self.shape.coarsest;
            if !self.in_flight.contains_key(tile) && (is_root || can_come(tile.parent())) {
                self.in_flight.insert(*tile, self.edits);
                start.push(*tile);
            }
        }
        // What is from before an edit is drawn meanwhile.
        let absent = missing.iter().filter(|(_, tile)| !self.residents.contains_key(tile)).count();
        self.press(needed, absent, eyes.iter().any(|eye| eye.velocity.length() > 1.0));
        self.is_complete = missing.is_empty();
        self.drop_stale();
        Plan { waiting: missing.len().saturating_sub(self.in_flight.len()), start, stop }
    }

    fn roots(&self, eye: &Eye) -> Vec<LandTile> {
        let place = eye.position;
        // So far away that tiles could no longer be counted there is no land.
        let side = f64::from(self.shape.cell_at(self.shape.finest)) * TILE_CELLS as f64;
        let is_near = place.abs().max_element() + eye.far < f64::from(1 << 24) * side;
        if self.shape.size.is_none() && !is_near {
            return Vec::new();
        }
        let seen = self.shape.roots(glam::DVec2::new(place.x, place.z), eye.far.min(1e7));
        // The vertices on a tile's east and south border belong to its neighbours.
        let with_those = |tile: LandTile| BESIDE.map(|(columns, rows)| tile.beside(columns, rows));
        seen.into_iter().flat_map(with_those).filter(|tile| self.shape.has(*tile)).collect()
    }

    /// Notes that a tile is needed, and looks at its children. `need` is how urgently, `heights` are the lowest
    /// and highest that its ground is known to have.
    fn visit(&mut self, tile: LandTile, need: Need, heights: (f64, f64), walk: &mut Walk) {
        walk.needed += 1;
        let (plans, edits) = (self.plans, self.edits);
        let mut heights = heights;
        let resident = self.residents.get_mut(&tile);
        let is_missing = resident.as_ref().is_none_or(|resident| resident.is_stale(edits));
        if let Some(resident) = resident {
            resident.used = plans;
            heights = walk.drawn.range(resident.range.0, resident.range.1);
        }
        if is_missing {
            if let Some(used) = self.failed.get_mut(&tile) {
                *used = plans;
                // What is drawn in its place stays.
                self.go_on_using(tile);
                return;
            }
            if need.now > 1.0 {
                self.missed.entry(tile).or_insert(walk.now);
            }
            walk.missing.push((need.soon, tile));
        }
        if tile.level <= self.shape.finest {
            return;
        }
        let (shape, pressure, spread) = (self.shape, self.pressure(), self.spread());
        for child in tile.children().into_iter().filter(|child| shape.has(*child)) {
            let need = walk
                .eyes
                .iter()
                .filter(|eye| eye.is_somewhere())
                .map(|eye| eye.need(&shape, child, (heights, spread), pressure))
                .fold(Need::default(), Need::max);
            if need.soon > 1.0 {
                self.visit(child, need, heights, walk);
            }
        }
    }

    /// Marks a tile, and all finer ones in its place, as needed.
    fn go_on_using(&mut self, tile: LandTile) {
        let plans = self.plans;
        let Some(resident) = self.residents.get_mut(&tile) else { return };
        resident.used = plans;
        tile.children().into_iter().for_each(|child| self.go_on_using(child));
    }

    /// Makes texels larger while more is needed than there are slots, or, in flight, than can be made.
    fn press(&mut self, needed: usize, missing: usize, is_flying: bool) {
        let before = self.pressure();
        // Half as large texels need four times as many tiles.
        let full = needed as f64 / (0.9 * self.budget.slots as f64);
        if full > 1.0 {
            self.fullness = (self.fullness * full.sqrt().clamp(1.02, 2.0)).min(MOST_FULL);
        } else if full < 0.75 {
            self.fullness = (self.fullness / 1.05).max(1.0);
        }
        let late = missing as f64 / (4 * self.budget.jobs) as f64;
        self.lateness = match () {
            () if !is_flying => 1.0,
            () if late > 1.0 => (self.lateness * 1.03).min(MOST_LATE),
            () if late < 0.25 => (self.lateness / 1.01).max(1.0),
            () => self.lateness,
        };
        self.is_pressing = self.pressure() != before;
    }

    /// Tiles may be made so many at a time from now on.
    pub fn set_jobs(&mut self, jobs: usize) {
        self.budget.jobs = jobs.max(1);
    }

    /// Notes that a tile is being made that no plan has asked for.
    pub fn order(&mut self, tile: LandTile) {
        self.in_flight.insert(tile, self.edits);
    }

    /// A tile has been made, after edit number `edit`, and arrives at a time in seconds.
    pub fn arrive(&mut self, made: MadeTile, edit: u64, now: f64) -> Arrival {
        let tile = made.tile;
        if self.in_flight.get(&tile) != Some(&edit) {
            return Arrival::Dropped;
        }
        let is_root = tile.level == self.shape.coarsest;
        let has_parent = is_root || self.has_present(tile.parent());
        if !has_parent && self.in_flight.contains_key(&tile.parent()) {
            // Its parent is on the way: it stays in flight until that is there.
            self.early.insert(tile, made);
            return Arrival::Early;
        }
        self.in_flight.remove(&tile);
        self.is_complete = false;
        let latency = self.missed.remove(&tile).map_or(0.0, |since| now - since);
        let MadeTile { heights, facts, texels, strokes, .. } = made;
        if !has_parent {
            return Arrival::Dropped;
        }
        let was_of_this_ground = self.has_present(tile);
        let (shifts, holes) = (texels.shifts.clone(), texels.holes.clone());
        let weights = texels.weights.clone();
        self.spread = facts.iter().map(|facts| facts.spread).fold(self.spread, f32::max);
        if let Some(before) = self.residents.get_mut(&tile) {
            (before.heights, before.chunks, before.edit) = (heights.clone(), facts.map(Known::from), edit);
            before.range = range_of(&before.chunks);
            (before.shifts, before.holes, before.weights) = (shifts, holes, weights);
            (before.strokes, before.is_touched) = (strokes, false);
            let slot = before.slot;
            self.shows_present = true;
            self.changes += 1;
            if !was_of_this_ground {
                self.drop_former(tile);
            }
            self.gather(tile);
            return Arrival::Shown { slot, heights, texels, latency };
        }
        let parent = self.residents.get(&tile.parent()).map(|parent| parent.shows_from);
        let Some(slot) = self.free.pop().or_else(|| self.give_way()) else { return Arrival::Dropped };
        // A tile begins to show once its parent is all there; the first one is there at once.
        let shows_from = parent.map_or(f64::NEG_INFINITY, |from| now.max(from + self.budget.fade));
        let chunks = facts.map(Known::from);
        let range = range_of(&chunks);
        let resident = Resident {
            slot,
            used: self.plans,
            edit,
            is_touched: false,
            shows_from,
            chunks,
            range,
            heights: heights.clone(),
            strokes,
            shifts,
            holes,
            weights,
        };
        self.residents.insert(tile, resident);
        // Together they take no more memory than there are slots for.
        self.gone.truncate(self.free.len());
        self.changes += 1;
        self.shows_present = true;
        self.fading.insert(tile, shows_from + self.budget.fade);
        self.gather(tile);
        let fade = self.faded(shows_from, now);
        self.table.put(Entry { tile, slot, open: 0, fade });
        self.open(tile);
        Arrival::Shown { slot, heights, texels, latency }
    }

    /// A tile that was made early, and whose parent has arrived, or will not: to be let arrive again.
    pub fn take_early(&mut self) -> Option<(MadeTile, u64)> {
        let is_due = |tile: &&LandTile| !self.in_flight.contains_key(&tile.parent());
        let tile = self.early.keys().filter(is_due).max().copied()?;
        Some((self.early.remove(&tile)?, *self.in_flight.get(&tile)?))
    }

    /// A tile could not be made. Returns whether that is news.
    pub fn fail(&mut self, tile: LandTile, edit: u64) -> bool {
        let is_news = self.in_flight.get(&tile) == Some(&edit);
        if is_news {
            self.in_flight.remove(&tile);
            self.missed.remove(&tile);
            self.failed.insert(tile, self.plans);
        }
        is_news
    }

    /// Frees the slots of tiles from before the last edit that nothing needs: nobody would make them anew. The coarsest stay
    /// where an eye may come back soon, but not if their ground is a former one: whoever asks would be told of that.
    fn drop_stale(&mut self) {
        if !self.has_stale {
            return;
        }
        self.has_stale = false;
        let is_stale = |resident: &Resident| resident.is_stale(self.edits) && resident.used < self.plans;
        let mut stale: Vec<LandTile> =
            self.residents.iter().filter(|(_, resident)| is_stale(resident)).map(|(tile, _)| *tile).collect();
        self.has_stale = self.residents.values().any(|resident| resident.is_stale(self.edits));
        // From fine to coarse: a tile stays while a finer one in its place does.
        stale.sort_unstable();
        for tile in stale {
            let may_go = tile.level < self.shape.coarsest || !self.has_present(tile);
            if may_go && self.is_leaf(tile) {
                let slot = self.remove(tile);
                self.free.extend(slot);
            }
        }
    }

    /// Frees the slots of finer tiles in a tile's place that are of a former ground.
    fn drop_former(&mut self, tile: LandTile) {
        for child in tile.children() {
            if !self.residents.contains_key(&child) {
                continue;
            }
            self.drop_former(child);
            if !self.has_present(child) && self.is_leaf(child) {
                let slot = self.remove(child);
                self.free.extend(slot);
            }
        }
    }

    /// Whether no finer tile is resident in its place.
    fn is_leaf(&self, tile: LandTile) -> bool {
        tile.children().iter().all(|child| !self.residents.contains_key(child))
    }

    /// Takes a tile out; its slot.
    fn remove(&mut self, tile: LandTile) -> Option<u32> {
        let resident = self.residents.remove(&tile)?;
        self.changes += 1;
        self.fading.remove(&tile);
        self.table.remove(tile);
        self.open(tile);
        let slot = resident.slot;
        self.gone.push(resident);
        Some(slot)
    }

    /// Frees the slot of the least recently used tile that nothing needs.
    fn give_way(&mut self) -> Option<u32> {
        let may_go = |&(tile, resident): &(&LandTile, &Resident)| {
            // Not what the last plan but one needed: what has just left the need is often needed again at once.
            resident.used + 1 < self.plans && self.is_leaf(*tile)
        };
        // The coarsest last: endless land's are the ground that is seen from anywhere near.
        let (_, _, tile) = self
            .residents
            .iter()
            .filter(may_go)
            .map(|(tile, resident)| (tile.level == self.shape.coarsest, resident.used, *tile))
            .min()?;
        self.remove(tile)
    }

    /// Writes the errors of a tile's chunks to the table, and gathers them into those of coarser tiles.
    pub(super) fn gather(&mut self, tile: LandTile) {
        // What finer tiles said, where this one was made anew.
        for child in tile.children() {
            self.gather_from(child);
        }
        self.write_errors(tile);
        let mut finer = tile;
        while self.gather_from(finer) {
            finer = finer.parent();
            self.write_errors(finer);
        }
    }

    /// Gathers what is known of a tile's chunks into those of its parent; false if one of both is not there.
    fn gather_from(&mut self, finer: LandTile) -> bool {
        let Some(chunks) = self.residents.get(&finer).map(|resident| resident.chunks) else { return false };
        let Some(resident) = self.residents.get_mut(&finer.parent()) else { return false };
        for (chunk, finer) in Chunk::of_tile(finer).zip(chunks) {
            let into = &mut resident.chunks[chunk.parent().in_tile()];
            into.low = into.low.min(finer.low);
            into.high = into.high.max(finer.high);
            into.error = into.error.max(2.0 * finer.error);
            into.finer = into.finer.max(finer.error);
            into.spread = into.spread.max(finer.spread);
        }
        resident.range = range_of(&resident.chunks);
        true
    }

    fn write_errors(&mut self, tile: LandTile) {
        let Some(resident) = self.residents.get(&tile) else { return };
        for (chunk, known) in resident.chunks.iter().enumerate() {
            self.table.set_error(resident.slot, chunk, known.error);
        }
    }

    /// Tells the entries of a tile, and of those to its east and south, which of their neighbours are missing.
    fn open(&mut self, tile: LandTile) {
        for (columns, rows) in BESIDE {
            let beside = tile.beside(columns, rows);
            let Some(entry) = self.table.resident(beside) else { continue };
            let is_missing = |columns: i32, rows: i32| {
                let neighbour = beside.beside(columns, rows);
                self.shape.has(neighbour) && !self.has(neighbour)
            };
            let flag = |flag: u32, is_set: bool| if is_set { flag } else { 0 };
            let open = flag(OPEN_WEST, is_missing(-1, 0))
                | flag(OPEN_NORTH, is_missing(0, -1))
                | flag(OPEN_NORTH_WEST, is_missing(-1, -1));
            // The coarsest have nothing coarser to fall back to.
            let open = if tile.level == self.shape.coarsest { 0 } else { open };
            self.table.put(Entry { open, ..entry });
        }
    }

    fn faded(&self, shows_from: f64, now: f64) -> f32 {
        if self.budget.fade <= 0.0 {
            return 1.0;
        }
        ((now - shows_from) / self.budget.fade).clamp(0.0, 1.0) as f32
    }

    /// Lets tiles that have arrived take their parents' place a little more, at a time in seconds.
    pub fn fade(&mut self, now: f64) {
        let fading = std::mem::take(&mut self.fading);
        for (tile, ends) in fading {
            let Some(resident) = self.residents.get(&tile) else { continue };
            let fade = self.faded(resident.shows_from, now);
            if let Some(entry) = self.table.resident(tile) {
                self.table.put(Entry { fade, ..entry });
            }
            if now < ends {
                self.fading.insert(tile, ends);
            }
        }
    }

    /// Whether everything that is needed, as far as there is room for it, is there and shown in full.
    pub fn is_settled(&self) -> bool {
        self.is_complete && !self.is_pressing && self.fading.is_empty()
    }
}

/// How much a residency keeps in mind.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept {
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
    pub(super) fn kept(&self) -> Kept {
        Kept {
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
pub(super) fn range_of(chunks: &[Known]) -> (f32, f32) {
    let range = (f32::INFINITY, f32::NEG_INFINITY);
    chunks.iter().fold(range, |(low, high), known| (low.min(known.low), high.max(known.high)))
}

/// A walk over the tiles that eyes need.
struct Walk<'a> {
    eyes: &'a [Eye],
    drawn: Drawn,
    now: f64,
    needed: usize,
    missing: Vec<(f64, LandTile)>,
}
