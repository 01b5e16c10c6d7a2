//! The files of `assets/` that are built into the program, so that it runs from any folder.

/// A file of `assets/`, by the path that the built-in recipes use.
pub fn file(path: &str) -> Option<&'static [u8]> {
    match path {
        "../elevation/jacksboro_fault.asc" => {
            Some(include_bytes!("../../assets/elevation/jacksboro_fault.asc"))
        }
        "../elevation/world_height_64.png" => {
            Some(include_bytes!("../../assets/elevation/world_height_64.png"))
        }
        "../elevation/world_types_64.png" => {
            Some(include_bytes!("../../assets/elevation/world_types_64.png"))
        }
        _ => None,
    }
}

/// One line for each tile of `assets/textures/`.
macro_rules! tiles {
    ($($name:literal,)+) => {
        /// The tiling ground textures of `assets/textures/`.
        pub(crate) const TILES: &[&str] = &[$($name,)+];

        /// A picture of `assets/textures/` by its name.
        pub(crate) fn tile(name: &str) -> Option<&'static [u8]> {
            const FILES: &[(&str, &[u8])] = &[$(
                (concat!($name, ".png"), include_bytes!(concat!("../../assets/textures/", $name, ".png"))),
                (
                    concat!($name, "_normal.png"),
                    include_bytes!(concat!("../../assets/textures/", $name, "_normal.png")),
                ),
                (
                    concat!($name, "_roughness.png"),
                    include_bytes!(concat!("../../assets/textures/", $name, "_roughness.png")),
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
