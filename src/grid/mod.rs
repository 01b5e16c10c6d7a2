//! What everything stands on: where there is land, which part of it is asked for, the grid, the heights on
//! it, and the memory that they take.

mod domain;
mod frames;
mod heightfield;
pub(crate) mod lines;
pub(crate) mod memory;
mod window;

pub use domain::{Domain, FARTHEST, LEVELS, UNITS};
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, Statistics, normal_from_gradient};
pub use window::{Region, Window};
