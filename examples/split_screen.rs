//! Two players, two halves of the screen, two worlds: the same land in summer and in winter, each on its own
//! render layer and each with its own level of detail.
//!
//! `cargo run --release --example split_screen` opens a window. W, A, S and D move the left camera, the
//! arrows the right.

mod common;

use bevy::camera::Viewport;
use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use bevy::window::WindowResized;
use upland::plugin::{
    LeanViewsPlugin, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery, TerrainSkin,
};
use upland::{Recipe, Skin};

pub(crate) fn main() -> AppExit {
    App::new()
        // `LeanViewsPlugin` makes each camera cheaper where there are several.
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default(), LeanViewsPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, (share_window, fly))
        .run()
}

/// A player: 0 is on the left, 1 on the right.
#[derive(Component)]
struct Player(u32);

fn setup(mut commands: Commands) -> Result {
    let recipe = Recipe::from_ron(include_str!("island.ron"), "island.ron")?;
    for (player, season) in [(0, 0.25), (1, 0.9)] {
        // Entities on this layer are visible only to this player's camera; layer 0 is visible to all.
        let layer = RenderLayers::layer(1 + player as usize);
        commands.spawn((
            Terrain::from(recipe.clone()),
            // Colours that replace the recipe's own.
            TerrainSkin { skin: Skin::Temperate.in_season(season), seed: 7 },
            layer.clone(),
        ));
        commands.spawn((Sky { sun: recipe.sun, ..default() }, layer.clone()));
        commands.spawn((
            Player(player),
            SkyCamera::default(),
            Camera {
                order: player as isize,
                // Both draw into one window: the second must not erase the picture of the first.
                clear_color: if player == 0 { default() } else { ClearColorConfig::None },
                ..default()
            },
            Transform::from_xyz(0.0, 400.0, 900.0).looking_at(Vec3::new(0.0, 100.0, 0.0), Vec3::Y),
            layer,
        ));
    }
    Ok(())
}

/// Gives each camera its half of the window.
fn share_window(
    mut resized: MessageReader<WindowResized>,
    windows: Query<&Window>,
    mut cameras: Query<(&Player, &mut Camera)>,
) {
    for resized in resized.read() {
        let Ok(window) = windows.get(resized.window) else { continue };
        let half = UVec2::new(window.physical_width() / 2, window.physical_height());
        for (player, mut camera) in &mut cameras {
            let physical_position = UVec2::new(player.0 * half.x, 0);
            // A viewport without pixels is an error of the graphics device, as while a window is minimised.
            camera.viewport = (half.min_element() > 0).then(|| Viewport {
                physical_position,
                physical_size: half,
                ..default()
            });
        }
    }
}

fn fly(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    terrains: TerrainQuery,
    mut cameras: Query<(&Player, &mut Transform)>,
) {
    use KeyCode::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, KeyA, KeyD, KeyS, KeyW};
    for (player, mut pose) in &mut cameras {
        let pressed = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
        let (ahead, turn) = match player.0 {
            0 => (pressed(KeyW, KeyS), pressed(KeyA, KeyD)),
            _ => (pressed(ArrowUp, ArrowDown), pressed(ArrowLeft, ArrowRight)),
        };
        pose.rotate_y(turn * time.delta_secs());
        let step = pose.forward() * ahead * 80.0 * time.delta_secs();
        pose.translation += step;
        if let Some(ground) = terrains.ground(pose.translation) {
            pose.translation.y = pose.translation.y.max(ground.position.y + 2.0);
        }
    }
}
