//! What several views cost against one of all their pixels: one land in one picture, then two and four lands that
//! share it, each with its own camera, sun and level of detail, as the window shows landscapes side by side.
//!
//! `cargo bench --bench views`; with `-- 1280 720` in a picture of that size, with `-- unshadowed` without shadow maps, with
//! `-- passes` with what a pass of a view takes on the device. Lands with one view and with more take turns, so that what else the
//! machine does falls on all of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bevy::camera::Viewport;
use bevy::camera::visibility::{CascadesVisibleEntities, RenderLayers, VisibleEntities};
use bevy::diagnostic::DiagnosticsStore;
use bevy::prelude::*;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::RenderDevice;
use upland::plugin::{Headless, Quality, Sky, SkyCamera, SkyPlugin, Terrain, TerrainChunk, TerrainPlugin};
use upland::{Preset, Work};

const PATIENCE: Duration = Duration::from_secs(600);
/// Frames of each scene, and how many of them in a row.
const FRAMES: usize = 60;
const TURN: usize = 5;

fn main() {
    let sides: Vec<u32> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let size = if let [width, height] = sides[..] { UVec2::new(width, height) } else { UVec2::new(640, 360) };
    let has_shadows = !asks("unshadowed");
    for quality in [Quality::Low, Quality::Medium] {
        let mut scenes: Vec<(usize, Headless, Vec<f64>)> = [1, 2, 4]
            .map(|views| (views, scene(views, size, quality, has_shadows), Vec::with_capacity(FRAMES)))
            .into_iter()
            .collect();
        for _ in 0..FRAMES / TURN {
            for (_, headless, times) in &mut scenes {
                // The first frame of a turn finds nothing in the processor's caches.
                frame(headless);
                times.extend((0..TURN).map(|_| frame(headless)));
            }
        }
        let medians: Vec<f64> = scenes.iter_mut().map(|(_, _, times)| median(times)).collect();
        for ((views, headless, _), milliseconds) in scenes.iter_mut().zip(&medians) {
            let [seen, in_shadows] = triangles(headless);
            println!(
                "{}, {}×{}, {views} views: {milliseconds:.1} ms a frame, {:.2} times one view; {seen} triangles, and \
                 {in_shadows} in shadow maps",
                quality.name(),
                size.x,
                size.y,
                milliseconds / medians[0]
            );
            if asks("passes") {
                print_passes(headless);
            }
        }
    }
}

fn asks(word: &str) -> bool {
    std::env::args().any(|argument| argument == word)
}

/// Prints what a pass takes on the device each time that it is drawn, once for each view, in the mean, as far as the device
/// measures it.
fn print_passes(headless: &Headless) {
    let diagnostics = headless.app().world().resource::<DiagnosticsStore>();
    let mut passes: BTreeMap<&str, f64> = BTreeMap::new();
    for diagnostic in diagnostics.iter() {
        let path = diagnostic.path().as_str();
        let name = path.strip_prefix("render/").and_then(|path| path.strip_suffix("/elapsed_gpu"));
        if let (Some(name), Some(milliseconds)) = (name, diagnostic.average()) {
            *passes.entry(name).or_default() += milliseconds;
        }
    }
    for (name, milliseconds) in passes {
        println!("    {name}: {milliseconds:.2} ms");
    }
}

/// As many lands as views, drawn until all that is seen is there.
fn scene(views: usize, size: UVec2, quality: Quality, has_shadows: bool) -> Headless {
    let mut headless = Headless::new(size.x, size.y).expect("a graphics device");
    // As in the window: several views have smaller shadow maps.
    let shadow_map_size = quality.shadow_map_size() / if views > 1 { 2 } else { 1 };
    headless.app_mut().add_plugins((TerrainPlugin, SkyPlugin { shadow_map_size }));
    if asks("passes") {
        headless.app_mut().add_plugins(RenderDiagnosticsPlugin);
    }
    let preset = Preset::find("high-range").expect("a preset");
    let recipe = preset.recipe().expect("its recipe").with_longer_side(257);
    let columns = if views > 1 { 2 } else { 1 };
    let part = UVec2::new(size.x / columns, size.y / (views as u32 / columns));
    for view in 0..views {
        let layer = RenderLayers::layer(1 + view);
        let mut land = recipe.clone();
        land.seed += view as u64;
        let landscape = std::sync::Arc::new(land.build(&Work::new()).expect("a land"));
        let extent = landscape.heightfield.grid().extent();
        let high = landscape.heightfield.range().1;
        let pose = Transform::from_xyz(0.0, 1.2 * high, 0.45 * extent.y)
            .looking_at(Vec3::new(0.0, 0.4 * high, 0.0), Vec3::Y);
        let place = UVec2::new(view as u32 % columns, view as u32 / columns) * part;
        let target = headless.target();
        let world = headless.app_mut().world_mut();
        world.spawn((Terrain::ready(landscape), layer.clone()));
        let shadow_cascades = if has_shadows { quality.shadow_cascades() } else { 0 };
        world.spawn((Sky { sun: land.sun, shadow_cascades, ..default() }, layer.clone()));
        let camera = Camera {
            order: view as isize,
            clear_color: if view == 0 { default() } else { ClearColorConfig::None },
            viewport: Some(Viewport { physical_position: place, physical_size: part, ..default() }),
            ..default()
        };
        world.spawn((SkyCamera::default(), quality.view(), quality.msaa(), camera, target, pose, layer));
    }
    headless.settle(PATIENCE).expect("all tiles");
    headless
}

/// Triangles of the land that all cameras draw, and all shadow maps.
fn triangles(headless: &mut Headless) -> [usize; 2] {
    let world = headless.app_mut().world_mut();
    let mut cameras = world.query::<&VisibleEntities>();
    let of_cameras = cameras.iter(world).flat_map(|visible| visible.entities.values().flatten()).copied();
    let of_cameras: Vec<Entity> = of_cameras.collect();
    let mut shadows = world.query::<&CascadesVisibleEntities>();
    let of_shadows = shadows.iter(world).flat_map(|visible| visible.entities.values().flatten());
    let of_shadows = of_shadows.flat_map(|cascade| &cascade.entities).copied();
    let of_shadows: Vec<Entity> = of_shadows.collect();
    [of_cameras, of_shadows].map(|seen| {
        let chunks = seen.into_iter().filter_map(|entity| world.get::<TerrainChunk>(entity));
        chunks.map(|chunk| chunk.part.triangles()).sum()
    })
}

/// Draws a frame, and waits for it; milliseconds.
fn frame(headless: &mut Headless) -> f64 {
    let begun = Instant::now();
    headless.update();
    if let Some(device) = headless.app().world().get_resource::<RenderDevice>() {
        device.poll(PollType::wait_indefinitely()).expect("the device");
    }
    begun.elapsed().as_secs_f64() * 1e3
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
