//! A loading screen: a bar that only grows while land is built, the current stage in the window's title, and
//! a game that begins when all land is ready.
//!
//! `cargo run --release --example loading` opens a window.

mod common;

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::Preset;
use upland::plugin::{
    OverallProgress, Sky, SkyCamera, SkyPlugin, Terrain, TerrainFailed, TerrainPlugin, TerrainProgress,
    terrains_ready,
};

/// The size of the bar, metres, one metre before the camera.
const BAR: Vec3 = Vec3::new(0.6, 0.03, 0.001);

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default()))
        .add_systems(Startup, setup)
        .add_systems(Update, (fill, show).run_if(any_with_component::<Bar>))
        // All terrains are ready, and drawn from this frame on.
        .add_systems(Update, begin.run_if(any_with_component::<Bar>.and_then(terrains_ready)))
        .run()
}

/// The bar that fills.
#[derive(Component)]
struct Bar;

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result {
    let recipe = Preset::find("downs").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    commands.spawn(Terrain::from(recipe));
    let paint = StandardMaterial { unlit: true, ..StandardMaterial::from_color(Color::srgb(0.9, 0.7, 0.2)) };
    let bar = (
        Bar,
        Mesh3d(meshes.add(Cuboid::from_size(BAR))),
        MeshMaterial3d(materials.add(paint)),
        Transform::from_xyz(0.0, -0.25, -1.0).with_scale(Vec3::new(0.0, 1.0, 1.0)),
    );
    commands.spawn((
        SkyCamera::default(),
        Transform::from_xyz(0.0, 900.0, 3400.0).looking_at(Vec3::new(0.0, 150.0, 0.0), Vec3::Y),
        children![bar],
    ));
    Ok(())
}

/// The mean over all terrains: each terrain's share only grows, so the mean does, too.
fn fill(terrains: Query<&OverallProgress>, mut bar: Single<&mut Transform, With<Bar>>) {
    let shares: Vec<f32> = terrains.iter().map(|progress| progress.0).collect();
    let share = shares.iter().sum::<f32>() / shares.len().max(1) as f32;
    // It fills from the left.
    bar.scale.x = share;
    bar.translation.x = 0.5 * BAR.x * (share - 1.0);
}

/// The stage is only for display: there are many, and some come more than once.
fn show(
    mut progress: MessageReader<TerrainProgress>,
    mut failed: MessageReader<TerrainFailed>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    let stages = progress.read().map(|now| format!("{:.0} %: {}", 100.0 * now.overall, now.stage));
    let failures = failed.read().map(|failed| failed.error.clone());
    let Some(title) = stages.chain(failures).last() else { return };
    for mut window in &mut windows {
        window.title.clone_from(&title);
    }
}

fn begin(
    mut commands: Commands,
    bar: Single<Entity, With<Bar>>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    commands.entity(*bar).despawn();
    for mut window in &mut windows {
        "Downs".clone_into(&mut window.title);
    }
}
