//! A wood, a meadow and a game's own object, placed by rules and drawn around the camera, which walks through
//! them.
//!
//! `cargo run --example scatter`

mod common;

use bevy::prelude::*;
use upland::Recipe;
use upland::plugin::{
    ScatterLevel, ScatterLooks, ScatterObjects, ScatterPlugin, ScatterStatistics, Sky, SkyCamera, SkyPlugin,
    Terrain, TerrainPlugin, TerrainQuery, Wind,
};

/// Endless hills. The rules place objects; `stele` is an object that only this game knows.
const LAND: &str = r#"(
    version: 1, name: "Heath", seed: 11, size: endless, unit: 4000, cell: 4,
    steps: [fbm(height: 160, octaves: 8, frequency: 3)],
    texture: temperate,
    scatter: [
        (name: "steles", object: "stele", density: 0.6, spacing: 60, radius: 2, slope: (max: 12, release: 4), turn: 40),
        (name: "birches", object: "birch", density: 160, spacing: 4, radius: 1, clumping: 0.9, clump: 120,
            slope: (max: 30, release: 8), size: (min: 0.6, max: 1.2), tilt: 4),
        (name: "junipers", object: "juniper", density: 40, spacing: 3, radius: 0.7, clumping: 0.7, clump: 80),
        (name: "stones", object: "boulder", density: 6, spacing: 6, radius: 1.2, lean: 0.7, tilt: 20, sink: 0.3,
            size: (min: 0.3, max: 1.6)),
        (name: "heath", object: "grass", density: 14000, spacing: 0.5, clumping: 0.3, clump: 14, lean: 0.5,
            size: (min: 0.6, max: 1.3)),
        (name: "flowers", object: "flowers", density: 900, spacing: 0.6, clumping: 0.95, clump: 20, lean: 0.5),
    ],
)"#;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default(), ScatterPlugin))
        // A fresh wind from the west.
        .insert_resource(Wind { bearing: 270.0, speed: 6.0 })
        .add_systems(Startup, setup)
        .add_systems(Update, (walk, tell))
        .run()
}

fn setup(mut commands: Commands, mut objects: ResMut<ScatterObjects>) -> Result {
    // An object's look is given by its name: here two levels of detail, the coarse one up to a kilometre
    // away.
    let stone = StandardMaterial { base_color: Color::srgb(0.44, 0.42, 0.4), ..default() };
    let levels = |_variant| {
        let fine = Mesh::from(Cylinder::new(0.5, 7.0)).translated_by(Vec3::Y * 3.0);
        let coarse = Mesh::from(Cuboid::new(0.9, 7.0, 0.9)).translated_by(Vec3::Y * 3.0);
        Ok(vec![ScatterLevel::new(fine, 150.0), ScatterLevel::new(coarse, 1000.0)])
    };
    objects.insert("stele", ScatterLooks::meshes(levels).with_material(stone));

    commands.spawn(Terrain::from(Recipe::from_ron(LAND, "heath.ron")?));
    commands.spawn(Sky::default());
    commands.spawn((SkyCamera::default(), Transform::from_xyz(0.0, 2.0, 0.0)));
    Ok(())
}

/// Walks on, slowly turning, at eye height.
fn walk(mut cameras: Query<&mut Transform, With<Camera3d>>, terrains: TerrainQuery, time: Res<Time>) {
    for mut eye in &mut cameras {
        let ahead = eye.forward() * 1.6 * time.delta_secs();
        eye.translation += ahead.with_y(0.0);
        eye.rotate_y(0.02 * time.delta_secs());
        if let Some(ground) = terrains.ground(eye.translation) {
            eye.translation.y = ground.position.y + 1.8;
        }
    }
}

/// Prints now and then what that costs.
fn tell(statistics: Res<ScatterStatistics>, time: Res<Time>, mut next: Local<f32>) {
    if time.elapsed_secs() >= *next {
        *next += 2.0;
        info!(
            "{} objects in {} cells, {} drawn in {} batches; {:.2} ms",
            statistics.objects, statistics.cells, statistics.drawn, statistics.batches, statistics.systems_ms
        );
    }
}
