//! Makes each camera draw only its own chunks.
//!
//! Private render layers would do that too, but then a game would have to put every light on them. Instead
//! all chunks are on their terrain's layers, and Bevy's lists of visible entities are filtered.

use std::time::Instant;

use bevy::camera::visibility::{
    CascadesVisibleEntities, CubemapVisibleEntities, VisibleEntities, VisibleMeshEntities,
};
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::sets::{ChunkSets, TerrainChunk};
use crate::plugin::stream::TerrainStatistics;

/// A part of the walls under a terrain's border, for a camera.
#[derive(Component)]
pub(super) struct TerrainWall {
    /// The only camera that it is drawn for.
    pub(super) camera: Entity,
}

/// Removes other cameras' chunks from what is visible to a camera and to its shadow cascades.
pub(crate) fn keep_own_chunks(
    chunks: Query<&TerrainChunk>,
    walls: Query<&TerrainWall>,
    terrains: Query<(Entity, &ChunkSets)>,
    mut cameras: Query<(Entity, &mut VisibleEntities), With<Camera3d>>,
    mut suns: Query<&mut CascadesVisibleEntities>,
    mut points: Query<&mut CubemapVisibleEntities>,
    mut spots: Query<&mut VisibleMeshEntities>,
    mut statistics: ResMut<TerrainStatistics>,
) {
    let begun = Instant::now();
    let is_seen_by = |entity: Entity, camera: Entity| {
        let own = chunks.get(entity).map(|chunk| chunk.camera);
        own.or_else(|_| walls.get(entity).map(|wall| wall.camera)).map_or(true, |own| own == camera)
    };
    for (camera, mut visible) in &mut cameras {
        for entities in visible.entities.values_mut() {
            entities.retain(|&entity| is_seen_by(entity, camera));
        }
    }
    for mut sun in &mut suns {
        for (&camera, cascades) in &mut sun.entities {
            for cascade in cascades {
                cascade.entities.retain(|&entity| is_seen_by(entity, camera));
            }
        }
    }
    // Shadow maps of point and spot lights are shared by all cameras: one camera's chunks cast them.
    let lamp_cameras: EntityHashMap<Entity> =
        terrains.iter().filter_map(|(terrain, sets)| Some((terrain, sets.first_camera()?))).collect();
    let throws_shadow = |entity: &Entity| {
        chunks.get(*entity).map_or(true, |chunk| lamp_cameras.get(&chunk.terrain) == Some(&chunk.camera))
    };
    for mut point in &mut points {
        for face in point.iter_mut() {
            face.entities.retain(throws_shadow);
        }
    }
    for mut spot in &mut spots {
        spot.entities.retain(throws_shadow);
    }
    statistics.systems_ms += begun.elapsed().as_secs_f32() * 1e3;
}
