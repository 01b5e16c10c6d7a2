//! The laws with rapier.

use super::laws::Engine;
use super::*;

struct Rapier;

macro_rules! laws {
    ($($law:ident),* $(,)?) => {
        $(
            #[test]
            fn $law() {
                super::laws::$law::<Rapier>();
            }
        )*
    };
}

laws! {
    rays_hit_the_ground_where_queries_say,
    balls_roll_downhill_and_never_into_it,
    a_car_at_200_km_an_hour_never_falls_through,
    bodies_wait_for_their_ground,
    sleepers_notice_that_the_ground_sinks,
    overhangs_are_solid,
    bodies_fall_into_holes,
}

use bevy::ecs::system::RunSystemOnce;
use bevy_rapier3d::prelude::*;

impl Engine for Rapier {
    fn add(app: &mut App) {
        app.add_plugins((RapierPhysicsPlugin::<NoUserData>::default(), RapierTerrainPlugin));
    }

    fn ball(body: &mut EntityWorldMut, radius: f32) {
        body.insert((
            RigidBody::Dynamic,
            Collider::ball(radius),
            Friction::new(0.6),
            Velocity::default(),
            Sleeping::default(),
            Ccd::enabled(),
        ));
    }

    fn velocity(app: &App, body: Entity) -> Vec3 {
        app.world().get::<Velocity>(body).unwrap().linear
    }

    fn set_velocity(app: &mut App, body: Entity, velocity: Vec3) {
        app.world_mut().get_mut::<Velocity>(body).unwrap().linear = velocity;
    }

    fn is_asleep(app: &App, body: Entity) -> bool {
        app.world().get::<Sleeping>(body).is_some_and(|sleeping| sleeping.sleeping)
    }

    fn is_disabled(app: &App, body: Entity) -> bool {
        app.world().get::<RigidBodyDisabled>(body).is_some()
    }

    fn cast(app: &mut App, from: Vec3, along: Dir3, far: f32) -> Option<f32> {
        let cast = move |world: ReadRapierContext| {
            let world = world.single().unwrap();
            world.cast_ray(from, along.into(), far, true, QueryFilter::default()).map(|(_, far)| far)
        };
        app.world_mut().run_system_once(cast).unwrap()
    }
}

#[test]
fn ground_has_the_friction_and_the_groups_of_its_terrain() {
    let mut app = game();
    Rapier::add(&mut app);
    app.finish();
    app.cleanup();
    app.world_mut().spawn((Transform::default(), ColliderNeed::default()));
    let groups = CollisionGroups::new(Group::GROUP_2, Group::GROUP_3);
    app.world_mut().spawn((Terrain::heightfield(ramp()), Friction::new(0.9), groups));
    app.update();
    finish(&mut app);
    let mut tiles = app.world_mut().query_filtered::<(&Friction, &CollisionGroups), With<TerrainCollider>>();
    let all: Vec<_> = tiles.iter(app.world()).collect();
    assert!(!all.is_empty());
    assert!(all.iter().all(|(friction, found)| friction.coefficient == 0.9 && **found == groups));
}
