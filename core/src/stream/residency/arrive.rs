//! Tiles come and go: into slots and out of them, into the table for the shaders, into the bounds of coarser
//! tiles.

use super::{Arrival, BESIDE, ChunkBounds, Residency, Resident, ResidentGround, range_of};
use crate::stream::drawing::chunk::{COARSER, Chunk, TILE_CHUNKS};
use crate::stream::drawing::table::{Entry, OPEN_NORTH, OPEN_NORTH_WEST, OPEN_WEST};
use crate::stream::sources::made::{MadeTile, Samples};
use crate::stream::tile::LandTile;

impl ResidentGround {
    /// Computes the bounds of the chunks that are coarser than the tile.
    fn gather_coarser(&mut self) {
        let mut finer = self.chunks.to_vec();
        let mut errors = self.coarser_errors.iter().copied();
        self.coarser.clear();
        for coarser in 1..=COARSER {
            let side = TILE_CHUNKS as usize >> coarser;
            let places = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
            let known = places.zip(errors.by_ref()).map(|((row, column), error)| {
                let north_west = 4 * row * side + 2 * column;
                let quarters = [0, 1, 2 * side, 2 * side + 1].map(|place| finer[north_west + place]);
                ChunkBounds::of_coarser(quarters, error)
            });
            finer = known.collect();
            self.coarser.extend(&finer);
        }
    }
}

impl Residency {
    /// Records that a tile is being made that no plan has requested.
    pub fn order(&mut self, tile: LandTile) {
        self.in_flight.insert(tile, self.edits);
    }

    /// A tile has been made, after edit number `edit`, and arrives at a time in seconds.
    pub fn arrive(&mut self, made: MadeTile, edit: u64, now: f64) -> Arrival {
        let tile = made.tile;
        // Made for an earlier edit, or no longer wanted: a newer job has taken its place.
        if self.in_flight.get(&tile) != Some(&edit) {
            return Arrival::Dropped;
        }
        let is_root = tile.level == self.shape.coarsest;
        let has_parent = is_root || self.has_present(tile.parent());
        if !has_parent && self.in_flight.contains_key(&tile.parent()) {
            // Its parent is on the way: the tile stays in flight until its parent has arrived.
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
            // The slot and the moment of fading stay: the tile is replaced in place, without a new fade.
            let ground = &mut before.ground;
            (ground.heights, ground.chunks, ground.strokes) =
                (heights.clone(), facts.map(ChunkBounds::from), strokes);
            (ground.shifts, ground.holes, ground.weights) = (shifts, holes, weights);
            (before.edit, before.is_touched, before.range) = (edit, false, range_of(&ground.chunks));
            let slot = before.slot;
            self.shows_present = true;
            self.changes += 1;
            if !was_of_this_ground {
                self.drop_former(tile);
            }
            self.measure_coarser(tile);
            self.gather(tile);
            return Arrival::Shown { slot, heights, texels, latency };
        }
        let parent = self.residents.get(&tile.parent()).map(|parent| parent.shows_from);
        let Some(slot) = self.free.pop().or_else(|| self.give_way()) else { return Arrival::Dropped };
        // A tile begins to show once its parent is fully shown; the first tile shows immediately.
        let shows_from = parent.map_or(f64::NEG_INFINITY, |from| now.max(from + self.budget.fade));
        let chunks = facts.map(ChunkBounds::from);
        let resident = Resident {
            slot,
            used: self.plans,
            edit,
            is_touched: false,
            shows_from,
            range: range_of(&chunks),
            ground: Box::new(ResidentGround {
                chunks,
                coarser: Vec::new(),
                coarser_errors: Vec::new(),
                heights: heights.clone(),
                strokes,
                shifts,
                holes,
                weights,
            }),
        };
        self.residents.insert(tile, resident);
        // Together they take no more memory than the free slots would.
        self.gone.truncate(self.free.len());
        self.changes += 1;
        self.shows_present = true;
        self.fading.insert(tile, shows_from + self.budget.fade);
        self.measure_coarser(tile);
        self.gather(tile);
        let fade = self.faded(shows_from, now);
        self.table.put(Entry { tile, slot, open: 0, fade });
        self.open(tile);
        Arrival::Shown { slot, heights, texels, latency }
    }

    /// A tile that was made early, and whose parent has arrived or never will: call `arrive` for it again.
    pub fn take_early(&mut self) -> Option<(MadeTile, u64)> {
        let is_due = |tile: &&LandTile| !self.in_flight.contains_key(&tile.parent());
        let tile = self.early.keys().filter(is_due).max().copied()?;
        Some((self.early.remove(&tile)?, *self.in_flight.get(&tile)?))
    }

    /// A tile could not be made. Returns whether this is its first failure.
    pub fn fail(&mut self, tile: LandTile, edit: u64) -> bool {
        let is_news = self.in_flight.get(&tile) == Some(&edit);
        if is_news {
            self.in_flight.remove(&tile);
            self.missed.remove(&tile);
            self.failed.insert(tile, self.plans);
        }
        is_news
    }

    /// Frees the slots of tiles from before the last edit that nothing needs, since they would not be made
    /// again. The coarsest stay where an eye may return soon, but not if their ground is outdated: queries
    /// would find that ground.
    pub(super) fn drop_stale(&mut self) {
        if !self.has_stale {
            return;
        }
        self.has_stale = false;
        let is_stale = |resident: &Resident| resident.is_stale(self.edits) && resident.used < self.plans;
        let mut stale: Vec<LandTile> =
            self.residents.iter().filter(|(_, resident)| is_stale(resident)).map(|(tile, _)| *tile).collect();
        self.has_stale = self.residents.values().any(|resident| resident.is_stale(self.edits));
        // From fine to coarse: a tile stays while a finer one within its area does.
        stale.sort_unstable();
        for tile in stale {
            let is_former = !self.has_present(tile) || self.has_lost_strokes(tile);
            let may_go = tile.level < self.shape.coarsest || is_former;
            if may_go && self.is_leaf(tile) {
                let slot = self.remove(tile);
                self.free.extend(slot);
            }
        }
    }

    /// Frees the slots of finer tiles within a tile's area whose ground is outdated.
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

    /// Whether no finer tile within its area is resident.
    fn is_leaf(&self, tile: LandTile) -> bool {
        tile.children().iter().all(|child| !self.residents.contains_key(child))
    }

    /// Removes a tile and returns its slot.
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
            // But not tiles that the last plan but one needed: tiles that are no longer needed are often
            // needed again soon.
            resident.used + 1 < self.plans && self.is_leaf(*tile)
        };
        // The coarsest last: on endless land they are the ground that is visible from anywhere near.
        let (_, _, tile) = self
            .residents
            .iter()
            .filter(may_go)
            .map(|(tile, resident)| (tile.level == self.shape.coarsest, resident.used, *tile))
            .min()?;
        self.remove(tile)
    }

    /// Computes the errors of chunks that are coarser than a coarsest tile, from its heights.
    pub(in crate::stream) fn measure_coarser(&mut self, tile: LandTile) {
        let is_root = tile.level == self.shape.coarsest;
        let Some(resident) = self.residents.get_mut(&tile).filter(|_| is_root) else { return };
        let chunks = (1..=COARSER).flat_map(|coarser| {
            let count = (TILE_CHUNKS >> coarser).pow(2);
            (0..count).map(move |number| (coarser, number))
        });
        let ResidentGround { heights, shifts, holes, .. } = &*resident.ground;
        let samples = Samples { heights, shifts, holes, cell: self.shape.cell_at(tile.level) };
        resident.ground.coarser_errors =
            chunks.map(|(coarser, number)| samples.facts(coarser, number).error).collect();
    }

    /// Writes the errors of a tile's chunks to the table, and merges them into those of coarser tiles.
    pub(in crate::stream) fn gather(&mut self, tile: LandTile) {
        // Merge the errors of finer tiles again if this tile was remade.
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

    /// Merges the bounds of a tile's chunks into those of its parent; false if one of the two is not
    /// resident.
    fn gather_from(&mut self, finer: LandTile) -> bool {
        let Some(chunks) = self.ground_of(finer).map(|ground| ground.chunks) else { return false };
        let Some(resident) = self.residents.get_mut(&finer.parent()) else { return false };
        for (chunk, finer) in Chunk::of_tile(finer).zip(chunks) {
            let into = &mut resident.ground.chunks[chunk.parent().in_tile()];
            into.low = into.low.min(finer.low);
            into.high = into.high.max(finer.high);
            // At least twice the finer one's, so that ranges double from level to level and neighbouring
            // levels always fit.
            into.error = into.error.max(2.0 * finer.error);
            into.finer = into.finer.max(finer.error);
            into.spread = into.spread.max(finer.spread);
        }
        resident.range = range_of(&resident.ground.chunks);
        true
    }

    fn write_errors(&mut self, tile: LandTile) {
        let Some(resident) = self.residents.get_mut(&tile) else { return };
        if tile.level == self.shape.coarsest {
            resident.ground.gather_coarser();
        }
        for (chunk, known) in resident.ground.chunks.iter().chain(&resident.ground.coarser).enumerate() {
            self.table.set_error(resident.slot, chunk, known.error);
        }
    }

    /// Updates the entries of a tile, and of those to its east and south, with which of their neighbours are
    /// missing.
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

    /// Advances tiles that have arrived in replacing their parents, at a time in seconds.
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
}
