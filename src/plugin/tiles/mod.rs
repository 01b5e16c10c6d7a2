//! The tiling pictures of terrain types, as texture arrays on the device.

mod stack;

pub(crate) use stack::{TileArrays, TileStack, TileStacks};
