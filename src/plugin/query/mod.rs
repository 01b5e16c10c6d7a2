//! Asking where the ground is: under a point, and on a ray.

mod ground;
mod ray;

pub use ground::{GroundPoint, TerrainQuery};
