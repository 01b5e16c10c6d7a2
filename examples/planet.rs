//! A planet, from orbit to the ground: `cargo run --release --example planet`, which needs the feature
//! `viewer` for the window. W and S fly ahead and back, A and D turn, the arrows tilt and climb; flight is
//! slower closer to the ground.

mod common;

use bevy::camera::Exposure;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::math::DVec3;
use bevy::prelude::*;
use upland::plugin::{Planet, PlanetCamera, PlanetPlugin, PlanetStatus};
use upland::{Recipe, Work};

const RADIUS: f64 = 200_000.0;

/// The least height of the eye above the ground or the sea, metres.
const LOWEST: f64 = 2.0;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), PlanetPlugin))
        .insert_resource(ClearColor(Color::BLACK))
        .add_systems(Startup, setup)
        .add_systems(Update, fly)
        .run()
}

fn setup(mut commands: Commands) {
    let recipe = Recipe::from_ron(include_str!("planet.ron"), "planet.ron").expect("the recipe is valid");
    commands.spawn(Planet::new(recipe, RADIUS));
    commands.spawn((
        DirectionalLight { illuminance: 128_000.0, ..default() },
        Transform::from_xyz(-1.0, 0.6, 0.9).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        PlanetCamera::at(DVec3::new(0.0, 150_000.0, 480_000.0)),
        Transform::default().looking_to(Vec3::new(0.0, -0.3, -1.0), Vec3::Y),
        Exposure { ev100: 13.9 },
        Tonemapping::TonyMcMapface,
    ));
}

fn fly(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    planet: Single<&PlanetStatus>,
    camera: Single<(&mut PlanetCamera, &mut Transform)>,
) {
    let (mut camera, mut turned) = camera.into_inner();
    let pressed = |up, down| f32::from(keys.pressed(up)) - f32::from(keys.pressed(down));
    // A long frame must not move the eye far.
    let step = time.delta_secs().min(0.1);
    let up = camera.position.normalize();
    // About the upwards of the place, which differs everywhere on a planet.
    turned.rotate_axis(
        Dir3::new(up.as_vec3()).unwrap_or(Dir3::Y),
        pressed(KeyCode::KeyA, KeyCode::KeyD) * step,
    );
    turned.rotate_local_x(pressed(KeyCode::ArrowUp, KeyCode::ArrowDown) * step);

    // A second's flight is as far as the eye is above the ground.
    let under = |position: DVec3| match *planet {
        PlanetStatus::Drawn { land, .. } => {
            let sea = land.sea_level().unwrap_or(f32::MIN);
            let ground = land.height_towards(position, &Work::new()).unwrap_or(0.0);
            RADIUS + f64::from(ground.max(sea))
        }
        _ => RADIUS,
    };
    let above = (camera.position.length() - under(camera.position)).max(LOWEST);
    let ahead = f64::from(pressed(KeyCode::KeyW, KeyCode::KeyS)) * turned.forward().as_dvec3();
    let climb = f64::from(pressed(KeyCode::ArrowRight, KeyCode::ArrowLeft)) * up;
    let before = camera.position;
    camera.position += (ahead + climb) * above * f64::from(step);
    // Flying around the planet turns the view with it.
    turned
        .rotate(Quat::from_rotation_arc(before.normalize().as_vec3(), camera.position.normalize().as_vec3()));
    let lowest = under(camera.position) + LOWEST;
    if camera.position.length() < lowest {
        camera.position = camera.position.normalize() * lowest;
    }
}
