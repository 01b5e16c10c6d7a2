//! Painting: the ground under every texel is weighed for every terrain type, what noise and tiles add is added,
//! and the colours are blended into a map, a window at a time or all at once.

pub(super) mod baker;
mod mottle;
pub(crate) mod part;
pub(super) mod sampler;
pub(super) mod surface;
mod whole;

pub use whole::{BakeOptions, Baked, WeightMap, bake, bake_with};
