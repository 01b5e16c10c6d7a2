//! A car at 200 km/h over land without end, with the physics engine avian. Ground is made ahead of it, the faster it
//! is the farther; the world's origin follows it.
//!
//! `cargo run --release --example car --features avian` opens a window. W and S are the pedals, A and D steer, Space
//! brakes, R puts the car upright. Without a hand on the keys it drives itself.

mod common;

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::Preset;
use upland::plugin::{
    AvianTerrainPlugin, ColliderNeed, FloatingOrigin, FloatingOriginPlugin, Sky, SkyCamera, SkyPlugin,
    Terrain, TerrainPlugin, TerrainQuery, TerrainStatus,
};

/// Half of the car's width, height and length, metres; its mass, kilograms.
const HALF: Vec3 = Vec3::new(0.9, 0.35, 2.0);
const MASS: f32 = 1200.0;

/// Metres a second.
const TOP_SPEED: f32 = 200.0 / 3.6;

/// Metres that a wheel hangs below the body without load, stiffness and damping of its spring (N/m, N s/m), and how
/// much of its load it passes on as friction.
const HANG: f32 = 0.9;
const STIFFNESS: f32 = 30_000.0;
const DAMPING: f32 = 4000.0;
const GRIP: f32 = 1.4;

fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default(), FloatingOriginPlugin))
        .add_plugins((PhysicsPlugins::default(), AvianTerrainPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, (start, follow).chain().run_if(terrains_ready))
        .add_systems(FixedUpdate, drive)
        .run()
}

#[derive(Component, Default)]
struct Car {
    /// From -1 to 1.
    steering: f32,
}

fn setup(
    mut commands: Commands,
    (mut meshes, mut materials): (ResMut<Assets<Mesh>>, ResMut<Assets<StandardMaterial>>),
) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    commands.spawn((
        Car::default(),
        FloatingOrigin,
        Mesh3d(meshes.add(Cuboid::from_size(2.0 * HALF))),
        MeshMaterial3d(materials.add(Color::srgb(0.8, 0.1, 0.05))),
        Transform::from_xyz(400.0, 3000.0, -300.0),
        (RigidBody::Dynamic, Collider::cuboid(2.0 * HALF.x, 2.0 * HALF.y, 2.0 * HALF.z), Mass(MASS)),
        // What is heavy lies low.
        (CenterOfMass::new(0.0, -0.3, 0.0), AngularDamping(1.0), Friction::new(0.3)),
        ColliderNeed { radius: 24.0, ahead: 1.5, ..default() },
    ));
    commands.spawn((SkyCamera::default(), Transform::from_xyz(400.0, 3010.0, -280.0)));
    Ok(())
}

/// Puts the car on the ground once there is some: it is held where it was spawned until then.
fn start(
    terrains: TerrainQuery,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    car: Single<(&mut Transform, &mut LinearVelocity, &mut AngularVelocity), With<Car>>,
    mut has_started: Local<bool>,
) {
    let (mut pose, mut velocity, mut spin) = car.into_inner();
    let is_lost = keys.is_some_and(|keys| keys.just_pressed(KeyCode::KeyR));
    if *has_started && !is_lost {
        return;
    }
    let Some(ground) = terrains.ground(pose.translation) else { return };
    *has_started = true;
    pose.translation.y = ground.position.y + 3.0;
    let ahead = pose.forward().with_y(0.0).normalize_or(Vec3::NEG_Z);
    pose.look_to(ahead, Vec3::Y);
    (velocity.0, spin.0) = (Vec3::ZERO, Vec3::ZERO);
}

/// Four springs on rays carry the car; what they carry gives the wheels their grip.
fn drive(
    space: SpatialQuery,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    car: Single<(Entity, &mut Car, Forces), Without<RigidBodyDisabled>>,
    time: Res<Time>,
) {
    let (entity, mut car, mut body) = car.into_inner();
    let pressed = |key: KeyCode| keys.as_ref().is_some_and(|keys| keys.pressed(key));
    let axis = |more: KeyCode, less: KeyCode| f32::from(pressed(more)) - f32::from(pressed(less));
    let is_driven = [KeyCode::KeyW, KeyCode::KeyS, KeyCode::KeyA, KeyCode::KeyD].into_iter().any(pressed);
    // By itself it goes straight on.
    let pedal = if is_driven { axis(KeyCode::KeyW, KeyCode::KeyS) } else { 1.0 };
    let wanted = axis(KeyCode::KeyA, KeyCode::KeyD);
    car.steering += (wanted - car.steering) * (6.0 * time.delta_secs()).min(1.0);

    // Where the engine has them: the ground that rays meet is there too, also when the world has just been moved.
    let (place, turn) = (body.position().0, body.rotation().0);
    let (up, ahead) = (turn * Vec3::Y, turn * Vec3::NEG_Z);
    let speed = body.linear_velocity().dot(ahead);
    let filter = SpatialQueryFilter::from_excluded_entities([entity]);
    for (side, end) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        let wheel = place + turn * (HALF * Vec3::new(side, 0.0, 0.8 * end));
        let Ok(down) = Dir3::new(-up) else { return };
        let Some(hit) = space.cast_ray(wheel, down, HANG, true, &filter) else { continue };
        let velocity = body.velocity_at_point(wheel);
        let load = (STIFFNESS * (HANG - hit.distance) - DAMPING * velocity.dot(up)).clamp(0.0, 10.0 * MASS);
        // Front wheels turn, less at speed.
        let angle = if end < 0.0 { 0.5 * car.steering / (1.0 + 0.05 * speed.abs()) } else { 0.0 };
        let along = Quat::from_axis_angle(up, angle) * ahead;
        let across = along.cross(up);
        let brake = if pressed(KeyCode::Space) { -velocity.dot(along) * 0.5 * MASS } else { 0.0 };
        let drive = pedal * 4.0 * MASS * (1.0 - (speed * pedal / TOP_SPEED).max(0.0));
        let grip = GRIP * load;
        let force = along * (drive + brake).clamp(-grip, grip)
            + across * (-velocity.dot(across) * 2.0 * MASS).clamp(-grip, grip);
        body.apply_force_at_point(load * up + force, wheel + down * hit.distance * 0.5);
    }
}

/// Follows the car, and tells how fast it is.
fn follow(
    time: Res<Time>,
    terrains: TerrainQuery,
    car: Single<(&Transform, &LinearVelocity), With<Car>>,
    mut camera: Single<&mut Transform, (With<SkyCamera>, Without<Car>)>,
    window: Option<Single<&mut Window, With<PrimaryWindow>>>,
) {
    let (pose, velocity) = *car;
    let behind = pose.translation - pose.forward() * 9.0 + 3.5 * Vec3::Y;
    // The world may have been moved in between.
    let is_far = camera.translation.distance(behind) > 200.0;
    let share = if is_far { 1.0 } else { 1.0 - (-4.0 * time.delta_secs()).exp() };
    camera.translation = camera.translation.lerp(behind, share);
    if let Some(ground) = terrains.ground(camera.translation) {
        camera.translation.y = camera.translation.y.max(ground.position.y + 1.0);
    }
    camera.look_at(pose.translation + Vec3::Y, Vec3::Y);
    if let Some(mut window) = window {
        let title = format!("{:.0} km/h", velocity.length() * 3.6);
        if window.title != title {
            window.title = title;
        }
    }
}

/// Whether all land is there.
fn terrains_ready(terrains: Query<&TerrainStatus>) -> bool {
    terrains.iter().all(|status| *status == TerrainStatus::Ready)
}
