//! On foot with the physics engine rapier: its character controller walks on the ground, pushes barrels, and slides
//! down what is too steep.
//!
//! `cargo run --release --example character --features rapier` opens a window. W, A, S and D walk, the arrows look,
//! Shift runs, Space jumps.

mod common;

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use upland::Preset;
use upland::plugin::{
    AwaitsGround, ColliderNeed, RapierTerrainPlugin, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin,
    TerrainQuery, TerrainStatus,
};

/// Metres: half of the length between the middles of the capsule's ends, and its radius.
const HALF: f32 = 0.55;
const RADIUS: f32 = 0.35;

/// Metres a second: on foot, running, and upwards at a jump; and downwards after a second's fall.
const WALK: f32 = 3.0;
const RUN: f32 = 8.0;
const JUMP: f32 = 5.0;
const GRAVITY: f32 = 9.81;

const BARRELS: usize = 12;

fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default()))
        .add_plugins((RapierPhysicsPlugin::<NoUserData>::default(), RapierTerrainPlugin))
        .add_systems(Startup, setup)
        .add_systems(
            Update,
            (start.run_if(not(any_with_component::<Walker>)), walk).chain().run_if(terrains_ready),
        )
        .run()
}

#[derive(Component, Default)]
struct Walker {
    /// Metres a second, up.
    fall: f32,
    /// Where it looks, radians.
    turn: f32,
    tilt: f32,
}

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    Ok(())
}

/// Once there is ground, a walker stands on it, with barrels around.
fn start(
    mut commands: Commands,
    terrains: TerrainQuery,
    (mut meshes, mut materials): (ResMut<Assets<Mesh>>, ResMut<Assets<StandardMaterial>>),
) {
    let Some(ground) = terrains.ground(Vec3::new(400.0, 0.0, -300.0)) else { return };
    let eyes = (SkyCamera::default(), Transform::from_xyz(0.0, HALF + 0.2, 0.0));
    commands.spawn((
        Walker::default(),
        Transform::from_translation(ground.position + 3.0 * Vec3::Y),
        Visibility::default(),
        (RigidBody::KinematicPositionBased, Collider::capsule_y(HALF, RADIUS)),
        KinematicCharacterController {
            max_slope_climb_angle: 45f32.to_radians(),
            min_slope_slide_angle: 45f32.to_radians(),
            snap_to_ground: Some(CharacterLength::Absolute(0.4)),
            ..default()
        },
        ColliderNeed::default(),
        children![eyes],
    ));
    let mesh = meshes.add(Cylinder::new(0.3, 0.9));
    let colour = materials.add(Color::srgb(0.1, 0.3, 0.6));
    for number in 0..BARRELS {
        let away = Quat::from_rotation_y(number as f32 * 2.4) * Vec3::X * (3.0 + 0.6 * number as f32);
        commands.spawn((
            Mesh3d(mesh.clone()),
            MeshMaterial3d(colour.clone()),
            Transform::from_translation(ground.position + away + 8.0 * Vec3::Y),
            (RigidBody::Dynamic, Collider::cylinder(0.45, 0.3), Friction::new(0.9)),
            ColliderNeed { radius: 6.0, ..default() },
        ));
    }
}

fn walk(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    // Without ground it stays where it is.
    walker: Option<
        Single<
            (
                &mut Walker,
                &mut KinematicCharacterController,
                Option<&KinematicCharacterControllerOutput>,
                &Children,
            ),
            Without<AwaitsGround>,
        >,
    >,
    mut eyes: Query<&mut Transform, With<SkyCamera>>,
) {
    let Some(walker) = walker else { return };
    let (mut walker, mut body, output, children) = walker.into_inner();
    let seconds = time.delta_secs().min(0.1);
    let pressed = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    walker.turn += 1.8 * seconds * pressed(KeyCode::ArrowLeft, KeyCode::ArrowRight);
    let tilt = walker.tilt + 1.2 * seconds * pressed(KeyCode::ArrowUp, KeyCode::ArrowDown);
    walker.tilt = tilt.clamp(-1.4, 1.4);
    for child in children {
        if let Ok(mut eyes) = eyes.get_mut(*child) {
            eyes.rotation = Quat::from_euler(EulerRot::YXZ, walker.turn, walker.tilt, 0.0);
        }
    }
    let way = Vec3::new(pressed(KeyCode::KeyD, KeyCode::KeyA), 0.0, pressed(KeyCode::KeyS, KeyCode::KeyW));
    let speed = if keys.pressed(KeyCode::ShiftLeft) { RUN } else { WALK };
    let step = Quat::from_rotation_y(walker.turn) * way.normalize_or_zero() * speed;
    if output.is_some_and(|output| output.grounded) {
        walker.fall = if keys.pressed(KeyCode::Space) { JUMP } else { 0.0 };
    }
    walker.fall -= GRAVITY * seconds;
    body.translation = Some((step + walker.fall * Vec3::Y) * seconds);
}

/// Whether all land is there.
fn terrains_ready(terrains: Query<&TerrainStatus>) -> bool {
    terrains.iter().all(|status| *status == TerrainStatus::Ready)
}
