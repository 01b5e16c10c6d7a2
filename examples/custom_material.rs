//! A custom look: terrain types with colours, tiling pictures and limits that the game chooses, and a sun and
//! a haze to match. Here the land is a volcano's: ash, lava flows in the hollows, sulphur around the summit.
//!
//! `cargo run --release --example custom_material` opens a window. Space switches between this look and the
//! recipe's.

mod common;

use bevy::prelude::*;
use upland::plugin::{Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainSkin};
use upland::texture::{Factors, Limits, TerrainType, Texture, Tiling, factors};
use upland::{Recipe, Skin, Sun};

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default()))
        .add_systems(Startup, setup)
        .add_systems(Update, (change, circle))
        .run()
}

fn setup(mut commands: Commands) -> Result {
    let recipe = Recipe::from_ron(include_str!("island.ron"), "island.ron")?;
    commands.spawn((Terrain::from(recipe), volcano()));
    commands.spawn(Sky {
        sun: Sun { bearing: 285.0, elevation: 16.0 },
        // Metres: thick air.
        visibility: 12_000.0,
        clouds: 0.7,
        ..default()
    });
    commands.spawn((
        SkyCamera::default(),
        Transform::from_xyz(0.0, 420.0, 1300.0).looking_at(Vec3::Y * 60.0, Vec3::Y),
    ));
    Ok(())
}

/// A skin of the game's own. Later types lie on top of earlier ones.
fn volcano() -> TerrainSkin {
    let types = vec![
        TerrainType {
            // Your own picture is named by its path; `gravel` comes with the library.
            tile: Some(Tiling { size: 6.0, ..Tiling::new("gravel") }),
            variation: 0.3,
            ..TerrainType::new("ash", [0.075, 0.07, 0.07])
        },
        TerrainType {
            tile: Some(Tiling { size: 9.0, ..Tiling::new("cliff") }),
            slope: Limits { min: 27.0, max: 90.0, release: 6.0 },
            slope_roughen: 8.0,
            ..TerrainType::new("basalt", [0.05, 0.045, 0.05])
        },
        TerrainType {
            // Metres above the sea.
            elevation: Limits { min: 150.0, max: 400.0, release: 40.0 },
            slope: Limits { min: 0.0, max: 34.0, release: 8.0 },
            roughen: 60.0,
            ..TerrainType::new("sulphur", [0.55, 0.47, 0.09])
        },
        TerrainType {
            // Where water would gather.
            factors: Factors::default()
                .with(&factors::WETNESS, Limits { min: 0.62, max: 1.0, release: 0.05 }),
            elevation: Limits { min: 5.0, max: 250.0, release: 20.0 },
            ..TerrainType::new("lava", [0.62, 0.09, 0.015])
        },
    ];
    TerrainSkin { skin: Skin::Custom(Texture { types, resolution: 1024, ..Texture::default() }), seed: 1 }
}

/// Removes the skin, or adds it. It is baked in the background; until then the old colours stay.
fn change(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    terrain: Single<(Entity, &mut Terrain, Has<TerrainSkin>)>,
) {
    if keys.just_pressed(KeyCode::Space) {
        let (entity, mut terrain, is_own) = terrain.into_inner();
        if is_own {
            commands.entity(entity).remove::<TerrainSkin>();
            // The colours stay until the land is built again.
            terrain.set_changed();
        } else {
            commands.entity(entity).insert(volcano());
        }
    }
}

fn circle(time: Res<Time>, mut camera: Single<&mut Transform, With<SkyCamera>>) {
    camera.translate_around(Vec3::ZERO, Quat::from_rotation_y(0.05 * time.delta_secs()));
    camera.look_at(Vec3::Y * 60.0, Vec3::Y);
}
