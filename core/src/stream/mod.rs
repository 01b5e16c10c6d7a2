//! Land in tiles: which are needed for a view, which are resident, and how the ground is drawn from them.
//!
//! A [`TileSource`] makes a [`LandTile`]; the [`Residency`] decides which to make next, keeps those that are
//! in use, and selects the [`Chunk`]s that are drawn; a [`Surface`] gives the positions of their vertices.
//! All of it is plain Rust: the plugin runs the jobs and uploads the results.

mod drawing;
mod query;
mod resculpt;
mod residency;
mod shape;
mod sources;
#[cfg(test)]
mod tests;
mod tile;

pub use drawing::chunk::{CHUNKS_OF_ROOT, COARSER, Chunk, ChunkPart, DrawnChunk, QUADS, TILE_CHUNKS};
#[doc(hidden)]
pub use drawing::eye::eye_at;
pub use drawing::eye::{Eye, Need};
pub use drawing::ranges::{MORPH_END, MORPH_START, Ranges};
pub use drawing::surface::Surface;
pub use drawing::table::{Entry, OPEN_NORTH, OPEN_NORTH_WEST, OPEN_WEST, TABLE_WIDTH, Table};
pub use query::ground::KnownGround;
pub use query::samples::GroundAt;
pub use query::shore::Shore;
pub use query::water::{LandWater, WaterAt};
pub use resculpt::Resculpted;
pub use residency::{Arrival, Budget, ChunkBounds, Drawn, MAX_SLOTS, Plan, Residency, SlotGround};
pub use shape::LandShape;
pub use sources::channels::Channels;
pub use sources::landscape::LandscapeSource;
#[doc(hidden)]
pub use sources::landscape::summed;
pub use sources::made::{CHUNKS_IN_TILE, ChunkFacts, MadeTile, TILE_HEIGHTS, TileData, TileTexels};
pub use sources::recipe::RecipeSource;
pub use sources::relief::Relief;
pub use sources::sculpted::SculptedSource;
#[doc(hidden)]
pub use sources::source::is_no_ground;
pub use sources::source::{ExactGround, TileSource};
pub use tile::{LandTile, TILE_BORDER, TILE_CELLS, TILE_TEXELS};
