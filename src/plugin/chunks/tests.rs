//! Drawn land, as far as it needs no renderer. Modules for things on the land use this game in their tests.

use std::time::{Duration, Instant};

use bevy::app::TaskPoolPlugin;
use bevy::camera::{CameraProjection, ComputedCameraValues, RenderTargetInfo};
use bevy::prelude::*;

use super::components::TerrainWall;
use super::{ChunksPlugin, TerrainChunk, update_chunks};
use crate::Recipe;
use crate::plugin::device::TexelUploadPlugin;
use crate::plugin::material::TerrainMaterial;
use crate::plugin::owned::{losses, run_and_lose};
use crate::plugin::terrain::{BuildPlugin, Terrain, TerrainSides, TerrainStatus};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Places that land cannot be drawn at.
pub(crate) const FLAWED: [Transform; 3] = [
    Transform::from_scale(Vec3::new(1.0, 2.0, 1.0)),
    Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0)),
    Transform::from_scale(Vec3::ZERO),
];

/// A game that chooses what its cameras see, and has nothing to draw it with.
pub(crate) fn game() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), TexelUploadPlugin, TransformPlugin))
        .init_asset::<Image>()
        .init_asset::<Mesh>()
        .init_asset::<StandardMaterial>()
        .init_asset::<TerrainMaterial>()
        .add_plugins((BuildPlugin, ChunksPlugin));
    app
}

/// Spawns a camera with a picture of 256 pixels squared.
pub(crate) fn camera(app: &mut App, pose: Transform) -> Entity {
    let projection = PerspectiveProjection { aspect_ratio: 1.0, ..default() };
    let computed = ComputedCameraValues {
        clip_from_view: projection.get_clip_from_view(),
        target_info: Some(RenderTargetInfo { physical_size: UVec2::splat(256), scale_factor: 1.0 }),
        ..default()
    };
    let frustum = projection.compute_frustum(&GlobalTransform::from(pose));
    let camera = Camera { computed, ..default() };
    app.world_mut()
        .spawn((Camera3d::default(), camera, Projection::Perspective(projection), frustum, pose))
        .id()
}

pub(crate) fn update_until(app: &mut App, mut done: impl FnMut(&mut App) -> bool) {
    let start = Instant::now();
    while !done(app) {
        assert!(start.elapsed() < PATIENCE, "it takes too long");
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Spawns a terrain, and waits for it.
pub(crate) fn settle(app: &mut App, terrain: impl Into<Terrain>) -> Entity {
    let terrain = app.world_mut().spawn(terrain.into()).id();
    update_until(app, |app| {
        let status = app.world().get::<TerrainStatus>(terrain);
        assert!(!matches!(status, Some(TerrainStatus::Failed(_))), "{status:?}");
        status == Some(&TerrainStatus::Ready)
    });
    terrain
}

/// How many entities have a component.
pub(crate) fn count<C: Component>(app: &mut App) -> usize {
    app.world_mut().query::<&C>().iter(app.world()).count()
}

/// Gentle hills, 256 m wide, of one colour unless the recipe says more.
pub(crate) fn hills(further: &str) -> Recipe {
    let texture = if further.contains("texture") {
        ""
    } else {
        r##"texture: custom(types: [(name: "moss", colour: "#305020")], resolution: 64),"##
    };
    let text = format!(
        r#"(version: 1, name: "Hills", seed: 5, size: (65, 65), cell: 4, steps: [fbm(height: 12)], {texture} {further})"#
    );
    Recipe::from_ron(&text, "hills.ron").unwrap()
}

#[test]
fn land_that_cannot_be_where_it_is_is_not_drawn_and_is_drawn_again_when_it_can() {
    let mut app = game();
    camera(&mut app, Transform::from_xyz(0.0, 30.0, 100.0));
    let terrain = settle(&mut app, hills(""));
    update_until(&mut app, |app| count::<TerrainChunk>(app) > 0);
    for flawed in FLAWED {
        app.world_mut().entity_mut(terrain).insert(flawed);
        app.update();
        assert_eq!(count::<TerrainChunk>(&mut app), 0, "{flawed:?}");
        app.world_mut().entity_mut(terrain).insert(Transform::default());
        update_until(&mut app, |app| count::<TerrainChunk>(app) > 0);
    }
}

/// Set when all terrains are to go.
#[derive(Resource, Default)]
struct AllGo(bool);

#[test]
fn a_game_may_despawn_a_terrain_in_the_very_frame_in_which_it_changes() {
    for round in 0..12 {
        let mut app = game();
        let despawn = |go: Res<AllGo>, terrains: Query<Entity, With<Terrain>>, mut commands: Commands| {
            if go.0 {
                terrains.iter().for_each(|terrain| commands.entity(terrain).despawn());
            }
        };
        app.init_resource::<AllGo>();
        // In the schedules that land is built and chunks are chosen in, with no order between both.
        match round % 3 {
            0 => app.add_systems(PreUpdate, despawn),
            1 => app.add_systems(Update, despawn),
            _ => app.add_systems(PostUpdate, despawn),
        };
        let eye = camera(&mut app, Transform::from_xyz(0.0, 30.0, 100.0));
        let terrain = settle(&mut app, hills(""));
        if round % 2 == 1 {
            update_until(&mut app, |app| count::<TerrainChunk>(app) > 0);
        }
        // All chunks are chosen again, some are placed again, and one camera is gone.
        app.world_mut().entity_mut(terrain).insert(crate::plugin::HeightMapping { scale: 2.0, bias: 1.0 });
        app.world_mut().entity_mut(eye).insert(Transform::from_xyz(0.0, 300.0, 100.0));
        if round % 4 > 1 {
            app.world_mut().entity_mut(eye).despawn();
        }
        app.world_mut().resource_mut::<AllGo>().0 = true;
        app.update();
        app.update();
        assert_eq!(count::<TerrainChunk>(&mut app), 0, "round {round}");
    }
}

#[test]
fn no_chunk_is_spawned_for_a_terrain_that_is_gone() {
    for lose in losses::<Terrain>() {
        let mut app = game();
        camera(&mut app, Transform::from_xyz(0.0, 30.0, 100.0));
        let terrain = settle(&mut app, hills(""));
        app.world_mut().entity_mut(terrain).insert(TerrainSides::default());
        update_until(&mut app, |app| count::<TerrainWall>(app) > 0);
        let count = |app: &mut App| [count::<TerrainChunk>(app), count::<TerrainWall>(app)];
        // A new camera has a set of chunks of its own.
        let before = count(&mut app);
        camera(&mut app, Transform::default());
        run_and_lose(app.world_mut(), update_chunks, terrain, |_| ());
        let after = count(&mut app);
        assert!(after[0] > before[0] && after[1] > before[1], "{before:?}, {after:?}");
        camera(&mut app, Transform::default());
        run_and_lose(app.world_mut(), update_chunks, terrain, lose);
        assert_eq!(count(&mut app), [0, 0]);
    }
}
