//! The recipes and files of `assets/` that are built into the program, so that it runs from any
//! folder.

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

/// One line a recipe of `assets/recipes/`.
macro_rules! presets {
    ($($name:literal,)+) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../assets/recipes/", $name, ".ron")) },)+]
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
    "wild-highlands",
    "broken-coast",
    "dune-sea",
    "lonely-massifs",
    "lake-country",
    "fault-blocks",
    "downs",
    "jacksboro",
];

impl Preset {
    /// All built-in recipes; the first is shown when nothing is named.
    pub fn all() -> &'static [Self] {
        PRESETS
    }

    /// The preset called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The recipe.
    ///
    /// # Errors
    /// None as long as the tests pass: they read every preset.
    pub fn recipe(&self) -> Result<Recipe> {
        Recipe::from_ron(self.text, &format!("preset {}", self.name))
    }
}

/// A file of `assets/` by the path under which the built-in recipes name it.
pub(crate) fn file(path: &str) -> Option<&'static [u8]> {
    match path {
        "../elevation/jacksboro_fault.asc" => Some(include_bytes!("../assets/elevation/jacksboro_fault.asc")),
        "../elevation/world_height_64.png" => Some(include_bytes!("../assets/elevation/world_height_64.png")),
        "../elevation/world_types_64.png" => Some(include_bytes!("../assets/elevation/world_types_64.png")),
        _ => None,
    }
}

/// One line a tile of `assets/textures/`.
macro_rules! tiles {
    ($($name:literal,)+) => {
        /// The tiling ground textures of `assets/textures/`.
        pub(crate) const TILES: &[&str] = &[$($name,)+];

        /// A picture of `assets/textures/` by its name.
        pub(crate) fn tile(name: &str) -> Option<&'static [u8]> {
            const FILES: &[(&str, &[u8])] = &[$(
                (concat!($name, ".png"), include_bytes!(concat!("../assets/textures/", $name, ".png"))),
                (
                    concat!($name, "_normal.png"),
                    include_bytes!(concat!("../assets/textures/", $name, "_normal.png")),
                ),
                (
                    concat!($name, "_roughness.png"),
                    include_bytes!(concat!("../assets/textures/", $name, "_roughness.png")),
                ),
            )+];
            FILES.iter().find(|(file, _)| *file == name).map(|(_, bytes)| *bytes)
        }
    };
}

tiles![
    "grass",
    "meadow",
    "dry_grass",
    "forest_floor",
    "rock",
    "cliff",
    "scree",
    "gravel",
    "sand",
    "mud",
    "snow",
    "ice",
];
