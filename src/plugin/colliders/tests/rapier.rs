//! The laws with rapier.

use super::laws::{Engine, ask, fine, physics, place, until_fine};
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
    bodies_out_of_a_scene_are_let_go,
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

    fn disable(app: &mut App, body: Entity) {
        app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    }

    fn cast(app: &mut App, from: Vec3, along: Dir3, far: f32) -> Option<f32> {
        let cast = move |world: ReadRapierContext| {
            let world = world.single().unwrap();
            world.cast_ray(from, along.into(), far, true, QueryFilter::default()).map(|(_, far)| far)
        };
        app.world_mut().run_system_once(cast).unwrap()
    }
}

/// The walker of `examples/character.rs`.
#[path = "../../../../examples/common/on_foot.rs"]
mod on_foot;

use on_foot::{HALF, RADIUS, WALK, Walker};

/// Metres that it walks.
const WAY: f32 = 200.0;

/// A place on dry land, and the way from there of [`WAY`] metres and a little more that is nowhere as steep
/// as others.
fn passable(app: &mut App) -> (Vec3, Dir3) {
    let found = ask(app, |terrains| {
        let steepest = |start: Vec3, way: Dir3| {
            let places = (0..=20).map(|step| start + way * ((WAY + 20.0) * step as f32 / 20.0));
            let grounds = places.map(|p| terrains.ground(p).filter(|ground| ground.water.is_none()));
            grounds.map(|ground| Some(ground?.slope())).try_fold(0.0f32, |most, slope| Some(most.max(slope?)))
        };
        let ways =
            |start| (0..8).map(move |turn| (start, Quat::from_rotation_y(turn as f32 * 0.785) * Dir3::X));
        let all = around(Vec3::ZERO, 8000.0, 600).flat_map(ways);
        let dry = all.filter_map(|(start, way)| Some((steepest(start, way)?, start, way)));
        dry.min_by(|a, b| a.0.total_cmp(&b.0))
    });
    let (steepest, start, way) = found.expect("there is dry land");
    assert!(steepest < 25.0, "{steepest}° on the easiest way");
    (start, way)
}

/// How far the ground that queries know is from the middle of the capsule's lower end.
fn distance_to_ground(app: &mut App, end: Vec3) -> f32 {
    ask(app, move |terrains| {
        let offsets = (-8..=8).flat_map(|row| (-8..=8).map(move |column| (row, column)));
        let places: Vec<Vec3> =
            offsets.map(|(row, column)| end + 0.06 * Vec3::new(column as f32, 0.0, row as f32)).collect();
        let grounds = terrains.grounds(&places);
        grounds.iter().flatten().map(|ground| ground.position.distance(end)).fold(f32::MAX, f32::min)
    })
}

/// On foot over downs: the capsule's lower end touches the ground that queries know, to ten centimetres.
#[test]
fn the_walker_of_the_example_keeps_its_feet_on_the_ground() {
    let mut app = physics::<Rapier>();
    let terrain = settle(&mut app, preset("downs").with_longer_side(513), Transform::default());
    let (start, way) = passable(&mut app);
    let start = start.with_y(exact(&app, terrain, start).unwrap() + HALF + RADIUS + 0.05);
    let pose = Transform::from_translation(start);
    let body = app.world_mut().spawn((on_foot::body(), pose, ColliderNeed::default(), fine(12.0))).id();
    finish(&mut app);
    let seconds = 1.0 / FRAMES as f32;
    let walk = |app: &mut App, speed: f32| {
        assert!(
            app.world().get::<AwaitsGround>(body).is_none(),
            "a walker has its ground before it is there"
        );
        let mut entity = app.world_mut().entity_mut(body);
        let output = entity.get::<KinematicCharacterControllerOutput>();
        let grounded = output.is_some_and(|output| output.grounded);
        let step = entity.get_mut::<Walker>().unwrap().step(way * speed, grounded, false, seconds);
        entity.get_mut::<KinematicCharacterController>().unwrap().translation = Some(step);
        app.update();
    };
    // It comes to stand.
    (0..FRAMES).for_each(|_| walk(&mut app, 0.0));
    let (mut steps, mut compared) = (0, 0);
    while (place(&app, body) - start).xz().length() < WAY {
        // Twice as many as it takes on flat ground: slopes and stones take their share.
        assert!(steps < (2.0 * WAY / WALK) as u32 * FRAMES, "it has come as far as {}", place(&app, body));
        walk(&mut app, WALK);
        steps += 1;
        if !steps.is_multiple_of(8) {
            continue;
        }
        let end = place(&app, body) - HALF * Vec3::Y;
        // The game waits for queries, not the walker.
        let corners =
            [Vec3::ZERO, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|corner| end + 0.5 * corner);
        until_fine(&mut app, terrain, &corners);
        let distance = distance_to_ground(&mut app, end);
        assert!(
            (distance - RADIUS).abs() < 0.1,
            "after {steps} steps, at {end}: {distance} m from the ground"
        );
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
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
