//! Queries for the ground: under a point, and along a ray.

mod ground;
mod ray;

pub use ground::{GroundPoint, TerrainQuery};
