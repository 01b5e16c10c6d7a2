//! Answers on the drawn ground: its height, overhangs, water and lines of sight.

pub(super) mod ground;
pub(super) mod many;
pub(super) mod overhang;
pub(super) mod samples;
pub(super) mod shore;
pub(super) mod sight;
pub(super) mod water;
