//! The counts of a viewshed while it is found.

use std::sync::atomic::{AtomicU8, Ordering};

/// The counts of all samples while the octants around a tower are searched at the same time. No two of them
/// share a sample.
pub(super) struct SightCounts(Vec<AtomicU8>);

impl SightCounts {
    pub(super) fn new(count: usize) -> Self {
        Self(std::iter::repeat_with(|| AtomicU8::new(0)).take(count).collect())
    }

    /// Counts one tower more for a sample.
    pub(super) fn add(&self, index: usize) {
        let count = &self.0[index];
        // Not `fetch_add`: samples are not shared, and a locked addition costs many times a load and a store.
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(super) fn into_counts(self) -> Vec<u8> {
        self.0.into_iter().map(AtomicU8::into_inner).collect()
    }
}
