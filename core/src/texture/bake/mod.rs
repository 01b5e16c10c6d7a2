//! Baking: the ground under every texel is rated for every terrain type, and their colours are blended into a
//! map, as a whole, window by window or in patches.

mod baked;
mod baker;
mod materials;
mod part;
mod patches;
mod prepare;
mod whole;
mod window;

pub use baked::{BakeOptions, Baked, WeightMap};
pub use baker::Baker;
pub(crate) use baker::{longer_side, map_size};
pub(crate) use materials::Materials;
pub(crate) use part::Part;
pub use patches::{PaintWindow, Patch, Patches, bake_patches};
pub use whole::{bake, bake_with};
pub use window::MapWindow;
