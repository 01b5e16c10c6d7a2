//! Tiling pictures of terrain types: reading, checking and writing them.

mod check;
mod kept;
mod png;
mod tiling;

pub use tiling::{Tile, Tiling};
