//! The components of the entities that draw chunks and walls.

use bevy::prelude::*;

use crate::stream::{Chunk, ChunkPart, DrawnChunk};

/// A chunk of a terrain, or a quarter of one, for a camera. Its transform is that of its north-west corner,
/// scaled by its size.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct TerrainChunk {
    /// The terrain, which is also the parent.
    pub terrain: Entity,
    /// The only camera that it is drawn for.
    pub camera: Entity,
    /// Its level and its position in the quadtree.
    pub chunk: Chunk,
    /// As much of the chunk as this entity draws.
    pub part: ChunkPart,
}

impl TerrainChunk {
    /// The chunk, or the part of one, that it draws.
    pub fn drawn(&self) -> DrawnChunk {
        DrawnChunk { chunk: self.chunk, part: self.part }
    }
}

/// A part of the walls under a terrain's border, for a camera.
#[derive(Component)]
pub(super) struct TerrainWall {
    /// The only camera that it is drawn for.
    pub(super) camera: Entity,
}
