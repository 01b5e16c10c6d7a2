//! The ground's material: Bevy's standard one, displaced by heights, with colours and tiles, and how a
//! camera sees it.

mod ambient;
mod canopy;
mod clouds;
mod cover;
mod drift;
mod earlier_time;
mod extension;
mod ground;
mod place;
mod scale;
mod submersion;
mod types;
mod view;
mod viewshed;
mod wind;

pub(crate) use ambient::AmbientShape;
pub(crate) use canopy::TerrainCanopy;
pub(crate) use clouds::CloudsUniform;
#[cfg(test)]
pub(crate) use cover::TiledType;
pub(crate) use cover::{CoverUniform, DrawnCover, PreparedCover};
pub(crate) use drift::Drift;
pub(crate) use earlier_time::EarlierTime;
#[cfg(test)]
pub(crate) use extension::TerrainKey;
pub(crate) use extension::{
    SeenLand, TerrainExtension, TerrainMaterial, TerrainUniform, WallLook, ground_material,
};
pub use ground::HeightMapping;
pub(crate) use ground::LandPlacement;
pub(crate) use place::split_whole_fraction;
pub use scale::{
    absent_colour, aspect_colour, level_colour, overdraw_colour, residency_colour, seen_colour, slope_colour,
    viridis,
};
pub use submersion::Submersion;
pub(crate) use types::WeighedTypes;
pub use view::{DebugView, Shading, TerrainView, contour_step};
pub use viewshed::TerrainViewshed;
pub use wind::Wind;
