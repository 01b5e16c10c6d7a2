//! A car at 200 km/h over endless land, with the physics engine avian. Ground is made ahead of it, farther
//! ahead the faster it is; the world's origin follows it.
//!
//! `cargo run --release --example car --features avian` opens a window. W and S are the pedals, A and D
//! steer, Space brakes, R puts the car upright. When no key is pressed it drives itself.

mod common;
#[path = "common/spring_car.rs"]
mod spring_car;

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::Preset;
use upland::plugin::{
    AvianTerrainPlugin, ColliderNeed, FloatingOrigin, FloatingOriginPlugin, Sky, SkyCamera, SkyPlugin,
    Terrain, TerrainPlugin, TerrainQuery, terrains_ready,
};

use spring_car::{Car, HALF, drive};

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default(), FloatingOriginPlugin))
        .add_plugins((PhysicsPlugins::default(), AvianTerrainPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, (start, follow).chain().run_if(terrains_ready))
        // In the schedule of physics: forces have to be applied once for each of its steps.
        .add_systems(FixedUpdate, drive)
        .run()
}

fn setup(
    mut commands: Commands,
    (mut meshes, mut materials): (ResMut<Assets<Mesh>>, ResMut<Assets<StandardMaterial>>),
) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    commands.spawn((
        spring_car::body(),
        FloatingOrigin,
        Mesh3d(meshes.add(Cuboid::from_size(2.0 * HALF))),
        MeshMaterial3d(materials.add(Color::srgb(0.8, 0.1, 0.05))),
        Transform::from_xyz(400.0, 3000.0, -300.0),
        // More than a second ahead, so that the wheels find ground at 200 km/h.
        ColliderNeed { radius: 24.0, ahead: 1.5, ..default() },
    ));
    commands.spawn((SkyCamera::default(), Transform::from_xyz(400.0, 3010.0, -280.0)));
    Ok(())
}

/// Puts the car on the ground once there is some; until then it is held where it was spawned.
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
    // Otherwise the car would go on with the speed with which it was lost.
    (velocity.0, spin.0) = (Vec3::ZERO, Vec3::ZERO);
}

/// Follows the car, and shows its speed.
fn follow(
    time: Res<Time>,
    terrains: TerrainQuery,
    car: Single<(&Transform, &LinearVelocity), With<Car>>,
    mut camera: Single<&mut Transform, (With<SkyCamera>, Without<Car>)>,
    window: Option<Single<&mut Window, With<PrimaryWindow>>>,
) {
    let (pose, velocity) = *car;
    let behind = pose.translation - pose.forward() * 9.0 + 3.5 * Vec3::Y;
    // The world may have been moved since the last frame.
    let is_far = camera.translation.distance(behind) > 200.0;
    // The share of the way that is left after a time, whatever the frame rate is.
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
