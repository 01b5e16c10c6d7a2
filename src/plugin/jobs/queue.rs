//! The queue of keyed jobs.

use std::cmp::Reverse;
use std::hash::Hash;
use std::time::Instant;

use rayon::ThreadPool;
use rustc_hash::FxHashMap;

use super::budget::{FrameBudget, MeanSeconds};
use super::job::Job;
use crate::{Error, Result, Work};

/// Jobs by the key of their result: a tile, a cell, a node or a collider. There is one job for a key at a
/// time, and jobs that are removed from the queue, or dropped with it, are cancelled.
///
/// `V` is the version of the land that a job was ordered for, if the receiver of its result needs to know it.
pub(crate) struct JobQueue<K, T, V = ()> {
    jobs: FxHashMap<K, Ordered<T, V>>,
    /// Keys whose results wait for [`next_done`](Self::next_done), in reverse order. Kept between frames so
    /// that its memory is used again.
    due: Vec<K>,
    seconds: MeanSeconds,
    has_failed: bool,
}

/// A job, and the version that it is for.
struct Ordered<T, V> {
    version: V,
    job: Job<Timed<T>>,
}

/// A result and the seconds that it took.
struct Timed<T> {
    made: T,
    seconds: f64,
}

/// A job that has ended without being cancelled.
pub(crate) struct Done<K, T, V = ()> {
    pub(crate) key: K,
    pub(crate) version: V,
    pub(crate) outcome: Result<T>,
    /// The seconds that it took; 0 where it failed.
    pub(crate) seconds: f64,
}

impl<K, T, V> Default for JobQueue<K, T, V> {
    fn default() -> Self {
        Self {
            jobs: FxHashMap::default(),
            due: Vec::new(),
            seconds: MeanSeconds::default(),
            has_failed: false,
        }
    }
}

fn timed<T>(make: impl FnOnce(&Work) -> Result<T>) -> impl FnOnce(&Work) -> Result<Timed<T>> {
    move |work| {
        let begun = Instant::now();
        // Only what succeeds counts into the mean: errors mostly come early.
        let made = make(work)?;
        Ok(Timed { made, seconds: begun.elapsed().as_secs_f64() })
    }
}

impl<K, T, V> JobQueue<K, T, V>
where
    K: Copy + Eq + Hash,
    T: Send + 'static,
    V: Copy + PartialEq,
{
    /// An empty queue, with a guess of the seconds that a job takes.
    pub(crate) fn expecting(seconds: f64) -> Self {
        Self { seconds: MeanSeconds::expecting(seconds), ..Self::default() }
    }

    /// Starts a job on one of the [`workers`](super::workers), unless the same version of the key is being
    /// made. A job for another version is cancelled.
    pub(crate) fn start(
        &mut self,
        key: K,
        version: V,
        make: impl FnOnce(&Work) -> Result<T> + Send + 'static,
    ) {
        self.insert(key, version, || Job::start(timed(make)));
    }

    /// As [`start`](Self::start), on a thread of a pool, after the jobs that it already has.
    pub(crate) fn start_in(
        &mut self,
        pool: &ThreadPool,
        key: K,
        version: V,
        make: impl FnOnce(&Work) -> Result<T> + Send + 'static,
    ) {
        self.insert(key, version, || Job::start_in(pool, timed(make)));
    }

    /// Adds a job that cannot be started: its result is this error.
    pub(crate) fn fail(&mut self, key: K, version: V, error: Error) {
        self.insert(key, version, || Job::failed(error));
    }

    fn insert(&mut self, key: K, version: V, start: impl FnOnce() -> Job<Timed<T>>) {
        // Replacing the job drops the old one, and with it cancels it.
        if self.jobs.get(&key).is_none_or(|known| known.version != version) {
            self.jobs.insert(key, Ordered { version, job: start() });
        }
    }

    /// Cancels one job, if it is there.
    pub(crate) fn cancel(&mut self, key: &K) {
        self.jobs.remove(key);
    }

    /// Cancels all jobs whose keys are no longer wanted.
    pub(crate) fn keep(&mut self, mut is_wanted: impl FnMut(&K) -> bool) {
        self.jobs.retain(|key, _| is_wanted(key));
    }

    /// Cancels everything.
    pub(crate) fn clear(&mut self) {
        self.jobs.clear();
    }

    /// How many jobs have been started and not been taken in.
    pub(crate) fn len(&self) -> usize {
        self.jobs.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub(crate) fn contains(&self, key: &K) -> bool {
        self.jobs.contains_key(key)
    }

    /// The seconds that a job takes: a running mean.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds.get()
    }

    /// Finds the jobs that have ended. [`next_done`](Self::next_done) then returns their results, the lowest
    /// in this order first.
    pub(crate) fn gather<O: Ord>(&mut self, order: impl Fn(&K) -> O) {
        self.due.clear();
        self.due.extend(self.jobs.iter().filter(|(_, ordered)| ordered.job.is_done()).map(|(key, _)| *key));
        // Reversed, so that `pop` takes the lowest first without moving the rest.
        self.due.sort_unstable_by_key(|key| Reverse(order(key)));
    }

    /// Takes the next result out of the queue. If the budget is spent, it stays for the next frame.
    pub(crate) fn next_done(&mut self, budget: &FrameBudget) -> Option<Done<K, T, V>> {
        while !budget.is_spent() {
            let key = self.due.pop()?;
            // It may have been cancelled since.
            let Some(outcome) = self.jobs.get_mut(&key).and_then(|ordered| ordered.job.outcome()) else {
                continue;
            };
            let Some(Ordered { version, .. }) = self.jobs.remove(&key) else { continue };
            return match outcome {
                Ok(Timed { made, seconds }) => {
                    self.seconds.add(seconds);
                    Some(Done { key, version, outcome: Ok(made), seconds })
                }
                // Its key is being made again or not wanted any more.
                Err(Error::Cancelled) => continue,
                Err(error) => Some(Done { key, version, outcome: Err(error), seconds: 0.0 }),
            };
        }
        None
    }

    /// The error, if it is the first since [`forget_failure`](Self::forget_failure): jobs of a queue mostly
    /// fail for the same reason, and one report is enough.
    pub(crate) fn first_failure(&mut self, error: Error) -> Option<Error> {
        (!std::mem::replace(&mut self.has_failed, true)).then_some(error)
    }

    /// Lets the next failure be reported again: the land has changed.
    pub(crate) fn forget_failure(&mut self) {
        self.has_failed = false;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    type Queue = JobQueue<u32, u32, u64>;

    /// Waits until all jobs have ended, without taking their results.
    fn wait(queue: &Queue) {
        while !queue.jobs.values().all(|ordered| ordered.job.is_done()) {
            sleep(Duration::from_millis(1));
        }
    }

    fn take_all(queue: &mut Queue) -> Vec<(u32, u64, Result<u32>)> {
        wait(queue);
        queue.gather(|key| *key);
        let budget = FrameBudget::unlimited();
        std::iter::from_fn(|| queue.next_done(&budget))
            .map(|done| (done.key, done.version, done.outcome))
            .collect()
    }

    /// A job that reports when it begins, runs until it is cancelled, and then reports its key.
    fn endless(begun: Sender<()>, left: Sender<u32>, key: u32) -> impl FnOnce(&Work) -> Result<u32> + Send {
        move |work| {
            _ = begun.send(());
            while work.check().is_ok() {
                sleep(Duration::from_millis(1));
            }
            _ = left.send(key);
            Err(Error::Cancelled)
        }
    }

    #[test]
    fn what_is_no_longer_wanted_is_cancelled_and_never_arrives() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let patience = Duration::from_secs(60);
        let ((begin, begun), (left, cancelled)) = (channel(), channel());
        let mut queue = Queue::default();
        for key in 0..4 {
            queue.start_in(&pool, key, 0, endless(begin.clone(), left.clone(), key));
        }
        // One that is cancelled before a thread has come to it never begins.
        for _ in 0..4 {
            assert_eq!(begun.recv_timeout(patience), Ok(()));
        }
        queue.keep(|key| *key != 2);
        assert_eq!(cancelled.recv_timeout(patience), Ok(2));
        queue.cancel(&0);
        assert_eq!(cancelled.recv_timeout(patience), Ok(0));
        // Another version of the land takes its place.
        queue.start_in(&pool, 1, 1, |_| Ok(7));
        assert_eq!(cancelled.recv_timeout(patience), Ok(1));
        assert_eq!(queue.len(), 2);
        drop(queue);
        assert_eq!(cancelled.recv_timeout(patience), Ok(3));
    }

    #[test]
    fn a_result_that_is_no_longer_wanted_is_not_taken_in() {
        let mut queue = Queue::default();
        (0..3).for_each(|key| queue.start(key, 0, move |_| Ok(key)));
        wait(&queue);
        queue.gather(|key| *key);
        queue.cancel(&1);
        let budget = FrameBudget::unlimited();
        let keys: Vec<u32> = std::iter::from_fn(|| queue.next_done(&budget)).map(|done| done.key).collect();
        assert_eq!(keys, [0, 2]);
        assert!(queue.is_empty());
    }

    #[test]
    fn nothing_is_made_twice_unless_the_land_has_changed() {
        let runs = Arc::new(AtomicUsize::new(0));
        let make = |runs: &Arc<AtomicUsize>| {
            let runs = runs.clone();
            move |_: &Work| Ok(runs.fetch_add(1, Ordering::SeqCst) as u32)
        };
        let mut queue = Queue::default();
        (0..5).for_each(|_| queue.start(3, 0, make(&runs)));
        wait(&queue);
        queue.start(3, 0, make(&runs));
        assert_eq!((runs.load(Ordering::SeqCst), queue.len()), (1, 1));
        queue.start(3, 1, make(&runs));
        let done = take_all(&mut queue);
        assert_eq!(done.iter().map(|(key, version, _)| (*key, *version)).collect::<Vec<_>>(), [(3, 1)]);
        assert_eq!(runs.load(Ordering::SeqCst), 2);
        assert!(take_all(&mut queue).is_empty(), "a result arrives once");
    }

    #[test]
    fn a_failure_is_reported_once_until_the_land_changes() {
        let mut queue = Queue::default();
        let reported = |queue: &mut Queue, panics: bool| {
            for key in 0..3 {
                queue.start(key, 0, move |_| {
                    assert!(!panics, "a step of a game");
                    Err(Error::parameter("cell", "is not a number"))
                });
            }
            let failed = take_all(queue).into_iter().filter_map(|(.., outcome)| outcome.err());
            failed.filter_map(|error| queue.first_failure(error)).count()
        };
        assert_eq!(reported(&mut queue, false), 1);
        assert_eq!(reported(&mut queue, true), 0);
        queue.forget_failure();
        assert_eq!(reported(&mut queue, true), 1);
    }

    #[test]
    fn a_frame_takes_in_what_it_has_a_budget_for_in_order_and_the_next_one_the_rest() {
        let mut queue = Queue::default();
        (0..10).for_each(|key| queue.start(key, 0, move |_| Ok(key)));
        wait(&queue);
        let mut frames: Vec<Vec<u32>> = Vec::new();
        while !queue.is_empty() {
            queue.gather(|key| Reverse(*key));
            let mut budget = FrameBudget::new(Instant::now(), f32::INFINITY, 40);
            let mut keys = Vec::new();
            while let Some(done) = queue.next_done(&budget) {
                budget.spend(10);
                keys.push(done.key);
            }
            frames.push(keys);
        }
        assert_eq!(frames, [vec![9, 8, 7, 6], vec![5, 4, 3, 2], vec![1, 0]]);
    }
}
