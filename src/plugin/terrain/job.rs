//! Work on the task pool, which ends with whoever waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};

use crate::compute::panics::said;
use crate::{Error, Progress, Result, Work};

/// Work under way. Dropped, it is cancelled: whatever ends it early (a newer one, the terrain's end) tells the
/// worker to stop, and nobody waits until it has.
pub(super) struct Job<T> {
    work: Work,
    task: Task<Result<T>>,
}

impl<T: Send + 'static> Job<T> {
    /// Has something done. A bug in it should cost its terrain, not the game.
    pub(super) fn start(run: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Self {
        let work = Work::new();
        let of_task = work.clone();
        let task = AsyncComputeTaskPool::get().spawn(async move {
            catch_unwind(AssertUnwindSafe(|| run(&of_task))).unwrap_or_else(|panic| {
                Err(Error::parameter("terrain", format!("building it panicked: {}", said(&*panic))))
            })
        });
        Self { work, task }
    }

    /// What came of it, once that is there; asked no more after that.
    pub(super) fn outcome(&mut self) -> Option<Result<T>> {
        block_on(poll_once(&mut self.task))
    }
}

impl<T> Job<T> {
    pub(super) fn progress(&self) -> Progress {
        self.work.progress()
    }
}

#[cfg(test)]
impl<T> Job<T> {
    /// To see from outside whether it was cancelled.
    pub(super) fn work(&self) -> Work {
        self.work.clone()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.work.cancel();
    }
}
