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
//! feature `bevy` the module `plugin` draws landscapes: spawn a `Terrain`. With the feature `render` the
//! module `render` draws them into pictures and films without a window. With the feature `viewer` the module
//! `viewer` is the application. With the feature `world` the module `world` plans land that many machines
//! make, and opens it.

// All that is public in the core is public here too.
#[doc(inline)]
pub use upland_core::{
    Basis, Blend, Bookmark, CELLS, Cache, CellSize, DEFAULT_CELL, Daylight, Difference, Domain,
    ElevationFile, ElevationFileOptions, Error, Estimate, FilePath, Flight, Frame, Grid, Heightfield,
    Landscape, Lesson, LessonFormula, LessonPage, LessonQuestion, LessonSlider, Lock, MAX_SAMPLES, MapPlace,
    Mask, MaskKind, Mistake, Mixing, Moment, Number, Observer, Origin, PLACES, Preset, Probe, ProbedStep,
    Progress, Raster, Recipe, RecordedFrame, RecordedStep, Recording, RecordingOptions, Region, Result,
    SIDES, Seasons, Sets, Setting, ShippedLesson, Skin, Skylight, SolarTime, StageTime, Statistics, Step,
    StepEstimate, StepLook, Sun, Tour, Values, Variant, View, Water, Waypoint, Weather, Window, WindowBake,
    Work, looks_left_out, looks_of_steps, minimap, normal_from_gradient, relief, thumbnail,
};
#[doc(inline)]
pub use upland_core::{
    agents, colliders, drainage, filter, fit, formats, generate, geomorphons, grid, likeness, mesh, params,
    planet, plants, plots, resize, scatter, sculpt, steps, stream, texture, viewshed, water,
};
#[doc(inline)]
pub use upland_core::{choice, param, param_flag};
#[cfg(feature = "world")]
#[doc(inline)]
pub use upland_world as world;
// Rooms of the core that its documentation hides.
#[allow(unused_imports, reason = "which of them are used depends on the features")]
use upland_core::{
    analysis, build, compute, elevation, error, files, lessons, math, noise, recipe, rules, sky,
};

#[cfg(any(feature = "bevy", feature = "cli"))]
mod background;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(doctest)]
mod doc_tests;
#[cfg(test)]
mod lazy_statics;
#[cfg(any(feature = "cli", feature = "render"))]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command line writes more kinds of pictures"))]
mod picture;
#[cfg(feature = "bevy")]
pub mod plugin;
#[cfg(feature = "render")]
#[cfg_attr(not(feature = "viewer"), allow(dead_code, unused_imports, reason = "the window uses more of it"))]
pub mod render;
#[cfg(any(feature = "cli", feature = "render"))]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command line reports more untrusted text"))]
mod shown;
#[cfg(feature = "viewer")]
pub mod viewer;
