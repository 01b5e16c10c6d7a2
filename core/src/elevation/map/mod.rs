//! The maps on which rasters lie: coordinate systems and their units, the directions of rows and columns, and
//! how lengths on the map relate to lengths on the ground.
//!
//! The keys of a GeoTIFF (`keys.rs`) and the text of a `.prj` (`text.rs`) both describe a [`System`]. An
//! [`Affine`] says where the samples lie in it, whichever way they run. Together they give the size of cells
//! on the ground ([`System::ground`]), from which land is made, and a [`MapPlace`], by which other programs
//! can find the land.

mod bodies;
mod definition;
mod epsg;
pub(in crate::elevation) mod geographic;
mod key_text;
pub(in crate::elevation) mod keys;
mod place;
mod projection_kind;
mod stretch;
mod system;
mod text;
mod turn;
pub(in crate::elevation) mod units;

pub(in crate::elevation) use definition::{Definition, Keys};
pub(in crate::elevation) use place::Affine;
pub use place::MapPlace;
pub(in crate::elevation) use system::{Plane, System};
pub(in crate::elevation) use turn::Turn;
pub use units::MapUnit;
