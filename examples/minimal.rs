//! The least that a game needs: one plugin, one component, a light and a camera.
//!
//! `cargo run --release --example minimal` opens a window.

mod common;

use bevy::prelude::*;
use upland::Recipe;
use upland::plugin::{Terrain, TerrainPlugin};

/// A landscape as text. It could also be a file, an asset, or heights of the game's own.
const HILLS: &str = r#"(
    version: 1,
    name: "Hills",
    size: (513, 513),
    cell: 8.0,
    steps: [ridged(height: 700.0), island(depth: 300.0)],
    texture: temperate,
)"#;

pub(crate) fn main() -> AppExit {
    // `common::plugins()` are Bevy's `DefaultPlugins`; tests run the examples without a window.
    App::new().add_plugins((common::plugins(), TerrainPlugin)).add_systems(Startup, setup).run()
}

fn setup(mut commands: Commands) -> Result {
    // Built in the background, and drawn as soon as parts of it are ready.
    commands.spawn(Terrain::from(Recipe::from_ron(HILLS, "hills")?));
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(-1.0, 0.7, 0.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 1200.0, 3200.0).looking_at(Vec3::new(0.0, 100.0, 0.0), Vec3::Y),
    ));
    Ok(())
}
