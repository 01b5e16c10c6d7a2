//! The tiling pictures of terrain types, as texture arrays on the device.

mod texture_arrays;

pub(crate) use texture_arrays::{ArrayImages, TextureArray, TextureArrays};
