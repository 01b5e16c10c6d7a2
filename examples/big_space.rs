//! Endless land in a grid of the crate `big_space`: a flight 60 m above the ground, 1000 km from the land's
//! first sample.
//!
//! `cargo run --release --example big_space --features big_space` opens a window.

mod common;

use bevy::math::DVec3;
use bevy::prelude::*;
use big_space::prelude::*;
use upland::plugin::{Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery};
use upland::{Cache, Preset};

/// The start of the flight, metres east, up and south of the land's first sample.
const START: DVec3 = DVec3::new(1e6, 900.0, -3e5);

/// Metres above the ground, and metres per second.
const CLEARANCE: f32 = 60.0;
const SPEED: f32 = 120.0;

pub(crate) fn main() -> AppExit {
    App::new()
        // `big_space` computes all transforms instead of Bevy.
        .add_plugins((common::plugins().disable::<TransformPlugin>(), BigSpaceDefaultPlugins))
        .add_plugins((TerrainPlugin, SkyPlugin::default()))
        .add_systems(Startup, setup)
        .add_systems(Update, fly)
        .run()
}

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky::default());
    // The world's origin is the corner of the camera's cell: with cells of 2 km nothing near the camera is
    // off by a millimetre.
    commands.spawn_big_space(Grid::new(2000.0, 100.0), |grid| {
        grid.spawn_spatial(Terrain::from_recipe(recipe, &Cache::default()));
        let (cell, translation) = grid.grid().translation_to_grid(START);
        let pose = Transform::from_translation(translation).looking_to(Vec3::new(1.0, -0.15, -0.4), Vec3::Y);
        grid.spawn_spatial((SkyCamera::default(), FloatingOrigin, pose, cell));
    });
    Ok(())
}

/// Flies ahead, over the ground that is drawn.
fn fly(
    time: Res<Time>,
    terrains: TerrainQuery,
    mut camera: Single<(&mut Transform, &GlobalTransform), With<FloatingOrigin>>,
) {
    let (pose, in_world) = &mut *camera;
    let ahead = pose.forward().with_y(0.0).normalize_or_zero();
    // A long frame, as while shaders are compiled, must not carry the camera into a mountain.
    let step = time.delta_secs().min(0.1);
    pose.translation += ahead * SPEED * step;
    // Positions in the world are relative to the floating origin, like everything that is drawn.
    if let Some(ground) = terrains.ground(in_world.translation()) {
        let clearance = in_world.translation().y - ground.position.y;
        // Approaches the height exponentially, so that the camera follows hills without jolts.
        pose.translation.y += (CLEARANCE - clearance) * (2.0 * step).min(1.0);
    }
}
