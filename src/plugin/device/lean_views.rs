//! What each camera costs in a frame beside what it draws, kept small.

use bevy::core_pipeline::Core3d;
use bevy::ecs::schedule::{Schedules, SingleThreadedExecutor};
use bevy::light::LightProbe;
use bevy::light::cluster::{ClusteredDecal, Clusters, GlobalClusterSettings};
use bevy::prelude::*;
use bevy::render::sync_world::RenderEntity;
use bevy::render::{Extract, ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderSystems};

use crate::plugin::setup;

/// Makes each camera of an app cheaper that draws little more than land: for a split screen, a map in a corner, pictures side by
/// side. What is drawn stays the same, lamps and decals included.
///
/// Bevy is made ready for many objects and many lamps, and that has its price for each camera in each frame:
///
/// * It runs a schedule of all its passes. Most have nothing to do, and land takes only a few draws: handed out to threads
///   they took longer than on one. With this plugin they run on one.
/// * It sorts lamps, light probes and decals into parts of the camera's view, even if there are none: it makes eight buffers,
///   fills two of them, and runs five passes. With this plugin it does so only while there is one of them, and in the first
///   frame of a view, whose buffers are then kept.
///
/// Add it after Bevy's default plugins. It does nothing without a renderer.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeanViewsPlugin;

impl Plugin for LeanViewsPlugin {
    fn build(&self, app: &mut App) {
        if !setup::is_first::<Self>(app) {
            return;
        }
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app
            .init_resource::<LampsAndViews>()
            .init_gpu_resource::<ReadyViews>()
            .add_systems(ExtractSchedule, note_lamps_and_views)
            .add_systems(Render, leave_out_clustering.in_set(RenderSystems::PrepareAssets));
        let Some(mut schedules) = render_app.world_mut().get_resource_mut::<Schedules>() else { return };
        if let Some(of_a_camera) = schedules.get_mut(Core3d) {
            of_a_camera.set_executor(SingleThreadedExecutor::new());
        }
    }
}

/// A view, and into how many parts it is divided.
type DividedView = (Entity, UVec3);

/// What is to be drawn in this frame.
#[derive(Resource, Default)]
struct LampsAndViews {
    has_lamps: bool,
    views: Vec<DividedView>,
}

/// Views whose buffers tell that no part of them has a lamp. With a new device there are none.
#[derive(Resource, Default)]
struct ReadyViews(Vec<DividedView>);

type IsSorted = Or<(With<PointLight>, With<SpotLight>, With<LightProbe>, With<ClusteredDecal>)>;

fn note_lamps_and_views(
    mut noted: ResMut<LampsAndViews>,
    sorted: Extract<Query<(), IsSorted>>,
    views: Extract<Query<(RenderEntity, &Clusters, &Camera)>>,
) {
    noted.has_lamps = !sorted.is_empty();
    noted.views.clear();
    let active = views.iter().filter(|(_, _, camera)| camera.is_active);
    noted.views.extend(active.map(|(entity, clusters, _)| (entity, clusters.dimensions)));
}

/// Tells Bevy's systems of this frame that nothing is sorted on the device, where the buffers of frames before say all there is to
/// say. The setting comes from the main world anew in each frame.
fn leave_out_clustering(
    noted: Res<LampsAndViews>,
    mut ready: ResMut<ReadyViews>,
    settings: Option<ResMut<GlobalClusterSettings>>,
) {
    let Some(mut settings) = settings else { return };
    // Without it the processor sorts, and what it found is in no buffer yet.
    if settings.gpu_clustering.is_none() {
        return;
    }
    if noted.has_lamps {
        ready.0.clear();
    } else if ready.0 == noted.views {
        settings.gpu_clustering = None;
    } else {
        ready.0.clone_from(&noted.views);
    }
}
