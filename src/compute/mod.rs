//! How work is done: progress and cancellation, frames for observers, SIMD width, panics as errors, priority.

#[cfg(any(feature = "bevy", feature = "cli"))]
pub(crate) mod background;
pub(crate) mod frames;
pub(crate) mod panics;
pub(crate) mod wide;
pub(crate) mod work;
