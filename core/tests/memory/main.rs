//! What the core takes in memory, and what could take too much: hostile files, files larger than memory,
//! steps. A program of its own, since its allocator counts for the whole process.

mod cog;
mod companions;
mod file_windows;
mod formats;
mod found;
mod hostile_files;
mod places;
mod steps;
mod tiff_cases;
mod tiff_made;

use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

static MEASURED: RwLock<()> = RwLock::new(());

/// Held by a test that measures memory: no other test runs beside it.
fn alone() -> RwLockWriteGuard<'static, ()> {
    // A test that failed holds nothing that others need.
    MEASURED.clear_poison();
    MEASURED.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Held by a test that measures none: others like it run beside it.
fn beside() -> RwLockReadGuard<'static, ()> {
    MEASURED.clear_poison();
    MEASURED.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What `work` returns, and the most MiB that it held.
fn measured<T>(work: impl FnOnce() -> T) -> (T, f32) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage_as_mb();
    let result = work();
    (result, ALLOCATOR.peak_usage_as_mb() - before)
}
