//! Makes each camera draw only its own chunks.

use std::time::Instant;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::components::{TerrainChunk, TerrainWall};
use super::sets::ChunkSets;
use crate::plugin::stream::TerrainStatistics;
use crate::plugin::visible::Visible;

/// Removes other cameras' chunks from what is visible to a camera and to its shadow cascades.
pub(crate) fn keep_own_chunks(
    chunks: Query<&TerrainChunk>,
    walls: Query<&TerrainWall>,
    terrains: Query<(Entity, &ChunkSets)>,
    mut visible: Visible,
    mut statistics: ResMut<TerrainStatistics>,
) {
    // The usual case of one camera costs nothing.
    if visible.is_all_of_one(terrains.iter().flat_map(|(_, sets)| sets.cameras())) {
        return;
    }
    let begun = Instant::now();
    // All cameras share the shadow maps of lamps, so the chunks of one camera alone are drawn into them.
    let lamp_cameras: EntityHashMap<Entity> =
        terrains.iter().filter_map(|(terrain, sets)| Some((terrain, sets.first_camera()?))).collect();
    visible.keep(
        |entity, camera| {
            let own = chunks.get(entity).map(|chunk| chunk.camera);
            own.or_else(|_| walls.get(entity).map(|wall| wall.camera)).map_or(true, |own| own == camera)
        },
        |entity| {
            chunks.get(entity).map_or(true, |chunk| lamp_cameras.get(&chunk.terrain) == Some(&chunk.camera))
        },
    );
    statistics.systems_ms += begun.elapsed().as_secs_f32() * 1e3;
}
