//! Reflection for Bevy's components that hold the core's types, so that they can be looked at, saved and
//! loaded.
//!
//! Rust requires these implementations in the crate of the types. They are all that the core knows of Bevy,
//! and exist with the feature `reflect` only.

use bevy_reflect::std_traits::ReflectDefault;
use bevy_reflect::{ReflectDeserialize, ReflectSerialize, impl_reflect, impl_reflect_opaque};

use crate::colliders::ColliderTile;
use crate::planet::PlanetLand;
use crate::sculpt::Strokes;
use crate::steps::water::RiverSheet;
use crate::stream::{Chunk, ChunkPart, LandTile};
use crate::{Landscape, Recipe, Skin, Sun};

impl_reflect!(
    #[type_path = "upland"]
    #[reflect(Clone, Debug, PartialEq, Default)]
    struct Sun {
        bearing: f32,
        elevation: f32,
    }
);

impl_reflect!(
    #[type_path = "upland::stream"]
    #[reflect(Clone, Debug, PartialEq, Hash)]
    struct LandTile {
        level: i32,
        column: i32,
        row: i32,
    }
);

impl_reflect!(
    #[type_path = "upland::stream"]
    #[reflect(Clone, Debug, PartialEq, Hash)]
    struct Chunk {
        level: i32,
        column: i32,
        row: i32,
    }
);

impl_reflect!(
    #[type_path = "upland::stream"]
    #[reflect(Clone, Debug, PartialEq, Hash, Default)]
    enum ChunkPart {
        Whole,
        NorthWest,
        NorthEast,
        SouthWest,
        SouthEast,
    }
);

// Written as in recipes.
impl_reflect_opaque!((in upland) Skin(Clone, Debug, PartialEq, Default, Serialize, Deserialize));

// Written as lists of strokes.
impl_reflect_opaque!((in upland::sculpt) Strokes(Clone, Debug, PartialEq, Default, Serialize, Deserialize));

// Shown by name alone, and not saved.
impl_reflect_opaque!((in upland) Recipe(Clone, Debug, PartialEq));
impl_reflect_opaque!((in upland) Landscape(Clone, PartialEq));
impl_reflect_opaque!((in upland::planet) PlanetLand(Clone));
impl_reflect_opaque!((in upland::water) RiverSheet(Clone, PartialEq));
impl_reflect_opaque!((in upland::colliders) ColliderTile(Clone, PartialEq));
