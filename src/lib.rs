//! Terrain you can fly over, compare and put into a game.
//!
//! A [`Recipe`] is a landscape as a document: a seed, a size and a stack of [`Step`]s, each a generator
//! ([`generate`]) that makes land, a filter ([`filter`]) that changes it or a river ([`water`]) that digs
//! its bed; then the sea, the terrain types that colour the ground ([`texture`]) and the position of the
//! sun. [`Recipe::build`] turns it into a [`Landscape`]: a [`Heightfield`] with its colours. The same
//! recipe gives the same bits on every machine and at every thread count.
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
//! Heights are read from and written to files by [`formats`], and written as triangles by [`mesh`]. With the
//! feature `bevy` the module `plugin` draws landscapes: spawn a `Terrain`. With the feature `viewer` the module
//! `viewer` is the application.

pub mod agents;
mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod colliders;
mod compute;
#[cfg(doctest)]
mod doc_tests;
mod elevation;
mod error;
mod files;
pub mod grid;
#[cfg(test)]
mod lazy_statics;
mod lessons;
mod math;
pub mod mesh;
mod noise;
pub mod params;
#[cfg(feature = "cli")]
mod picture;
pub mod planet;
pub mod plants;
#[cfg(feature = "bevy")]
pub mod plugin;
mod recipe;
pub mod resize;
mod rules;
pub mod scatter;
pub mod sculpt;
#[cfg(feature = "cli")]
mod shown;
mod sky;
pub mod steps;
pub mod stream;
pub mod texture;
mod thumbnail;
#[cfg(feature = "viewer")]
pub mod viewer;

pub use analysis::{Difference, plots, viewshed};
pub use compute::frames::{Frame, Moment, Observer};
pub use compute::work::{Progress, StageTime, Work};
pub use elevation::formats;
pub use elevation::raster::{CellSize, Origin, Raster};
pub use elevation::windows::{ElevationFile, ElevationFileOptions};
pub use error::{Error, Result};
pub use files::FilePath;
pub use grid::{Domain, Grid, Heightfield, MAX_SAMPLES, Region, Statistics, Window, normal_from_gradient};
pub use lessons::{
    Lesson, LessonFormula, LessonPage, LessonQuestion, LessonSlider, Mistake, Setting, ShippedLesson,
};
pub use noise::Basis;
pub use recipe::landscape::Landscape;
pub use recipe::preset::Preset;
pub use recipe::{
    Blend, Bookmark, CELLS, Cache, DEFAULT_CELL, Flight, Lock, Mask, MaskKind, Mixing, Number, PLACES, Probe,
    ProbedStep, Recipe, RecordedFrame, RecordedStep, Recording, RecordingOptions, SIDES, Seasons, Sets, Skin,
    Step, Tour, Values, Variant, View, Water, Waypoint, WindowBake,
};
pub use sky::daylight::Daylight;
pub use sky::sun::{SolarTime, Sun};
pub use steps::{filter, generate, water};
pub use thumbnail::{StepLook, looks_of_steps, relief, thumbnail};
