//! What eyes need of a land: which tiles to make next, which no longer, and how large texels must be for all
//! to fit.

use rustc_hash::FxHashSet;

use super::{BESIDE, Drawn, Plan, Residency};
use crate::stream::drawing::eye::{Eye, Need};
use crate::stream::tile::{LandTile, TILE_CELLS};

/// The greatest factor on the size of texels while the needed tiles exceed the limits.
const MOST_FULL: f64 = 64.0;
const MOST_LATE: f64 = 8.0;

/// Plans after which a tile that could not be made, and that none of them needed, is forgotten.
const FORGOTTEN: u64 = 1000;

/// A plan frees the memory of at least this many tiles that have gone, if there are as many. After an edit
/// hundreds go together, and freeing all of their memory in one frame would take some milliseconds.
const GIVEN_BACK: usize = 8;

/// A walk over the tiles that eyes need.
struct Walk<'a> {
    eyes: &'a [Eye],
    drawn: Drawn,
    now: f64,
    needed: usize,
    missing: Vec<(f64, LandTile)>,
}

impl Residency {
    /// Computes which tiles these eyes need, at a time in seconds.
    pub fn plan(&mut self, eyes: &[Eye], drawn: Drawn, now: f64) -> Plan {
        self.plans += 1;
        // Also a share of them, so that they don't accumulate where many go in every frame.
        let given_back = GIVEN_BACK.max(self.gone.len() / 16);
        self.gone.truncate(self.gone.len().saturating_sub(given_back));
        let mut walk = Walk { eyes, drawn, now, needed: 0, missing: Vec::new() };
        let mut roots: Vec<LandTile> =
            eyes.iter().filter(|eye| eye.is_somewhere()).flat_map(|eye| self.roots(eye)).collect();
        roots.sort_unstable();
        roots.dedup();
        for root in roots {
            // Without the coarsest tiles nothing can be drawn: those nearby come first.
            let side = f64::from(self.shape.cell_at(root.level)) * TILE_CELLS as f64;
            let middle = (root.rectangle(self.shape.cell).0 + root.rectangle(self.shape.cell).1) * 0.5;
            let away = |eye: &Eye| glam::DVec2::new(eye.position.x, eye.position.z).distance(middle) / side;
            let nearest = eyes.iter().map(away).fold(f64::INFINITY, f64::min);
            // Greater than the need of any finer tile, and ordered by distance.
            let need = f64::MAX / (1.0 + nearest);
            self.visit(root, Need { now: need, soon: need }, (0.0, 0.0), &mut walk);
        }
        let Walk { needed, mut missing, .. } = walk;
        // A parent is needed at least as much as its children: among equals it goes first.
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
            // Tiles that were made early only wait, and take no job.
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
        // Tiles from before an edit are drawn meanwhile.
        let absent = missing.iter().filter(|(_, tile)| !self.residents.contains_key(tile)).count();
        self.press(needed, absent, eyes.iter().any(|eye| eye.velocity.length() > 1.0));
        self.is_complete = missing.is_empty();
        (self.needed, self.missing) = (needed, missing.len());
        self.drop_stale();
        Plan { waiting: missing.len().saturating_sub(self.in_flight.len()), start, stop }
    }

    fn roots(&self, eye: &Eye) -> Vec<LandTile> {
        let place = eye.position;
        // There is no land so far away that tiles could no longer be counted.
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

    /// Records that a tile is needed, and visits its children. `need` is how urgently, `heights` are the
    /// lowest and highest known heights of its ground.
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
                // The tiles that are drawn in its place stay.
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

    /// Marks a tile, and all finer ones within its area, as needed.
    fn go_on_using(&mut self, tile: LandTile) {
        let plans = self.plans;
        let Some(resident) = self.residents.get_mut(&tile) else { return };
        resident.used = plans;
        tile.children().into_iter().for_each(|child| self.go_on_using(child));
    }

    /// Makes texels larger while more tiles are needed than there are slots, or, in flight, than can be made.
    fn press(&mut self, needed: usize, missing: usize, is_flying: bool) {
        let before = self.pressure();
        // Half as large texels need four times as many tiles.
        // A tenth of the slots stays free for tiles that are fading or were needed recently.
        let full = needed as f64 / (0.9 * self.budget.slots as f64);
        if full > 1.0 {
            self.fullness = (self.fullness * full.sqrt().clamp(1.02, 2.0)).min(MOST_FULL);
        } else if full < 0.75 {
            self.fullness = (self.fullness / 1.05).max(1.0);
        }
        // More than four rounds of all jobs are waiting: they would arrive after the eye has passed.
        let late = missing as f64 / (4 * self.budget.jobs) as f64;
        self.lateness = match () {
            () if !is_flying => 1.0,
            () if late > 1.0 => (self.lateness * 1.03).min(MOST_LATE),
            () if late < 0.25 => (self.lateness / 1.01).max(1.0),
            () => self.lateness,
        };
        self.is_pressing = self.pressure() != before;
    }
}
