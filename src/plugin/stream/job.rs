//! Work in the background that is cancelled when its owner drops it.

use std::cell::Cell;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

use bevy::tasks::{AsyncComputeTaskPool, Task, TaskPool, TaskPoolBuilder, block_on, poll_once};

use crate::compute::background::give_way;
use crate::compute::panics::said;
use crate::{Error, Progress, Result, Work};

/// Running work. Dropping it cancels it: when something ends it early (a newer job, the end of the
/// terrain), the worker is told to stop, and nothing waits until it has.
pub(crate) struct Job<T> {
    work: Work,
    worker: Worker<T>,
}

/// The threads of short jobs. There are as many as in Bevy's pool for asynchronous work; where the game has no such pool,
/// half as many as cores. They are not that pool's own, because their priority may be lowered.
pub(crate) fn workers() -> &'static TaskPool {
    static WORKERS: OnceLock<TaskPool> = OnceLock::new();
    WORKERS.get_or_init(|| {
        let of_bevy = AsyncComputeTaskPool::try_get().map(|pool| pool.thread_num());
        let threads = of_bevy.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get) / 2);
        TaskPoolBuilder::new().num_threads(threads.max(1)).thread_name("upland tiles".to_owned()).build()
    })
}

/// Starts the [`workers`], if none has been needed yet.
#[cfg(test)]
pub(crate) fn start_workers() {
    workers();
}

/// Whether workers give way to the threads that draw.
static WORKERS_GIVE_WAY: AtomicBool = AtomicBool::new(false);

/// Lets workers give way from their next job on: for programs that draw on a graphics card. Where the cores themselves
/// draw, they are always busy, and workers would hardly have a turn.
pub(crate) fn let_workers_give_way() {
    WORKERS_GIVE_WAY.store(true, Ordering::Relaxed);
}

/// Lowers the priority of the worker that calls it, once, if workers give way.
fn begin_job() {
    thread_local! {
        static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
    }
    if WORKERS_GIVE_WAY.load(Ordering::Relaxed) && !GIVES_WAY.replace(true) {
        give_way();
    }
}

/// Who does it.
enum Worker<T> {
    /// One of the [`workers`].
    Pool(Task<Result<T>>),
    /// A thread of its own, which leaves the result here.
    Own(Arc<Mutex<Option<Result<T>>>>),
}

impl<T: Send + 'static> Job<T> {
    /// Starts a short job on one of the [`workers`]. A panic in it becomes an error: it should cost its terrain, not the
    /// game.
    pub(crate) fn start(run: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Self {
        let work = Work::new();
        let of_task = work.clone();
        let task = workers().spawn(async move {
            begin_job();
            guarded(run, &of_task)
        });
        Self { work, worker: Worker::Pool(task) }
    }

    /// Starts a long job on a thread of its own. Small machines have one worker, and all short jobs would wait until it
    /// had done the long one. A panic becomes an error, as does a system that has no more threads.
    pub(crate) fn start_long(run: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Self {
        let work = Work::new();
        let result = Arc::new(Mutex::new(None));
        let (of_thread, for_thread) = (work.clone(), result.clone());
        let thread = std::thread::Builder::new().name("upland".into()).spawn(move || {
            // Nobody waits for the result of what was cancelled before it began.
            let done = of_thread.check().and_then(|()| guarded(run, &of_thread));
            *for_thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        });
        if let Err(error) = thread {
            let failed = Error::parameter("thread", format!("the system gives none to work on: {error}"));
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(Err(failed));
        }
        Self { work, worker: Worker::Own(result) }
    }

    /// The result, once it is there; not to be called again after that.
    pub(crate) fn outcome(&mut self) -> Option<Result<T>> {
        match &mut self.worker {
            Worker::Pool(task) => block_on(poll_once(task)),
            Worker::Own(result) => result.lock().unwrap_or_else(PoisonError::into_inner).take(),
        }
    }
}

fn guarded<T>(run: impl FnOnce(&Work) -> Result<T>, work: &Work) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| run(work)))
        .unwrap_or_else(|panic| Err(Error::panic("work", said(&*panic))))
}

impl<T> Job<T> {
    /// Whether the result of a long job is there.
    #[cfg(test)]
    pub(crate) fn is_done(&self) -> bool {
        let Worker::Own(result) = &self.worker else { return false };
        result.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn progress(&self) -> Progress {
        self.work.progress()
    }

    /// Tells the worker to stop; its outcome will be [`Error::Cancelled`], unless it is done already.
    #[cfg(feature = "viewer")]
    pub(crate) fn cancel(&self) {
        self.work.cancel();
    }

    #[cfg(feature = "viewer")]
    pub(crate) fn is_cancelled(&self) -> bool {
        self.work.is_cancelled()
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
