//! Factors: measurements of a land beyond height and slope. The set of factors is open.
//!
//! Terrain types and rules of scattered objects have limits of factors. The built-in ones, a file each, are
//! in one table below; a game adds its own with [`register`]. Recipes, `--set`, the panel and the tests of
//! all factors treat both alike.
//!
//! ```
//! # use upland_core as upland;
//! use upland::texture::{Factor, FactorReach, FactorScale, ShareMap, factors};
//! use upland::Recipe;
//!
//! /// The steepest rise to a neighbour, from 0 to 100 %.
//! static STEEPNESS: Factor = Factor {
//!     scale: Some(FactorScale { at_0: 0.0, at_1: 100.0, unit: "%" }),
//!     reach: FactorReach::samples(1),
//!     depends_on_water: false,
//!     ..Factor::new("steepness", "Rise per metre: 0 level, 1 at 45°.", |land, _day, work| {
//!         ShareMap::from_rows(land.field.grid(), work, |row, values| {
//!             for (column, value) in values.iter_mut().enumerate() {
//!                 *value = land.field.gradient_at(column, row).length();
//!             }
//!             Ok(())
//!         })
//!     })
//! };
//!
//! factors::register(&STEEPNESS)?;
//! let text = "(version: 1, name: \"Steep\", size: (9, 9), cell: 10, steps: [], texture: custom(types: [
//!     (name: \"scree\", colour: \"#777777\", factors: (steepness: (min: 0.6, release: 0.1)))]))";
//! let recipe = Recipe::from_ron(text, "steep.ron")?;
//! let limits = recipe.texture.texture().types[0].factors.get(&STEEPNESS);
//! assert_eq!(limits.map(|limits| limits.min), Some(0.6));
//! # Ok::<(), upland::Error>(())
//! ```

use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result};
use crate::params::is_name;

mod factor;
mod nearness;
mod topographic_position;

pub use factor::{Factor, FactorReach, FactorScale, Measure};
pub use moisture::{MOISTURE_REACH, WIND_BEARING};
pub use temperature::{FREEZING, LAPSE_RATE};
pub use topographic_position::{POSITION_HALF, POSITION_SCALE};
pub use water_nearness::WATER_NEARNESS_REACH;
pub use wetness::WETNESS_OF_HOLLOWS;

/// Declares the modules of the built-in factors, and lists the factors.
macro_rules! table {
    ($($module:ident $FACTOR:ident,)+) => {
        $(
            mod $module;
            pub use $module::$FACTOR;
        )+

        /// The built-in factors, in the order in which recipes write them and menus show them.
        static BUILT_IN: &[&Factor] = &[$(&$FACTOR),+];
    };
}

// The file of each factor, and its name in Rust.
table! {
    wetness WETNESS,
    concavity CONCAVITY,
    convexity CONVEXITY,
    shade SHADE,
    temperature TEMPERATURE,
    moisture MOISTURE,
    water_nearness WATER_NEARNESS,
}

/// Names that mean something else than a factor, in recipes or where limits are explained.
const TAKEN: [&str; 6] = ["mask", "layer", "elevation", "slope", "map", "sky"];

/// The most samples that a factor of a game may look at around each. Blocks of land have a margin that wide.
const MOST_SAMPLES: u32 = 1024;

/// Factors that programs have added, in the order of registration.
static ADDED: RwLock<Vec<&'static Factor>> = RwLock::new(Vec::new());

/// Registers a factor of your own. From then on recipes, `--set` and the panel know it. Call it before
/// recipes that use the factor are read.
///
/// # Errors
/// [`Error::Parameter`] when its name is taken or not a valid name, or when its reach or its scale is not a
/// number that makes sense.
pub fn register(factor: &'static Factor) -> Result<()> {
    let refused = |reason: String| Err(Error::parameter(format!("factor `{}`", factor.name), reason));
    if !is_name(factor.name) {
        return refused(
            "a name has lower-case letters, digits and underscores, and begins with a letter".into(),
        );
    }
    let FactorReach { metres, samples } = factor.reach;
    if !(metres.is_finite() && metres >= 0.0 && samples <= MOST_SAMPLES) {
        return refused(format!(
            "its reach of {metres} m and {samples} samples is not possible; give 0 metres or more, and at most \
             {MOST_SAMPLES} samples"
        ));
    }
    if factor.scale.is_some_and(|scale| !(scale.at_0.is_finite() && scale.at_1.is_finite())) {
        return refused("its scale has an end that is not finite; give two numbers".into());
    }
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    let is_called = |known: &Factor, name: &str| known.name == name || known.was == Some(name);
    let own = [Some(factor.name), factor.was];
    for name in own.into_iter().flatten() {
        if TAKEN.contains(&name) || BUILT_IN.iter().chain(added.iter()).any(|known| is_called(known, name)) {
            return refused(format!("the name `{name}` is taken; choose another"));
        }
    }
    added.push(factor);
    Ok(())
}

/// All factors: the built-in ones in the table's order, then those registered.
pub fn all() -> Vec<&'static Factor> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    BUILT_IN.iter().chain(added.iter()).copied().collect()
}

/// The names of all factors, in the order of [`all`].
pub fn names() -> Vec<&'static str> {
    all().into_iter().map(|factor| factor.name).collect()
}

/// The factor called `name` in recipes.
pub fn find(name: &str) -> Option<&'static Factor> {
    all().into_iter().find(|factor| factor.name == name)
}
