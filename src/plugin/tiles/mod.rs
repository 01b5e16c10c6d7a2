//! The tiling pictures that terrain types wear, as texture arrays on the device.

mod height;
mod stack;

pub(crate) use stack::{TileArrays, TileStack, TileStacks};
