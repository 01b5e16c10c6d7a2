//! Land in tiles: which are needed for a view, which are resident, and how the ground is drawn from them.
//!
//! A [`TileSource`] makes a [`LandTile`]; the [`Residency`] decides which to make next, keeps those that are
//! in use, and selects the [`Chunk`]s that are drawn; a [`Surface`] gives the positions of their vertices.
//! All of it is plain Rust: the plugin runs the jobs and uploads the results.

mod channels;
mod chunk;
mod eye;
mod ground;
mod landscape;
mod made;
mod many;
mod overhang;
mod ranges;
mod recipe;
mod relief;
mod resculpt;
mod residency;
mod samples;
mod sculpted;
mod sculpted_tile;
mod select;
mod shape;
mod shore;
mod sight;
mod source;
mod surface;
mod table;
#[cfg(test)]
mod tests;
mod tile;
mod water;

pub use channels::Channels;
pub use chunk::{CHUNKS_OF_ROOT, COARSER, Chunk, ChunkPart, DrawnChunk, QUADS, TILE_CHUNKS};
#[doc(hidden)]
pub use eye::eye_at;
pub use eye::{Eye, Need};
pub use ground::KnownGround;
pub use landscape::LandscapeSource;
#[doc(hidden)]
pub use landscape::summed;
pub use made::{CHUNKS_IN_TILE, ChunkFacts, MadeTile, TILE_HEIGHTS, TileData, TileTexels};
pub use ranges::{MORPH_END, MORPH_START, Ranges};
pub use recipe::RecipeSource;
pub use relief::Relief;
pub use resculpt::Resculpted;
pub use residency::{Arrival, Budget, ChunkBounds, Drawn, MAX_SLOTS, Plan, Residency, SlotGround};
pub use samples::GroundAt;
pub use sculpted::SculptedSource;
pub use shape::LandShape;
pub use shore::Shore;
#[doc(hidden)]
pub use source::is_no_ground;
pub use source::{ExactGround, TileSource};
pub use surface::Surface;
pub use table::{Entry, OPEN_NORTH, OPEN_NORTH_WEST, OPEN_WEST, TABLE_WIDTH, Table};
pub use tile::{LandTile, TILE_BORDER, TILE_CELLS, TILE_TEXELS};
pub use water::{LandWater, WaterAt};
