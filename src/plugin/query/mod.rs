//! Queries for the ground: under a point, along a ray, and exactly.

mod ground;
mod probe;
#[cfg(test)]
mod tests;

pub use ground::{GroundPoint, TerrainQuery, TypeShare};
pub use probe::{ExactPoint, GroundProbe};
