//! The laws with avian.

use super::laws::{Engine, physics, place};
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
    bodies_out_of_a_scene_are_let_go,
    sleepers_notice_that_the_ground_sinks,
    overhangs_are_solid,
    bodies_fall_into_holes,
}

use avian3d::prelude::*;
use bevy::ecs::system::RunSystemOnce;

use crate::plugin::floating_origin::FloatingOrigin;

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

    fn disable(app: &mut App, body: Entity) {
        app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    }

    fn cast(app: &mut App, from: Vec3, along: Dir3, far: f32) -> Option<f32> {
        let cast = move |world: SpatialQuery| {
            world.cast_ray(from, along, far, true, &SpatialQueryFilter::default()).map(|hit| hit.distance)
        };
        app.world_mut().run_system_once(cast).unwrap()
    }
}

/// The car of `examples/car.rs`.
#[path = "../../../../examples/common/spring_car.rs"]
mod spring_car;

/// Hills without end that a car can keep its speed on.
const HILLS: &str = r#"(version: 1, name: "Hills", seed: 5, size: endless, cell: 4,
    steps: [fbm(height: 90, frequency: 1.5, octaves: 3)])"#;

/// The example's own car, on its springs, over land without end for ten seconds at 200 km/h: it may jump and
/// roll, and is never below the ground.
#[test]
fn the_car_of_the_example_drives_at_200_km_an_hour_and_never_falls_through() {
    /// Metres that the middle of the car may be in the ground while a crash lasts, since contacts are soft. A
    /// body that falls through is soon below that, and stays there.
    const DEEPEST: f32 = 0.5;
    let mut app = physics::<Avian>();
    app.add_systems(FixedUpdate, spring_car::drive);
    let terrain = settle(&mut app, Recipe::from_ron(HILLS, "hills.ron").unwrap(), Transform::default());
    let start = Vec3::new(1800.0, 0.0, -300.0);
    let height = |app: &App, p: Vec3| exact(app, terrain, p).unwrap();
    let start = start.with_y(height(&app, start) + 1.2);
    // Along the slope it stands on.
    let rise = height(&app, start + Vec3::X) - height(&app, start);
    let pose = Transform::from_translation(start).looking_to(Vec3::new(1.0, rise, 0.0), Vec3::Y);
    let need = ColliderNeed { radius: 24.0, ahead: 1.5, ..default() };
    let car = app.world_mut().spawn((spring_car::body(), pose, need, FloatingOrigin)).id();
    finish(&mut app);
    let ahead = app.world().get::<Transform>(car).unwrap().forward();
    Avian::set_velocity(&mut app, car, ahead * spring_car::TOP_SPEED);
    let (mut way, mut fastest, mut touched) = (0.0, 0.0f32, 0);
    for step in 0..10 * FRAMES {
        let before = place(&app, car);
        app.update();
        let p = place(&app, car);
        let ground = exact(&app, terrain, p).unwrap();
        assert!(p.y > ground - DEEPEST, "after {step} steps it is at {p}, the ground at {ground}");
        // The world may have been moved.
        way += (p - before).xz().length().min(2.0);
        fastest = fastest.max(Avian::velocity(&app, car).length());
        touched += u32::from(p.y < ground + 1.6);
    }
    let (p, half) = (place(&app, car), spring_car::HALF);
    let ground = exact(&app, terrain, p).unwrap();
    assert!(p.y > ground + 0.5 * half.y, "at the end it is at {p}, the ground at {ground}");
    assert!(fastest > 0.98 * spring_car::TOP_SPEED, "{fastest} m/s at most");
    assert!(way > 200.0, "{way} m");
    assert!(touched > 30, "it has been on the ground after {touched} steps");
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
