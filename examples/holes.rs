//! A mine shaft and the mouth of a cave: where land has a hole there is nothing to see, to stand on or to
//! hit.
//!
//! `cargo run --release --example holes` opens a window; it needs the feature `viewer` for that. A ball rolls
//! to and fro; over the shaft it falls in. The inside of a hole is the game's own: here a pipe and a lamp.

use bevy::prelude::*;
use upland::filter::{Hole, HoleShape};
use upland::generate::Fbm;
use upland::plugin::{Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery};
use upland::{Recipe, Step};

/// Radius of the shaft and of the ball, metres, and the depth of the shaft's floor below its middle.
const SHAFT: f32 = 9.0;
const BALL: f32 = 1.5;
const DEEP: f32 = 30.0;

pub(crate) fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins(DefaultPlugins);
    game(&mut app);
    app.run()
}

/// Everything besides Bevy's own plugins.
pub fn game(app: &mut App) {
    app.add_plugins((TerrainPlugin, SkyPlugin::default()))
        .add_systems(Startup, setup)
        .add_systems(Update, (roll, look));
}

/// Hills with a shaft in their middle, and a ball cut out of a slope next to it: a cave's mouth.
pub fn recipe() -> Recipe {
    let mut recipe = Recipe::new("A mine", (257, 257), 2.0);
    let hills = Fbm { height: 60.0, frequency: 2.0, ..Fbm::default() };
    let shaft = Hole { radius: SHAFT, ..Hole::default() };
    let cave = Hole {
        shape: HoleShape::Ball,
        points: vec![Vec2::new(0.62, 0.45)],
        radius: 14.0,
        height: 2.0,
        ..Hole::default()
    };
    recipe.steps = vec![Step::new(hills), Step::new(shaft), Step::new(cave)];
    recipe
}

/// The rolling ball.
#[derive(Component, Default)]
pub struct Ball {
    /// Upward speed, metres per second.
    speed: f32,
}

#[derive(Component)]
struct Pipe;

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    commands.spawn(Sky::default());
    commands.spawn(Terrain::from(recipe()));
    commands.spawn((
        Ball::default(),
        Mesh3d(meshes.add(Sphere::new(BALL))),
        MeshMaterial3d(materials.add(Color::srgb(0.9, 0.2, 0.1))),
        Transform::from_xyz(-40.0, 100.0, 0.0),
    ));
    // The pipe is visible from inside.
    let rust =
        StandardMaterial { cull_mode: None, double_sided: true, ..Color::srgb(0.35, 0.22, 0.15).into() };
    let pipe = meshes.add(Mesh::from(Cylinder::new(SHAFT + 0.3, 2.0 * DEEP)));
    commands.spawn((Pipe, Mesh3d(pipe), MeshMaterial3d(materials.add(rust)), Transform::default()));
    commands.spawn((
        SkyCamera::default(),
        Transform::from_xyz(-25.0, 60.0, 55.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

/// Rolls over the ground; where there is none it falls to the shaft's floor, and starts over.
fn roll(time: Res<Time>, terrains: TerrainQuery, ball: Single<(&mut Ball, &mut Transform)>) {
    let (mut ball, mut at) = ball.into_inner();
    // A long frame must not carry the ball through the ground.
    let delta = time.delta_secs().min(0.05);
    at.translation.x += 12.0 * delta;
    ball.speed -= 9.81 * delta;
    at.translation.y += ball.speed * delta;
    match terrains.ground(at.translation) {
        // It stands on the ground, unless it is already below it, in the shaft.
        Some(ground) if at.translation.y > ground.position.y - 2.0 * BALL => {
            let least = ground.position.y + BALL;
            if at.translation.y < least {
                (at.translation.y, ball.speed) = (least, 0.0);
            }
        }
        // In the shaft it falls vertically.
        _ => at.translation.x = at.translation.x.clamp(BALL - SHAFT, SHAFT - BALL),
    }
    if at.translation.y < -DEEP - 100.0 || at.translation.x > 60.0 {
        *at = Transform::from_xyz(-40.0, 100.0, 0.0);
        ball.speed = 0.0;
    }
}

/// Moves the pipe's rim and the camera to the height of the ground next to the shaft, as soon as that is
/// known.
fn look(
    terrains: TerrainQuery,
    mut pipe: Single<&mut Transform, (With<Pipe>, Without<SkyCamera>)>,
    mut camera: Single<&mut Transform, With<SkyCamera>>,
) {
    // Next to the hole: in it there is no ground.
    let Some(rim) = terrains.ground(Vec3::new(0.0, 0.0, SHAFT + 0.5)) else { return };
    pipe.translation.y = rim.position.y - DEEP - 1.5;
    let eye = Vec3::new(-25.0, rim.position.y + 24.0, 45.0);
    **camera = Transform::from_translation(eye).looking_at(rim.position, Vec3::Y);
}
