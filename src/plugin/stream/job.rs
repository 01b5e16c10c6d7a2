//! Work on the task pool that is cancelled when its owner drops it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};

use crate::compute::panics::said;
use crate::{Error, Progress, Result, Work};

/// Running work. Dropping it cancels it: when something ends it early (a newer job, the end of the
/// terrain), the worker is told to stop, and nothing waits until it has.
pub(crate) struct Job<T> {
    work: Work,
    task: Task<Result<T>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts a job. A panic in it becomes an error: it should cost its terrain, not the game.
    pub(crate) fn start(run: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Self {
        let work = Work::new();
        let of_task = work.clone();
        let task = AsyncComputeTaskPool::get().spawn(async move {
            catch_unwind(AssertUnwindSafe(|| run(&of_task))).unwrap_or_else(|panic| {
                Err(Error::parameter("terrain", format!("building it panicked: {}", said(&*panic))))
            })
        });
        Self { work, task }
    }

    /// The result, once it is there; not to be called again after that.
    pub(crate) fn outcome(&mut self) -> Option<Result<T>> {
        block_on(poll_once(&mut self.task))
    }
}

impl<T> Job<T> {
    pub(crate) fn progress(&self) -> Progress {
        self.work.progress()
    }
}

#[cfg(test)]
impl<T> Job<T> {
    /// A handle to observe cancellation from outside.
    pub(crate) fn work(&self) -> Work {
        self.work.clone()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.work.cancel();
    }
}
