//! How an app that draws little more than land has its frames recorded.

use bevy::core_pipeline::Core3d;
use bevy::ecs::schedule::{Schedules, SingleThreadedExecutor};
use bevy::light::cluster::GlobalClusterSettings;
use bevy::prelude::*;
use bevy::render::RenderApp;

/// Makes what each camera adds to a frame small, in an app that draws little more than land: there are a few draws, and few
/// lamps, probes and decals. Bevy is made ready for many, and that has its price for each camera:
///
/// * It runs a schedule of all its passes, of which most have nothing to do. Handed out to threads they took longer than
///   on one.
/// * It sorts lamps, probes and decals into parts of the camera's view on the device, in five passes even if there are
///   none, and reads back how many there were. The processor sorts a few in no time.
///
/// Bevy also has the device find out what is to be drawn. To leave that out, too (`NoIndirectDrawing` on all cameras), is
/// faster still, but with Bevy 0.19 lamps' shadows are then wrong: their maps are culled by bounds that nobody uploads.
pub(crate) fn suit_to_land(app: &mut App) {
    app.add_systems(PreStartup, sort_lamps_on_processor);
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
    let Some(mut schedules) = render_app.world_mut().get_resource_mut::<Schedules>() else { return };
    if let Some(of_a_camera) = schedules.get_mut(Core3d) {
        of_a_camera.set_executor(SingleThreadedExecutor::new());
    }
}

fn sort_lamps_on_processor(settings: Option<ResMut<GlobalClusterSettings>>) {
    if let Some(mut settings) = settings {
        settings.gpu_clustering = None;
    }
}
