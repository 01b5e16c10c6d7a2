//! The chunks that terrains are drawn with: their selection for each camera, their placement, and the mesh
//! that they share.

mod choose;
mod mesh;
mod pieces;
mod sets;
#[cfg(test)]
pub(crate) mod tests;
mod visibility;

pub(crate) use choose::eye;
#[cfg(test)]
pub(crate) use mesh::{chunk_mesh, wall_mesh};
pub use sets::TerrainChunk;
pub(crate) use sets::{ChunkSets, ChunksPlugin, update_chunks};
