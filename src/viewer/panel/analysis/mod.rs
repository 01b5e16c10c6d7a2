//! Panels of numbers: plots, likeness, the probe, the player of a recorded build, and frame times.

pub(super) mod frame_times;
pub(super) mod likeness;
pub(super) mod playback;
pub(super) mod plots;
pub(super) mod probe;
