//! Terrain texture: how much of each terrain type lies where, and the picture baked from it.

mod colour_map;

pub use colour_map::ColourMap;
