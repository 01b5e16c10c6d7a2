//! A field that is made once, when it is first needed, by all threads that need it.
//!
//! No thread waits for another, which could wait for it in turn: each makes parts that nobody has begun; when
//! there are none, it makes those again that others have begun and not finished. What is made depends on
//! nothing but the file, so it doesn't matter whose is kept.

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
    /// All before it were begun.
    next: usize,
    made: Vec<Option<Arc<Vec<f32>>>>,
}

impl Together {
    /// A field of so many parts, of which none is made.
    pub(super) fn new(parts: usize) -> Self {
        let parts = Parts { next: 0, made: vec![None; parts] };
        Self { whole: OnceLock::new(), parts: Mutex::new(parts) }
    }

    /// The field; if there is none yet, it is put together from parts, each made by `part`, and completed by
    /// `finish`. Both may be called for the same part by several threads, and must give the same.
    ///
    /// # Errors
    /// Theirs, and [`Error::Cancelled`](crate::Error::Cancelled). What is made until then is kept.
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
        // The last part that was made again, so that each thread goes on from its own.
        let mut last = 0;
        loop {
            work.check()?;
            let mut parts = self.parts();
            let index = if parts.next < count {
                parts.next += 1;
                parts.next - 1
            } else {
                // The parts are dropped once there is the whole.
                let is_missing = |&index: &usize| parts.made.get(index).is_some_and(Option::is_none);
                let Some(index) = (0..count).map(|step| (last + 1 + step) % count).find(is_missing) else {
                    break;
                };
                index
            };
            drop(parts);
            last = index;
            let made = Arc::new(part(index)?);
            if let Some(place) = self.parts().made.get_mut(index) {
                place.get_or_insert(made);
            }
            work.advance(1);
        }
        if self.whole.get().is_none() {
            let parts: Vec<Arc<Vec<f32>>> = self.parts().made.iter().flatten().map(Arc::clone).collect();
            // Another thread may have completed it meanwhile, and dropped the parts.
            if parts.len() == count && self.whole.get().is_none() {
                let whole = parts.iter().flat_map(|part| part.iter().copied()).collect();
                let _ = self.whole.set(finish(whole)?);
            }
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
    fn however_many_threads_make_it_all_get_the_same() {
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
    fn what_one_gives_up_another_makes() {
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
