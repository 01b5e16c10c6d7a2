//! The thread that makes colliders' tiles.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bevy::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::colliders::{ColliderPlace, ColliderTile};
use crate::compute::panics::said;
use crate::stream::TileSource;
use crate::{Error, Result, Work};

/// Seconds that a tile may take on average for the game to wait for one.
const PATIENCE: f32 = 0.008;

/// Makes tiles one after the other. It works for nobody else: tiles for drawing and builds of lands take all other
/// threads for seconds, and whoever is driven over the edge of what is there cannot wait so long. It does not make way
/// for frames, as those do: frames may wait for it.
#[derive(Resource)]
pub(super) struct Worker {
    /// rayon's, so that what is parallel in the making of a tile does not go to other threads; `None` if the system
    /// gives none.
    pool: Option<ThreadPool>,
    sender: Sender<Made>,
    made: Mutex<Receiver<Made>>,
    /// Seconds for a tile, on average of late.
    seconds: f32,
    /// How many have been made.
    count: u64,
    /// Seconds that a tile may take on average for frames to wait for it.
    pub(super) patience: f32,
}

/// A tile to be made.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) terrain: Entity,
    pub(super) source: Arc<dyn TileSource>,
    pub(super) place: ColliderPlace,
    pub(super) number: u64,
    /// To cancel it.
    pub(super) work: Work,
}

/// What has become of an order.
pub(super) struct Made {
    pub(super) terrain: Entity,
    pub(super) place: ColliderPlace,
    pub(super) number: u64,
    pub(super) outcome: Result<ColliderTile>,
    seconds: f32,
}

impl Order {
    fn run(self) -> Made {
        let begun = Instant::now();
        let Self { terrain, source, place, number, work } = self;
        // A panic in a game's own step should cost a tile, not the game.
        let make = || work.check().and_then(|()| ColliderTile::make(&*source, place, &work));
        let outcome = catch_unwind(AssertUnwindSafe(make))
            .unwrap_or_else(|panic| Err(Error::panic("collider", said(&*panic))));
        Made { terrain, place, number, outcome, seconds: begun.elapsed().as_secs_f32() }
    }

    fn failed(self, reason: &str) -> Made {
        let Self { terrain, place, number, .. } = self;
        let outcome = Err(Error::parameter("thread", reason));
        Made { terrain, place, number, outcome, seconds: 0.0 }
    }
}

impl Worker {
    pub(super) fn new() -> Self {
        let name = |_| "upland colliders".to_owned();
        let pool = ThreadPoolBuilder::new().num_threads(1).thread_name(name).build().ok();
        let (sender, made) = channel();
        Self { pool, sender, made: Mutex::new(made), seconds: 0.0, count: 0, patience: PATIENCE }
    }

    /// Begins with an order, after those before it.
    pub(super) fn start(&self, order: Order) {
        let sender = self.sender.clone();
        // Nobody receives when the game is over.
        let send = move |made: Made| _ = sender.send(made);
        match &self.pool {
            Some(pool) => pool.spawn_fifo(move || send(order.run())),
            None => send(order.failed("the system gives none to make colliders on")),
        }
    }

    /// What has been made since the last call.
    pub(super) fn take(&mut self) -> Vec<Made> {
        let made: Vec<Made> = self.made.lock().unwrap_or_else(PoisonError::into_inner).try_iter().collect();
        made.iter().for_each(|made| self.count(made));
        made
    }

    /// Whether a tile takes so little time that a frame can wait for a few.
    pub(super) fn is_quick(&self) -> bool {
        self.pool.is_some() && self.seconds < self.patience
    }

    /// Makes tiles while the caller waits: for these, and the one that is under way. The thread waits for no other
    /// of rayon's, so this one does not either.
    pub(super) fn make_at_once(&mut self, orders: Vec<Order>) -> Vec<Made> {
        let Some(pool) = self.pool.as_ref().filter(|_| !orders.is_empty()) else { return Vec::new() };
        let made: Vec<Made> = pool.install(|| orders.into_iter().map(Order::run).collect());
        made.iter().for_each(|made| self.count(made));
        made
    }

    fn count(&mut self, made: &Made) {
        if made.outcome.is_ok() {
            let share = if self.count < 8 { 1.0 / (self.count + 1) as f32 } else { 0.1 };
            self.seconds += share * (made.seconds - self.seconds);
            self.count += 1;
        }
    }

    /// Tiles made so far, and milliseconds for one.
    pub(super) fn statistics(&self) -> (u64, f32) {
        (self.count, 1e3 * self.seconds)
    }
}
