//! What everything stands on: where there is land, which part of it is asked for, the grid, the heights on
//! it, what else is known of every sample, and the memory that it takes.

mod domain;
mod frames;
mod heightfield;
pub mod layer;
pub(crate) mod lines;
pub(crate) mod memory;
mod window;

pub use domain::{Domain, FARTHEST, LEVELS, UNITS};
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, Statistics, normal_from_gradient};
pub use layer::{LAYERS, LayerInfo, Layers};
pub use window::{Region, Window};
