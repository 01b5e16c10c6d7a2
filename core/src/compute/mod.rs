//! How work is done: progress and cancellation, frames for observers, SIMD width, panics as errors, results
//! that are kept.

pub mod frames;
mod observe;
pub mod panics;
pub mod recently_used;
pub(crate) mod wide;
pub mod work;
