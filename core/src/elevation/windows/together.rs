//! A field that all threads that need it make together, when it is first needed.
//!
//! No thread waits for another, which might in turn be waiting for it. Each thread makes parts that have not
//! been begun; when there are none left, it makes again parts that others have begun and not finished. The
//! parts depend only on the file, so either copy can be kept.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::compute::work::Work;
use crate::error::Result;

/// A field in the making.
pub(super) struct Together {
    whole: OnceLock<Vec<f32>>,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    /// All parts before this one have been begun.
    next: usize,
    made: Vec<Option<Arc<Vec<f32>>>>,
}

impl Together {
    /// A field of this many parts, of which none is made.
    pub(super) fn new(parts: usize) -> Self {
        let parts = Parts { next: 0, made: vec![None; parts] };
        Self { whole: OnceLock::new(), parts: Mutex::new(parts) }
    }

    /// The field. If it doesn't exist yet, it is put together from parts, each made by `part`, and completed
    /// by `finish`. Several threads may call both for the same part, and must get the same result.
    ///
    /// # Errors
    /// Those of `part` and `finish`, and [`Error::Cancelled`](crate::Error::Cancelled). Parts that are made
    /// before an error are kept.
    pub(super) fn get(
        &self,
        stage: &str,
        part: impl Fn(usize) -> Result<Vec<f32>>,
        finish: impl FnOnce(Vec<f32>) -> Result<Vec<f32>>,
        work: &Work,
    ) -> Result<&[f32]> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let count = self.parts().made.len();
        work.stage(stage, count);
        // The last part that was made again, so that each thread continues from its own.
        let mut last = 0;
        loop {
            work.check()?;
            let mut parts = self.parts();
            let index = if parts.next < count {
                parts.next += 1;
                parts.next - 1
            } else {
                // The parts are dropped once the whole field exists.
                let is_missing = |&index: &usize| parts.made.get(index).is_some_and(Option::is_none);
                // From each thread's own last part on, so that those that help start in different places.
                let Some(index) = (0..count).map(|step| (last + 1 + step) % count).find(is_missing) else {
                    break;
                };
                index
            };
            drop(parts);
            last = index;
            let made = Arc::new(part(index)?);
            if let Some(place) = self.parts().made.get_mut(index) {
                // Parts that two threads have made are equal: the first one stays.
                place.get_or_insert(made);
            }
            work.advance(1);
        }
        if self.whole.get().is_none() {
            let parts: Vec<Arc<Vec<f32>>> = self.parts().made.iter().flatten().map(Arc::clone).collect();
            // Another thread may have completed the field meanwhile and dropped the parts.
            if parts.len() == count && self.whole.get().is_none() {
                let whole = parts.iter().flat_map(|part| part.iter().copied()).collect();
                let _ = self.whole.set(finish(whole)?);
            }
            // After `whole` is set, so a thread that finds no parts finds the field.
            self.parts().made.clear();
        }
        Ok(self.whole.get().map_or(&[], Vec::as_slice))
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::Error;

    #[test]
    fn all_threads_get_the_same_field() {
        for threads in [1, 2, 32] {
            let field = Together::new(17);
            let finished = |mut whole: Vec<f32>| {
                whole.push(-1.0);
                Ok(whole)
            };
            let made = AtomicUsize::new(0);
            let part = |index: usize| {
                made.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
                Ok(vec![index as f32; 2])
            };
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        let whole = field.get("x", part, finished, &Work::new()).unwrap();
                        assert_eq!(whole.len(), 35);
                        assert!((0..34).all(|index| whole[index] == (index / 2) as f32));
                    });
                }
            });
            let before = made.load(Ordering::Relaxed);
            assert!((17..=17 * threads).contains(&before), "{before}");
            field.get("x", part, finished, &Work::new()).unwrap();
            assert_eq!(made.load(Ordering::Relaxed), before, "it is made once");
        }
    }

    #[test]
    fn parts_that_one_thread_abandons_another_makes() {
        let field = Together::new(5);
        for fails in [3, 3] {
            let part = |index| if index == fails { Err(Error::Cancelled) } else { Ok(vec![index as f32]) };
            assert!(field.get("x", part, Ok, &Work::new()).is_err());
        }
        assert_eq!(
            field.get("x", |index| Ok(vec![index as f32]), Ok, &Work::new()).unwrap(),
            [0.0, 1.0, 2.0, 3.0, 4.0]
        );
    }
}
