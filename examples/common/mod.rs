//! Shared by the examples: Bevy's default plugins, and a way to run without a window, for tests.
//!
//! `UPLAND_EXAMPLE_FRAMES=20 cargo run --example minimal` draws 20 frames into a small picture, after all
//! terrains are ready, and ends. A terrain that fails ends it with an error.

use std::time::Duration;

use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin};
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use upland::plugin::{TerrainFailed, TerrainStatus};

/// The size of a picture without a window, pixels.
const SIZE: UVec2 = UVec2::new(160, 90);

/// Frames after which the program stops waiting for terrains.
const PATIENCE: u32 = 1_000_000;

/// Bevy's default plugins; without a window if the environment says so.
pub fn plugins() -> PluginGroupBuilder {
    let plugins = DefaultPlugins.build();
    let Some(frames) = std::env::var("UPLAND_EXAMPLE_FRAMES").ok().and_then(|frames| frames.parse().ok())
    else {
        return plugins;
    };
    plugins
        // The window entity stays, without a real window: systems that set its title still find it.
        .set(WindowPlugin { exit_condition: ExitCondition::DontExit, ..default() })
        .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
        // Without winit nothing runs the schedule, so `ScheduleRunnerPlugin` does.
        .disable::<bevy::winit::WinitPlugin>()
        .add(ScheduleRunnerPlugin::run_loop(Duration::ZERO))
        .add(FramesPlugin(frames))
}

/// Ends the program after this many frames.
struct FramesPlugin(u32);

impl Plugin for FramesPlugin {
    fn build(&self, app: &mut App) {
        let frames = self.0;
        let mut images = app.world_mut().resource_mut::<Assets<Image>>();
        let picture =
            images.add(Image::new_target_texture(SIZE.x, SIZE.y, TextureFormat::Rgba8UnormSrgb, None));
        // The same time in every run, however long a frame takes.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(16)))
            // Cameras of the examples know nothing of a picture: they get it as they are spawned.
            .add_observer(move |added: On<Add, Camera>, mut commands: Commands| {
                commands.entity(added.entity).insert(RenderTarget::Image(picture.clone().into()));
            })
            .add_observer(|failed: On<TerrainFailed>, mut exit: MessageWriter<AppExit>| {
                error!("{}", failed.error);
                exit.write(AppExit::error());
            })
            .add_systems(
                Last,
                move |terrains: Query<&TerrainStatus>,
                      mut exit: MessageWriter<AppExit>,
                      mut run: Local<[u32; 2]>| {
                    let is_there = terrains.iter().all(TerrainStatus::is_settled);
                    run[0] += 1;
                    run[1] += u32::from(is_there);
                    if run[1] >= frames {
                        exit.write(AppExit::Success);
                    } else if run[0] > PATIENCE {
                        exit.write(AppExit::error());
                    }
                },
            );
    }
}
