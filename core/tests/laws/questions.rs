//! Work that is cancelled at one of its questions whether to go on, counted rather than timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::Work;

/// What came of work, and how often it asked whether to go on.
pub(crate) struct Asked<T> {
    pub(crate) outcome: T,
    pub(crate) questions: usize,
}

/// Does work on one thread to its end.
pub(crate) fn whole<T: Send>(work: impl FnOnce(&Work) -> T + Send) -> Asked<T> {
    cancelled_at(usize::MAX, work)
}

/// Does work on one thread, and cancels it at a question, counted from 1.
pub(crate) fn cancelled_at<T: Send>(question: usize, work: impl FnOnce(&Work) -> T + Send) -> Asked<T> {
    let asked = Arc::new(AtomicUsize::new(0));
    let watched = {
        let asked = asked.clone();
        Work::watched(move |work| {
            if asked.fetch_add(1, Ordering::Relaxed) + 1 == question {
                work.cancel();
            }
        })
    };
    let outcome = threads(1).install(|| work(&watched));
    Asked { outcome, questions: asked.load(Ordering::Relaxed) }
}

/// About `count` numbers from 1 to `last`, the ends among them.
pub(crate) fn spread(last: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..=count).map(move |index| 1 + (last - 1) * index / count)
}

pub(crate) fn threads(count: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(count).build().unwrap()
}
