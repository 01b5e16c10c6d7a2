//! Textures: what is measured of the ground, and what is painted on it.

mod baking;
mod factors;
mod painted;
mod sets;
mod texture;
