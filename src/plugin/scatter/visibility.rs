//! Makes each camera draw only its own batches.

use std::time::Instant;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::components::ScatterStatistics;
use super::draw::ScatterBatch;
use super::state::Scattering;
use crate::plugin::visible::Visible;

/// Removes other cameras' batches from what is visible to a camera and to its shadow cascades.
pub(super) fn keep_own_batches(
    batches: Query<&ScatterBatch>,
    terrains: Query<(Entity, &Scattering)>,
    mut visible: Visible,
    mut statistics: ResMut<ScatterStatistics>,
) {
    let begun = Instant::now();
    // The usual case of one camera costs nothing.
    if visible.is_all_of_one(terrains.iter().flat_map(|(_, scattering)| scattering.sets.keys().copied())) {
        return;
    }
    // All cameras share the shadow maps of lamps, so the batches of one camera alone are drawn into them.
    let lamp_cameras: EntityHashMap<Entity> = terrains
        .iter()
        .filter_map(|(terrain, scattering)| Some((terrain, scattering.sets.keys().min().copied()?)))
        .collect();
    visible.keep(
        |entity, camera| batches.get(entity).map_or(true, |batch| batch.camera == camera),
        |entity| {
            batches.get(entity).map_or(true, |batch| lamp_cameras.get(&batch.terrain) == Some(&batch.camera))
        },
    );
    statistics.systems_ms += begun.elapsed().as_secs_f32() * 1e3;
}
