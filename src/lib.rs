//! Terrain you can fly over, compare and put into a game.
//!
//! A [`Heightfield`] is a grid of heights in metres.

mod atmosphere;
mod daylight;
mod error;
mod heightfield;
mod landscape;
pub mod lod;
#[cfg(feature = "bevy")]
pub mod plugin;
mod sun;
pub mod texture;
mod work;

pub use daylight::Daylight;
pub use error::{Error, Result};
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, normal_from_gradient};
pub use landscape::Landscape;
pub use sun::Sun;
pub use work::{Progress, Work};
