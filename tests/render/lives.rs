//! Despawning terrains frees everything drawn for them: entities, assets, the renderer's copies, and memory.
//! Memory kept by the driver is not counted: a software driver keeps every shader that it has ever compiled.
//! These tests need a Vulkan device; a software one will do.
use crate::ALLOCATOR;
use crate::own_process::in_own_process;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::mesh::RenderMesh;
use bevy::render::render_asset::RenderAssets;
use bevy::render::texture::GpuImage;
use upland::plugin::{
    Headless, Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainStatus, TerrainStrokes, TerrainView,
    WaterPlugin,
};
use upland::sculpt::{Stroke, Tool};
use upland::{Cache, Recipe};

/// A small land with a sea, with different heights for each number.
fn land(number: u32) -> Recipe {
    let text = format!(
        r##"(version: 1, name: "Land", seed: {number}, size: (65, 65), cell: 10, water: (sea: true), steps: [fbm(height: 80)],
            texture: custom(types: [(name: "moss", colour: "#305020"), (name: "rock", colour: "#808080", slope: (min: 20))],
                resolution: 64))"##
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// Counts by name: entities, assets, and their copies on the device.
fn held(headless: &mut Headless) -> Vec<(&'static str, usize)> {
    let world = headless.app_mut().world_mut();
    let entities = world.query::<Entity>().iter(world).count();
    let (images, meshes) = (world.resource::<Assets<Image>>().len(), world.resource::<Assets<Mesh>>().len());
    let render = headless.app().sub_app(RenderApp).world();
    vec![
        ("entities", entities),
        ("images", images),
        ("meshes", meshes),
        ("images on the device", render.resource::<RenderAssets<GpuImage>>().iter().count()),
        ("meshes on the device", render.resource::<RenderAssets<RenderMesh>>().iter().count()),
    ]
}

/// Takes some seconds: 24 lands come and go, and each is drawn.
#[test]
fn lands_with_sky_water_strokes_and_two_cameras_leave_nothing_when_they_go() {
    if !in_own_process("lives::lands_with_sky_water_strokes_and_two_cameras_leave_nothing_when_they_go") {
        return;
    }
    let mut headless = Headless::new(64, 36).unwrap();
    headless.app_mut().add_plugins((TerrainPlugin, SkyPlugin { shadow_map_size: 256 }, WaterPlugin));
    let targets = [headless.target(), headless.target()];
    let world = headless.app_mut().world_mut();
    world.spawn(Sky { shadow_cascades: 1, ..default() });
    for (order, target) in targets.into_iter().enumerate() {
        let eye = Vec3::new(0.0, 300.0, 500.0 - 900.0 * order as f32);
        let pose = Transform::from_translation(eye).looking_at(Vec3::ZERO, Vec3::Y);
        let camera = Camera { order: order as isize, ..default() };
        world.spawn((SkyCamera::default(), camera, Msaa::Off, target, TerrainView::LIGHT, pose));
    }
    let cycle = |headless: &mut Headless, number: u32| {
        let mut strokes = TerrainStrokes::default();
        strokes.make(Stroke::at(Tool::Raise { by: 50.0 }, [320.0, 320.0], 100.0)).unwrap();
        strokes.make(Stroke::at(Tool::Hole {}, [200.0, 200.0], 30.0)).unwrap();
        let terrain = (Terrain::from_recipe(land(number), &Cache::new(0)), strokes);
        let terrain = headless.app_mut().world_mut().spawn(terrain).id();
        // Every other one is despawned while it is being built.
        if number.is_multiple_of(2) {
            while headless.app().world().get(terrain) != Some(&TerrainStatus::Ready) {
                headless.update();
            }
            headless.update();
        }
        headless.update();
        headless.app_mut().world_mut().despawn(terrain);
        (0..3).for_each(|_| headless.update());
    };
    // By then everything that is made once, and every cache, has reached its final size.
    (0..8).for_each(|number| cycle(&mut headless, number));
    let (before, bytes) = (held(&mut headless), ALLOCATOR.current_usage());
    (8..24).for_each(|number| cycle(&mut headless, number));
    assert_eq!(held(&mut headless), before);
    let more = ALLOCATOR.current_usage().saturating_sub(bytes);
    // The tiles of one of them take twice as much.
    assert!(more < 4 << 20, "{more} bytes are left of 16 lands");
}
