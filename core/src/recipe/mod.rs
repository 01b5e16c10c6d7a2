//! The recipe: a landscape as a document.
//!
//! The viewer edits this type, the command line runs it and games embed it. It is stored as RON; unknown
//! fields and values out of range are errors with line and column.

mod bookmark;
mod comments;
mod document;
mod edit;
mod estimate;
mod extent;
mod file_paths;
mod formulas;
mod layers;
mod limits;
mod map_place;
mod mask;
mod notes;
pub mod preset;
mod read;
mod rules;
mod size;
mod skin;
mod step;
mod strokes;
mod theory;
pub mod titles;
mod tours;

use std::ops::RangeInclusive;

pub use bookmark::{Bookmark, Flight, Tour, Waypoint};
use bookmark::{MOST_BOOKMARKS, MOST_FLIGHTS};
pub use comments::may_have_comments;
pub use edit::{Number, Values, Variant};
#[doc(hidden)]
pub use estimate::length_of_time;
pub use estimate::{Estimate, StepEstimate};
pub use limits::{CELLS, PLACES, SIDES};
pub use mask::{Mask, MaskKind};
pub(crate) use skin::PREVIEW_TEXELS;
pub use skin::{Seasons, Sets, Skin};
pub use step::{Blend, Mixing, Step};
#[doc(hidden)]
pub use strokes::StrokesRead;

use crate::analysis::Land;
use crate::error::{Error, Result};
use crate::grid::Heightfield;
use crate::params::{self, in_recipes, params};
use crate::rules::Rule;
use crate::sky::sun::Sun;
use crate::steps;
use crate::steps::water::Course;

/// Metres between the samples of an elevation file that doesn't say: about one arc-second.
pub const DEFAULT_CELL: f32 = 30.0;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Its name, for people.
    pub name: String,
    /// A description of the land in one sentence.
    pub about: String,
    /// The seed of all randomness.
    pub seed: u64,
    /// Samples along X and Z, each in [`SIDES`]. Land with more than [`MAX_SAMPLES`](crate::MAX_SAMPLES) in
    /// all can only be made in windows. For endless land, the number of samples around the origin that
    /// [`build`](Self::build) makes: a file has `size: endless`, and this size as `shown` if it is not 1025 ×
    /// 1025.
    pub size: (u32, u32),
    /// Metres between samples, in [`CELLS`].
    pub cell: f32,
    /// For endless land, metres in a generator's unit of length, in [`UNITS`](crate::grid::UNITS); on
    /// bounded land the unit is the longer side. `None` for bounded land.
    pub unit: Option<f32>,
    /// The steps, which start from level ground at height 0; at most 1000 in a file.
    pub steps: Vec<Step>,
    /// The sea.
    pub water: Water,
    /// The colours of the ground.
    pub texture: Skin,
    /// The rules by which objects stand on the land, at most 64. Objects of earlier rules are placed first.
    pub scatter: Vec<Rule>,
    /// Whether nothing stands on the land, whatever the rules say.
    pub bare: bool,
    /// The position of the sun.
    pub sun: Sun,
    /// The initial viewpoint.
    pub view: Option<View>,
    /// Places that are worth seeing, in the order of a tour; at most 200.
    pub bookmarks: Vec<Bookmark>,
    /// Flights, as they were recorded; at most 50.
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

    /// A recipe for endless land without steps, that is level ground everywhere, with a sample every 10 m.
    /// `unit` is a generator's unit of length in metres, within [`UNITS`](crate::grid::UNITS): its
    /// `frequency` is how often its hills repeat within that length. Steps that need all of the land cannot
    /// be used.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::steps::generate::Fbm;
    /// use upland::{Cache, Recipe, Step, Window, Work};
    ///
    /// let mut recipe = Recipe { seed: 7, ..Recipe::endless(10_000.0) };
    /// recipe.steps.push(Step::new(Fbm { height: 800.0, frequency: 4.0, ..Fbm::default() }));
    /// // Any window of it: here 10 km east of the origin.
    /// let window = Window { level: 0, first: [1000, 0], size: [65, 65] };
    /// let land = recipe.build_window(window, &Cache::default(), &Work::new())?;
    /// assert_eq!(land.grid().width, 65);
    /// # Ok::<(), upland::Error>(())
    /// ```
    #[doc(alias("infinite", "unbounded"))]
    pub fn endless(unit: f32) -> Self {
        Self { unit: Some(unit), ..Self::new("Endless land", size::SHOWN, 10.0) }
    }

    /// Checks everything that reading a file checks, so that [`from_ron`](Self::from_ron) can read what
    /// [`to_ron`](Self::to_ron) writes; for recipes that a program has made or changed. Every number is in
    /// its range, no list is too long, required values are there, and all steps are known: a program's own
    /// steps are known after [`register`](crate::steps::register). It doesn't check whether files exist.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::steps::generate::Fbm;
    /// use upland::{Recipe, Step};
    ///
    /// let mut recipe = Recipe::new("Hills", (65, 65), 30.0);
    /// recipe.steps.push(Step::new(Fbm { octaves: 99.0, ..Fbm::default() }));
    /// assert_eq!(recipe.check().unwrap_err().to_string(), "steps.0.octaves: 99 is outside 1 to 16");
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first that is not accepted, with what would be.
    pub fn check(&self) -> Result<()> {
        self.check_land()?;
        let known = steps::all();
        for (number, step) in self.steps.iter().enumerate() {
            let name = step.name();
            let of_name = known.iter().find(|operation| operation.name() == name);
            // If two types share a name, a file means the registered one.
            if of_name
                .is_none_or(|operation| operation.as_any().type_id() != step.operation.as_any().type_id())
            {
                let reason =
                    format!("no file can have the step `{name}` before it is known; register it first");
                return Err(Error::parameter(format!("steps.{number}"), reason));
            }
        }
        Ok(())
    }

    /// As [`check`](Self::check), but also accepts steps that are not registered.
    pub(crate) fn check_land(&self) -> Result<()> {
        let named = |name: &'static str| move |reason| Error::parameter(name, reason);
        limits::check_size(self.size).map_err(named("size"))?;
        limits::check_cell(self.cell).map_err(named("cell"))?;
        if let Some(unit) = self.unit {
            limits::check_unit(unit).map_err(named("unit"))?;
        }
        self.check_room(0)?;
        self.check_parts(|_| true)?;
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

    /// Checks every number that affects the land or its appearance. In contrast to [`check`](Self::check),
    /// size and cell may be those of a preview, and steps that are off may be unfinished.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    #[doc(hidden)]
    pub fn check_numbers(&self) -> Result<()> {
        self.check_parts(Step::is_done)
    }

    fn check_parts(&self, counts: impl Fn(&Step) -> bool) -> Result<()> {
        for (number, step) in self.steps.iter().enumerate().filter(|(_, step)| counts(step)) {
            params::check(step, &format!("steps.{number}"))?;
        }
        params::check(&self.water, "water")?;
        params::check(&self.texture, "texture")?;
        self.check_rules()?;
        params::check(&self.sun, "sun")
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
