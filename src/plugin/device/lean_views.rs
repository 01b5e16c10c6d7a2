//! Keeps the fixed cost of a camera per frame small: what it costs in addition to what it draws.

use bevy::core_pipeline::Core3d;
use bevy::ecs::schedule::{Schedules, SingleThreadedExecutor};
use bevy::light::LightProbe;
use bevy::light::cluster::{ClusteredDecal, Clusters, GlobalClusterSettings};
use bevy::prelude::*;
use bevy::render::sync_world::RenderEntity;
use bevy::render::{Extract, ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderSystems};

use crate::plugin::setup;

/// Makes each camera cheaper in an app that draws little more than land: for a split screen, a map in a
/// corner, pictures side by side. What is drawn stays the same.
///
/// Bevy is made ready for many objects and many lights, and that has its price for each camera in each frame:
///
/// * It runs a schedule of all its passes. Most have nothing to do, and land takes only a few draws: handed
///   out to threads they took longer than on one. With this plugin they run on one.
/// * It divides the camera's view into clusters and sorts point lights, spot lights, light probes and
///   clustered decals into them, on the graphics device: five buffers are made and five passes run, even if
///   there is nothing to sort. With this plugin that is left out while there is nothing: only the first frame
///   of a view does it, whose empty clusters are kept.
///
/// Add it after Bevy's default plugins. It does nothing without a renderer.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeanViewsPlugin;

impl Plugin for LeanViewsPlugin {
    fn build(&self, app: &mut App) {
        if !setup::is_first::<Self>(app) || !setup::draws(app) {
            return;
        }
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app
            .init_resource::<Clustering>()
            .init_gpu_resource::<EmptyViews>()
            .add_systems(ExtractSchedule, note_clustering)
            .add_systems(Render, leave_out_clustering.in_set(RenderSystems::PrepareAssets));
        // The plugin may be added before Bevy's core pipeline.
        let Some(mut schedules) = render_app.world_mut().get_resource_mut::<Schedules>() else { return };
        if let Some(of_a_camera) = schedules.get_mut(Core3d) {
            of_a_camera.set_executor(SingleThreadedExecutor::new());
        }
    }

    fn finish(&self, app: &mut App) {
        setup::complain_if_late(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// A view of the render world, and how many clusters it has along each of its axes.
type ClusteredView = (Entity, UVec3);

/// This frame's views, and whether their clusters get any objects.
#[derive(Resource, Default)]
struct Clustering {
    /// Whether there is anything to be sorted into clusters.
    has_objects: bool,
    views: Vec<ClusteredView>,
}

/// The views whose clusters are on the device, and empty. A new device has none.
#[derive(Resource, Default)]
struct EmptyViews(Vec<ClusteredView>);

/// The objects that Bevy sorts into clusters.
type IsClustered = Or<(With<PointLight>, With<SpotLight>, With<LightProbe>, With<ClusteredDecal>)>;

fn note_clustering(
    mut noted: ResMut<Clustering>,
    objects: Extract<Query<(), IsClustered>>,
    views: Extract<Query<(RenderEntity, &Clusters, &Camera)>>,
) {
    noted.has_objects = !objects.is_empty();
    noted.views.clear();
    // An inactive camera has no view in this frame, and its clusters would not be emptied.
    let active = views.iter().filter(|(_, _, camera)| camera.is_active);
    noted.views.extend(active.map(|(entity, clusters, _)| (entity, clusters.dimensions)));
}

/// Turns clustering on the device off for this frame, if all views have their empty clusters from an earlier
/// one. Bevy takes the setting from the main world again in each frame.
fn leave_out_clustering(
    noted: Res<Clustering>,
    mut empty: ResMut<EmptyViews>,
    settings: Option<ResMut<GlobalClusterSettings>>,
) {
    let Some(mut settings) = settings else { return };
    // Clustering is off, or is done by the processor, as the app has chosen or the device demands.
    if settings.gpu_clustering.is_none() {
        return;
    }
    if noted.has_objects {
        empty.0.clear();
    // In the first frame without lamps Bevy clears the clusters of each view. Only then do they stay as they
    // are, and the work can be left out.
    } else if empty.0 == noted.views {
        settings.gpu_clustering = None;
    } else {
        empty.0.clone_from(&noted.views);
    }
}
