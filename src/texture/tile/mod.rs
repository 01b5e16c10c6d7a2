//! The tiling pictures that terrain types wear: read, looked at, and written.

mod check;
mod png;
mod tiling;

pub use tiling::{Tile, Tiling};
