//! On foot: a walker without a physics engine, from queries for the ground alone.
//!
//! `cargo run --release --example first_person` opens a window. W, A, S and D walk, the mouse or the arrows
//! look, Shift runs, Space jumps. The walker slides down steep slopes, and swims in deep water.

mod common;

use bevy::input::mouse::AccumulatedMouseMotion;
use bevy::prelude::*;
use bevy::window::{CursorGrabMode, CursorOptions, PrimaryWindow};
use upland::Recipe;
use upland::plugin::{
    Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery, WaterPlugin, terrains_have_ground,
};

/// Metres from the feet to the eyes, and metres per second: on foot, running, upwards at a jump, and
/// downwards after a second's fall.
const EYES: f32 = 1.7;
const WALK: f32 = 4.0;
const RUN: f32 = 12.0;
const JUMP: f32 = 5.0;
const GRAVITY: f32 = 9.81;

/// The steepest slope on which feet hold, degrees.
const STEEPEST: f32 = 42.0;

/// The deepest water for wading, metres; in deeper water the walker swims.
const WADED: f32 = 1.2;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default(), WaterPlugin))
        .add_systems(Startup, setup)
        // Before that there is nothing to stand on.
        .add_systems(Update, (look, walk).chain().run_if(terrains_have_ground))
        .run()
}

/// The walker. Its transform is that of its eyes.
#[derive(Component, Default)]
struct Walker {
    /// Upward speed, metres per second.
    fall: f32,
    /// The direction of the eyes, radians.
    turn: f32,
    tilt: f32,
}

fn setup(mut commands: Commands, mut cursors: Query<&mut CursorOptions, With<PrimaryWindow>>) -> Result {
    let recipe = Recipe::from_ron(include_str!("island.ron"), "island.ron")?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    commands.spawn((Walker::default(), SkyCamera::default(), Transform::from_xyz(0.0, 2000.0, 0.0)));
    for mut cursor in &mut cursors {
        cursor.grab_mode = CursorGrabMode::Locked;
        cursor.visible = false;
    }
    Ok(())
}

fn look(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    mouse: Res<AccumulatedMouseMotion>,
    walker: Single<(&mut Walker, &mut Transform)>,
) {
    let (mut walker, mut eyes) = walker.into_inner();
    let pressed = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    let arrows = Vec2::new(
        pressed(KeyCode::ArrowRight, KeyCode::ArrowLeft),
        pressed(KeyCode::ArrowDown, KeyCode::ArrowUp),
    );
    let by = mouse.delta * 0.002 + arrows * 1.5 * time.delta_secs();
    walker.turn -= by.x;
    walker.tilt = (walker.tilt - by.y).clamp(-1.5, 1.5);
    eyes.rotation = Quat::from_euler(EulerRot::YXZ, walker.turn, walker.tilt, 0.0);
}

fn walk(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    terrains: TerrainQuery,
    walker: Single<(&mut Walker, &mut Transform)>,
) {
    let (mut walker, mut eyes) = walker.into_inner();
    // A long frame must not move the walker far.
    let seconds = time.delta_secs().min(0.1);
    let pressed = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    let way = Vec3::new(pressed(KeyCode::KeyD, KeyCode::KeyA), 0.0, pressed(KeyCode::KeyS, KeyCode::KeyW));
    let speed = if keys.pressed(KeyCode::ShiftLeft) { RUN } else { WALK };
    let mut step = Quat::from_rotation_y(walker.turn) * way.normalize_or_zero() * speed * seconds;

    // Where the ground rises too steeply, the walker moves along it or down.
    if let Some(ahead) = terrains.ground(eyes.translation + step)
        && ahead.slope() > STEEPEST
    {
        let down = ahead.normal.with_y(0.0).normalize_or_zero();
        step += down * (WALK * seconds - step.dot(down)).max(0.0);
    }
    // Beyond the land's border there is no ground: the walker stays.
    let here = eyes.translation - EYES * Vec3::Y;
    let on_land = [here + step, here].into_iter().find_map(|feet| Some((feet, terrains.ground(feet)?)));
    let Some((mut feet, ground)) = on_land else { return };
    walker.fall -= GRAVITY * seconds;
    feet.y += walker.fall * seconds;
    let bottom = ground.position.y + (ground.depth() - WADED).max(0.0);
    if feet.y <= bottom {
        feet.y = bottom;
        walker.fall = if keys.pressed(KeyCode::Space) { JUMP } else { 0.0 };
    }
    eyes.translation = feet + EYES * Vec3::Y;
}
