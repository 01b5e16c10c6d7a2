//! Queries for the ground: under a point and many, along a ray, and exactly; for water and shores, what is
//! seen, and what ways cost.

mod costs;
mod ground;
mod many;
mod probe;
mod sight;
#[cfg(test)]
mod tests;
mod water;

pub use costs::{CostArea, TerrainCosts};
pub use ground::{GroundPoint, TerrainQuery, TypeShare};
pub use probe::{ExactPoint, GroundProbe, GroundProbes};
pub use sight::LineOfSight;
pub use water::{ShorePoint, WaterPoint};
