//! Costs of several views compared with one of the same number of pixels: one land in one picture, then two
//! and four lands that share it, each with its own camera, sun and level of detail, as the window shows
//! landscapes side by side.
//!
//! `cargo bench --bench views`; with `-- 1280 720` in a picture of that size, with `-- unshadowed` without
//! shadow maps, with `-- passes` with the time of each pass of a view on the device. Lands with one view and
//! with more take turns, so that other work on the machine affects all of them. In a development build
//! `RUST_BACKTRACE` must not be set: wgpu then keeps a backtrace of each lock that it takes, which is a fifth
//! of a frame.
//!
//! Frames are drawn in two ways. One by one: first the processor works, then the device, so that both times
//! add up. And in flight, as in a window: the processor prepares the next frame while the device draws, so
//! that the longer of both counts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bevy::camera::Viewport;
use bevy::camera::visibility::{CascadesVisibleEntities, RenderLayers, VisibleEntities};
use bevy::core_pipeline::{Core3d, Core3dSystems};
use bevy::diagnostic::DiagnosticsStore;
use bevy::pbr::{EARLY_SHADOW_PASS, LATE_SHADOW_PASS, per_view_shadow_pass};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::diagnostic::{RecordDiagnostics, RenderDiagnosticsPlugin};
use bevy::render::render_resource::PollType;
use bevy::render::renderer::{RenderContext, RenderDevice, RenderQueue};
use upland::plugin::{Headless, Quality, Sky, SkyCamera, SkyPlugin, Terrain, TerrainChunk, TerrainPlugin};
use upland::{Preset, Work};

const PATIENCE: Duration = Duration::from_secs(600);
/// Frames of each scene, and how many of them in a row.
const FRAMES: usize = 60;
const TURN: usize = 5;

/// A land with a number of views, and the times of its frames.
struct Scene {
    views: usize,
    headless: Headless,
    /// Milliseconds until a frame's work has been handed to the device, and until the device has drawn it.
    recorded: Vec<f64>,
    drawn: Vec<f64>,
    /// The same for frames that the processor prepares while the device draws earlier ones.
    in_flight: Vec<f64>,
}

fn main() {
    let sides: Vec<u32> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let size = if let [width, height] = sides[..] { UVec2::new(width, height) } else { UVec2::new(640, 360) };
    let has_shadows = !asks("unshadowed");
    for quality in [Quality::Low, Quality::Medium] {
        let mut scenes = [1, 2, 4].map(|views| Scene {
            views,
            headless: scene(views, size, quality, has_shadows),
            recorded: Vec::new(),
            drawn: Vec::new(),
            in_flight: Vec::new(),
        });
        // Taken in turns, so that a machine that becomes slower or warmer affects all scenes alike.
        for _ in 0..FRAMES / TURN {
            for scene in &mut scenes {
                scene.draw_one_by_one();
                scene.draw_in_flight();
            }
        }
        let mut of_one = None;
        for scene in &mut scenes {
            let [recorded, drawn, in_flight] =
                // Medians: other programs take single frames.
                [&mut scene.recorded, &mut scene.drawn, &mut scene.in_flight].map(|times| median(times));
            // The first scene has one view, and is what the others are compared with.
            let (one_drawn, one_in_flight) = *of_one.get_or_insert((drawn, in_flight));
            let [seen, in_shadows] = triangles(&mut scene.headless);
            println!(
                "{}, {}×{}, {} views: one by one {drawn:.1} ms a frame, {:.2} times one view, {recorded:.1} of it \
                 until the device has all its work; in flight {in_flight:.1} ms, {:.2} times; {seen} triangles, and \
                 {in_shadows} in shadow maps",
                quality.name(),
                size.x,
                size.y,
                scene.views,
                drawn / one_drawn,
                in_flight / one_in_flight,
            );
            if asks("passes") {
                print_passes(&scene.headless);
            }
        }
    }
}

impl Scene {
    fn draw_one_by_one(&mut self) {
        // The first frame of a turn finds nothing in the processor's caches.
        for turn in 0..=TURN {
            let begun = Instant::now();
            self.headless.app_mut().update();
            let recorded = milliseconds(begun);
            let device = self.headless.app().world().resource::<RenderDevice>();
            device.poll(PollType::wait_indefinitely()).expect("the device");
            if turn > 0 {
                self.recorded.push(recorded);
                self.drawn.push(milliseconds(begun));
            }
        }
    }

    /// As in a window with two pictures: a frame ends when the one before it has been drawn.
    fn draw_in_flight(&mut self) {
        let mut before = None;
        for turn in 0..TURN + 3 {
            let begun = Instant::now();
            self.headless.app_mut().update();
            let world = self.headless.app().world();
            // An empty submission is done when all earlier ones are.
            let here = world.resource::<RenderQueue>().submit([]);
            if let Some(submission) = before.replace(here) {
                let wait = PollType::Wait { submission_index: Some(submission), timeout: None };
                world.resource::<RenderDevice>().poll(wait).expect("the device");
            }
            // The first frames wait for no frame, or for one that had the device to itself.
            if turn >= 3 {
                self.in_flight.push(milliseconds(begun));
            }
        }
        // The next turn begins with an idle device.
        let device = self.headless.app().world().resource::<RenderDevice>();
        device.poll(PollType::wait_indefinitely()).expect("the device");
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn asks(word: &str) -> bool {
    std::env::args().any(|argument| argument == word)
}

/// Prints the mean time of each pass on the device, per view, as far as the device measures it.
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

/// Measures the time of a whole view and of its shadow maps, since Bevy measures neither. Nested spans belong
/// to one thread, and these are begun and ended by different systems, so `Headless` runs a camera's passes on
/// one thread.
fn measure_views_and_shadow_maps(app: &mut App) {
    let render_app = app.get_sub_app_mut(RenderApp).expect("a renderer");
    render_app.add_systems(
        Core3d,
        (
            begin_view.before(Core3dSystems::Prepass).before(begin_shadow_maps),
            begin_shadow_maps.before(per_view_shadow_pass::<EARLY_SHADOW_PASS>),
            end_span
                .after(per_view_shadow_pass::<EARLY_SHADOW_PASS>)
                .before(per_view_shadow_pass::<LATE_SHADOW_PASS>),
            end_span.after(Core3dSystems::PostProcess),
        ),
    );
}

fn begin_view(mut context: RenderContext) {
    begin_span(&mut context, "view");
}

fn begin_shadow_maps(mut context: RenderContext) {
    begin_span(&mut context, "shadow_maps");
}

fn begin_span(context: &mut RenderContext, name: &'static str) {
    if let Some(recorder) = context.diagnostic_recorder() {
        recorder.begin_time_span(context.command_encoder(), name.into());
    }
}

fn end_span(mut context: RenderContext) {
    if let Some(recorder) = context.diagnostic_recorder() {
        recorder.end_time_span(context.command_encoder());
    }
}

/// As many lands as views, drawn until everything that is visible has arrived.
fn scene(views: usize, size: UVec2, quality: Quality, has_shadows: bool) -> Headless {
    let mut headless = Headless::new(size.x, size.y).expect("a graphics device");
    // As in the window: several views have smaller shadow maps.
    let shadow_map_size = quality.shadow_map_size() / if views > 1 { 2 } else { 1 };
    headless.app_mut().add_plugins((TerrainPlugin, SkyPlugin { shadow_map_size }));
    if asks("passes") {
        headless.app_mut().add_plugins(RenderDiagnosticsPlugin);
        measure_views_and_shadow_maps(headless.app_mut());
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

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
