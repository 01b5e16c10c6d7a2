//! How work is done: progress and cancelling, wide registers, panics that become errors.

pub(crate) mod panics;
pub(crate) mod wide;
pub(crate) mod work;
