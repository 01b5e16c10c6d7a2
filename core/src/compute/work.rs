//! Progress and cancellation of long work, shared between the worker and its owner.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::frames::Observed;
use crate::error::{Error, Result};

/// A handle on a piece of work: the worker reports through it and asks whether to go on; the owner
/// reads the progress and may cancel. Clones share one state. It may carry an
/// [observer](Work::observed_by), who is shown the intermediate results of steps.
///
/// ```
/// # use upland_core as upland;
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
    pub(super) observed: Option<Observed>,
    part: Part,
}

/// The part of the whole work that the stages of a handle belong to, as shares of the whole.
#[derive(Clone, Copy, Debug)]
struct Part {
    from: f32,
    to: f32,
    /// The share of the remaining part that a stage gets: the number of stages to come is unknown.
    of_stage: f32,
}

impl Default for Part {
    fn default() -> Self {
        Self { from: 0.0, to: 1.0, of_stage: 0.5 }
    }
}

/// The same for work that is known to be a part of other work, which usually has few stages.
const OF_STAGE_OF_PART: f32 = 0.75;

/// The largest share of the whole that stages can reach: after many of them, rounding would make it 1 before
/// the end.
const MOST_OF_STAGES: f32 = 0.999;

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
    stage: Mutex<Stage>,
    watch: Option<Watch>,
}

/// Called whenever a worker calls [`Work::check`].
struct Watch(Box<dyn Fn(&Work) + Send + Sync>);

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watch")
    }
}

#[derive(Debug, Default)]
struct Stage {
    name: String,
    began: Option<Instant>,
    before: Vec<StageTime>,
    /// The shares of the whole work that are done when this part begins and when it ends.
    from: f32,
    to: f32,
    /// The largest share that has been reported.
    reached: f32,
}

impl Stage {
    /// Moves the current stage to the list of finished ones.
    fn end(&mut self) {
        if let Some(began) = self.began.take() {
            let seconds = began.elapsed().as_secs_f32();
            self.before.push(StageTime { name: std::mem::take(&mut self.name), seconds });
        }
    }
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
    /// Work that has not begun, cannot have been cancelled yet, and has no observer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Work that calls `watch` at every [`check`](Self::check), on the worker's thread: to count the
    /// checks, to time them, or to cancel at a chosen one.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let asked = AtomicUsize::new(0);
    /// let work = upland::Work::watched(move |work| {
    ///     if asked.fetch_add(1, Ordering::Relaxed) == 2 {
    ///         work.cancel();
    ///     }
    /// });
    /// assert_eq!([(); 3].map(|()| work.check().is_ok()), [true, true, false]);
    /// ```
    pub fn watched(watch: impl Fn(&Self) + Send + Sync + 'static) -> Self {
        let watch = Some(Watch(Box::new(watch)));
        Self { shared: Arc::new(Shared { watch, ..Shared::default() }), ..Self::default() }
    }

    /// Work with a time limit: once `limit` has passed from now, it is cancelled and ends with
    /// [`Error::Cancelled`]. The limit never affects the result, only whether there is one.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use std::time::Duration;
    ///
    /// assert!(upland::Work::within(Duration::MAX).check().is_ok());
    /// assert!(upland::Work::within(Duration::ZERO).check().is_err());
    /// ```
    pub fn within(limit: Duration) -> Self {
        let begun = Instant::now();
        Self::given_up_when(move || begun.elapsed() >= limit)
    }

    /// Work that is cancelled at the first [`check`](Self::check) at which `is_over` returns true.
    fn given_up_when(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self::watched(move |work| {
            if is_over() {
                work.cancel();
            }
        })
    }

    /// Begins a stage of `total` units, usually rows.
    pub fn stage(&self, name: impl Into<String>, total: usize) {
        let mut stage = self.present();
        stage.end();
        (stage.name, stage.began) = (name.into(), Some(Instant::now()));
        let Part { from, to, of_stage } = self.part;
        // The stage before is over, however far it was.
        // Never lower than before, and below 1: the bar of `overall` only grows, and ends when the work does.
        stage.reached = stage.reached.max(stage.to).min(MOST_OF_STAGES);
        stage.from = stage.reached.max(from);
        // The number of stages to come is unknown, so each gets a fixed share of what remains: the sum never
        // exceeds the part.
        stage.to = stage.from + (to - stage.from).max(0.0) * of_stage;
        // Set together with its share under the lock, so that readers never see one without the other.
        self.shared.done.store(0, Ordering::Relaxed);
        self.shared.total.store(total, Ordering::Relaxed);
    }

    /// A handle to a part of the same work: its stages count as this part of the [whole](Self::overall).
    /// `from` and `to` are shares of the work of this handle, in \[0, 1\]. Parts follow one another.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let work = upland::Work::new();
    /// let (heights, colours) = (work.part(0.0, 0.8), work.part(0.8, 1.0));
    /// heights.stage("heights", 4);
    /// heights.advance(4);
    /// assert!((0.5..=0.8).contains(&work.overall()));
    /// colours.stage("colours", 4);
    /// assert_eq!(work.overall(), 0.8);
    /// ```
    #[must_use]
    pub fn part(&self, from: f32, to: f32) -> Self {
        let Part { from: low, to: high, .. } = self.part;
        let at = |share: f32| low + (high - low) * share.clamp(0.0, 1.0);
        let part = Part { from: at(from), to: at(to), of_stage: OF_STAGE_OF_PART };
        Self { part, ..self.clone() }
    }

    /// Renames the current stage without beginning a new one.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let work = upland::Work::new();
    /// work.stage("draw: 0 of 4 tiles", 4);
    /// work.advance(1);
    /// work.rename("draw: 1 of 4 tiles");
    /// assert_eq!((work.progress().stage.as_str(), work.progress().fraction), ("draw: 1 of 4 tiles", 0.25));
    /// ```
    pub fn rename(&self, name: impl Into<String>) {
        self.present().name = name.into();
    }

    /// Reports `units` more of the stage as done.
    pub fn advance(&self, units: usize) {
        // Relaxed, here and below: the counters order no other memory, and a bar may be a row late.
        self.shared.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Workers call this about once a row; it is cheap.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once the owner has cancelled.
    pub fn check(&self) -> Result<()> {
        // Before the flag is read, so that a watch that cancels ends the work at this check and not the next.
        if let Some(Watch(watch)) = &self.shared.watch {
            watch(self);
        }
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Asks the worker to stop, which it does within about 50 ms.
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
        Progress { stage: self.present().name.clone(), fraction: done as f32 / total as f32 }
    }

    /// The estimated share of all of the work that is done, in \[0, 1\]: for a bar that only grows. It never
    /// falls, and stays below 1 while more stages may come. The more stages there are, the less each adds.
    /// [`part`](Self::part) sets the share that stages belong to.
    pub fn overall(&self) -> f32 {
        let mut stage = self.present();
        let total = self.shared.total.load(Ordering::Relaxed).max(1);
        let done = self.shared.done.load(Ordering::Relaxed).min(total);
        let share = stage.from + (stage.to - stage.from) * (done as f32 / total as f32);
        stage.reached = stage.reached.max(share).min(MOST_OF_STAGES);
        stage.reached
    }

    /// Ends the last stage and returns how long each stage took. The record is empty after this.
    pub fn finish(&self) -> Vec<StageTime> {
        let mut stage = self.present();
        stage.end();
        std::mem::take(&mut stage.before)
    }

    fn present(&self) -> std::sync::MutexGuard<'_, Stage> {
        // A poisoned lock is harmless: a worker that panicked while it held the lock left whole names behind.
        self.shared.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// How long a stage of some work took.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTime {
    /// What was done, for people.
    pub name: String,
    /// Seconds of wall clock.
    pub seconds: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_whose_time_is_over_is_cancelled_at_its_next_check() {
        let checks = AtomicUsize::new(0);
        let work = Work::given_up_when(move || checks.fetch_add(1, Ordering::Relaxed) == 2);
        let goes_on = [(); 4].map(|()| work.check().is_ok());
        assert_eq!(goes_on, [true, true, false, false]);
        assert!(work.is_cancelled());
    }

    #[test]
    fn the_share_of_all_work_only_grows_whatever_stages_come() {
        let work = Work::new();
        let mut before = work.overall();
        assert_eq!(before, 0.0);
        let mut check = |work: &Work| {
            let now = work.overall();
            assert!(now >= before && now < 1.0, "{now} after {before}");
            before = now;
        };
        // Stages with the same name, with no steps, cut short, in parts of parts, and a part that comes too
        // late.
        let parts = [
            work.part(0.0, 0.2),
            work.part(0.2, 0.9),
            work.part(0.2, 0.9).part(0.5, 0.6),
            work.part(0.1, 0.3),
        ];
        for part in parts.iter().chain([&work, &parts[1]]) {
            for (name, total) in [("fbm", 3), ("fbm", 0), ("", 2)] {
                part.stage(name, total);
                check(&work);
                part.advance(1);
                check(&work);
            }
        }
        work.finish();
        check(&work);
    }

    #[test]
    fn a_part_is_the_share_that_it_was_said_to_be() {
        let work = Work::new();
        for number in 0..4 {
            let step = work.part(0.0, 0.8).part(number as f32 / 4.0, (number + 1) as f32 / 4.0);
            step.stage("step", 2);
            assert!((work.overall() - 0.2 * number as f32).abs() < 1e-6);
            step.advance(1);
            assert!(work.overall() > 0.2 * number as f32);
            step.advance(1);
            assert!(work.overall() <= 0.2 * (number + 1) as f32);
        }
    }
}
