//! What is made in the background from something that is edited: plots, a probe, what towers see.

use crate::compute::work::Work;
use crate::error::{self, Error};
use crate::plugin::Job;

/// A value that follows a key. It is made on a thread of its own, and made again when the key is another one.
pub(crate) struct Derived<K, V> {
    /// The key of the job or, once that has ended, of the output.
    requested: Option<K>,
    job: Option<Job<V>>,
    output: Option<(K, Result<V, String>)>,
    /// Seconds for which `requested` has been out of date.
    behind: f32,
    /// Whether the value for another key is wanted, whose job may not begin yet.
    is_waiting: bool,
}

impl<K, V> Default for Derived<K, V> {
    fn default() -> Self {
        Self { requested: None, job: None, output: None, behind: 0.0, is_waiting: false }
    }
}

impl<K: Clone + PartialEq + Send + 'static, V: Send + 'static> Derived<K, V> {
    /// Requests the value for a key, unless that has been requested already. The job of another key goes on
    /// until `may_begin`, because its value is nearer to what is wanted than an older one; then it is
    /// cancelled.
    pub fn follow(
        &mut self,
        key: K,
        may_begin: bool,
        make: impl FnOnce(&K, &Work) -> error::Result<V> + Send + 'static,
    ) {
        let is_requested = self.requested.as_ref() == Some(&key);
        self.is_waiting = !is_requested && !may_begin;
        if is_requested {
            self.behind = 0.0;
        } else if may_begin {
            let of_job = key.clone();
            self.job = Some(Job::start_long(move |work| make(&of_job, work)));
            (self.requested, self.behind) = (Some(key), 0.0);
        }
    }

    /// Adds this frame to the time for which the requested key has been out of date, and returns that time in
    /// seconds; 0 if the requested key is `key`. A long job may wait for some time, and then makes up for
    /// several edits.
    pub fn behind(&mut self, key: &K, seconds: f32) -> f32 {
        self.behind = if self.requested.as_ref() == Some(key) { 0.0 } else { self.behind + seconds };
        self.behind
    }

    /// Keeps what has been made: returns the value, or why there is none, once.
    pub fn receive(&mut self) -> Option<&Result<V, String>> {
        let outcome = self.take()?;
        let key = self.requested.clone()?;
        self.output = Some((key, outcome.map_err(|error| error.to_string())));
        self.latest()
    }

    /// Returns what has been made, once, without keeping it: for values that go elsewhere.
    pub fn take(&mut self) -> Option<error::Result<V>> {
        let outcome = self.job.as_mut()?.outcome()?;
        self.job = None;
        // A cancelled job leaves the present value.
        (!matches!(outcome, Err(Error::Cancelled))).then_some(outcome)
    }

    /// The value that was made last, or why there was none; its key may be out of date.
    pub fn latest(&self) -> Option<&Result<V, String>> {
        self.output.as_ref().map(|(_, output)| output)
    }

    /// The same, if its key is one of these.
    pub fn latest_for(&self, is_wanted: impl FnOnce(&K) -> bool) -> Option<&Result<V, String>> {
        self.output.as_ref().filter(|(key, _)| is_wanted(key)).map(|(_, output)| output)
    }

    /// The key that was requested last.
    pub fn requested(&self) -> Option<&K> {
        self.requested.as_ref()
    }

    /// Whether a value is being made.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Whether the last value is that of the key that was followed last. It is not while another one is being
    /// made, nor while the job of another one may not begin.
    pub fn is_current(&self) -> bool {
        !self.is_busy() && !self.is_waiting
    }

    /// How much of it is made, from 0 to 1; `None` if none is being made.
    pub fn progress(&self) -> Option<f32> {
        self.job.as_ref().map(|job| job.progress().fraction)
    }

    /// Cancels the job. What has been made stays.
    pub fn stop(&mut self) {
        if self.job.take().is_some() {
            self.requested = self.output.as_ref().map(|(key, _)| key.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Ten times its key; of a negative one an error.
    fn ten_times(key: &i32, _: &Work) -> error::Result<i32> {
        if *key < 0 { Err(Error::parameter("key", "it is negative")) } else { Ok(10 * key) }
    }

    fn endless(_: &i32, work: &Work) -> error::Result<i32> {
        loop {
            work.check()?;
            std::thread::yield_now();
        }
    }

    fn received(derived: &mut Derived<i32, i32>) -> Result<i32, String> {
        let begun = Instant::now();
        loop {
            if let Some(output) = derived.receive() {
                return output.clone();
            }
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::yield_now();
        }
    }

    #[test]
    fn each_key_is_requested_once() {
        let mut derived = Derived::default();
        derived.follow(1, true, ten_times);
        assert!(derived.is_busy() && derived.latest().is_none());
        assert_eq!(received(&mut derived), Ok(10));
        assert_eq!((derived.latest(), derived.requested()), (Some(&Ok(10)), Some(&1)));
        derived.follow(1, true, ten_times);
        assert!(!derived.is_busy());
        derived.follow(2, true, ten_times);
        assert_eq!(received(&mut derived), Ok(20));
    }

    #[test]
    fn a_job_is_cancelled_when_one_for_another_key_begins() {
        let mut derived = Derived::default();
        derived.follow(1, true, endless);
        let first = derived.job.as_ref().unwrap().work();
        derived.follow(1, true, endless);
        derived.follow(2, false, ten_times);
        assert!(!first.is_cancelled(), "its value is nearer than none, as long as no other is being made");
        derived.follow(2, true, ten_times);
        assert!(first.is_cancelled());
        assert_eq!(received(&mut derived), Ok(20));
    }

    #[test]
    fn a_value_is_not_taken_for_that_of_another_key() {
        let mut derived = Derived::default();
        derived.follow(1, true, ten_times);
        assert_eq!(received(&mut derived), Ok(10));
        for may_begin in [false, true] {
            derived.follow(2, may_begin, endless);
            assert_eq!(derived.latest_for(|key| *key == 2), None);
            assert_eq!(derived.latest_for(|key| *key == 1), Some(&Ok(10)));
        }
        derived.follow(3, true, ten_times);
        assert_eq!(received(&mut derived), Ok(30));
        assert_eq!(derived.latest_for(|key| *key == 3), Some(&Ok(30)));
    }

    #[test]
    fn a_value_is_out_of_date_before_the_next_is_begun() {
        let mut derived = Derived::default();
        derived.follow(1, true, ten_times);
        assert!(!derived.is_current());
        assert_eq!(received(&mut derived), Ok(10));
        assert!(derived.is_current());
        derived.follow(2, false, ten_times);
        assert!(!derived.is_current() && !derived.is_busy(), "it would be taken for that of 2");
        derived.follow(1, false, ten_times);
        assert!(derived.is_current(), "nothing else is wanted any more");
        derived.follow(2, true, ten_times);
        assert_eq!(received(&mut derived), Ok(20));
        assert!(derived.is_current());
    }

    #[test]
    fn an_error_is_received_once_and_kept() {
        let mut derived = Derived::default();
        derived.follow(-1, true, ten_times);
        let error = received(&mut derived).unwrap_err();
        assert!(error.contains("it is negative"), "{error}");
        assert_eq!(derived.receive(), None, "it would be reported again");
        assert_eq!(derived.latest(), Some(&Err(error)));
        derived.follow(-1, true, ten_times);
        assert!(!derived.is_busy(), "it would fail again");
        derived.follow(1, true, ten_times);
        assert_eq!(received(&mut derived), Ok(10));
    }

    #[test]
    fn what_is_taken_is_not_kept_and_not_made_again() {
        let mut derived = Derived::default();
        derived.follow(1, true, ten_times);
        let begun = Instant::now();
        let taken = loop {
            if let Some(taken) = derived.take() {
                break taken.unwrap();
            }
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::yield_now();
        };
        derived.follow(1, true, ten_times);
        assert_eq!((taken, derived.latest(), derived.is_busy()), (10, None, false));
    }

    #[test]
    fn nothing_begins_before_edits_have_settled() {
        let mut derived = Derived::default();
        for key in [1, 2, 3] {
            assert_eq!(derived.behind(&key, 0.5), 0.5 * key as f32);
            derived.follow(key, false, ten_times);
            assert!(!derived.is_busy() && derived.requested().is_none());
        }
        derived.follow(3, true, ten_times);
        assert_eq!(received(&mut derived), Ok(30));
        assert_eq!(derived.behind(&3, 0.5), 0.0);
        assert_eq!(derived.behind(&4, 0.5), 0.5, "seconds are counted from its own edit");
    }

    #[test]
    fn what_was_stopped_is_requested_again() {
        let mut derived = Derived::default();
        derived.follow(1, true, ten_times);
        assert_eq!(received(&mut derived), Ok(10));
        derived.follow(2, true, endless);
        let job = derived.job.as_ref().unwrap().work();
        derived.stop();
        assert!(job.is_cancelled() && !derived.is_busy());
        assert_eq!((derived.latest(), derived.requested()), (Some(&Ok(10)), Some(&1)));
        derived.follow(2, true, ten_times);
        assert_eq!(received(&mut derived), Ok(20));
    }
}
