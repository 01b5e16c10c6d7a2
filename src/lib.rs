//! Terrain you can fly over, compare and put into a game.
//!
//! A [`Heightfield`] is a grid of heights in metres.

mod atmosphere;
mod built_in;
#[cfg(feature = "cli")]
pub mod cli;
mod daylight;
mod error;
mod file_path;
pub mod filter;
pub mod formats;
pub mod generate;
mod heightfield;
mod landscape;
mod lines;
pub mod lod;
mod noise;
pub mod params;
#[cfg(feature = "bevy")]
pub mod plugin;
mod raster;
mod recipe;
pub mod resize;
mod sun;
mod table;
pub mod texture;
#[cfg(feature = "viewer")]
pub mod viewer;
mod work;

pub use built_in::Preset;
pub use daylight::Daylight;
pub use error::{Error, Result};
pub use file_path::FilePath;
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, Statistics, normal_from_gradient};
pub use landscape::Landscape;
pub use noise::Basis;
pub use raster::{CellSize, Origin, Raster};
pub use recipe::{Blend, DEFAULT_CELL, Mixing, Operation, Recipe, Skin, Step, View, Water};
pub use sun::Sun;
pub use work::{Progress, Work};
