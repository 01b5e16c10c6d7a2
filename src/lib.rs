//! Terrain you can fly over, compare and put into a game.
//!
//! A [`Recipe`] is a landscape as a document: a seed, a size and a stack of [`Step`]s, each a
//! generator ([`generate`]) that makes land, a filter ([`filter`]) that changes it or a river ([`water`])
//! that digs its bed; then the sea, what
//! the ground wears ([`texture`]) and where the sun stands. [`Recipe::build`] turns it into a
//! [`Landscape`]: a [`Heightfield`] with its colours. The same recipe gives the same bits on every
//! machine.
//!
//! ```
//! use upland::{Recipe, Work};
//!
//! let recipe = Recipe::from_ron(
//!     r#"(
//!         version: 1,
//!         name: "A mesa",
//!         size: (129, 129),
//!         cell: 10.0,
//!         steps: [
//!             flat(height: 300.0),
//!             island(depth: 400.0, inner: 0.3),
//!             clamp(low: 0.0, high: 250.0),
//!         ],
//!         texture: arid,
//!     )"#,
//!     "mesa.ron",
//! )?;
//! let landscape = recipe.build(&Work::new())?;
//! let middle = landscape.heightfield.grid().extent() / 2.0;
//! assert_eq!(landscape.heightfield.sample(middle), 250.0);
//! assert_eq!(landscape.heightfield.sample(glam::Vec2::ZERO), 0.0);
//! # Ok::<(), upland::Error>(())
//! ```
//!
//! Heights come from files and go to files through [`formats`]. With the feature `bevy` the module
//! `plugin` draws landscapes: spawn a `Terrain`. With the feature `viewer` the module `viewer` is the
//! application.

mod atmosphere;
mod built_in;
#[cfg(feature = "cli")]
pub mod cli;
mod daylight;
mod error;
mod file_path;
mod files;
pub mod filter;
pub mod formats;
pub mod generate;
mod heightfield;
mod landscape;
#[cfg(test)]
mod lazy_statics;
mod lines;
mod lists;
pub mod lod;
mod luminance;
mod memory;
mod noise;
pub mod params;
#[cfg(feature = "bevy")]
pub mod plugin;
mod points;
mod raster;
mod recipe;
pub mod resize;
#[cfg(feature = "cli")]
mod shown;
mod smoothstep;
mod spline;
mod sun;
mod table;
pub mod texture;
#[cfg(feature = "viewer")]
pub mod viewer;
pub mod water;
mod wide;
mod work;

pub use built_in::Preset;
pub use daylight::Daylight;
pub use error::{Error, Result};
pub use file_path::FilePath;
pub use heightfield::{Grid, Heightfield, MAX_SAMPLES, Statistics, normal_from_gradient};
pub use landscape::{Landscape, StageTime};
pub use noise::Basis;
pub use raster::{CellSize, Origin, Raster};
pub use recipe::{
    Blend, CELLS, DEFAULT_CELL, Mask, MaskKind, Mixing, Operation, PLACES, Recipe, SIDES, Seasons, Sets,
    Skin, Step, View, Water,
};
pub use sun::Sun;
pub use work::{Progress, Work};
