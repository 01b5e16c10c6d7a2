//! The chunks that terrains are drawn with: their selection for each camera, their placement, and the mesh
//! that they share.

mod choose;
mod components;
mod mesh;
mod pieces;
mod sets;
#[cfg(test)]
pub(crate) mod tests;
mod visibility;

pub(crate) use choose::eye;
pub use components::TerrainChunk;
#[cfg(test)]
pub(crate) use mesh::{chunk_mesh, wall_mesh};
pub(crate) use sets::{ChunkSets, update_chunks};

use bevy::asset::AssetEventSystems;
use bevy::camera::CameraUpdateSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::light::SimulationLightSystems;
use bevy::prelude::*;

use super::terrain::TerrainSystems;
use crate::stream::ChunkPart;
use sets::ChunkMeshes;

pub(crate) struct ChunksPlugin;

impl Plugin for ChunksPlugin {
    fn build(&self, app: &mut App) {
        let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
        let meshes = ChunkMeshes {
            ground: ChunkPart::ALL.map(|part| meshes.add(mesh::chunk_mesh(part))),
            walls: ChunkPart::ALL.map(|part| meshes.add(mesh::wall_mesh(part))),
        };
        app.insert_resource(meshes)
            .configure_sets(
                PostUpdate,
                (
                    // An edit reaches the tiles in its own frame: `Choose` comes after `Build`. Chunks are
                    // chosen by where cameras are in this frame, and have to be there before Bevy extracts
                    // changed materials, computes bounds and finds what lights see.
                    TerrainSystems::Choose
                        .after(TransformSystems::Propagate)
                        .after(CameraUpdateSystems)
                        .after(VisibilitySystems::UpdateFrusta)
                        .before(AssetEventSystems)
                        .before(VisibilitySystems::VisibilityPropagate)
                        .before(VisibilitySystems::CalculateBounds)
                        .before(SimulationLightSystems::CheckLightVisibility),
                    // Bevy fills its lists of what is visible first; other cameras' chunks are then taken
                    // out.
                    TerrainSystems::Cull
                        .after(VisibilitySystems::CheckVisibility)
                        .after(SimulationLightSystems::CheckLightVisibility),
                ),
            )
            .add_systems(
                PostUpdate,
                (
                    update_chunks.in_set(TerrainSystems::Choose),
                    visibility::keep_own_chunks.in_set(TerrainSystems::Cull),
                ),
            )
            .add_observer(sets::clear);
    }
}
