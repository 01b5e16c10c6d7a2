//! How the passes of cameras are recorded.

use bevy::core_pipeline::Core3d;
use bevy::ecs::schedule::{Schedules, SingleThreadedExecutor};
use bevy::prelude::*;
use bevy::render::RenderApp;

/// Records a camera's passes on one thread, in an app that draws little more than land.
///
/// Bevy runs a schedule of all its passes for each camera in each frame. Most have nothing to do, and land takes only a few
/// draws: on two cores frames were longer with the passes handed out to threads.
pub(crate) fn record_on_one_thread(app: &mut App) {
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
    let Some(mut schedules) = render_app.world_mut().get_resource_mut::<Schedules>() else { return };
    if let Some(of_a_camera) = schedules.get_mut(Core3d) {
        of_a_camera.set_executor(SingleThreadedExecutor::new());
    }
}
