//! The recipe: a landscape as a document.
//!
//! The viewer edits this type, the command line runs it and games embed it. It is stored as RON; unknown
//! fields and values out of range are errors with line and column.

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
mod skin;
mod stacks;
mod step;
mod strokes;
mod theory;
pub mod titles;
mod tours;

pub use comments::may_have_comments;
pub use edit::{Number, Values, Variant};
#[doc(hidden)]
pub use estimate::length_of_time;
pub use estimate::{Estimate, StepEstimate};
use limits::SHOWN;
pub use limits::{CELLS, PLACES, SIDES};
pub(crate) use skin::PREVIEW_TEXELS;
pub use skin::{Seasons, Sets, Skin};
pub(crate) use stacks::StackPart;
pub use step::Step;
#[doc(hidden)]
pub use strokes::StrokesRead;
pub use tours::{Bookmark, Flight, Tour, Waypoint};
use tours::{MOST_BOOKMARKS, MOST_FLIGHTS};

use crate::analysis::Land;
use crate::error::{Error, Result};
use crate::grid::UNITS;
use crate::params::{self, in_recipes, params};
use crate::rules::{MOST_RULES, Rule};
use crate::sky::sun::Sun;
use crate::sky::weather::Weather;
pub use crate::steps::common::{Blend, Mask, MaskKind, Mixing};
use crate::steps::{self, Ground};

/// Metres between the samples of an elevation file that doesn't say: about one arc-second.
pub const DEFAULT_CELL: f32 = 30.0;

params! {
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
    pub struct Recipe {
        /// Its name, for people.
        pub name: String = String::new(), required;
        /// A description of the land in one sentence.
        pub about: String = String::new(), unless empty;
        /// The seed of all randomness.
        pub seed: u64 = 0;
        /// Samples along X and Z. Land with more than 32768² samples in all can only be made in windows. For
        /// endless land, the number of samples around the origin that are built: a file has
        /// `size: endless`, and this size as `shown` if it is not 1025 × 1025.
        pub size: (u32, u32) = SHOWN, "samples a side" in limits::from(&SIDES), required, or endless;
        /// Metres between samples.
        pub cell: f32 = DEFAULT_CELL, "m between samples" in limits::from(&CELLS), log, required;
        /// For endless land, metres in a generator's unit of length. On bounded land the unit is the longer
        /// side, and none is given.
        pub unit: Option<f32> = None, "m" in limits::from(&UNITS), log, bare;
        /// The sea.
        pub water: Water = Water::default();
        /// The colours of the ground.
        pub texture: Skin = Skin::default();
        /// The rules by which objects stand on the land. Objects of earlier rules are placed first.
        pub scatter: Vec<Rule> = Vec::new(), "rules" in 0.0..=MOST_RULES as f64, unless empty;
        /// Whether nothing stands on the land, whatever the rules say.
        pub bare: bool = false, unless empty;
        /// The position of the sun.
        pub sun: Sun = Sun::default();
        /// The weather.
        pub weather: Weather = Weather::default(), unless empty;
        /// The initial viewpoint.
        pub view: Option<View> = None;
        /// Places that are worth seeing, in the order of a tour.
        pub bookmarks: Vec<Bookmark> = Vec::new(), "bookmarks" in 0.0..=MOST_BOOKMARKS as f64, unless empty;
        /// Flights, as they were recorded.
        pub flights: Vec<Flight> = Vec::new(), "flights" in 0.0..=MOST_FLIGHTS as f64, unless empty;
    }
    beside {
        /// The steps, which start from level ground at height 0; at most 1000 in a file.
        pub steps: Vec<Step> = Vec::new();
    }
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
        pub from: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in limits::from(&PLACES), required;
        /// The point in the centre of the picture.
        pub look: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in limits::from(&PLACES), required;
    }
}

impl Copy for View {}

in_recipes!(View);

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
        Self { name: name.into(), size, cell, ..Self::default() }
    }

    /// A recipe for endless land without steps, that is level ground everywhere, with a sample every 10 m.
    /// `unit` is a generator's unit of length in metres, within [`UNITS`]: its
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
        Self { unit: Some(unit), ..Self::new("Endless land", SHOWN, 10.0) }
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
        params::check(self, "")?;
        self.check_room(0)?;
        self.check_steps(|_| true)
    }

    /// Checks every number that affects the land or its appearance. In contrast to [`check`](Self::check),
    /// size and cell may be those of a preview, and steps that are off may be unfinished.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    #[doc(hidden)]
    pub fn check_numbers(&self) -> Result<()> {
        params::check_chosen(self, |name| ["water", "texture", "scatter", "sun", "weather"].contains(&name))?;
        self.check_steps(Step::is_done)
    }

    /// Checks the parameters of the `chosen` steps.
    fn check_steps(&self, chosen: impl Fn(&Step) -> bool) -> Result<()> {
        let mut steps = self.steps.iter().enumerate().filter(|(_, step)| chosen(step));
        steps.try_for_each(|(number, step)| params::check(step, &format!("steps.{number}")))
    }

    /// The land as terrain types see it: ground of this recipe, with its sea, rivers and lakes.
    pub fn land<'a>(&self, ground: &'a Ground) -> Land<'a> {
        let Ground { heights, rivers, lakes, .. } = ground;
        Land { sea_level: self.sea_level(), rivers, lakes, ..Land::dry(heights) }
    }

    /// The height of the sea in metres, if there is one.
    pub fn sea_level(&self) -> Option<f32> {
        self.water.sea.then_some(self.water.sea_level)
    }
}
