//! The core of `upland`: everything that makes land, in plain Rust.
//!
//! Games and programs use the crate `upland`, which re-exports all that is public here and adds the plugin
//! for Bevy, the command line and the viewer. It is a crate of its own so that it can be built at the same
//! time as Bevy, and not after it.
//!
//! What is hidden in this documentation is for `upland` alone and may change in any version.

pub mod agents;
#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod build;
pub mod colliders;
#[doc(hidden)]
pub mod compute;
pub mod drainage;
#[doc(hidden)]
pub mod elevation;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod files;
pub mod fit;
pub mod grid;
#[doc(hidden)]
pub mod lessons;
#[doc(hidden)]
pub mod math;
pub mod mesh;
#[doc(hidden)]
pub mod noise;
pub mod params;
pub mod planet;
pub mod plants;
#[doc(hidden)]
pub mod recipe;
#[cfg(feature = "reflect")]
mod reflected;
pub mod resize;
#[doc(hidden)]
pub mod rules;
pub mod scatter;
pub mod sculpt;
#[doc(hidden)]
pub mod sky;
pub mod steps;
pub mod stream;
pub mod texture;
#[doc(hidden)]
pub mod thumbnail;

pub use analysis::{Difference, geomorphons, likeness, plots, viewshed};
pub use build::{
    Cache, Landscape, Lock, Probe, ProbedStep, RecordedFrame, RecordedStep, Recording, RecordingOptions,
    WindowBake,
};
pub use compute::frames::{Frame, Moment, Observer};
pub use compute::work::{Progress, StageTime, Work};
pub use elevation::formats;
pub use elevation::raster::{CellSize, MapPlace, Origin, Raster};
pub use elevation::windows::{ElevationFile, ElevationFileOptions};
pub use error::{Error, Result};
pub use files::FilePath;
pub use grid::{Domain, Grid, Heightfield, MAX_SAMPLES, Region, Statistics, Window, normal_from_gradient};
pub use lessons::{
    Lesson, LessonFormula, LessonPage, LessonQuestion, LessonSlider, Mistake, Setting, ShippedLesson,
};
pub use noise::Basis;
pub use recipe::preset::Preset;
pub use recipe::{
    Blend, Bookmark, CELLS, DEFAULT_CELL, Estimate, Flight, Mask, MaskKind, Mixing, Number, PLACES, Recipe,
    SIDES, Seasons, Sets, Skin, Step, StepEstimate, Tour, Values, Variant, View, Water, Waypoint,
};
pub use sky::daylight::{Daylight, Skylight};
pub use sky::sun::{SolarTime, Sun};
pub use sky::weather::Weather;
pub use steps::{filter, generate, water};
pub use thumbnail::{StepLook, looks_left_out, looks_of_steps, minimap, relief, thumbnail};
