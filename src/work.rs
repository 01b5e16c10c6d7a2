//! Progress and cancellation of long work, shared between the worker and whoever waits.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};

/// A handle on a piece of work: the worker reports through it and asks whether to go on; the owner
/// reads the progress and may cancel. Clones share one state.
///
/// ```
/// let work = upland::Work::new();
/// work.stage("fbm", 100);
/// work.advance(25);
/// assert_eq!(work.progress().fraction, 0.25);
/// work.cancel();
/// assert!(work.check().is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Work {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
    stage: Mutex<String>,
}

/// How far a piece of work is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done, for people; empty before the first stage.
    pub stage: String,
    /// Share of this stage that is done, in [0, 1].
    pub fraction: f32,
}

impl Work {
    /// Work that nobody has cancelled and that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a stage of `total` units (rows, mostly).
    pub fn stage(&self, name: impl Into<String>, total: usize) {
        *self.stage_name() = name.into();
        self.shared.done.store(0, Ordering::Relaxed);
        self.shared.total.store(total, Ordering::Relaxed);
    }

    /// Reports `units` more of the stage as done.
    pub fn advance(&self, units: usize) {
        self.shared.done.fetch_add(units, Ordering::Relaxed);
    }

    /// `Err(Error::Cancelled)` once the owner has cancelled. Cheap enough to ask once a row.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Asks the worker to stop; it does within 50 ms.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Relaxed)
    }

    /// How far the work is now.
    pub fn progress(&self) -> Progress {
        let total = self.shared.total.load(Ordering::Relaxed).max(1);
        let done = self.shared.done.load(Ordering::Relaxed).min(total);
        Progress { stage: self.stage_name().clone(), fraction: done as f32 / total as f32 }
    }

    fn stage_name(&self) -> std::sync::MutexGuard<'_, String> {
        // A worker that panicked while naming its stage leaves a whole string behind.
        self.shared.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
