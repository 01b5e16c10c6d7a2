//! Colours: sRGB and linear light, and the baked picture of a land.

pub(super) mod colour_map;
pub(super) mod srgb;
