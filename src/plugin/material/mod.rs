//! The ground's material: Bevy's standard one, displaced by heights, with colours and tiles, and how a
//! camera sees it.

mod cover;
mod extension;
mod ground;
mod place;
mod view;

#[cfg(test)]
pub(crate) use cover::{CoverUniform, TiledType};
pub(crate) use cover::{DrawnCover, PreparedCover};
pub(crate) use extension::{SeenLand, TerrainExtension, TerrainMaterial, ground_material};
#[cfg(test)]
pub(crate) use extension::{TerrainKey, TerrainUniform};
pub use ground::HeightMapping;
pub(crate) use ground::LandPlacement;
pub use view::{DebugView, Shading, TerrainView};
