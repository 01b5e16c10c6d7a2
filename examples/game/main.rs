//! A small game on an island: a castaway on foot, a car on the coast road, a forest, a cave, and grenades
//! that leave craters. It has no physics engine: everything stands on the answers of ground queries.
//!
//! `cargo run --release --example game` opens a window. W, A, S and D walk and drive, the mouse or the arrows
//! look, Shift runs, Space jumps and brakes, E gets into the car and out of it, a click throws a grenade.
//! `island.ron` is the land; `walker.rs`, `car.rs`, `trees.rs`, `cave.rs` and `grenade.rs` are the things on
//! it.

mod car;
mod cave;
#[path = "../common/mod.rs"]
mod common;
mod grenade;
mod trees;
mod walker;

use bevy::prelude::*;
use bevy::window::{CursorGrabMode, CursorOptions, PrimaryWindow};
use upland::Recipe;
use upland::plugin::{
    ScatterPlugin, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainStrokes, WaterPlugin,
    terrains_have_ground,
};

use car::Car;
use walker::{EYES, Walker};

/// Acceleration of falling things, metres per second squared.
const GRAVITY: f32 = 9.81;

/// The longest frame that is simulated, seconds: after a longer one nothing must have moved far.
const LONGEST_FRAME: f32 = 0.1;

/// The castaway's first position: in the yard, in front of the cave's mouth.
const START: Vec3 = Vec3::new(90.0, 24.0, -478.0);

/// The distance from the car within which the castaway can get in, and that from its middle at which they get
/// out, metres.
const ARM: f32 = 5.0;
const DOOR: f32 = 2.0;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, ScatterPlugin, SkyPlugin::default(), WaterPlugin))
        .init_resource::<Seat>()
        .add_systems(Startup, (setup, car::park, cave::dig, trees::grow))
        .add_systems(
            Update,
            (
                change_seat,
                (walker::look, walker::walk).chain().run_if(resource_equals(Seat::OnFoot)),
                car::drive,
                car::follow.run_if(resource_equals(Seat::AtTheWheel)),
                grenade::throw.run_if(resource_equals(Seat::OnFoot)),
                grenade::fly,
                tell,
            )
                // In this order, so that the camera follows a movement of the same frame.
                .chain()
                // Before that there is nothing to stand on.
                .run_if(terrains_have_ground),
        )
        .run()
}

/// Whether the keys control the castaway or the car.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seat {
    #[default]
    OnFoot,
    AtTheWheel,
}

fn setup(mut commands: Commands, mut cursors: Query<&mut CursorOptions, With<PrimaryWindow>>) -> Result {
    let recipe = Recipe::from_ron(include_str!("island.ron"), "island.ron")?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    // With strokes a terrain can be sculpted: craters are strokes.
    commands.spawn((Terrain::from(recipe), TerrainStrokes::default()));
    commands.spawn((
        Walker::looking(std::f32::consts::PI),
        SkyCamera::default(),
        Transform::from_translation(START + EYES * Vec3::Y),
    ));
    for mut cursor in &mut cursors {
        cursor.grab_mode = CursorGrabMode::Locked;
        cursor.visible = false;
    }
    Ok(())
}

/// Gets into the car, and out of it on the driver's side.
fn change_seat(
    keys: Res<ButtonInput<KeyCode>>,
    mut seat: ResMut<Seat>,
    car: Single<(&Car, &Transform), Without<Walker>>,
    walker: Single<(&mut Walker, &mut Transform), Without<Car>>,
) {
    if !keys.just_pressed(KeyCode::KeyE) {
        return;
    }
    let ((car, parked), (mut walker, mut eyes)) = (*car, walker.into_inner());
    match *seat {
        Seat::OnFoot if eyes.translation.distance(parked.translation) < ARM => *seat = Seat::AtTheWheel,
        Seat::OnFoot => {}
        Seat::AtTheWheel => {
            *walker = Walker::looking(car.turn);
            eyes.translation = parked.translation + DOOR * parked.left() + EYES * Vec3::Y;
            *seat = Seat::OnFoot;
        }
    }
}

/// The window's title shows speed and height, and explains the keys.
fn tell(
    seat: Res<Seat>,
    walker: Single<(&Walker, &Transform), Without<Car>>,
    car: Single<(&Car, &Transform), Without<Walker>>,
    window: Option<Single<&mut Window, With<PrimaryWindow>>>,
) {
    let Some(mut window) = window else { return };
    let ((walker, eyes), (car, parked)) = (*walker, *car);
    let (speed, height, keys) = match *seat {
        Seat::OnFoot => (
            walker.speed,
            eyes.translation.y - EYES,
            "W A S D walk, mouse or arrows look, Shift runs, Space jumps, E gets into the car, click throws",
        ),
        Seat::AtTheWheel => {
            (car.speed.abs(), parked.translation.y, "W S drive, A D steer, Space brakes, E gets out")
        }
    };
    let title = format!("{:.0} km/h, {height:.0} m above the sea | {keys}", 3.6 * speed);
    // The title is only set when it changes.
    if window.title != title {
        window.title = title;
    }
}
