//! Under a mushroom rock: a walker goes under overhanging ground, and the camera behind it never looks
//! through rock.
//!
//! `cargo run --release --example overhangs` opens a window; it needs the feature `viewer` for that. The
//! title describes the surfaces over the walker. The same two queries serve feet, cameras, and anything that
//! needs to know about a roof.

mod common;

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::Preset;
use upland::plugin::{GroundPoint, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery};

/// Metres from the walker's feet to the top of its head, and the highest step that it can take.
const TALL: f32 = 1.8;
const STEP: f32 = 1.0;

/// Metres from the walker to the camera, as far as there is room.
const CAMERA_ARM: f32 = 26.0;

/// Metres around the middle of the land within which an overhang is searched.
const SEARCHED: f32 = 120.0;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default()))
        .add_systems(Startup, setup)
        .add_systems(Update, (find_shelter.run_if(not(resource_exists::<Shelter>)), walk, follow).chain())
        .run()
}

/// The walker.
#[derive(Component)]
struct Walker;

/// A place under an overhang, and one in the open from which a path leads there.
#[derive(Resource)]
struct Shelter {
    under: Vec3,
    open: Vec3,
}

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result {
    let recipe = Preset::find("hoodoos").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    commands.spawn((
        Walker,
        Mesh3d(meshes.add(Capsule3d::new(0.3, TALL - 0.6))),
        MeshMaterial3d(materials.add(Color::srgb(0.1, 0.35, 0.9))),
        Transform::default(),
    ));
    // Fine tiles are kept around a camera.
    commands
        .spawn((SkyCamera::default(), Transform::from_xyz(0.0, 60.0, 60.0).looking_to(Vec3::NEG_Z, Vec3::Y)));
    Ok(())
}

/// The surface for feet near a height, and the roof over it: surfaces are ordered from the highest down, and
/// every other one is an underside.
fn floor_and_roof(surfaces: &[GroundPoint], feet: f32) -> Option<(GroundPoint, Option<GroundPoint>)> {
    let is_floor = |point: &GroundPoint| point.normal.y > 0.0 && point.position.y < feet + STEP;
    let floor = surfaces.iter().position(is_floor)?;
    Some((surfaces[floor], floor.checked_sub(1).map(|roof| surfaces[roof])))
}

/// Finds the nearest place with gentle ground and a roof that is high enough.
fn find_shelter(
    mut commands: Commands,
    terrains: TerrainQuery,
    terrain: Single<Entity, With<Terrain>>,
    mut walker: Single<&mut Transform, With<Walker>>,
) {
    let lowest_floor = |place: Vec3| {
        let surfaces = terrains.surfaces_of(*terrain, place);
        let lowest = surfaces.last()?.position.y;
        floor_and_roof(&surfaces, lowest)
    };
    let turned = |angle: f32, away: f32| Vec3::new(away * angle.cos(), 0.0, away * angle.sin());
    let around =
        |place: Vec3, away: f32| (0..16).map(move |number| place + turned(number as f32 * 0.393, away));
    // Around it there is no high step up, and no roof too low to stand under.
    let has_room = |floor: Vec3| {
        around(floor, 1.5).filter_map(lowest_floor).all(|(beside, roof)| {
            let room = roof.map_or(f32::INFINITY, |roof| roof.position.y - beside.position.y);
            beside.position.y < floor.y + STEP && room > TALL + STEP
        })
    };
    // A spiral that passes within two metres of every place.
    let mut angle = 0.0f32;
    while 0.3 * angle < SEARCHED {
        let away = 0.3 * angle;
        angle += 1.0 / away.max(1.0);
        let Some((floor, Some(roof))) = lowest_floor(turned(angle, away)) else { continue };
        let room = roof.position.y - floor.position.y;
        if room > 8.0 * TALL || !has_room(floor.position) {
            continue;
        }
        // The open is where the ground is lowest, without a roof.
        let open = around(floor.position, 18.0).filter_map(lowest_floor).filter(|(_, roof)| roof.is_none());
        let heights = open.map(|(floor, _)| floor.position);
        let Some(open) = heights.min_by(|a, b| a.y.total_cmp(&b.y)) else { continue };
        walker.translation = open;
        commands.insert_resource(Shelter { under: floor.position, open });
        return;
    }
}

/// To the shelter and back, on the ground under the feet and not on that over the head.
fn walk(
    time: Res<Time>,
    terrains: TerrainQuery,
    terrain: Single<Entity, With<Terrain>>,
    shelter: Option<Res<Shelter>>,
    walker: Single<&mut Transform, With<Walker>>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) {
    let Some(shelter) = shelter else { return };
    let mut walker = walker.into_inner();
    let share = 0.5 - 0.5 * (0.25 * time.elapsed_secs()).cos();
    let feet = walker.translation.y - 0.5 * TALL;
    let place = shelter.open.lerp(shelter.under, share);
    let surfaces = terrains.surfaces_of(*terrain, place);
    // Tiles that have just arrived may have raised the ground by more than a step.
    let Some((floor, roof)) = floor_and_roof(&surfaces, feet.max(place.y)) else { return };
    walker.translation = floor.position + 0.5 * TALL * Vec3::Y;
    let title = match roof {
        Some(roof) => {
            let room = roof.position.y - floor.position.y;
            format!("{} surfaces over one place, a roof {room:.1} m over the ground", surfaces.len())
        }
        None => "open sky".to_owned(),
    };
    // Setting a window's title is a call of the system.
    if window.title != title {
        window.title = title;
    }
}

/// Circles around the walker; where rock is in the way, the camera moves in front of it.
fn follow(
    time: Res<Time>,
    terrains: TerrainQuery,
    shelter: Option<Res<Shelter>>,
    walker: Single<&Transform, (With<Walker>, Without<SkyCamera>)>,
    mut camera: Single<&mut Transform, With<SkyCamera>>,
) {
    let Some(shelter) = shelter else { return };
    // Seen from the side on which the path leads into the open.
    let out = (shelter.open - shelter.under).with_y(0.0).normalize_or(Vec3::X);
    let turn = Quat::from_rotation_y(0.7 * (0.2 * time.elapsed_secs()).sin());
    let Ok(arm) = Dir3::new(turn * out + 0.2 * Vec3::Y) else { return };
    let met = terrains.cast_ray(Ray3d::new(walker.translation, arm), CAMERA_ARM);
    let room = met.map_or(CAMERA_ARM, |point| point.position.distance(walker.translation));
    // Half a metre in front of the rock, or the near plane would cut into it.
    camera.translation = walker.translation + arm * (room - 0.5).max(1.0);
    camera.look_at(walker.translation + 2.5 * TALL * Vec3::Y, Vec3::Y);
}
