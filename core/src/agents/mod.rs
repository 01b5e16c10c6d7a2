//! Land for agents: the cost of each metre, the ground that is off-limits, and the path that costs least.
//!
//! [`CostRules`] give the costs of slopes, water, terrain types, layers and painted masks. A [`CostMap`]
//! applies them to a window of a land and has a cost, or a reason against walking there, for every sample. It
//! finds paths, and is converted to triangles for crates that build navigation meshes. Windows at any level
//! and tiles of endless land have the same bits wherever they overlap.
//!
//! The idea of bitmaps for paths and off-limits areas is from "Using Bitmaps for Automatic Generation of
//! Large-Scale Terrain Models".

mod ground;
mod line;
mod map;
mod pace;
mod path;
mod rules;
mod walkable;

pub use map::{CostMap, OffLimits};
pub use pace::Pace;
pub use path::{NoPath, Path};
pub use rules::{CostRules, LayerCost, MaskCost, TypeCost};
pub use walkable::{AREA_COSTS, Walkable};
