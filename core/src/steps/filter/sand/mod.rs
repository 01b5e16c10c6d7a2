//! Steps of wind-blown sand, which lies on the rock in the layer `sand`.

mod blow;
mod desert;
pub(super) mod dunes;
mod grains;
mod rows;
mod shelter;
mod slides;
mod wind;

pub use dunes::SandBorder;
pub use wind::Winds;

#[cfg(test)]
mod tests;
