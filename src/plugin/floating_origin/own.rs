//! A floating origin: the world's origin is kept near the camera, so that positions of 32 bits are precise
//! wherever that is.

use bevy::math::DVec3;
use bevy::prelude::*;

use crate::plugin::setup::{is_first, needs};

/// Distance from the origin, metres along an axis, at which the world is moved. Positions are precise to a
/// tenth of a millimetre up to it.
const FARTHEST: f32 = 2048.0;

/// Beyond this, metres, the world is not moved: there is no land.
const NO_GROUND: f32 = 1e9;

/// The world is moved by multiples of this, metres: what lies on such a multiple, as a terrain at the origin
/// does, keeps its place to the bit.
const STEP: f64 = 4096.0;

/// Keeps the world's origin near the entity with [`FloatingOrigin`], usually a camera: when that is farther
/// than 2 km away, all entities without a parent are moved back by a multiple of 4096 m east and south;
/// heights stay. [`WorldOrigin`] holds the sum of all moves, and a [`WorldMoved`] message reports each to
/// games that keep positions elsewhere.
///
/// Without it, or without such an entity, nothing is ever moved. A game that moves its world itself does not
/// need it: a terrain is precise wherever its entity is, as long as the camera is near the origin.
#[doc(alias("origin_shift", "origin_rebasing"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatingOriginPlugin;

/// The runs of the system that moves the world.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatingOriginSystems;

/// The entity that the world's origin is kept near, without a parent. If there are several, none counts.
#[derive(Component, Clone, Copy, Debug, Default, Reflect)]
#[component(on_add = needs("FloatingOriginPlugin", "FloatingOrigin"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug)]
pub struct FloatingOrigin;

/// Where the world's origin lies, metres from where it was at first.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct WorldOrigin(pub DVec3);

/// The world has been moved: what was at `p` is at `p - by` now.
#[derive(Message, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct WorldMoved {
    /// Metres.
    pub by: Vec3,
}

impl Plugin for FloatingOriginPlugin {
    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.register_type::<FloatingOrigin>().register_type::<WorldOrigin>().register_type::<WorldMoved>();
        app.init_resource::<WorldOrigin>().add_message::<WorldMoved>().add_systems(
            PostUpdate,
            // Before propagation, so that the frame is drawn with the world moved as a whole.
            move_world.in_set(FloatingOriginSystems).before(TransformSystems::Propagate),
        );
    }

    fn is_unique(&self) -> bool {
        false
    }
}

fn move_world(
    followed: Query<Entity, With<FloatingOrigin>>,
    mut roots: Query<&mut Transform, Without<ChildOf>>,
    mut origin: ResMut<WorldOrigin>,
    mut moved: MessageWriter<WorldMoved>,
) {
    let Ok(followed) = followed.single() else { return };
    let Ok(place) = roots.get(followed).map(|transform| transform.translation) else { return };
    let away = place.xz().abs().max_element();
    if !place.is_finite() || !(FARTHEST..=NO_GROUND).contains(&away) {
        return;
    }
    let by = (place.as_dvec3() * DVec3::new(1.0, 0.0, 1.0) / STEP).round() * STEP;
    // A multiple of 4096 is exact in 32 bits up to 68 million kilometres.
    let by_f32 = by.as_vec3();
    // Roots alone: children are relative to them.
    for mut transform in &mut roots {
        transform.translation -= by_f32;
    }
    origin.0 += by;
    moved.write(WorldMoved { by: by_f32 });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> (App, Entity, Entity) {
        let mut app = App::new();
        app.add_plugins(FloatingOriginPlugin);
        let camera = app.world_mut().spawn((FloatingOrigin, Transform::from_xyz(2047.0, 900.0, -5.0))).id();
        let land = app.world_mut().spawn(Transform::default()).id();
        app.update();
        (app, camera, land)
    }

    fn place(app: &App, entity: Entity) -> Vec3 {
        app.world().get::<Transform>(entity).unwrap().translation
    }

    #[test]
    fn far_flights_stay_near_the_origin_and_nothing_is_lost() {
        let (mut app, camera, land) = world();
        assert_eq!(place(&app, land), Vec3::ZERO, "it is near");
        let child = app.world_mut().spawn((Transform::from_xyz(7.0, 8.0, 9.0), ChildOf(land))).id();
        let mut true_place = place(&app, camera).as_dvec3();
        for step in 0..1000 {
            let way = Vec3::new(1234.5, -0.5, if step % 3 == 0 { 4000.25 } else { -77.0 });
            app.world_mut().get_mut::<Transform>(camera).unwrap().translation += way;
            true_place += way.as_dvec3();
            app.update();
            let origin = app.world().resource::<WorldOrigin>().0;
            let camera = place(&app, camera);
            assert!(camera.xz().abs().max_element() <= 2048.0);
            assert!((origin + camera.as_dvec3()).distance(true_place) < 0.05, "as precise as the way there");
            assert_eq!(origin + place(&app, land).as_dvec3(), DVec3::ZERO, "to the bit");
            assert_eq!(place(&app, child), Vec3::new(7.0, 8.0, 9.0), "children go with their parents");
        }
        assert!(true_place.x > 1e6 && app.world().resource::<WorldOrigin>().0.y == 0.0);
    }

    #[test]
    fn a_place_that_is_none_and_several_to_follow_move_nothing() {
        let (mut app, camera, land) = world();
        app.world_mut().get_mut::<Transform>(camera).unwrap().translation.x = f32::NAN;
        app.update();
        assert_eq!(place(&app, land), Vec3::ZERO);
        app.world_mut().get_mut::<Transform>(camera).unwrap().translation.x = 1e6;
        let second = app.world_mut().spawn((FloatingOrigin, Transform::default())).id();
        app.update();
        assert_eq!(place(&app, land), Vec3::ZERO);
        app.world_mut().despawn(second);
        app.update();
        assert!(place(&app, land).x < -9e5);
        let moved = app.world().resource::<Messages<WorldMoved>>();
        assert_eq!(moved.iter_current_update_messages().count(), 1);
    }
}
