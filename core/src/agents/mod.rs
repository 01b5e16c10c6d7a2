//! Land for agents: what each metre of a way costs, where nobody may go, and the way that costs least.
//!
//! [`CostRules`] say what slopes, water, terrain types, layers and painted masks cost. A [`CostMap`] is what they make
//! of a window of a land, with a cost or a reason why not for every sample; it finds paths, and is made into triangles
//! for crates that build navigation meshes. Windows at any level and tiles of endless land have the same bits wherever
//! they overlap.
//!
//! The wish for bitmaps of paths and of areas that are off-limits is from "Using Bitmaps for Automatic Generation of
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
