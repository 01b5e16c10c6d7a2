//! A plan as a recipe.

use std::path::Path;

use upland_core::{FilePath, Recipe, Result, Step};

use super::open_land::OpenLand;
use super::place::PlanPlace;
use super::step::{MissingTiles, Planned, register};
use crate::plan::PLAN;

/// Whether this is the name of a plan: an address, a file called `plan.json`, or a folder with one.
pub fn is_plan(name: &str) -> bool {
    let path = Path::new(name);
    FilePath::new(name).is_address()
        || path.file_name().is_some_and(|file| file == PLAN)
        || path.is_dir() && path.join(PLAN).is_file()
}

/// Opens a plan's land: the plan's recipe, in which one step, [`Planned`], reads tiles in place of the steps
/// that make the land. Its colours, sea, sun, objects and views are the recipe's. The place is the plan's
/// folder or address (`s3://`, `gs://`, `az://`, `https://`), with or without `plan.json` at its end.
///
/// A store is read, which may take seconds: a game does this on a background thread. Opened again, tiles that
/// were made since are found.
///
/// ```no_run
/// # use upland_world as world;
/// use upland_core::{Cache, Work};
///
/// let recipe = world::open("s3://bucket/alps/plan.json")?;
/// // Any window of it, as of other recipes.
/// let window = recipe.build_window("0:70000,20000,257x257".parse()?, &Cache::default(), &Work::new())?;
/// assert_eq!(window.grid().width, 257);
/// # Ok::<(), upland_core::Error>(())
/// ```
///
/// # Errors
/// When there is no plan, it was made by another version of upland, one of its files has changed, or the
/// store cannot be read.
pub fn open(place: &str) -> Result<Recipe> {
    register()?;
    let document = PlanPlace::of(place).document()?;
    // Under the name that the step has.
    OpenLand::again(&PlanPlace::of(&document))?.shown(&document)
}

impl OpenLand {
    /// The recipe of this land, whose plan has this document.
    ///
    /// # Errors
    /// When a step's layer has a name that isn't accepted.
    pub(super) fn shown(&self, document: &str) -> Result<Recipe> {
        let mut recipe = self.recipe().clone();
        let done = recipe.done().map(|(_, step)| step);
        let mut layers: Vec<&str> = done.flat_map(|step| step.operation.writes()).collect();
        layers.sort_unstable();
        layers.dedup();
        let planned =
            Planned { plan: FilePath::new(document), missing: MissingTiles::Make, layers: layers.join(", ") };
        recipe.steps = vec![Step::new(planned)];
        Ok(recipe)
    }
}
