//! The tiles of a terrain: made on the task pool, uploaded within a budget.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use bevy::ecs::entity::EntityHashMap;
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy::tasks::AsyncComputeTaskPool;

use super::budget::TerrainBudget;
use super::job::Job;
use super::pool::{PoolTextures, TilePool};
use super::statistics::TerrainStatistics;
use crate::plugin::device::{DeviceLimits, TexelPatches};
use crate::stream::{Arrival, Budget, Drawn, Eye, LandShape, LandTile, MadeTile, Residency, TileSource};
use crate::{Error, Result, Work};

/// Seconds in which a tile that has arrived takes its parent's place.
const FADE: f64 = 0.25;

/// Frames of work that are ordered ahead, so that no thread waits for the next one; and the most tiles.
const AHEAD: f64 = 1.5;
const MOST_ORDERED: usize = 256;

/// The least seconds that a frame is taken to last.
const SHORTEST_FRAME: f64 = 0.02;

/// Beyond this speed, metres per second, a camera has been put somewhere else.
const JUMP: f64 = 20_000.0;

/// The tiles of a terrain.
#[derive(Component)]
pub(crate) struct Stream {
    source: Arc<dyn TileSource>,
    residency: Residency,
    pool: TilePool,
    jobs: HashMap<LandTile, TileJob>,
    started: Instant,
    /// Where each camera was, and when.
    eyes: EntityHashMap<(DVec3, f64)>,
    /// Seconds that a tile takes to make, on average of late.
    tile_seconds: f64,
    /// When the last plan was made, and the seconds between plans, on average of late.
    planned: f64,
    frame_seconds: f64,
    /// Of tiles that have arrived since they were last asked for, milliseconds since each was first needed.
    latencies: Vec<f32>,
}

/// A tile that is being made, and after which edit.
struct TileJob {
    edit: u64,
    job: Job<(MadeTile, f64)>,
}

impl Stream {
    /// The tiles of a source; `first` are some of the coarsest.
    pub(crate) fn new(
        source: Arc<dyn TileSource>,
        first: Vec<MadeTile>,
        (budget, limits): (&TerrainBudget, DeviceLimits),
        images: &mut Assets<Image>,
        patches: &mut TexelPatches,
    ) -> Self {
        let shape = source.shape();
        let weight_layers = source.weight_layers();
        // Where all there are are needed, not all slots are: so texels are not made larger.
        let most = tiles(&shape).map_or(usize::MAX, |tiles| tiles + tiles / 4 + 1);
        let slots = budget.slots(weight_layers, limits).min(most);
        let residency = Residency::new(shape, Budget { slots, jobs: 1, fade: FADE });
        let pool = TilePool::new(residency.budget().slots, weight_layers, limits, images);
        let mut stream = Self {
            source,
            residency,
            pool,
            jobs: HashMap::new(),
            started: Instant::now(),
            eyes: EntityHashMap::default(),
            tile_seconds: 0.01,
            planned: 0.0,
            frame_seconds: SHORTEST_FRAME,
            latencies: Vec::new(),
        };
        for first in first {
            stream.residency.order(first.tile);
            stream.arrive(first, 0, 0.0, patches);
        }
        stream
    }

    /// Where there is land.
    pub(crate) fn shape(&self) -> &LandShape {
        self.residency.shape()
    }

    /// Which tiles are resident.
    pub(crate) fn residency(&self) -> &Residency {
        &self.residency
    }

    /// Where they come from.
    pub(crate) fn source(&self) -> Arc<dyn TileSource> {
        self.source.clone()
    }

    /// The textures in which they lie.
    pub(crate) fn textures(&self) -> &PoolTextures {
        &self.pool.textures
    }

    /// Adds what the tiles take to what is known of others, and what has arrived since the last time.
    pub(crate) fn report(&mut self, statistics: &mut TerrainStatistics) {
        statistics.tiles += self.residency.resident();
        statistics.device_bytes += self.pool.bytes() + self.residency.table().bytes();
        statistics.memory_bytes += self.residency.bytes();
        statistics.texel_factor = statistics.texel_factor.max(self.residency.pressure());
        statistics.latencies_ms.append(&mut self.latencies);
    }

    /// Whether another source's tiles can be put into the same slots.
    pub(crate) fn fits(&self, source: &dyn TileSource) -> bool {
        source.shape() == *self.shape() && source.weight_layers() == self.source.weight_layers()
    }

    /// The land has changed: all tiles are made anew, from this source, and drawn as they are until then.
    pub(crate) fn edit(&mut self, source: Arc<dyn TileSource>) {
        self.source = source;
        self.jobs.clear();
        self.residency.edit();
    }

    /// All tiles are made anew, from the same source.
    #[cfg(feature = "viewer")]
    pub(crate) fn make_anew(&mut self) {
        self.edit(self.source.clone());
    }

    /// Whether all that is needed is there.
    pub(crate) fn is_settled(&self) -> bool {
        self.residency.is_settled()
    }

    /// Seconds since the first tile.
    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// How fast a camera moves that is now at a place of the land, in metres per second.
    pub(crate) fn velocity(&mut self, camera: Entity, place: DVec3) -> DVec3 {
        let now = self.now();
        let (before, then) = self.eyes.insert(camera, (place, now)).unwrap_or((place, now));
        let velocity = (place - before) / (now - then).max(1e-3);
        if velocity.is_finite() && velocity.length() < JUMP { velocity } else { DVec3::ZERO }
    }

    /// Forgets cameras that are gone.
    pub(crate) fn keep_cameras(&mut self, is_there: impl Fn(Entity) -> bool) {
        self.eyes.retain(|camera, _| is_there(*camera));
    }

    /// Takes in what has been made, as much as there is a budget for in a frame. Returns why a tile failed, if
    /// that is news.
    pub(crate) fn receive(&mut self, budget: &TerrainBudget, patches: &mut TexelPatches) -> Vec<Error> {
        let begun = Instant::now();
        let is_over = |uploaded: usize| {
            uploaded >= budget.upload_bytes || begun.elapsed().as_secs_f32() * 1e3 > budget.main_thread_ms
        };
        let now = self.now();
        let mut errors = Vec::new();
        let mut uploaded = 0;
        let done: Vec<LandTile> = self.jobs.keys().copied().collect();
        for tile in done {
            if uploaded > 0 && is_over(uploaded) {
                break;
            }
            let Some(TileJob { edit, job }) = self.jobs.get_mut(&tile) else { continue };
            let edit = *edit;
            let Some(outcome) = job.outcome() else { continue };
            self.jobs.remove(&tile);
            match outcome {
                Ok((made, seconds)) => {
                    self.tile_seconds += 0.1 * (seconds - self.tile_seconds);
                    uploaded += self.arrive(made, edit, now, patches);
                }
                Err(Error::Cancelled) => {}
                Err(error) => {
                    if self.residency.fail(tile, edit) {
                        errors.push(error);
                    }
                }
            }
        }
        while let Some((made, edit)) = self.residency.take_early() {
            self.arrive(made, edit, now, patches);
        }
        errors
    }

    /// Lets a tile arrive; the bytes that are uploaded.
    fn arrive(&mut self, made: MadeTile, edit: u64, now: f64, patches: &mut TexelPatches) -> usize {
        match self.residency.arrive(made, edit, now) {
            Arrival::Shown { slot, heights, texels, latency } => {
                self.latencies.push((latency * 1e3) as f32);
                self.pool.upload(slot, &heights, texels, patches)
            }
            Arrival::Early | Arrival::Dropped => 0,
        }
    }

    /// Orders what eyes need, and uploads what has changed in the table.
    pub(crate) fn plan(&mut self, eyes: &[Eye], drawn: Drawn, patches: &mut TexelPatches) {
        let now = self.now();
        let pool = AsyncComputeTaskPool::get();
        self.frame_seconds += 0.3 * (now - self.planned - self.frame_seconds);
        self.planned = now;
        let seconds = AHEAD * self.frame_seconds.max(SHORTEST_FRAME);
        let jobs = pool.thread_num() as f64 * seconds / self.tile_seconds.max(1e-4);
        self.residency.set_jobs((jobs.ceil() as usize).clamp(pool.thread_num(), MOST_ORDERED));
        self.residency.fade(now);
        let plan = self.residency.plan(eyes, drawn, now);
        for tile in plan.stop {
            self.jobs.remove(&tile);
        }
        for tile in plan.start {
            let source = self.source.clone();
            let make = move |work: &Work| -> Result<(MadeTile, f64)> {
                let begun = Instant::now();
                let made = source.make(tile, work)?;
                Ok((made, begun.elapsed().as_secs_f64()))
            };
            self.jobs.insert(tile, TileJob { edit: self.residency.edits(), job: Job::start(make) });
        }
        self.pool.upload_table(self.residency.table_mut(), patches);
    }
}

/// How many tiles a bounded land has; `None` for one without end, or with very many.
fn tiles(shape: &LandShape) -> Option<usize> {
    let size = shape.size?;
    let mut count = 0usize;
    for level in shape.finest..=shape.coarsest {
        let side = f64::from(shape.cell_at(level)) * crate::stream::TILE_CELLS as f64;
        let along = |samples: u32| (f64::from(samples - 1) * f64::from(shape.cell) / side).ceil().max(1.0);
        let tiles = along(size[0]) * along(size[1]);
        if tiles > 1e6 {
            return None;
        }
        count += tiles as usize;
    }
    Some(count)
}
