//! From a name on the command line to a recipe and its land.

use std::path::Path;

use glam::Vec2;

use super::arguments::{Changes, FieldSize};
use super::reading;
use super::report::{Failure, note};
use crate::compute::work::Work;
use crate::elevation::formats;
use crate::elevation::raster::MapPlace;
use crate::error::Error;
use crate::grid::{Grid, Heightfield, Window};
use crate::lessons::{RonFile, ShippedLesson};
use crate::recipe::preset::Preset;
use crate::steps::Ground;
use crate::steps::generate::Import;
use crate::steps::water::Course;
use crate::{Cache, Estimate, Recipe, Step};

/// The recipe that `name` stands for (a `.ron` file, a preset, an elevation file, a plan, or a lesson, of
/// which its land is meant) with the requested changes.
pub(super) fn recipe(name: &str, size: Option<FieldSize>, changes: &Changes) -> Result<Recipe, Failure> {
    let mut recipe = find(name, changes)?;
    if let Some(seed) = changes.seed {
        recipe.seed = seed;
    }
    match size {
        None => {}
        Some(FieldSize::Longer(samples)) => recipe = recipe.with_longer_side(samples),
        Some(FieldSize::Both(width, depth)) => {
            // The spacing of samples follows the longer side, so that the land keeps its size in metres; then
            // the sides are set as given.
            recipe = recipe.with_longer_side(width.max(depth));
            recipe.size = (width, depth);
        }
    }
    // As a change like those of `--set`, whose errors name the option's path.
    let cell = changes.cell.map(|cell| ("cell".to_owned(), cell.to_string()));
    for (path, text) in cell.iter().chain(&changes.set) {
        recipe.set(path, text).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    // Checked after all changes, because `--cell` may correct what `--size` has moved out of range.
    recipe.check().map_err(|error| {
        let (width, depth) = recipe.size;
        Failure::Usage(format!("at {width}×{depth} samples, {error}"))
    })?;
    Ok(recipe)
}

/// The recipes that names stand for, as found by [`recipe`]. One that cannot be read is replaced by the
/// error, unless none can be read.
#[cfg(feature = "render")]
pub(super) fn recipes(
    names: &[String],
    size: Option<FieldSize>,
    changes: &Changes,
) -> Result<Vec<Result<Recipe, Error>>, Failure> {
    let mut found = Vec::new();
    for name in names {
        match recipe(name, size, changes) {
            Ok(recipe) => found.push(Ok(recipe)),
            Err(Failure::Error(error)) => found.push(Err(error)),
            Err(failure) => return Err(failure),
        }
    }
    if !found.is_empty() && found.iter().all(Result::is_err) {
        // Nothing could be read: one error is more useful than a window full of them.
        found.swap_remove(0)?;
    }
    Ok(found)
}

/// Warns that several bookmarks or flights have the given name and that the first is used, because it may not
/// be the one that was meant.
#[cfg(feature = "render")]
pub(super) fn tell_namesakes<'a>(kind: &str, name: &str, all: impl Iterator<Item = &'a str>) {
    let count = all.filter(|other| *other == name).count();
    if count > 1 {
        note(&format!(
            "{count} {kind}s are called `{name}`, and the first is used; give the others names of their own to draw them"
        ));
    }
}

/// Prints warnings about a land's steps before it is made.
pub(super) fn tell_notes(recipe: &Recipe) {
    tell(recipe, recipe.notes());
}

/// Prints warnings about the results of a land's steps.
pub(super) fn tell_notes_on(recipe: &Recipe, field: &Heightfield, rivers: &[Course]) {
    tell(recipe, recipe.notes_on(field, rivers));
}

fn tell(recipe: &Recipe, notes: Vec<(usize, String)>) {
    for (index, said) in notes {
        note(&format!("step {} ({}): {said}", index + 1, recipe.steps[index].title()));
    }
}

/// Describes a part of a land: a window of it, or what is shown of endless land. `None` for all of it.
pub(super) fn part(recipe: &Recipe, window: Option<Window>) -> Result<Option<String>, Error> {
    let land = if recipe.domain()?.is_endless() { "endless land" } else { "the land" };
    Ok(match window {
        Some(window) => Some(format!("window {window} of {land}")),
        None if recipe.domain()?.is_endless() => {
            Some(format!("window {} of {land}", recipe.shown()?.window()))
        }
        None => None,
    })
}

/// Lands that take longer than this, in seconds of wall clock, are announced with an estimate.
const UNANNOUNCED: f64 = 60.0;

/// Announces that a land, or a window of it, will take minutes to be made.
pub(super) fn announce(recipe: &Recipe, window: Option<Window>) {
    // If it cannot be estimated, the error is reported when it is built.
    let Ok(estimate) = estimate(recipe, window) else { return };
    if let Some(said) = announcement(&estimate, rayon::current_num_threads()) {
        note(&said);
    }
}

/// The estimated time to build a recipe's land, or a window of it.
///
/// # Errors
/// When the window is not on the land, or the recipe is not valid.
pub(super) fn estimate(recipe: &Recipe, window: Option<Window>) -> Result<Estimate, Error> {
    window.map_or_else(|| Ok(recipe.estimate()), |window| recipe.estimate_of_window(window))
}

/// The announcement for a land that will take minutes on this many threads.
fn announcement(estimate: &Estimate, threads: usize) -> Option<String> {
    // Not all steps use several threads.
    let seconds = estimate.seconds() / threads.clamp(1, 4) as f64;
    (seconds >= UNANNOUNCED)
        .then(|| format!("the land will take {estimate}; land of fewer samples takes less"))
}

/// The heights of a recipe's land, or of a window of it.
pub(super) fn heights(recipe: &Recipe, window: Option<Window>, work: &Work) -> Result<Heightfield, Error> {
    match window {
        None => recipe.build_heightfield(work),
        // Only the base of a window is used twice; the cache is for that.
        Some(window) => Ok(recipe.build_window(window, &Cache::default(), work)?.heights),
    }
}

/// The ground of a recipe's land, or of a window of it, with all rivers and lakes of the land.
pub(super) fn ground(recipe: &Recipe, window: Option<Window>, work: &Work) -> Result<Ground, Error> {
    match window {
        None => recipe.build_layers(&[], &Cache::new(0), work),
        Some(window) => recipe.build_window(window, &Cache::default(), work),
    }
}

/// The layer called `name` of a recipe's finished land, or of a window of it.
pub(super) fn layer(
    recipe: &Recipe,
    name: &str,
    window: Option<Window>,
    work: &Work,
) -> Result<Heightfield, Error> {
    layers(recipe, &[name], window, work)?.layer(name).cloned()
}

/// A recipe's finished land, or a window of it, with these layers.
pub(super) fn layers(
    recipe: &Recipe,
    names: &[&str],
    window: Option<Window>,
    work: &Work,
) -> Result<Ground, Error> {
    // Only the base of a window is used twice; the cache is for that.
    match window {
        None => recipe.build_layers(names, &Cache::new(0), work),
        Some(window) => recipe.build_window_layers(window, names, &Cache::default(), work),
    }
}

/// The place at x and z from the middle of a land, in metres from its north-west corner; `what` begins the
/// error for a place outside.
pub(super) fn place_on(grid: Grid, option: &str, what: &str, [x, z]: [f32; 2]) -> Result<Vec2, Failure> {
    let half = grid.extent() / 2.0;
    let from_middle = Vec2::new(x, z);
    // A sample's ground extends for half a cell around it.
    if from_middle.abs().cmple(half + grid.cell / 2.0).all() {
        return Ok((from_middle + half).clamp(Vec2::ZERO, grid.extent()));
    }
    let reason = format!(
        "{what} outside the land, which reaches from {} to {} m east (x) and from {} to {} m south (z) of its middle",
        -half.x, half.x, -half.y, half.y
    );
    Err(Error::parameter(option, reason).into())
}

/// Where a recipe's land, or a window of it, lies on a map, if it comes from a file with a position.
pub(super) fn place(recipe: &Recipe, window: Option<Window>, work: &Work) -> Result<Option<MapPlace>, Error> {
    Ok(match recipe.map_place(window, work)? {
        None => None,
        Some(Ok(place)) => Some(place),
        Some(Err(reason)) => {
            note(&reason);
            None
        }
    })
}

/// The recipe in a file; for a lesson, which is also RON, that of its land.
fn read(path: &Path) -> Result<Recipe, Error> {
    Ok(match RonFile::read(path)? {
        RonFile::Recipe(recipe) => *recipe,
        RonFile::Lesson(lesson) => lesson.recipe,
    })
}

fn find(name: &str, changes: &Changes) -> Result<Recipe, Failure> {
    #[cfg(feature = "world")]
    if upland_world::is_plan(name) {
        return Ok(upland_world::open(name)?);
    }
    let path = Path::new(name);
    // A file of the user's comes before a preset of the same name.
    if !path.exists() {
        if let Some(preset) = Preset::find(name) {
            return Ok(preset.recipe()?);
        }
        if let Some(lesson) = ShippedLesson::find(name) {
            return Ok(lesson.lesson()?.recipe);
        }
        // A name with an extension is meant as a file: the error of reading it is the better one.
        if path.extension().is_none() {
            let names: Vec<&str> = Preset::all().iter().map(|preset| preset.name).collect();
            let reason = format!("no such file, and no such preset; there are {}", names.join(", "));
            return Err(Error::file(path, reason).into());
        }
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron")) {
        let recipe = read(path)?;
        say_guesses(&recipe);
        return Ok(recipe);
    }
    let import = import(changes);
    let options = import.reading()?;
    // Opened once to report its guesses; the land reads windows of it.
    if let Some(recipe) = Recipe::from_large_elevation(path, &import)? {
        reading::open(path, &options, &Work::new())?;
        return Ok(recipe);
    }
    let raster = formats::read(path, &options)?;
    reading::say_filled(name, &raster);
    Ok(Recipe::from_raster_as(path, &raster, &import)?)
}

/// The step that reads an elevation file, with the changes to it: they affect how the file is read, and are
/// applied again to the recipe.
fn import(changes: &Changes) -> Import {
    // A recipe with only this step, so that the paths of changes are those of the finished recipe.
    let mut recipe = Recipe::new("", (2, 2), 1.0);
    recipe.steps.push(Step::new(Import::default()));
    for (path, text) in changes.set.iter().filter(|(path, _)| path.starts_with("steps.0.")) {
        // Errors in them are reported when they are applied to the recipe.
        let _ = recipe.set(path, text);
    }
    recipe.steps[0].operation_as::<Import>().cloned().unwrap_or_default()
}

/// Reports guesses about the elevation files in a recipe.
fn say_guesses(recipe: &Recipe) {
    for import in recipe.done().filter_map(|(_, step)| step.operation_as::<Import>()) {
        let path = import.file.on_disk();
        // A file that cannot be read is reported when the land is built.
        if let Ok(options) = import.reading()
            && path.is_file()
        {
            let _ = reading::open(&path, &options, &Work::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Step;

    #[test]
    fn a_land_that_takes_minutes_is_announced_and_others_are_not() {
        let mut recipe = Recipe::new("Worn", (257, 257), 30.0);
        recipe.steps.extend(["fbm", "erode"].map(|name| Step::from_name(name).unwrap()));
        assert_eq!(announcement(&recipe.estimate(), 1), None);
        recipe.size = (32_769, 32_769);
        let said = announcement(&recipe.estimate(), 2).unwrap();
        assert!(
            said.starts_with("the land will take about ") && said.contains(" min of one processor core"),
            "{said}"
        );
        assert!(said.contains("most of it for step 2 (River erosion); land of fewer"), "{said}");
        // For an impossible window nothing is announced; its error is reported when it is built.
        announce(&recipe, Some("0:99999,0,9x9".parse().unwrap()));
    }
}
