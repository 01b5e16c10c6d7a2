//! Endless land: a flight over it that never reaches a border, and stays precise however far it goes.
//!
//! `cargo run --release --example endless` opens a window. The arrows steer, Space and Shift change the
//! speed. The title shows how far the flight has come.

mod common;

use bevy::math::DVec3;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::plugin::{
    FloatingOrigin, FloatingOriginPlugin, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery,
    WorldOrigin,
};
use upland::{Cache, Preset};

/// Metres above the ground.
const CLEARANCE: f32 = 120.0;

pub(crate) fn main() -> AppExit {
    App::new()
        // The floating origin moves the world back whenever the camera is 2 km away from its origin.
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default(), FloatingOriginPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, (fly, tell).chain())
        .run()
}

/// Metres per second.
#[derive(Component)]
struct Flight(f32);

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from_recipe(recipe, &Cache::default()));
    commands.spawn((
        Flight(150.0),
        FloatingOrigin,
        SkyCamera::default(),
        Transform::from_xyz(0.0, 1500.0, 0.0).looking_to(Vec3::new(1.0, -0.1, -0.3), Vec3::Y),
    ));
    Ok(())
}

fn fly(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    terrains: TerrainQuery,
    camera: Single<(&mut Flight, &mut Transform)>,
) {
    let (mut flight, mut pose) = camera.into_inner();
    let seconds = time.delta_secs().min(0.1);
    let pressed = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    // Exponentially: the same time doubles any speed.
    flight.0 = (flight.0 * (seconds * pressed(KeyCode::Space, KeyCode::ShiftLeft)).exp()).clamp(10.0, 2000.0);
    pose.rotate_y(pressed(KeyCode::ArrowLeft, KeyCode::ArrowRight) * 0.8 * seconds);
    pose.rotate_local_x(pressed(KeyCode::ArrowUp, KeyCode::ArrowDown) * 0.5 * seconds);
    let ahead = pose.forward() * flight.0 * seconds;
    pose.translation += ahead;
    // The drawn ground, in its drawn detail.
    if let Some(ground) = terrains.ground(pose.translation) {
        pose.translation.y = pose.translation.y.max(ground.position.y + CLEARANCE);
    }
}

/// The camera's position since the start, before the world was moved: in 64 bits.
fn tell(
    origin: Res<WorldOrigin>,
    camera: Single<(&Flight, &Transform)>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    let place: DVec3 = origin.0 + camera.1.translation.as_dvec3();
    let title = format!("{:.1} km from the start, {:.0} m/s", place.length() / 1000.0, camera.0.0);
    for mut window in windows.iter_mut().filter(|window| window.title != title) {
        window.title = title.clone();
    }
}
