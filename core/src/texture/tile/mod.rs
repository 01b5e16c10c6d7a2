//! Tiling pictures, which terrain types wear: reading, checking and writing them.

mod check;
mod kept;
mod png;
mod tiling;

pub use tiling::{Tile, Tiling};
