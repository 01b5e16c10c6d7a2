//! A land that follows its file: change `examples/hot_reload.ron` in an editor while this runs. The window's
//! title shows errors, and the land then stays as it was.
//!
//! `cargo run --release --example hot_reload` opens a window. It needs Bevy's feature `file_watcher`, which
//! is part of the feature `viewer`.

mod common;

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::plugin::{
    Sky, SkyCamera, SkyPlugin, Terrain, TerrainFailed, TerrainPlugin, TerrainProgress, TerrainReady,
};

pub(crate) fn main() -> AppExit {
    let assets = AssetPlugin {
        file_path: concat!(env!("CARGO_MANIFEST_DIR"), "/examples").into(),
        watch_for_changes_override: Some(true),
        ..default()
    };
    App::new()
        .add_plugins((common::plugins().set(assets), TerrainPlugin, SkyPlugin::default()))
        .add_systems(Startup, setup)
        .add_systems(Update, tell)
        .run()
}

fn setup(mut commands: Commands, assets: Res<AssetServer>) {
    // It is built when it has loaded, and rebuilt whenever it, or a file that it names, changes.
    commands.spawn(Terrain::recipe(assets.load("hot_reload.ron")));
    commands.spawn(Sky::default());
    commands.spawn((
        SkyCamera::default(),
        Transform::from_xyz(0.0, 900.0, 2400.0).looking_at(Vec3::new(0.0, 150.0, 0.0), Vec3::Y),
    ));
}

/// Messages of a terrain can be read, as here, or observed.
fn tell(
    mut progress: MessageReader<TerrainProgress>,
    mut ready: MessageReader<TerrainReady>,
    mut failed: MessageReader<TerrainFailed>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    let mut title = None;
    for progress in progress.read() {
        title = Some(format!("{}: {:.0} %", progress.stage, 100.0 * progress.fraction));
    }
    for _ in ready.read() {
        title = Some("change hot_reload.ron".to_owned());
    }
    for failed in failed.read() {
        title = Some(failed.error.clone());
    }
    for mut window in &mut windows {
        if let Some(title) = &title {
            window.title.clone_from(title);
        }
    }
}
