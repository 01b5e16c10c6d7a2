//! The laws with avian.

use super::laws::Engine;
use super::*;

struct Avian;

macro_rules! laws {
    ($($law:ident),* $(,)?) => {
        $(
            #[test]
            fn $law() {
                super::laws::$law::<Avian>();
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

use avian3d::prelude::*;
use bevy::ecs::system::RunSystemOnce;

impl Engine for Avian {
    fn add(app: &mut App) {
        app.add_plugins((PhysicsPlugins::default(), AvianTerrainPlugin));
    }

    fn ball(body: &mut EntityWorldMut, radius: f32) {
        body.insert((RigidBody::Dynamic, Collider::sphere(radius), Friction::new(0.6)));
    }

    fn velocity(app: &App, body: Entity) -> Vec3 {
        app.world().get::<LinearVelocity>(body).unwrap().0
    }

    fn set_velocity(app: &mut App, body: Entity, velocity: Vec3) {
        app.world_mut().get_mut::<LinearVelocity>(body).unwrap().0 = velocity;
    }

    fn is_asleep(app: &App, body: Entity) -> bool {
        app.world().get::<Sleeping>(body).is_some()
    }

    fn is_disabled(app: &App, body: Entity) -> bool {
        app.world().get::<RigidBodyDisabled>(body).is_some()
    }

    fn cast(app: &mut App, from: Vec3, along: Dir3, far: f32) -> Option<f32> {
        let cast = move |world: SpatialQuery| {
            world.cast_ray(from, along, far, true, &SpatialQueryFilter::default()).map(|hit| hit.distance)
        };
        app.world_mut().run_system_once(cast).unwrap()
    }
}

#[test]
fn ground_has_the_friction_and_the_layers_of_its_terrain_and_a_body_that_the_game_disabled_stays_so() {
    let mut app = game();
    Avian::add(&mut app);
    app.finish();
    app.cleanup();
    let body = app.world_mut().spawn((Transform::default(), ColliderNeed::default(), RigidBodyDisabled)).id();
    let terrain = app.world_mut().spawn((Terrain::heightfield(ramp()), Friction::new(0.9))).id();
    app.world_mut().entity_mut(terrain).insert(CollisionLayers::new(0b10, 0b101));
    app.update();
    assert!(app.world().get::<AwaitsGround>(body).is_some());
    finish(&mut app);
    assert!(Avian::is_disabled(&app, body));
    let mut tiles = app.world_mut().query_filtered::<(&Friction, &CollisionLayers), With<TerrainCollider>>();
    let all: Vec<_> = tiles.iter(app.world()).collect();
    assert!(!all.is_empty());
    assert!(
        all.iter()
            .all(|(friction, layers)| friction.dynamic_coefficient == 0.9 && layers.memberships == 0b10)
    );
}
