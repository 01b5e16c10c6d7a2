//! Work in the background that is cancelled when its owner drops it.

use std::cell::Cell;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

use bevy::app::{TaskPoolOptions, TaskPoolPlugin};
use bevy::tasks::{AsyncComputeTaskPool, Task, TaskPool, TaskPoolBuilder};

use crate::background::give_way;
use crate::compute::panics::said;
use crate::{Error, Progress, Result, Work};

/// Running work. Dropping it cancels it: when something ends it early (a newer job, the end of the
/// terrain), the worker is asked to stop, and nothing waits until it has.
pub(crate) struct Job<T> {
    work: Work,
    /// Where its thread leaves the result.
    result: Arc<Mutex<Option<Result<T>>>>,
    /// The task of one of the [`workers`]: dropped before it has begun, it never begins. `None` on other
    /// threads.
    _task: Option<Task<()>>,
}

/// The threads of short jobs. There are as many as in Bevy's pool for asynchronous work; where the game has
/// no such pool, half as many as cores. They are not that pool's own, because their priority may be lowered.
pub(crate) fn workers() -> &'static TaskPool {
    static WORKERS: OnceLock<TaskPool> = OnceLock::new();
    WORKERS.get_or_init(|| {
        let of_bevy = AsyncComputeTaskPool::try_get().map(|pool| pool.thread_num());
        let threads = of_bevy.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get) / 2);
        TaskPoolBuilder::new().num_threads(threads.max(1)).thread_name("upland tiles".to_owned()).build()
    })
}

/// Bevy's pools where nothing but land is drawn: half of the cores for asynchronous work, and so for tiles.
/// Bevy itself gives it a quarter, and four threads at most however many cores there are.
pub(crate) fn task_pools() -> TaskPoolPlugin {
    let mut task_pool_options = TaskPoolOptions::default();
    task_pool_options.async_compute.max_threads = usize::MAX;
    task_pool_options.async_compute.percent = 0.5;
    TaskPoolPlugin { task_pool_options }
}

/// How much work is ordered ahead, in frames, so that no thread waits for the next frame; and the most jobs.
const AHEAD: f64 = 1.5;
const MOST_AHEAD: usize = 256;

/// The shortest time that a frame is assumed to last, seconds.
pub(crate) const SHORTEST_FRAME: f64 = 0.02;

/// How many jobs of `job_seconds` each keep all [`workers`] busy from one frame to the next, if frames last
/// `frame_seconds`.
pub(crate) fn jobs_ahead(job_seconds: f64, frame_seconds: f64) -> usize {
    let threads = workers().thread_num();
    let jobs = threads as f64 * AHEAD * frame_seconds.max(SHORTEST_FRAME) / job_seconds.max(1e-4);
    // At least one for each thread, or some would never have work.
    (jobs.ceil() as usize).clamp(threads, MOST_AHEAD)
}

/// Starts the [`workers`], if none has been needed yet.
#[cfg(test)]
pub(crate) fn start_workers() {
    workers();
}

/// Whether workers give way to the threads that draw.
static WORKERS_GIVE_WAY: AtomicBool = AtomicBool::new(false);

/// Lets workers give way from their next job on: for programs that draw on a graphics card. Where the cores
/// themselves draw, they are always busy, and workers would hardly have a turn.
pub(crate) fn let_workers_give_way() {
    WORKERS_GIVE_WAY.store(true, Ordering::Relaxed);
}

/// Lowers the priority of the worker that calls it, once, if workers give way.
fn begin_job() {
    // Once for each thread: a thread may lower its priority, but without privileges never raise it again.
    thread_local! {
        static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
    }
    if WORKERS_GIVE_WAY.load(Ordering::Relaxed) && !GIVES_WAY.replace(true) {
        give_way();
    }
}

/// The work of a thread. Not generic, because Bevy compiles a thousand functions for each kind of task.
type Run = Box<dyn FnOnce() + Send>;

/// Runs it on one of the [`workers`].
fn order(run: Run) -> Task<()> {
    workers().spawn(async move {
        begin_job();
        run();
    })
}

impl<T: Send + 'static> Job<T> {
    /// Starts a short job on one of the [`workers`]. A panic in it becomes an error: it should cost its
    /// terrain, not the game.
    pub(crate) fn start(run: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Self {
        Self::start_by(|run| Ok(Some(order(run))), run)
    }

    /// Starts a long job on a thread of its own. Small machines have one worker, and all short jobs would
    /// wait until it had done the long one. A panic becomes an error, as does a system that has no more
    /// threads.
    pub(crate) fn start_long(run: impl FnOnce(&Work) -> Result<T> + Send + 'static) -> Self {
        let on_thread = |run| {
            // The handle is dropped: nothing waits for the thread, which finds out by itself that its work is
            // cancelled.
            let thread = std::thread::Builder::new().name("upland".into()).spawn(run);
            let started = thread.map(|_| None);
            started.map_err(|error| {
                Error::parameter("thread", format!("the system gives none to work on: {error}"))
            })
        };
        Self::start_by(on_thread, run)
    }

    /// Starts a job on a thread of a pool, after those that it already has. A panic becomes an error.
    pub(crate) fn start_in(
        pool: &rayon::ThreadPool,
        run: impl FnOnce(&Work) -> Result<T> + Send + 'static,
    ) -> Self {
        let on_pool = |run| {
            // Jobs are ordered by their urgency, and rayon's `spawn` begins with the last.
            pool.spawn_fifo(run);
            Ok(None)
        };
        Self::start_by(on_pool, run)
    }

    /// A job that could not be started.
    pub(crate) fn failed(error: Error) -> Self {
        Self { work: Work::new(), result: Arc::new(Mutex::new(Some(Err(error)))), _task: None }
    }

    /// Starts a job on whatever thread `spawn` gives it; if it gives none, the job has failed.
    fn start_by(
        spawn: impl FnOnce(Run) -> Result<Option<Task<()>>>,
        run: impl FnOnce(&Work) -> Result<T> + Send + 'static,
    ) -> Self {
        let (work, result) = (Work::new(), Arc::new(Mutex::new(None)));
        let (of_thread, for_thread) = (work.clone(), result.clone());
        let spawned = spawn(Box::new(move || {
            // A job that was cancelled before its thread came to it must not delay those behind it.
            leave(of_thread.check().and_then(|()| guarded(run, &of_thread)), &for_thread);
        }));
        match spawned {
            Ok(task) => Self { work, result, _task: task },
            Err(error) => Self::failed(error),
        }
    }

    /// The result, once it is there. Only the first call gets it.
    pub(crate) fn outcome(&mut self) -> Option<Result<T>> {
        // A thread that panics while it holds the lock has not left half a result, so the poison is of no
        // interest.
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Leaves a result where its job looks for it.
fn leave<T>(done: Result<T>, result: &Mutex<Option<Result<T>>>) {
    *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
}

/// Runs it; a panic in it becomes an error.
pub(crate) fn guarded<T>(run: impl FnOnce(&Work) -> Result<T>, work: &Work) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| run(work)))
        .unwrap_or_else(|panic| Err(Error::panic("work", said(&*panic))))
}

impl<T> Job<T> {
    /// Whether the result is there.
    pub(crate) fn is_done(&self) -> bool {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn progress(&self) -> Progress {
        self.work.progress()
    }

    /// The share of all of it that is done.
    pub(crate) fn overall(&self) -> f32 {
        self.work.overall()
    }

    /// Asks the worker to stop; its outcome will be [`Error::Cancelled`], unless it is done already.
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
        // Also ends work that has begun: dropping the task only keeps it from beginning.
        self.work.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_frames_last_the_more_jobs_are_ordered_ahead() {
        let threads = workers().thread_num();
        // In a frame of half a second a worker does 64 jobs of a 128th; and half as many more may be in line.
        assert_eq!(jobs_ahead(1.0 / 128.0, 0.5), (96 * threads).min(MOST_AHEAD));
        assert_eq!(jobs_ahead(1.0 / 128.0, 0.25), (48 * threads).min(MOST_AHEAD));
        // No worker is without, however long jobs take and whatever is known of them.
        assert_eq!(jobs_ahead(60.0, 0.02), threads);
        assert_eq!(jobs_ahead(0.005, 0.0), jobs_ahead(0.005, SHORTEST_FRAME));
        assert_eq!(jobs_ahead(0.0, 1.0), MOST_AHEAD);
    }
}
