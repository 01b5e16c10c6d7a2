//! The recipe: a landscape as a document.
//!
//! The viewer edits this type, the command line runs it and games embed it. It is stored as RON; unknown
//! fields and values out of range are errors with line and column.

mod added;
mod bake;
mod blocks;
mod bookmark;
mod build;
mod cache;
mod change;
mod clip;
mod comments;
mod estimate;
mod finished;
pub mod landscape;
mod layers;
mod limits;
mod mask;
mod masked;
mod named_files;
mod notes;
mod number;
mod on_map;
mod open;
mod overview;
mod place;
pub mod preset;
mod probe;
mod reading;
mod recording;
mod scattered;
mod sculpted;
mod size;
mod skin;
mod step;
mod step_group;
mod theory;
pub mod titles;
mod variants;
mod window;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize, de};

pub(crate) use bake::Preparation;
pub use bake::WindowBake;
pub use bookmark::{Bookmark, Flight, Tour, Waypoint};
use bookmark::{MOST_BOOKMARKS, MOST_FLIGHTS};
use build::FIELDS;
pub use cache::Cache;
pub(crate) use cache::Keepable;
use cache::Key;
pub use comments::may_have_comments;
#[doc(hidden)]
pub use estimate::length_of_time;
pub use estimate::{Estimate, StepEstimate};
use limits::MOST_STEPS;
pub use limits::{CELLS, PLACES, SIDES};
pub use mask::{Mask, MaskKind};
pub use number::Number;
pub use probe::{Probe, ProbedStep};
pub use recording::{RecordedFrame, RecordedStep, Recording, RecordingOptions};
pub(crate) use scattered::RuleGround;
#[doc(hidden)]
pub use sculpted::StrokesRead;
use skin::PREVIEW_TEXELS;
pub use skin::{Seasons, Sets, Skin};
pub use step::{Blend, Mixing, Step};
use step_group::StepGroup;
pub use variants::{Lock, Values, Variant};

use crate::analysis::Land;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};
use crate::params::lists;
use crate::params::{self, in_recipes, params, read_named};
use crate::rules::{MOST_RULES, Rule};
use crate::sky::sun::Sun;
use crate::steps::water::Course;

/// Metres between the samples of an elevation file that doesn't say: about one arc-second.
pub const DEFAULT_CELL: f32 = 30.0;

/// The version of the format, for reading and writing.
const VERSION: u32 = 1;

/// A landscape as a document.
///
/// ```
/// # use upland_core as upland;
/// let recipe = upland::Recipe::from_ron(
///     r#"(version: 1, name: "Hills", seed: 7, size: (65, 33), cell: 30, steps: [fbm(height: 400)])"#,
///     "hills.ron",
/// )?;
/// let field = recipe.build_heightfield(&upland::Work::new())?;
/// assert_eq!(field.grid().extent(), glam::vec2(1920.0, 960.0));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Recipe {
    #[serde(deserialize_with = "known_version")]
    version: u32,
    /// Its name, for people.
    pub name: String,
    /// What there is to see, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The seed of all randomness.
    #[serde(default, deserialize_with = "any_seed")]
    pub seed: u64,
    /// Samples along X and Z, each in [`SIDES`]. Of land with more than
    /// [`MAX_SAMPLES`](crate::MAX_SAMPLES) in all only windows can be made.
    /// For endless land, the samples around the origin that [`build`](Self::build) makes; its file has
    /// `endless` in their place.
    #[serde(deserialize_with = "size::read", serialize_with = "size::write")]
    pub size: (u32, u32),
    /// Metres between samples, in [`CELLS`].
    #[serde(deserialize_with = "possible_cell")]
    pub cell: f32,
    /// For endless land, metres in a generator's unit of length, in [`UNITS`](crate::grid::UNITS); on
    /// bounded land the unit is the longer side. `None` for bounded land.
    #[serde(default, deserialize_with = "size::read_unit", skip_serializing_if = "Option::is_none")]
    pub unit: Option<f32>,
    /// The steps, which start from level ground at height 0; at most 1000 in a file.
    #[serde(deserialize_with = "lists::at_most::<MOST_STEPS, _, _>")]
    pub steps: Vec<Step>,
    /// The sea.
    #[serde(default, with = "params::as_struct")]
    pub water: Water,
    /// The colours of the ground.
    #[serde(default)]
    pub texture: Skin,
    /// What stands on the land, and where: at most 64 rules. Those that stand first have their places first.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "lists::at_most::<MOST_RULES, _, _>"
    )]
    pub scatter: Vec<Rule>,
    /// Whether nothing stands on the land, whatever the rules say.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bare: bool,
    /// The position of the sun.
    #[serde(default, with = "params::as_struct")]
    pub sun: Sun,
    /// The initial viewpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Places that are worth seeing, in the order of a tour; at most 200.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "lists::at_most::<MOST_BOOKMARKS, _, _>"
    )]
    pub bookmarks: Vec<Bookmark>,
    /// Flights, as they were recorded; at most 50.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "lists::at_most::<MOST_FLIGHTS, _, _>"
    )]
    pub flights: Vec<Flight>,
}

params! {
    /// The sea.
    pub struct Water {
        /// Whether there is a sea.
        pub sea: bool = false;
        /// Height of the sea.
        pub sea_level: f32 = 0.0, "m" in -12000.0..=12000.0;
    }
}

params! {
    /// A viewpoint, in metres: x east and z south of the centre of the land, y up.
    pub struct View {
        /// Position of the eye.
        pub from: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in places(), required;
        /// The point in the centre of the picture.
        pub look: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in places(), required;
    }
}

impl Copy for View {}

in_recipes!(View);

/// [`PLACES`] as the range of a parameter.
fn places() -> RangeInclusive<f64> {
    f64::from(*PLACES.start())..=f64::from(*PLACES.end())
}

/// Checks a viewpoint's coordinates; the error is the message.
pub fn check_place(place: [f32; 3]) -> std::result::Result<(), String> {
    let view = View { from: place.into(), look: place.into() };
    params::check(&view, "").map_err(|error| match error {
        Error::Parameter { reason, .. } => reason,
        error => error.to_string(),
    })
}

impl Recipe {
    /// A recipe without steps, so level ground of `width × depth` samples, `cell` metres apart.
    pub fn new(name: impl Into<String>, size: (u32, u32), cell: f32) -> Self {
        Self {
            version: VERSION,
            name: name.into(),
            about: String::new(),
            seed: 0,
            size,
            cell,
            unit: None,
            steps: Vec::new(),
            water: Water::default(),
            texture: Skin::default(),
            scatter: Vec::new(),
            bare: false,
            sun: Sun::default(),
            view: None,
            bookmarks: Vec::new(),
            flights: Vec::new(),
        }
    }

    /// Checks that size, cell and view are accepted and that no list is too long, so that
    /// [`from_ron`](Self::from_ron) can read what [`to_ron`](Self::to_ron) writes; for recipes that a program has
    /// changed. The numbers of steps and textures are not looked at.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first that is not accepted, with what would be.
    pub fn check(&self) -> Result<()> {
        let named = |name: &'static str| move |reason| Error::parameter(name, reason);
        limits::check_size(self.size).map_err(named("size"))?;
        limits::check_cell(self.cell).map_err(named("cell"))?;
        if let Some(unit) = self.unit {
            limits::check_unit(unit).map_err(named("unit"))?;
        }
        self.check_room(0)?;
        for (number, step) in self.steps.iter().enumerate() {
            params::check_lengths(step, &format!("steps.{number}"))?;
        }
        params::check_lengths(&self.texture, "texture")?;
        self.check_rules()?;
        limits::check_count(self.bookmarks.len(), MOST_BOOKMARKS, "bookmarks").map_err(named("bookmarks"))?;
        limits::check_count(self.flights.len(), MOST_FLIGHTS, "flights").map_err(named("flights"))?;
        for (number, place) in self.bookmarks.iter().enumerate() {
            params::check(place, &format!("bookmarks.{number}"))?;
        }
        for (number, flight) in self.flights.iter().enumerate() {
            flight.check(&format!("flights.{number}"))?;
        }
        self.view.map_or(Ok(()), |view| params::check(&view, "view"))
    }

    /// The grid of the land.
    ///
    /// # Errors
    /// When size or cell is impossible. A cell above [`CELLS`] is accepted here, because previews of the
    /// largest land have such cells.
    pub fn grid(&self) -> Result<Grid> {
        self.grid_of(self.size)
    }

    /// A grid of so many samples as far apart as the land's.
    fn grid_of(&self, (width, depth): (u32, u32)) -> Result<Grid> {
        if self.cell < *CELLS.start() {
            limits::check_cell(self.cell).map_err(|reason| Error::parameter("cell", reason))?;
        }
        Grid::new(width as usize, depth as usize, self.cell)
    }

    /// The same land with `samples` along its longer side; the extent stays the same. A single sample has
    /// no extent, so to and from one the cell stays the same instead.
    ///
    /// The cell may end up outside [`CELLS`]; [`resized`](Self::resized) refuses that.
    pub fn with_longer_side(&self, samples: u32) -> Self {
        let (width, depth) = self.size;
        let samples = samples.max(1);
        if samples == 1 || width.max(depth) <= 1 {
            return Self { size: (samples, samples), ..self.clone() };
        }
        let scale = (samples - 1) as f32 / (width.max(depth) - 1) as f32;
        let scaled = |count: u32| ((count.saturating_sub(1) as f32 * scale).round() as u32).saturating_add(1);
        Self { size: (scaled(width), scaled(depth)), cell: self.cell / scale, ..self.clone() }
    }

    /// As [`with_longer_side`](Self::with_longer_side), checked.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the number of samples or the cell is not accepted for recipes.
    pub fn resized(&self, samples: u32) -> Result<Self> {
        let resized = self.with_longer_side(samples);
        resized.check().map_err(|error| {
            let (width, depth) = self.size;
            let reason = format!("with {samples} samples along the longer side of {width}×{depth}, {error}");
            Error::parameter("size", reason)
        })?;
        Ok(resized)
    }

    /// A version that is quick to build: `samples` along the longer side, and at most three texels a
    /// sample.
    pub fn preview(&self, samples: u32) -> Self {
        let mut preview = self.with_longer_side(samples);
        preview.texture = self.texture.of_few_texels(samples, PREVIEW_TEXELS);
        preview
    }

    /// The land as terrain types see it: a field of this recipe, with its sea and `rivers`.
    pub fn land<'a>(&self, field: &'a Heightfield, rivers: &'a [Course]) -> Land<'a> {
        Land { field, sea_level: self.sea_level(), rivers }
    }

    /// The height of the sea in metres, if there is one.
    pub fn sea_level(&self) -> Option<f32> {
        self.water.sea.then_some(self.water.sea_level)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn known_version<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = read_named("version", &format!("{VERSION}"), deserializer)?;
    if version == VERSION {
        return Ok(version);
    }
    Err(de::Error::custom(format!(
        "`version`: {version} is not known here; this program reads version {VERSION}"
    )))
}

fn any_seed<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    read_named("seed", &format!("a whole number from 0 to {}", u64::MAX), deserializer)
}

fn possible_cell<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let cell = read_named("cell", "a number of metres", deserializer)?;
    limits::check_cell(cell).map_err(|reason| de::Error::custom(format!("`cell`: {reason}")))?;
    Ok(cell)
}
