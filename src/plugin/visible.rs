//! Lists of visible entities, for entities that are drawn for one camera alone.
//!
//! Private render layers would do that too, but then a game would have to put every light on them. Instead
//! all of it is on its terrain's layers, and Bevy's lists of visible entities are filtered.

use bevy::camera::visibility::{
    CascadesVisibleEntities, CubemapVisibleEntities, VisibleEntities, VisibleMeshEntities,
};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Bevy's lists of what is visible.
#[derive(SystemParam)]
pub(super) struct Visible<'w, 's> {
    cameras: Query<'w, 's, (Entity, &'static mut VisibleEntities), With<Camera3d>>,
    suns: Query<'w, 's, &'static mut CascadesVisibleEntities>,
    points: Query<'w, 's, &'static mut CubemapVisibleEntities>,
    spots: Query<'w, 's, &'static mut VisibleMeshEntities>,
}

impl Visible<'_, '_> {
    /// Whether there is nothing to remove: nothing is drawn, or all of it is drawn for the only camera that
    /// exists.
    pub(super) fn is_all_of_one(&self, mut drawn_for: impl Iterator<Item = Entity>) -> bool {
        let mut cameras = self.cameras.iter().map(|(camera, _)| camera);
        let only = cameras.next().filter(|_| cameras.next().is_none());
        drawn_for.all(|camera| Some(camera) == only)
    }

    /// Removes from a camera and its shadow cascades what it does not see, and from the shadow maps of point
    /// and spot lights, which all cameras share, what casts no shadow there.
    pub(super) fn keep(
        &mut self,
        is_seen_by: impl Fn(Entity, Entity) -> bool,
        throws_shadow: impl Fn(Entity) -> bool,
    ) {
        for (camera, mut visible) in &mut self.cameras {
            for entities in visible.entities.values_mut() {
                entities.retain(|&entity| is_seen_by(entity, camera));
            }
        }
        for mut sun in &mut self.suns {
            // A sun's lists are for each camera, and each cascade of it.
            for (&camera, cascades) in &mut sun.entities {
                for cascade in cascades {
                    cascade.entities.retain(|&entity| is_seen_by(entity, camera));
                }
            }
        }
        for mut point in &mut self.points {
            for face in point.iter_mut() {
                face.entities.retain(|&entity| throws_shadow(entity));
            }
        }
        for mut spot in &mut self.spots {
            spot.entities.retain(|&entity| throws_shadow(entity));
        }
    }
}
