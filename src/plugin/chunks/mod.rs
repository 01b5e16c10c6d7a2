//! The chunks that terrains are drawn in: which ones each camera gets, where they are, and the mesh that they
//! all share.

mod choose;
mod mesh;
mod sets;
mod visibility;

#[cfg(test)]
pub(crate) use mesh::chunk_mesh;
pub(crate) use sets::ChunksPlugin;
pub use sets::TerrainChunk;
