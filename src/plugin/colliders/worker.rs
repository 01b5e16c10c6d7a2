//! The thread that makes colliders' tiles.

use std::sync::Arc;
use std::time::Instant;

use bevy::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::colliders::{ColliderPlace, ColliderTile};
use crate::plugin::jobs::{JobQueue, MeanSeconds, guarded};
use crate::stream::TileSource;
use crate::{Error, Result, Work};

/// Seconds that a tile may take on average for the game to wait for one.
const PATIENCE: f32 = 0.008;

/// The tiles of a land that are being made, by the numbers of their orders.
pub(super) type ColliderJobs = JobQueue<ColliderPlace, ColliderTile, u64>;

/// Makes tiles one after the other. It does nothing else: tiles for drawing and builds of lands take all
/// other threads for seconds, and a body that is driven over the edge of what is there cannot wait so long.
/// It does not make way for frames, as those do: frames may wait for it.
#[derive(Resource)]
pub(super) struct Worker {
    /// rayon's, so that what is parallel in the making of a tile does not go to other threads; `None` if the
    /// system gives none.
    pool: Option<ThreadPool>,
    seconds: MeanSeconds,
    /// How many have been made.
    count: u64,
    /// Seconds that a tile may take on average for frames to wait for it.
    pub(super) patience: f32,
}

impl Worker {
    pub(super) fn new() -> Self {
        let name = |_| "upland colliders".to_owned();
        let pool = ThreadPoolBuilder::new().num_threads(1).thread_name(name).build().ok();
        Self { pool, seconds: MeanSeconds::default(), count: 0, patience: PATIENCE }
    }

    /// Orders a tile, after those that were ordered before it.
    pub(super) fn start(
        &self,
        jobs: &mut ColliderJobs,
        source: &Arc<dyn TileSource>,
        place: ColliderPlace,
        number: u64,
    ) {
        match &self.pool {
            Some(pool) => {
                let source = source.clone();
                jobs.start_in(pool, place, number, move |work| ColliderTile::make(&*source, place, work));
            }
            None => {
                let error = Error::parameter("thread", "the system gives none to make colliders on");
                jobs.fail(place, number, error);
            }
        }
    }

    /// Whether a tile takes so little time that a frame can wait for a few.
    pub(super) fn is_quick(&self) -> bool {
        self.pool.is_some() && (self.seconds.get() as f32) < self.patience
    }

    /// Makes tiles while the caller waits for these and for the one that is under way. This may run in a
    /// system: the pool has one thread, which waits for no other of rayon's, so the caller cannot deadlock.
    pub(super) fn make_now(
        &mut self,
        source: &dyn TileSource,
        places: &[ColliderPlace],
    ) -> Vec<Result<ColliderTile>> {
        let Some(pool) = self.pool.as_ref().filter(|_| !places.is_empty()) else { return Vec::new() };
        let make = |place: &ColliderPlace| {
            let begun = Instant::now();
            let made = guarded(|work| ColliderTile::make(source, *place, work), &Work::new());
            (made, begun.elapsed().as_secs_f64())
        };
        // `install` waits for the thread that makes tiles in the background, too: never more than one tile is
        // made at a time.
        let made: Vec<_> = pool.install(|| places.iter().map(make).collect());
        let count = |(made, seconds): (Result<ColliderTile>, f64)| {
            if made.is_ok() {
                self.count(seconds);
            }
            made
        };
        made.into_iter().map(count).collect()
    }

    /// Counts a tile that has been made.
    pub(super) fn count(&mut self, seconds: f64) {
        self.seconds.add(seconds);
        self.count += 1;
    }

    /// Tiles made so far, and milliseconds for one.
    pub(super) fn statistics(&self) -> (u64, f32) {
        (self.count, 1e3 * self.seconds.get() as f32)
    }
}
