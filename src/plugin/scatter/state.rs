//! What is scattered on a terrain: its rules, its cells, and the jobs that make them.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::entity::EntityHashMap;
use bevy::math::DVec2;
use bevy::prelude::*;
use rustc_hash::FxHashMap;

use super::canopy::Woods;
use super::cells::{Cell, CellKey, PlacedCell, Watcher, is_kept, needed, place, urgency};
use super::components::TerrainScatterStatistics;
use super::draw::CameraSet;
use super::pool::InstancePool;
use super::rule_table::RuleTable;
use crate::plants::Season;
use crate::plugin::device::TexelPatches;
use crate::plugin::jobs::{Done, FrameBudget, Job, JobQueue, jobs_ahead};
use crate::plugin::material::{Drift, HeightMapping};
use crate::plugin::stream::Stream;
use crate::recipe::Recipe;
use crate::scatter::Scatter;
use crate::stream::RecipeSource;
use crate::{Error, Work};

/// Metres that a camera moves before the cells that it needs are planned again, as a share of the smallest
/// cell.
const REPLAN: f64 = 0.25;

/// The shortest time that a cell is assumed to take, seconds. The mean is 0 before the first, and too many
/// would be ordered.
const SHORTEST_JOB: f64 = 1e-3;

/// What is scattered on a terrain. Its presence says that a terrain has had something.
#[derive(Component, Default)]
pub(crate) struct Scattering {
    /// The recipe that the scatter is of, or will be.
    pub(super) source: Option<Arc<RecipeSource>>,
    preparing: Option<Preparing>,
    pub(super) scatter: Option<Arc<Scatter>>,
    pub(super) table: Option<Arc<RuleTable>>,
    pub(super) density: f32,
    pub(super) season: Season,
    /// How often the objects had been changed when the table was made.
    pub(super) edits: u64,
    /// What all batches depend on.
    pub(super) base: Option<Base>,
    pub(super) pool: Option<InstancePool>,
    pub(super) cells: FxHashMap<CellKey, Cell>,
    /// Cells in some order, so that each has its turn.
    pub(super) order: Vec<CellKey>,
    /// Cells that are to be made, the most urgent first.
    queue: VecDeque<CellKey>,
    jobs: JobQueue<CellKey, PlacedCell>,
    /// Where cameras were when the queue was made.
    planned: Vec<Watcher>,
    must_plan: bool,
    /// Cells as urgent as this find no room.
    room: f64,
    versions: u64,
    pub(super) placed: u64,
    /// The objects whose failure has been reported.
    pub(super) reported: HashSet<String>,
    pub(super) sets: EntityHashMap<CameraSet>,
    /// What has changed of the ground since the scatter was prepared.
    pub(super) changed: Option<Changed>,
    /// What had changed of the ground before preparations that failed; the next one makes up for it.
    missed: Option<Changed>,
    /// Whether anything of the last frame is still to be drawn.
    pub(super) is_drawn: bool,
    /// Whether looks are still being made.
    pub(super) awaits_lods: bool,
    pub(super) spawned: super::spawned::Spawned,
    /// How far gusts of wind have run over the land, radians.
    pub(super) gusts: Drift,
    /// What stands too far away to be drawn one by one.
    pub(super) woods: Woods,
}

/// A scatter that is being prepared.
struct Preparing {
    job: Job<Scatter>,
    /// Which ground changed before it began; `None` for all of it.
    changed: Option<Changed>,
    /// Whether its recipe isn't that of the scatter before, so that its failures have not been reported.
    is_new: bool,
}

/// What all batches of a terrain depend on, whichever camera draws them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Base {
    pub(super) layers: RenderLayers,
    pub(super) mapping: HeightMapping,
    pub(super) origin: DVec2,
    pub(super) table: AssetId<Image>,
}

/// Which ground has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Changed {
    All,
    Area([DVec2; 2]),
}

impl Changed {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Area([a, b]), Self::Area([c, d])) => Self::Area([a.min(c), b.max(d)]),
            _ => Self::All,
        }
    }
}

/// Whether the objects of two recipes are the same: they don't depend on what the land looks like, unless a
/// rule does.
pub(super) fn is_alike(one: &Recipe, other: &Recipe) -> bool {
    let names_types = one.scatter.iter().any(|rule| !rule.types.is_empty());
    let plain = |recipe: &Recipe| {
        let mut plain = recipe.clone();
        (plain.view, plain.sun, plain.weather) = (other.view, other.sun, other.weather);
        plain.name = other.name.clone();
        (plain.bookmarks, plain.flights) = (other.bookmarks.clone(), other.flights.clone());
        if !names_types {
            plain.texture = other.texture.clone();
        }
        plain
    };
    plain(one) == *other
}

impl Scattering {
    /// Whether all that cameras need is there and drawn.
    pub(crate) fn is_settled(&self) -> bool {
        let is_placed = self.queue.is_empty() && self.jobs.is_empty() && !self.must_plan;
        self.preparing.is_none()
            && self.changed.is_none()
            && is_placed
            && self.is_drawn
            && !self.awaits_lods
            && self.woods.is_settled()
    }

    /// How many cells are there or waited for, as far as is known, and how many of them are there.
    pub(crate) fn needed(&self) -> (usize, usize) {
        (self.cells.len() + self.queue.len() + self.jobs.len(), self.cells.len())
    }

    /// Ground has changed.
    pub(super) fn note_change(&mut self, change: Option<Changed>) {
        if let Some(change) = change.filter(|_| self.source.is_some()) {
            self.changed = Some(self.changed.map_or(change, |before| before.and(change)));
        }
    }

    /// The land is built from this source: if its objects are others, their placing is prepared.
    pub(super) fn follow_source(&mut self, source: Option<&Arc<RecipeSource>>) {
        let Some(source) = source else { return };
        let known = self.source.as_ref();
        let is_known = known.is_some_and(|known| Arc::ptr_eq(known, source));
        let is_like = is_known || known.is_some_and(|known| is_alike(known.recipe(), source.recipe()));
        if !is_like || (self.changed.is_some() && self.preparing.is_none()) {
            self.prepare(source.clone(), !is_like);
        } else if !is_known {
            self.source = Some(source.clone());
        }
    }

    /// In another season, or after an edit of the objects, all rules draw something else.
    pub(super) fn follow_objects(&mut self, season: Season, edits: u64) {
        if (self.season, self.edits) != (season, edits) {
            (self.season, self.edits) = (season, edits);
            self.table = None;
            self.reported.clear();
            self.jobs.forget_failure();
        }
    }

    /// With another density, in [0, 1], all cells are placed again.
    pub(super) fn follow_density(&mut self, density: f32, commands: &mut Commands) {
        if self.density != density {
            self.density = density;
            self.clear_cells(commands);
            self.must_plan = true;
        }
    }

    /// Begins to prepare the placing of a recipe's objects.
    fn prepare(&mut self, source: Arc<RecipeSource>, is_new: bool) {
        let of_job = source.clone();
        let job = Job::start_long(move |work| Scatter::new(of_job.recipe(), 0, of_job.cache(), work));
        // A preparation that is no longer needed leaves its changes to this one.
        let (changed, is_new) = match (self.preparing.take(), self.changed.take()) {
            (None, changed) => (changed, is_new),
            (Some(before), changed) => {
                (before.changed.zip(changed).map(|(before, now)| before.and(now)), is_new || before.is_new)
            }
        };
        let changed = match self.missed.take() {
            Some(missed) => changed.map(|changed| changed.and(missed)),
            None => changed,
        };
        self.preparing = Some(Preparing { job, changed, is_new });
        self.source = Some(source);
    }

    /// Takes in a scatter that has been prepared; an error if it couldn't be.
    pub(super) fn receive_scatter(&mut self) -> Option<std::result::Result<(), Error>> {
        let outcome = self.preparing.as_mut()?.job.outcome()?;
        let Preparing { changed, is_new, .. } = self.preparing.take()?;
        if is_new {
            self.reported.clear();
            self.jobs.forget_failure();
        }
        if outcome.is_err() {
            // It is not tried again by itself, so that it doesn't fail in every frame.
            self.missed = Some(changed.unwrap_or(Changed::All));
        }
        Some(outcome.map(|scatter| {
            let has_same_rules = self.scatter.as_ref().is_some_and(|before| {
                let (before, now) = (before.recipe(), scatter.recipe());
                before.scatter == now.scatter && before.bare == now.bare
            });
            self.scatter = Some(Arc::new(scatter));
            self.jobs.clear();
            self.must_plan = true;
            if !has_same_rules {
                // Cells stay until those that take their place are there, unless they are drawn with what is
                // gone.
                self.table = None;
                return;
            }
            let Some(table) = &self.table else { return };
            for (key, cell) in &mut self.cells {
                cell.is_stale |= match changed {
                    Some(Changed::Area(area)) => key.meets(&table.tiers[key.tier], area),
                    Some(Changed::All) | None => true,
                };
            }
        }))
    }

    /// All rules are drawn again, from this table.
    pub(super) fn set_table(&mut self, table: RuleTable, commands: &mut Commands) {
        self.clear_cells(commands);
        self.table = Some(Arc::new(table));
        self.must_plan = true;
    }

    /// Forgets all cells, and what draws them.
    pub(super) fn clear_cells(&mut self, commands: &mut Commands) {
        self.sets.drain().for_each(|(_, set)| set.clear(commands));
        self.spawned.clear(commands);
        for (_, cell) in self.cells.drain() {
            if let Some(pool) = &mut self.pool {
                pool.pages.give(cell.first_page, cell.pages);
            }
        }
        self.order.clear();
        self.queue.clear();
        self.jobs.clear();
        self.planned.clear();
        self.room = f64::INFINITY;
    }

    /// Forgets everything.
    pub(super) fn end(&mut self, terrain: Entity, commands: &mut Commands) {
        self.clear_cells(commands);
        self.woods.end(terrain, commands);
        *self = Self { is_drawn: true, ..Self::default() };
    }

    fn remove(&mut self, key: CellKey, commands: &mut Commands) {
        let Some(cell) = self.cells.remove(&key) else { return };
        if let Some(pool) = &mut self.pool {
            pool.pages.give(cell.first_page, cell.pages);
        }
        self.sets.values_mut().for_each(|set| set.forget(key, commands));
        self.spawned.forget(key, commands);
    }

    /// Takes in cells that have been placed, as many as there is a budget for in a frame. Returns the first
    /// failure.
    pub(super) fn receive(
        &mut self,
        watchers: &[Watcher],
        frame: &mut FrameBudget,
        patches: &mut TexelPatches,
        commands: &mut Commands,
    ) -> Option<Error> {
        let table = self.table.clone()?;
        let mut failure = None;
        self.jobs.gather(|key| *key);
        while let Some(Done { key, outcome, .. }) = self.jobs.next_done(frame) {
            match outcome {
                Ok(placed) => frame.spend(self.arrive(key, placed, &table, watchers, patches, commands)),
                Err(error) => failure = failure.or(self.jobs.first_failure(error)),
            }
        }
        failure
    }

    /// Puts a cell where its objects are drawn; the bytes that are uploaded.
    fn arrive(
        &mut self,
        key: CellKey,
        placed: PlacedCell,
        table: &RuleTable,
        watchers: &[Watcher],
        patches: &mut TexelPatches,
        commands: &mut Commands,
    ) -> usize {
        let tier = &table.tiers[key.tier];
        let own = urgency(watchers, key, tier);
        self.remove(key, commands);
        let count = placed.pages();
        let first = loop {
            // Where nothing stands that is known all the same.
            if count == 0 {
                break 0;
            }
            let Some(pool) = &mut self.pool else { return 0 };
            if let Some(first) = pool.pages.take(count) {
                break first;
            }
            // The cell that is needed least makes room.
            let far = |other: &CellKey| urgency(watchers, *other, &table.tiers[other.tier]);
            let last =
                self.cells.iter().filter(|(_, cell)| cell.pages > 0).map(|(other, _)| (far(other), *other));
            let last = last.max_by(|a, b| a.0.total_cmp(&b.0));
            match last {
                Some((urgency, other)) if urgency > own => {
                    self.room = self.room.min(urgency);
                    self.remove(other, commands);
                }
                _ => {
                    self.room = self.room.min(own);
                    return 0;
                }
            }
        };
        self.versions += 1;
        let (cell, pages, objects) = placed.into_cell(key, tier, first, self.versions);
        self.cells.insert(key, cell);
        if !self.order.contains(&key) {
            self.order.push(key);
        }
        self.placed += 1;
        self.is_drawn = false;
        match &self.pool {
            Some(pool) if count > 0 => pool.upload(first, &pages, &objects, patches),
            _ => 0,
        }
    }

    /// Orders what cameras need, and forgets what they don't. Frames last `frame` seconds.
    pub(super) fn plan(
        &mut self,
        watchers: &[Watcher],
        stream: &Stream,
        frame: f64,
        commands: &mut Commands,
    ) {
        let (Some(table), Some(scatter)) = (self.table.clone(), self.scatter.clone()) else { return };
        if self.must_plan || self.have_moved(watchers, &table) {
            self.must_plan = false;
            self.planned = watchers.to_vec();
            self.drop_others(watchers, &table, commands);
            self.queue_missing(watchers, &table, stream);
        }
        let most = jobs_ahead(self.jobs.seconds().max(SHORTEST_JOB), frame);
        // Two at least, so that a worker has a next cell while the last one waits to be taken in.
        while self.jobs.len() < most.max(2)
            && let Some(key) = self.queue.pop_front()
        {
            let (scatter, strokes) = (scatter.clone(), stream.sculpture().cloned());
            let (table, density) = (table.clone(), self.density);
            let make = move |work: &Work| place(key, (&scatter, strokes.as_deref()), &table, density, work);
            self.jobs.start(key, (), make);
        }
    }

    /// Forgets cells that no camera is near any more, whether they are there or being made.
    fn drop_others(&mut self, watchers: &[Watcher], table: &RuleTable, commands: &mut Commands) {
        let kept = |key: &CellKey| is_kept(watchers, *key, &table.tiers[key.tier]);
        let gone: Vec<CellKey> = self.cells.keys().filter(|key| !kept(key)).copied().collect();
        for key in gone {
            self.remove(key, commands);
        }
        self.jobs.keep(kept);
        let cells = &self.cells;
        self.order.retain(|key| cells.contains_key(key));
    }

    /// Puts what is neither there nor being made in line, the most urgent first, as far as there is room for
    /// it.
    fn queue_missing(&mut self, watchers: &[Watcher], table: &RuleTable, stream: &Stream) {
        if let Some(pool) = &self.pool {
            let (pages, taken) = pool.pages.counts();
            // Hysteresis: only when a tenth is free again, or cells at the end of the room would come and go
            // in turn.
            if taken * 10 < pages * 9 {
                self.room = f64::INFINITY;
            }
        }
        let (cells, jobs, room) = (&self.cells, &self.jobs, self.room);
        let is_missing = |(key, urgency): &(CellKey, f64)| {
            let exists = cells.get(key).is_some_and(|cell| !cell.is_stale);
            !exists && !jobs.contains(key) && *urgency < room
        };
        let missing = needed(watchers, &table.tiers, stream.shape()).into_iter().filter(is_missing);
        self.queue = missing.map(|(key, _)| key).collect();
    }

    fn have_moved(&self, watchers: &[Watcher], table: &RuleTable) -> bool {
        let smallest = table.tiers.iter().map(|tier| tier.side).fold(f64::INFINITY, f64::min);
        let has_moved = |(now, then): (&Watcher, &Watcher)| {
            let away = now.place.distance(then.place).max((now.above - then.above).abs());
            away > REPLAN * smallest || now.reach != then.reach || now.flat != then.flat
        };
        watchers.len() != self.planned.len() || watchers.iter().zip(&self.planned).any(has_moved)
    }

    /// What there is.
    pub(super) fn statistics(&self) -> TerrainScatterStatistics {
        TerrainScatterStatistics {
            cells: self.cells.len(),
            objects: self.cells.values().map(|cell| cell.objects).sum(),
            drawn: self.sets.values().map(CameraSet::drawn).sum(),
            batches: self.sets.values().map(CameraSet::batches).sum(),
            // While rules are being prepared it isn't known which cells they fill.
            missing: self.queue.len()
                + self.jobs.len()
                + usize::from(self.preparing.is_some() || self.awaits_lods),
            device_bytes: self.pool.as_ref().map_or(0, InstancePool::bytes),
            cell_ms: (self.jobs.seconds() * 1e3) as f32,
            placed: self.placed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cache, Step};

    const EAST: [DVec2; 2] = [DVec2::new(90.0, 10.0), DVec2::new(99.0, 20.0)];
    const WEST: [DVec2; 2] = [DVec2::new(0.0, 5.0), DVec2::new(9.0, 15.0)];

    /// The ground that the preparation under way makes up for.
    fn of_preparing(scattering: &Scattering) -> Option<Option<Changed>> {
        scattering.preparing.as_ref().map(|preparing| preparing.changed)
    }

    /// Lets the preparation under way fail.
    fn fail(scattering: &mut Scattering) {
        scattering.preparing.as_mut().unwrap().job = Job::start(|_| Err(Error::parameter("scatter", "no")));
        let outcome = loop {
            match scattering.receive_scatter() {
                Some(outcome) => break outcome,
                None => std::thread::yield_now(),
            }
        };
        assert!(outcome.is_err());
    }

    #[test]
    fn ground_that_changed_before_a_preparation_that_failed_is_not_forgotten() {
        let mut recipe = Recipe::new("Level", (9, 9), 10.0);
        recipe.steps.push(Step::from_name("fbm").unwrap());
        let source = RecipeSource::new(recipe, &Cache::default(), 1.0, Vec::new(), &Work::new()).unwrap();
        let source = Arc::new(source);
        let mut scattering = Scattering::default();
        scattering.follow_source(Some(&source));
        assert_eq!(of_preparing(&scattering), Some(None), "all of it");
        scattering.preparing = None;

        scattering.note_change(Some(Changed::Area(EAST)));
        scattering.follow_source(Some(&source));
        assert_eq!(of_preparing(&scattering), Some(Some(Changed::Area(EAST))));
        fail(&mut scattering);
        scattering.follow_source(Some(&source));
        assert_eq!(of_preparing(&scattering), None, "it would fail again");
        scattering.note_change(Some(Changed::Area(WEST)));
        scattering.follow_source(Some(&source));
        let both = [DVec2::new(0.0, 5.0), DVec2::new(99.0, 20.0)];
        assert_eq!(of_preparing(&scattering), Some(Some(Changed::Area(both))));

        // Where all of a new recipe's land failed, an edit of a part of it leaves nothing out.
        scattering.preparing.as_mut().unwrap().changed = None;
        fail(&mut scattering);
        scattering.note_change(Some(Changed::Area(WEST)));
        scattering.follow_source(Some(&source));
        assert_eq!(of_preparing(&scattering), Some(Some(Changed::All)));
    }
}
