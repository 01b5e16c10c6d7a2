//! A minimal game with a terrain: one plugin, one component.
//!
//! `cargo run --example embed` opens a window on a cone-shaped island; it needs the feature `viewer` for
//! the window.

mod common;

use bevy::prelude::*;
use upland::plugin::{Terrain, TerrainPlugin, TerrainQuery};
use upland::texture::ColourMap;
use upland::{Grid, Heightfield, Landscape, Result};

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, roll)
        .run()
}

/// Something that moves over the ground.
#[derive(Component)]
struct Ball;

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    // Built in the background; the landscape appears when it is ready.
    commands.spawn(Terrain::build(|_work| island()));

    commands.spawn((
        Ball,
        Mesh3d(meshes.add(Sphere::new(15.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.9, 0.2, 0.1))),
    ));
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(-1.0, 0.7, 0.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 500.0, 1200.0).looking_at(Vec3::new(0.0, 100.0, 0.0), Vec3::Y),
    ));
}

/// A round hill, green below and grey above.
fn island() -> Result<Landscape> {
    let grid = Grid::new(257, 257, 4.0)?;
    let heightfield = Heightfield::from_fn(grid, |column, row| {
        let (x, z) = (grid.unit_from_index(column) - 0.5, grid.unit_from_index(row) - 0.5);
        // `libm`, so that the land is the same on every system.
        let ripples = 12.0 * libm::sin(x * 60.0) * libm::sin(z * 45.0);
        (300.0 * libm::exp(-12.0 * (x * x + z * z)) + ripples) as f32
    });
    let texels = heightfield.heights().iter().map(|height| match height {
        height if *height > 180.0 => [120, 115, 110, 255],
        _ => [80, 110, 50, 255],
    });
    let colour = ColourMap { width: grid.width, depth: grid.depth, texels: texels.collect() };
    Ok(Landscape::new(heightfield, colour))
}

/// Queries on the CPU return the ground as it is drawn.
fn roll(time: Res<Time>, terrains: TerrainQuery, mut balls: Query<&mut Transform, With<Ball>>) {
    for mut ball in &mut balls {
        let angle = time.elapsed_secs() * 0.3;
        ball.translation = Vec3::new(300.0 * angle.cos(), 0.0, 300.0 * angle.sin());
        if let Some(ground) = terrains.ground(ball.translation) {
            ball.translation.y = ground.position.y + 15.0;
        }
    }
}
