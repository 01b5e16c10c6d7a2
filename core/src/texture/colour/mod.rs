//! Colours: sRGB and linear light, and the picture that a bake makes.

mod colour_map;
pub(crate) mod srgb;

pub use colour_map::ColourMap;
