//! The recipe: a landscape as a document.
//!
//! The viewer edits this type, the command line runs it and games embed it. It is stored as RON; unknown
//! fields and values out of range are errors with line and column.

mod added;
mod bake;
mod blocks;
mod bookmark;
mod cache;
mod change;
mod clip;
mod comments;
mod finished;
pub(crate) mod landscape;
mod layers;
mod limits;
mod mask;
mod masked;
mod notes;
mod number;
mod open;
mod overview;
mod place;
pub(crate) mod preset;
mod probe;
mod recording;
mod scattered;
mod sculpted;
mod size;
mod skin;
mod step;
mod step_group;
mod theory;
pub(crate) mod titles;
mod variants;
mod window;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize, de};

pub(crate) use bake::Preparation;
pub use bake::WindowBake;
pub use bookmark::{Bookmark, Flight, Tour, Waypoint};
use bookmark::{MOST_BOOKMARKS, MOST_FLIGHTS};
pub use cache::Cache;
pub(crate) use cache::Keepable;
use cache::Key;
#[cfg(feature = "viewer")]
pub(crate) use comments::may_have_comments;
pub use limits::{CELLS, PLACES, SIDES};
pub use mask::{Mask, MaskKind};
pub use number::Number;
pub use probe::{Probe, ProbedStep};
pub use recording::{RecordedFrame, RecordedStep, Recording, RecordingOptions};
pub(crate) use scattered::RuleGround;
pub use skin::{Seasons, Sets, Skin};
pub use step::{Blend, Mixing, Step};
use step_group::StepGroup;
pub use variants::{Lock, Values, Variant};

use crate::analysis::{Land, Surroundings, folded_share};
use crate::compute::work::Work;
use crate::elevation::formats::{self, ReadOptions};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::{self, FileKind};
use crate::files::{FilePath, Held, Use};
use crate::grid::layer::SHIFT;
use crate::grid::memory;
use crate::grid::{Grid, Heightfield, Layers, MAX_SAMPLES};
use crate::params::lists;
use crate::params::{self, Value, in_recipes, params, read_named, ron_options};
use crate::recipe::landscape::Landscape;
use crate::rules::{MOST_RULES, Rule};
use crate::sky::sun::Sun;
use crate::steps::Ground;
use crate::steps::generate::Import;
use crate::steps::water::Course;
use crate::texture::{Baked, Fade, GroundCover, Tiling};

/// Metres between the samples of an elevation file that doesn't say: about one arc-second.
pub const DEFAULT_CELL: f32 = 30.0;

/// Elevation files whose highest point is lower than this, in metres, are shown without snow.
const SNOW_LINE: f32 = 1800.0;

/// Fields in memory at once while a step runs: its own and two more.
const FIELDS: u64 = 3;

/// The version of the format, for reading and writing.
const VERSION: u32 = 1;

/// The share of samples at which ground passes through itself from which it is told.
const LEAST_FOLDED: f64 = 1e-5;

/// A landscape as a document.
///
/// ```
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
    #[serde(deserialize_with = "lists::at_most::<1000, _, _>")]
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
#[cfg(feature = "viewer")]
pub(crate) fn check_place(place: [f32; 3]) -> std::result::Result<(), String> {
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

    /// Parses a recipe; `origin` is its name in errors.
    ///
    /// # Errors
    /// [`Error::Recipe`] with line and column.
    pub fn from_ron(text: &str, origin: &str) -> Result<Self> {
        let wrong = |error: ron::error::SpannedError| Error::Recipe {
            origin: origin.to_owned(),
            line: error.span.end.line,
            column: error.span.end.col,
            reason: params::reason_in(text, error),
        };
        formats::guarded(Path::new(origin), || ron_options().from_str(text).map_err(wrong))
    }

    /// The recipe as text that [`from_ron`](Self::from_ron) reads.
    ///
    /// # Errors
    /// When RON cannot write it; this is not expected for any recipe.
    pub fn to_ron(&self) -> Result<String> {
        let style = ron::ser::PrettyConfig::new().depth_limit(2).separate_tuple_members(false);
        ron_options()
            .to_string_pretty(self, style)
            .map(|text| text + "\n")
            .map_err(|error| Error::parameter("recipe", format!("cannot be written: {error}")))
    }

    /// Reads a recipe from a file. Relative paths in it start from its folder.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a recipe.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_file(files::read(path, FileKind::Recipe)?, path)
    }

    /// Parses the recipe in `bytes`, the content of the file at `path`.
    pub(crate) fn from_file(bytes: Vec<u8>, path: &Path) -> Result<Self> {
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::file(path, "is not text in UTF-8; a recipe is a RON file, as `upland presets` lists")
        })?;
        let mut recipe = Self::from_ron(&text, &path.display().to_string())?;
        recipe.set_folder(path.parent().unwrap_or(Path::new("")));
        Ok(recipe)
    }

    /// Opens a recipe, or makes one that shows an elevation file, depending on the extension.
    ///
    /// # Errors
    /// When the file cannot be read, or is neither.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron")) {
            Self::read(path)
        } else {
            Self::from_elevation(path)
        }
    }

    /// A recipe that shows an elevation file, resampled to square cells in metres. A file without a cell
    /// size gets [`DEFAULT_CELL`]; one with heights below 0 m gets a sea. Of a GeoTIFF or raw file of more than
    /// 8193² samples only some are read, whatever its size.
    ///
    /// # Errors
    /// When the file cannot be read as elevation.
    pub fn from_elevation(path: impl AsRef<Path>) -> Result<Self> {
        if let Some(recipe) = Self::from_large_elevation(path.as_ref())? {
            return Ok(recipe);
        }
        Self::from_raster(&path, &formats::read(&path, &ReadOptions::default())?)
    }

    /// As [`from_elevation`](Self::from_elevation), for a raster that was read from `path`.
    ///
    /// # Errors
    /// When the raster cannot be made square, or its size or cell is not accepted for recipes.
    pub fn from_raster(path: impl AsRef<Path>, raster: &Raster) -> Result<Self> {
        let path = path.as_ref();
        let field = raster.to_heightfield(DEFAULT_CELL);
        let field = field.map_err(|error| Error::file(path, error.to_string()))?;
        let mut recipe = Self::showing(path, field.grid())?;
        recipe.dress(field.range());
        Ok(recipe)
    }

    /// As [`from_elevation`](Self::from_elevation), for a look at a file of unknown units: where heights differ by more than
    /// the land is long they are multiplied by a tenth, a hundredth … until they differ by at most a quarter of that. A picture
    /// of 16 bits has heights of up to 65,535, whatever they stand for.
    ///
    /// # Errors
    /// As [`from_elevation`](Self::from_elevation).
    #[cfg(feature = "viewer")]
    pub(crate) fn from_elevation_in_proportion(path: &Path) -> Result<Self> {
        if let Some(recipe) = Self::from_large_elevation(path)? {
            return Ok(recipe);
        }
        let raster = formats::read(path, &ReadOptions::default())?;
        let mut recipe = Self::from_raster(path, &raster)?;
        let (low, high) = raster.range();
        let (width, depth) = recipe.size;
        let long = (width.max(depth) - 1) as f32 * recipe.cell;
        if high - low > long {
            const SCALES: [f32; 6] = [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];
            let is_small = |scale: &f32| (high - low) * scale <= 0.25 * long;
            let scale = SCALES.into_iter().find(is_small).unwrap_or(1e-6);
            let import = Import { file: FilePath::new(path.to_string_lossy()), scale, ..Import::default() };
            recipe.steps = vec![Step::new(import)];
            recipe.dress((low * scale, high * scale));
        }
        Ok(recipe)
    }

    /// A recipe that shows the elevation file at `path` on this grid.
    fn showing(path: &Path, grid: Grid) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut recipe = Self::new(name, (grid.width as u32, grid.depth as u32), grid.cell);
        let import = Import { file: FilePath::new(path.to_string_lossy()), ..Import::default() };
        recipe.steps.push(Step::new(import));
        recipe.check().map_err(|error| Error::file(path, error.to_string()))?;
        Ok(recipe)
    }

    /// Chooses sea and colours for land between these heights.
    fn dress(&mut self, (low, high): (f32, f32)) {
        self.water.sea = low < 0.0;
        if high < SNOW_LINE {
            self.texture = Skin::Woodland;
        }
    }

    /// Sets the folder that relative paths start from.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Paths of the files that the recipe names, starting from the folder set by
    /// [`set_folder`](Self::set_folder): elevation, masks, maps, and the pictures of tiles with the normals
    /// and the roughness that may accompany them. Not all of them need exist.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        self.clone().visit_files(&mut |file, purpose| files.extend(files_of(file, purpose)));
        files.sort();
        files.dedup();
        files
    }

    /// Calls `read` for each of the [`files`](Self::files) and keeps the bytes, so that building the recipe
    /// reads nothing from disk: for recipes out of an archive, a network or a program. `read` returns
    /// `None` where there is no such file, and an error if the file cannot be read; building reports it if
    /// it needs the file.
    ///
    /// ```
    /// use upland::{Recipe, Work};
    ///
    /// let text = r#"(version: 1, name: "Held", size: (2, 2), cell: 10, steps: [import(file: "a.asc")])"#;
    /// let mut recipe = Recipe::from_ron(text, "held.ron")?;
    /// let grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n";
    /// recipe.hold_files(|path| path.ends_with("a.asc").then(|| Ok(grid.as_bytes().into())));
    /// assert_eq!(recipe.build_heightfield(&Work::new())?.heights(), [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn hold_files(
        &mut self,
        mut read: impl FnMut(&Path) -> Option<std::result::Result<Arc<[u8]>, String>>,
    ) {
        self.visit_files(&mut |file, purpose| {
            let paths = files_of(file, purpose).into_iter();
            file.hold(Held::new(paths.filter_map(|path| read(&path).map(|read| (path, read))).collect()));
        });
    }

    /// Calls `visit` with every file path in the recipe, including empty ones.
    fn visit_files(&mut self, visit: &mut dyn FnMut(&mut FilePath, Use)) {
        for step in &mut self.steps {
            params::each_mut(step, &mut |_, _, value| {
                if let Value::File(file) = value {
                    visit(file, Use::Data);
                }
            });
        }
        self.texture.visit_files(visit);
        for rule in &mut self.scatter {
            params::each_mut(rule, &mut |_, _, value| {
                if let Value::File(file) = value {
                    visit(file, Use::Data);
                }
            });
        }
    }

    /// Checks that size, cell and view are accepted, so that [`from_ron`](Self::from_ron) can read what
    /// [`to_ron`](Self::to_ron) writes; for recipes that a program has changed.
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
        self.check_rules()?;
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
        let scaled = |count: u32| (count.saturating_sub(1) as f32 * scale).round() as u32 + 1;
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
        preview.texture = self.texture.of_few_texels(samples);
        preview
    }

    /// Builds the heights: runs every step in turn.
    ///
    /// # Errors
    /// Those of the steps, with the step's index and name, and [`Error::Cancelled`].
    pub fn build_heightfield(&self, work: &Work) -> Result<Heightfield> {
        Ok(self.build_ground(work)?.0)
    }

    /// Builds the heights, and the courses of the rivers, one for each active waterway. Consecutive
    /// waterways are dug together by [`water::dig`](crate::steps::water::dig), so their order has no
    /// effect. Those after other steps join the earlier ones.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield).
    pub fn build_ground(&self, work: &Work) -> Result<(Heightfield, Vec<Course>)> {
        let ground = self.ground(&[], None, work)?.0;
        Ok((ground.heights, ground.rivers))
    }

    /// As [`build_ground`](Self::build_ground), reusing what `cache` remembers.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield).
    pub fn build_ground_with(&self, cache: &Cache, work: &Work) -> Result<(Heightfield, Vec<Course>)> {
        let ground = self.ground(&[], Some(cache), work)?.0;
        Ok((ground.heights, ground.rivers))
    }

    /// The ground after all steps, with these layers, and its key in the cache.
    fn ground(&self, layers: &[&str], cache: Option<&Cache>, work: &Work) -> Result<(Ground, Option<Key>)> {
        let groups = self.groups(layers)?;
        let key = groups.last().map_or(Some(Key::of_level_ground(self)), |last| last.key);
        if self.unit.is_none() {
            return Ok((self.whole_after(&groups, cache, work)?, key));
        }
        let kept = cache.zip(key);
        if let Some(last) = groups.last()
            && let Some(known) = last.known(cache)
        {
            return Ok((Ground::clone(&known).wanting(&last.wanted), key));
        }
        let ground = self.ground_in(&self.shown()?, layers, cache, work)?;
        if let Some((cache, key)) = kept {
            cache.keep(key, &ground);
        }
        Ok((ground, key))
    }

    /// The active steps in order, consecutive waterways as one group, given the layers asked for of the
    /// finished land.
    ///
    /// # Errors
    /// When no step writes a layer that is asked for.
    fn groups(&self, layers: &[&str]) -> Result<Vec<StepGroup<'_>>> {
        let mut done = self.steps.iter().enumerate().filter(|(_, step)| step.is_done()).peekable();
        let mut groups: Vec<StepGroup> = Vec::new();
        let mut key = Some(Key::of_level_ground(self));
        while let Some((first, step)) = done.next() {
            let mut last = step;
            key = key.and_then(|key| key.after(step));
            let mut waterways: Vec<_> = step.waterway(self.seed).into_iter().collect();
            while !waterways.is_empty()
                && let Some(next) = done.peek().and_then(|(_, step)| step.waterway(self.seed))
            {
                waterways.push(next);
                (_, last) = done.next().unwrap_or((first, last));
                key = key.and_then(|key| key.after(last));
            }
            let (needs, wanted) = (BTreeSet::new(), Arc::default());
            groups.push(StepGroup { first, step, waterways, key, needs, wanted });
        }
        layers::tell(&mut groups, layers)?;
        Ok(groups)
    }

    /// The key of the finished land, given the layers asked for; `None` if it cannot be cached.
    ///
    /// # Errors
    /// As [`groups`](Self::groups).
    fn last_key(&self, layers: &[&str]) -> Result<Option<Key>> {
        Ok(self.groups(layers)?.last().map_or(Some(Key::of_level_ground(self)), |last| last.key))
    }

    /// All of the land at level 0 after these steps, starting from the last result that `cache` remembers.
    fn whole_after(&self, groups: &[StepGroup], cache: Option<&Cache>, work: &Work) -> Result<Ground> {
        let grid = self.grid().map_err(|error| match error {
            Error::Size { width, depth, reason } if width.saturating_mul(depth) > MAX_SAMPLES => {
                Error::Size { width, depth, reason: reason + "; ask for windows of this land" }
            }
            error => error,
        })?;
        let fields = FIELDS + groups.last().map_or(0, |last| last.wanted.len() as u64);
        memory::require(grid, fields * 4 * grid.count() as u64)?;
        let remembered = (0..groups.len()).rev().find_map(|last| Some((last, groups[last].known(cache)?)));
        let (from, mut ground) = match remembered {
            Some((last, ground)) => (last + 1, Ground::clone(&ground).wanting(&groups[last].wanted)),
            None => (0, Ground::level(grid)),
        };
        for (index, group) in groups.iter().enumerate().skip(from) {
            if group.is_strokes() {
                let around = self.windows_on(&ground, index, cache, work)?;
                let seen = around.seen_by(group, index, ground.region())?;
                ground = ground.with_sculpture(Some(seen));
            }
            group.apply(&mut ground, self.seed, work)?;
            ground = ground.with_sculpture(None);
            if let (Some(cache), Some(key)) = (cache, group.key) {
                cache.keep(key, &ground);
            }
        }
        Ok(ground)
    }

    /// Builds the whole landscape.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield), and those of the baker.
    pub fn build(&self, work: &Work) -> Result<Landscape> {
        Ok(self.landscape(None, work)?.0)
    }

    /// As [`build`](Self::build), reusing what `cache` remembers and adding to it. The landscape is the
    /// same, bit for bit. If the build fails or is cancelled, finished results stay in the cache.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(&self, cache: &Cache, work: &Work) -> Result<Landscape> {
        Ok(self.landscape(Some(cache), work)?.0)
    }

    /// As [`build_with`](Self::build_with), and how long the ground took: its heights and layers, without its colours.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    #[cfg(any(test, feature = "viewer"))]
    pub(crate) fn build_timed(&self, cache: &Cache, work: &Work) -> Result<(Landscape, Duration)> {
        self.landscape(Some(cache), work)
    }

    /// The landscape, and how long its ground took.
    fn landscape(&self, cache: Option<&Cache>, work: &Work) -> Result<(Landscape, Duration)> {
        let fade = self.texture.fade();
        let begun = Instant::now();
        let (ground, key) = self.ground_with(&self.kept_layers(&fade), cache, work)?;
        let of_ground = begun.elapsed();
        Ok((self.dressed(ground, &fade, cache.zip(key), work)?, of_ground))
    }

    /// The layers of the land that textures and drawing need.
    fn kept_layers<'a>(&self, fade: &'a Fade) -> Vec<&'a str> {
        let mut layers = fade.layers();
        layers.extend(self.ground_layers());
        layers.sort_unstable();
        layers.dedup();
        layers
    }

    /// A landscape of this ground, with what textures need to know of it in the cache under this key.
    fn dressed(
        &self,
        ground: Ground,
        fade: &Fade,
        kept: Option<(&Cache, Key)>,
        work: &Work,
    ) -> Result<Landscape> {
        let painted = self.painted_over(ground.region(), kept.map(|(cache, _)| cache))?;
        let Ground { heights: heightfield, rivers, layers, .. } = ground;
        let land = self.land(&heightfield, &rivers);
        let known = kept.and_then(|(cache, key)| cache.surroundings(key));
        let known = known.unwrap_or_else(|| Surroundings::new(&heightfield)).with_land_layers(layers.clone());
        let prepared = fade.prepare(land, Some(known), work)?;
        if let Some((cache, key)) = kept {
            // Pictures belong to the texture, not to the land.
            cache.keep_surroundings(key, prepared.surroundings().clone().without_pictures());
        }
        let prepared = prepared.with_painted(painted.clone());
        let baker = fade.baker(land, &prepared, false, self.seed, work)?;
        let colour = baker.paint(baker.whole(), work)?.colour;
        let known = Some(prepared.surroundings().clone());
        let cover = GroundCover::painted(fade, land, known, painted, self.seed, work)?;
        drop(baker);
        let mut notes = prepared.notes.clone();
        notes.extend(fold_note(&heightfield, &layers, work)?);
        Ok(Landscape {
            colour,
            cover: Some(cover),
            sea_level: self.sea_level(),
            notes,
            heightfield,
            rivers,
            layers,
            stages: work.finish(),
        })
    }

    /// Bakes the colours of `field`, without rivers.
    ///
    /// # Errors
    /// Those of the baker, and [`Error::Cancelled`].
    pub fn bake(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        let (fade, land) = (self.texture.fade(), self.land(field, &[]));
        let prepared = fade.prepare(land, None, work)?.with_painted(self.painted_types(None)?);
        let baker = fade.baker(land, &prepared, false, self.seed, work)?;
        Ok(Baked { notes: prepared.notes.clone(), ..baker.paint(baker.whole(), work)? })
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

/// What is to be said of ground that is moved so far that it passes through itself; nothing where it doesn't.
fn fold_note(heights: &Heightfield, layers: &Layers, work: &Work) -> Result<Option<String>> {
    let shifts = SHIFT.map(|name| layers.get(name));
    if shifts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let share = folded_share(heights, shifts, work)?;
    Ok((share > LEAST_FOLDED).then(|| {
        format!(
            "the ground passes through itself at {:.2} % of its samples, where it is moved farther than there is room; \
             it is drawn so, and a smaller depth or scale mends it",
            share * 100.0
        )
    }))
}

/// The files to read for one path in a recipe.
fn files_of(file: &FilePath, purpose: Use) -> Vec<PathBuf> {
    match purpose {
        _ if file.text().is_empty() => Vec::new(),
        Use::Data => vec![file.on_disk()],
        Use::Tile => Tiling::files(file),
    }
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
