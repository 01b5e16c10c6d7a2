//! The basis of all rooms below: the domain of a land, its windows, the heightfield, layers, and memory
//! limits.

mod domain;
mod frames;
mod heightfield;
mod hole;
pub mod layer;
pub(crate) mod lines;
#[doc(hidden)]
pub mod memory;
pub(crate) mod smooth;
pub(crate) mod surface;
mod window;

pub use domain::{Domain, FARTHEST, LEVELS, UNITS};
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, Statistics, normal_from_gradient};
pub(crate) use heightfield::{HIGHEST, finite_rise};
pub use hole::{HOLE_FROM, is_hole};
pub(crate) use hole::{drawn_hole, on_triangles};
pub use layer::{LAYERS, LayerInfo, LayerScale, Layers};
pub use window::{Region, Window};
