//! What everything stands on: the grid, the heights on it, and the memory that they take.

mod heightfield;
pub(crate) mod lines;
pub(crate) mod memory;

pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, Statistics, normal_from_gradient};
