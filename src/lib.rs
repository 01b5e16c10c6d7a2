//! Terrain you can fly over, compare and put into a game.
//!
//! A [`Heightfield`] is a grid of heights in metres.

mod error;
pub mod formats;
mod heightfield;
mod landscape;
mod raster;
pub mod texture;
mod work;

pub use error::{Error, Result};
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, normal_from_gradient};
pub use landscape::Landscape;
pub use raster::{CellSize, Origin, Raster};
pub use work::{Progress, Work};
