//! 500 balls roll down an alpine range, with the physics engine avian: three lines give them ground.
//!
//! `cargo run --release --example physics --features avian` opens a window. Space drops the balls again, C
//! shows the colliders, which exist only around the balls. `-- --picture FILE.png` draws the scene after
//! eight seconds instead.

mod common;

use std::time::Duration;

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use upland::Preset;
use upland::plugin::{
    AvianTerrainPlugin, ColliderNeed, ColliderStatistics, Headless, Sky, SkyCamera, SkyPlugin, Terrain,
    TerrainCollider, TerrainPlugin, TerrainQuery, TerrainStatus,
};

const BALLS: usize = 500;

/// The steepness where they fall, metres per metre.
const STEEP: std::ops::Range<f32> = 0.4..0.7;

/// Seconds after which the picture is taken.
const SECONDS: u32 = 8;

pub(crate) fn main() -> AppExit {
    let picture = std::env::args().skip_while(|argument| argument != "--picture").nth(1);
    match picture {
        Some(file) => match draw(&file) {
            Ok(()) => AppExit::Success,
            Err(error) => {
                eprintln!("{error}");
                AppExit::error()
            }
        },
        None => App::new().add_plugins((common::plugins(), game)).run(),
    }
}

fn game(app: &mut App) {
    app.add_plugins((TerrainPlugin, SkyPlugin::default()))
        // These two, and a `ColliderNeed` on each ball.
        .add_plugins((PhysicsPlugins::default(), AvianTerrainPlugin))
        .insert_resource(Colliders(true))
        .add_systems(Startup, setup)
        .add_systems(Update, (drop_balls, follow, show_colliders).chain());
}

#[derive(Component)]
struct Ball;

/// Whether colliders are shown.
#[derive(Resource)]
struct Colliders(bool);

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("high-range").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    // Rock is rough. Its colliders inherit the friction of their terrain.
    commands.spawn((Terrain::from(recipe), Friction::new(0.7)));
    Ok(())
}

/// Drops the balls over a slope once the land is ready, and again when a key is pressed. Each is held in the
/// air until there is ground under it.
fn drop_balls(
    mut commands: Commands,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    (mut meshes, mut materials): (ResMut<Assets<Mesh>>, ResMut<Assets<StandardMaterial>>),
    terrains: TerrainQuery,
    status: Single<&TerrainStatus>,
    balls: Query<Entity, With<Ball>>,
) {
    let again = keys.is_some_and(|keys| keys.just_pressed(KeyCode::Space));
    if **status != TerrainStatus::Ready || !(again || balls.is_empty()) {
        return;
    }
    balls.iter().for_each(|ball| commands.entity(ball).despawn());
    // A slope south of the summits: the first along a spiral.
    let spiral = (0..4000).map(|step| (step as f32 * 2.4, 6.0 * (step as f32).sqrt()));
    let places =
        spiral.map(|(turn, away)| Vec3::new(1500.0, 0.0, 0.0) + Quat::from_rotation_y(turn) * Vec3::X * away);
    let mut grounds = places.filter_map(|place| terrains.ground(place));
    let is_steep = |normal: Vec3| STEEP.contains(&(normal.xz().length() / normal.y));
    let Some(slope) = grounds.find(|ground| is_steep(ground.normal) && ground.normal.z > 0.3) else {
        return;
    };
    let mesh = meshes.add(Sphere::new(1.0));
    let colours = [Color::srgb(0.85, 0.1, 0.05), Color::srgb(0.95, 0.75, 0.1), Color::srgb(0.1, 0.3, 0.8)];
    let colours = colours.map(|colour| materials.add(colour));
    for number in 0..BALLS {
        let (column, row) = ((number % 25) as f32 - 12.0, (number / 25) as f32 - 10.0);
        let radius = 0.4 + 0.15 * (number % 7) as f32;
        let place = slope.position + Vec3::new(3.2 * column + 0.4 * row, 12.0, 3.2 * row - 0.3 * column);
        let height = terrains.ground(place).map_or(place.y, |ground| ground.position.y + 12.0);
        commands.spawn((
            Ball,
            Mesh3d(mesh.clone()),
            MeshMaterial3d(colours[number % 3].clone()),
            Transform::from_translation(place.with_y(height)).with_scale(Vec3::splat(radius)),
            // Its shape has the size with which it is drawn.
            (RigidBody::Dynamic, Collider::sphere(1.0), Friction::new(0.6), Restitution::new(0.3)),
            ColliderNeed { radius: 5.0 * radius.max(1.0), ..default() },
        ));
    }
}

/// Looks uphill at the balls, from some way below them.
fn follow(
    mut commands: Commands,
    terrains: TerrainQuery,
    balls: Query<&Transform, (With<Ball>, Without<Camera3d>)>,
    camera: Option<Single<&mut Transform, With<Camera3d>>>,
) {
    let sum: Vec3 = balls.iter().map(|ball| ball.translation).sum();
    let middle = sum / balls.iter().len().max(1) as f32;
    let place = middle + Vec3::new(30.0, 0.0, 95.0);
    let least = terrains.ground(place).map_or(place.y, |ground| ground.position.y + 12.0);
    let pose = Transform::from_translation(place.with_y(least.max(middle.y + 18.0)));
    let pose = pose.looking_at(middle, Vec3::Y);
    match camera {
        Some(mut camera) => **camera = pose,
        None => _ = commands.spawn((SkyCamera::default(), pose)),
    }
}

/// Draws every fourth line of the colliders' grids.
fn show_colliders(
    keys: Option<Res<ButtonInput<KeyCode>>>,
    mut is_shown: ResMut<Colliders>,
    mut lines: Gizmos,
    colliders: Query<(&TerrainCollider, &Transform)>,
) {
    is_shown.0 ^= keys.is_some_and(|keys| keys.just_pressed(KeyCode::KeyC));
    if !is_shown.0 {
        return;
    }
    for (collider, transform) in &colliders {
        let [columns, rows] = collider.tile.cells();
        let (vertices, _) = collider.triangles();
        let at = |column: usize, row: usize| {
            transform.transform_point(vertices[row * (columns + 1) + column] + 0.05 * Vec3::Y)
        };
        let colour = |line: usize, last: usize| {
            if line == 0 || line == last {
                Color::srgb(1.0, 1.0, 1.0)
            } else {
                Color::srgba(0.1, 0.9, 1.0, 0.6)
            }
        };
        for row in (0..=rows).step_by(4) {
            lines.linestrip((0..=columns).map(|column| at(column, row)), colour(row, rows));
        }
        for column in (0..=columns).step_by(4) {
            lines.linestrip((0..=rows).map(|row| at(column, row)), colour(column, columns));
        }
    }
}

/// Draws a picture without a window.
fn draw(file: &str) -> Result {
    let mut headless = Headless::new(960, 540)?;
    let target = headless.target();
    let app = headless.app_mut();
    // Steps of a fixed length: the picture is the same however fast the machine is.
    app.add_plugins(game).insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(16)));
    app.add_observer(move |added: On<Add, Camera3d>, mut commands: Commands| {
        // The camera draws nothing before the picture, which would take long.
        commands.entity(added.entity).insert((target.clone(), Msaa::Off));
        commands.entity(added.entity).entry::<Camera>().and_modify(|mut camera| camera.is_active = false);
    });
    app.finish();
    app.cleanup();
    let mut seconds = 0;
    while seconds < SECONDS * 60 {
        app.update();
        let statistics = *app.world().resource::<ColliderStatistics>();
        // Only frames count in which all balls have ground under them.
        seconds += u32::from(statistics.tiles > 0 && statistics.waiting == 0);
    }
    let mut cameras = app.world_mut().query::<&mut Camera>();
    cameras.iter_mut(app.world_mut()).for_each(|mut camera| camera.is_active = true);
    // Nothing moves any more while the picture becomes complete.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    println!("{:?}", app.world().resource::<ColliderStatistics>());
    headless.capture(Duration::from_secs(600))?.save(file)?;
    Ok(())
}
