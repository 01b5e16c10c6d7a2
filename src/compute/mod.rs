//! How work is done: progress and cancelling, frames for whoever watches, wide registers, panics that become
//! errors.

pub(crate) mod frames;
pub(crate) mod panics;
pub(crate) mod wide;
pub(crate) mod work;
