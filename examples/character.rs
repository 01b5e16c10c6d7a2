//! On foot with the physics engine rapier: its character controller walks on the ground, pushes barrels, and
//! slides down steep slopes.
//!
//! `cargo run --release --example character --features rapier` opens a window. W, A, S and D walk, the arrows
//! look, Shift runs, Space jumps.

mod common;
#[path = "common/on_foot.rs"]
mod on_foot;

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use upland::Preset;
use upland::plugin::{
    AwaitsGround, ColliderNeed, RapierTerrainPlugin, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin,
    TerrainQuery, TerrainStatus,
};

use on_foot::{HALF, WALK, Walker};

/// Metres per second, running.
const RUN: f32 = 8.0;

const BARRELS: usize = 12;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default()))
        .add_plugins((RapierPhysicsPlugin::<NoUserData>::default(), RapierTerrainPlugin))
        .add_systems(Startup, setup)
        .add_systems(
            Update,
            // Both once the land is there: a walker that is spawned earlier would fall.
            (start.run_if(not(any_with_component::<Walker>)), walk).chain().run_if(terrains_ready),
        )
        .run()
}

/// The direction of the eyes, radians.
#[derive(Component, Default)]
struct Gaze {
    turn: f32,
    tilt: f32,
}

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    Ok(())
}

/// Once there is ground, places a walker on it, with barrels around.
fn start(
    mut commands: Commands,
    terrains: TerrainQuery,
    (mut meshes, mut materials): (ResMut<Assets<Mesh>>, ResMut<Assets<StandardMaterial>>),
) {
    let Some(ground) = terrains.ground(Vec3::new(400.0, 0.0, -300.0)) else { return };
    let eyes = (SkyCamera::default(), Transform::from_xyz(0.0, HALF + 0.2, 0.0));
    commands.spawn((
        on_foot::body(),
        Gaze::default(),
        Transform::from_translation(ground.position + 3.0 * Vec3::Y),
        Visibility::default(),
        ColliderNeed::default(),
        children![eyes],
    ));
    let mesh = meshes.add(Cylinder::new(0.3, 0.9));
    let colour = materials.add(Color::srgb(0.1, 0.3, 0.6));
    for number in 0..BARRELS {
        // 2.4 radians are about the golden angle, so that the barrels lie evenly around.
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
    // It stays where it is while there is no ground.
    walker: Option<
        Single<
            (
                &mut Walker,
                &mut Gaze,
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
    let (mut walker, mut gaze, mut body, output, children) = walker.into_inner();
    let seconds = time.delta_secs().min(0.1);
    let pressed = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    gaze.turn += 1.8 * seconds * pressed(KeyCode::ArrowLeft, KeyCode::ArrowRight);
    let tilt = gaze.tilt + 1.2 * seconds * pressed(KeyCode::ArrowUp, KeyCode::ArrowDown);
    gaze.tilt = tilt.clamp(-1.4, 1.4);
    for child in children {
        if let Ok(mut eyes) = eyes.get_mut(*child) {
            eyes.rotation = Quat::from_euler(EulerRot::YXZ, gaze.turn, gaze.tilt, 0.0);
        }
    }
    let way = Vec3::new(pressed(KeyCode::KeyD, KeyCode::KeyA), 0.0, pressed(KeyCode::KeyS, KeyCode::KeyW));
    let speed = if keys.pressed(KeyCode::ShiftLeft) { RUN } else { WALK };
    let step = Quat::from_rotation_y(gaze.turn) * way.normalize_or_zero() * speed;
    let grounded = output.is_some_and(|output| output.grounded);
    body.translation = Some(walker.step(step, grounded, keys.pressed(KeyCode::Space), seconds));
}

/// Whether all land is ready.
fn terrains_ready(terrains: Query<&TerrainStatus>) -> bool {
    terrains.iter().all(|status| *status == TerrainStatus::Ready)
}
