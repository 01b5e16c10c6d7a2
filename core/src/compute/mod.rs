//! How work is done: progress and cancellation, frames for observers, SIMD width, panics as errors.

pub mod frames;
mod observe;
pub mod panics;
pub(crate) mod wide;
pub mod work;
