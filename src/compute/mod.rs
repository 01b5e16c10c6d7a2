//! How work is done: progress and cancellation, frames for observers, SIMD width, panics as errors.

pub(crate) mod frames;
pub(crate) mod panics;
pub(crate) mod wide;
pub(crate) mod work;
