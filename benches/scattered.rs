//! The cost of a million drawn objects for the main thread: a camera walks, drives and flies over
//! endless woods and meadows. Nothing is rendered, so no graphics device is needed.
//!
//! `cargo bench --bench scattered`; with `-- 2` distances are twice as far.

use std::time::{Duration, Instant};

use bevy::app::{PluginsState, TerminalCtrlCHandlerPlugin};
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::settings::WgpuSettings;
use bevy::window::ExitCondition;
use upland::Recipe;
use upland::plugin::{
    FloatingOrigin, FloatingOriginPlugin, ScatterBudget, ScatterPlugin, ScatterStatistics, Terrain,
    TerrainPlugin, TerrainScatter,
};

const LAND: &str = r#"(
    version: 1, name: "Woods", seed: 11, size: endless, unit: 6000, cell: 8,
    steps: [fbm(height: 300, octaves: 7, frequency: 2)],
    scatter: [
        (name: "spruces", object: "spruce", density: 420, spacing: 2.8, radius: 1, clumping: 0.4, clump: 300),
        (name: "birches", object: "birch", density: 60, spacing: 4, radius: 1),
        (name: "hazels", object: "hazel", density: 80, spacing: 2.6, radius: 0.8),
        (name: "boulders", object: "boulder", density: 6, spacing: 7, radius: 1.3, lean: 0.6, tilt: 20),
        (name: "grass", object: "grass", density: 20000, spacing: 0.45, clumping: 0.3, clump: 14),
        (name: "flowers", object: "flowers", density: 1500, spacing: 0.6, clumping: 0.9, clump: 20),
    ],
)"#;

/// Seconds of a frame.
const FRAME: f32 = 1.0 / 60.0;
/// Frames that are measured at each speed.
const FRAMES: usize = 600;
const PATIENCE: Duration = Duration::from_secs(600);

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    let distance: f32 = numbers.next_back().unwrap_or(1.0);
    let mut app = app();
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    let target = images.add(Image::new_target_texture(1920, 1080, TextureFormat::Rgba8UnormSrgb, None));
    let world = app.world_mut();
    world.insert_resource(ScatterBudget { device_bytes: 96 << 20, ..default() });
    let scatter = TerrainScatter { distance, ..default() };
    world.spawn((Terrain::from(Recipe::from_ron(LAND, "woods.ron").expect("a recipe")), scatter));
    let projection = PerspectiveProjection { fov: 50f32.to_radians(), ..default() };
    world.spawn((
        Camera3d::default(),
        Projection::Perspective(projection),
        RenderTarget::Image(target.into()),
        FloatingOrigin,
        Transform::from_xyz(0.0, 260.0, 0.0),
    ));
    settle(&mut app);
    for (name, speed) in [("still", 0.0), ("walking", 1.5), ("driving", 55.0), ("flying", 250.0)] {
        measure(&mut app, name, speed);
    }
}

/// An app that draws on nothing.
fn app() -> App {
    // Without a backend Bevy has its renderer's types but no device, so that only the main thread's work is
    // measured.
    let settings = WgpuSettings { backends: None, ..default() };
    let plugins = DefaultPlugins
        .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
        .set(RenderPlugin { render_creation: settings.into(), ..default() })
        .disable::<PipelinedRenderingPlugin>()
        .disable::<TerminalCtrlCHandlerPlugin>();
    #[cfg(feature = "viewer")]
    let plugins = plugins.disable::<bevy::winit::WinitPlugin>().disable::<bevy::log::LogPlugin>();
    let mut app = App::new();
    app.add_plugins((plugins, TerrainPlugin, FloatingOriginPlugin, ScatterPlugin));
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    app
}

fn statistics(app: &App) -> ScatterStatistics {
    app.world().resource::<ScatterStatistics>().clone()
}

/// Waits until everything that is needed has been placed.
fn settle(app: &mut App) {
    let begun = Instant::now();
    let mut calm = 0;
    // Some frames in a row: cells are planned again while the camera's surroundings arrive.
    while calm < 30 {
        app.update();
        let there = statistics(app);
        calm = if there.cells > 0 && there.missing == 0 { calm + 1 } else { 0 };
        assert!(begun.elapsed() < PATIENCE, "not placed in time: {there:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
    let there = statistics(app);
    println!(
        "{} objects in {} cells, {} drawn in {} batches, {:.1} MB; placed in {:.1} s, {:.2} ms a cell",
        there.objects,
        there.cells,
        there.drawn,
        there.batches,
        there.device_bytes as f64 / 1e6,
        begun.elapsed().as_secs_f32(),
        there.cell_ms
    );
}

/// Moves on at a speed, metres per second, and prints the time of the scatter's systems.
fn measure(app: &mut App, name: &str, speed: f32) {
    let mut times = Vec::with_capacity(FRAMES);
    let mut drawn = (usize::MAX, 0);
    for frame in 0..FRAMES {
        let begun = Instant::now();
        let world = app.world_mut();
        let mut cameras = world.query_filtered::<&mut Transform, With<Camera3d>>();
        if let Ok(mut camera) = cameras.single_mut(world) {
            camera.rotate_y(0.1 * FRAME);
            let ahead = camera.forward() * speed * FRAME;
            camera.translation += ahead.with_y(0.0);
        }
        app.update();
        let now = statistics(app);
        // The first frames still have work of the speed before.
        if frame > 10 {
            times.push(now.systems_ms);
        }
        drawn = (drawn.0.min(now.drawn), drawn.1.max(now.drawn));
        // At the rate of a screen, so that the threads which place cells have as much time as in a game.
        std::thread::sleep(Duration::from_secs_f32(FRAME).saturating_sub(begun.elapsed()));
    }
    times.sort_by(f32::total_cmp);
    let at = |share: f32| times[((times.len() - 1) as f32 * share) as usize];
    let there = statistics(app);
    println!(
        "{name}: median {:.3} ms, 95 % {:.3} ms, 99 % {:.3} ms, worst {:.3} ms; {} to {} drawn, {} missing",
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0),
        drawn.0,
        drawn.1,
        there.missing
    );
}
