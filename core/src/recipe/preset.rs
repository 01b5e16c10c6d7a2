//! The recipes of `assets/` that are built into the program.

use crate::error::Result;
use crate::recipe::Recipe;

/// A recipe that is built into the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its text, as it lies in `assets/recipes/`.
    pub text: &'static str,
}

/// One line for each recipe of `assets/recipes/`.
macro_rules! presets {
    ($($name:literal,)+) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../../assets/recipes/", $name, ".ron")) },)+]
    };
}

static PRESETS: &[Preset] = presets![
    "high-range",
    "volcano-islands",
    "canyon",
    "archipelago",
    "painted-world",
    "river-valley",
    "goosenecks",
    "foothills",
    "endless-highlands",
    "wild-highlands",
    "broken-coast",
    "dune-sea",
    "lonely-massifs",
    "lake-country",
    "fault-blocks",
    "downs",
    "jacksboro",
    "hoodoos",
    "sea-cliffs",
    "fjord-land",
    "winter-mountains",
    "cuesta-land",
    "badlands",
    "caldera",
    "river-plain",
];

impl Preset {
    /// All built-in recipes; the first is the default.
    pub fn all() -> &'static [Self] {
        PRESETS
    }

    /// The preset called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Parses the recipe.
    ///
    /// # Errors
    /// None as long as the tests pass, which parse every preset.
    pub fn recipe(&self) -> Result<Recipe> {
        Recipe::from_ron(self.text, &format!("preset {}", self.name))
    }
}
