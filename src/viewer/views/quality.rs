//! The quality of what the window shows: the one given on the command line, or the one that the user last
//! selected, or the one that a trial finds at the first start.

use std::time::Duration;

use bevy::light::DirectionalLightShadowMap;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::time::Real;

use crate::error::Result;
use crate::plugin::{Quality, QualityTrial, Sky, TerrainScatter, TerrainStatus, TerrainView};
use crate::render::scene;
use crate::viewer::session::ViewOf;
use crate::viewer::session::settings::Settings;
use crate::viewer::session::status_message::Message;

/// Uses the quality given on the command line or last selected, or tries which quality the device can draw.
pub(crate) struct QualityPlugin {
    /// The quality given on the command line, for this run only.
    pub asked: Option<Quality>,
}

impl Plugin for QualityPlugin {
    fn build(&self, app: &mut App) {
        let asked = self.asked;
        let start = move |mut commands: Commands,
                          settings: Res<Settings>,
                          adapter: Option<Res<RenderAdapterInfo>>| {
            let guess = adapter.map_or(Quality::High, |adapter| Quality::for_device(&adapter));
            commands.insert_resource(QualitySetting::new(asked, &settings, guess));
        };
        app.add_systems(PreStartup, start).add_systems(Update, (try_out, apply, share_shadow_maps).chain());
    }
}

/// The quality in use.
#[derive(Resource)]
pub(crate) struct QualitySetting {
    quality: Quality,
    /// Runs until the device's quality is found.
    trial: Option<QualityTrial>,
}

impl QualitySetting {
    fn new(asked: Option<Quality>, settings: &Settings, guess: Quality) -> Self {
        let known = asked.or_else(|| settings.quality());
        let trial = known.is_none().then(|| QualityTrial::new(guess));
        Self { quality: known.unwrap_or(guess), trial }
    }

    /// The quality in use now.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// Whether a trial is running.
    pub fn is_tried(&self) -> bool {
        self.trial.is_some()
    }

    /// Uses a quality that the user selected, and ends the trial.
    ///
    /// # Errors
    /// When it cannot be kept for the next start; it is used until the program ends nevertheless.
    pub fn choose(&mut self, quality: Quality, settings: &mut Settings) -> Result<()> {
        (self.quality, self.trial) = (quality, None);
        settings.keep_quality(quality)
    }
}

/// Runs the trial while landscapes are shown and none is being built, because building slows down frames.
fn try_out(
    mut chosen: ResMut<QualitySetting>,
    mut settings: ResMut<Settings>,
    terrains: Query<&TerrainStatus>,
    time: Res<Time<Real>>,
    mut message: ResMut<Message>,
) {
    let is_usual = terrains.iter().all(|status| *status == TerrainStatus::Ready) && !terrains.is_empty();
    if !chosen.is_tried() || !is_usual || time.delta() == Duration::ZERO {
        return;
    }
    let Some(mut trial) = chosen.bypass_change_detection().trial.take() else { return };
    trial.frame(time.delta_secs());
    let found = trial.quality();
    if found != chosen.quality {
        chosen.quality = found;
    }
    if !trial.is_over() {
        chosen.bypass_change_detection().trial = Some(trial);
        return;
    }
    match settings.keep_quality(found) {
        Ok(()) => message.report(format!(
            "Quality set to {found}, the best that this device draws smoothly. To change it, see the section \
             Quality"
        )),
        Err(error) => message.error(format!("The quality cannot be kept: {error}")),
    }
}

/// Applies the quality to all cameras, skies and terrains.
fn apply(
    chosen: Res<QualitySetting>,
    mut commands: Commands,
    mut cameras: Query<(Entity, &mut TerrainView), With<ViewOf>>,
    mut skies: Query<&mut Sky>,
    mut scattered: Query<&mut TerrainScatter>,
) {
    if !chosen.is_changed() {
        return;
    }
    let quality = chosen.quality;
    for (camera, mut view) in &mut cameras {
        view.set_if_neq(TerrainView { debug: view.debug, ..quality.view() });
        scene::dress(commands.entity(camera), quality, view.debug);
    }
    for mut scatter in &mut scattered {
        scatter.set_if_neq(quality.scatter());
    }
    for mut sky in &mut skies {
        if sky.shadow_cascades != quality.shadow_cascades() {
            sky.shadow_cascades = quality.shadow_cascades();
        }
    }
}

/// Each view has shadow maps of its own. Several views share the pixels of the window, so their maps have
/// half the side: four views then use as many shadow texels as one.
fn share_shadow_maps(
    chosen: Res<QualitySetting>,
    views: Query<(), With<ViewOf>>,
    mut shadow_maps: ResMut<DirectionalLightShadowMap>,
) {
    let whole = chosen.quality.shadow_map_size();
    let size = if views.iter().count() > 1 { whole / 2 } else { whole };
    if shadow_maps.size != size {
        shadow_maps.size = size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_is_kept_and_the_command_line_has_priority() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/settings.ron");
        let settings = || Settings::read(Some(file.clone()));
        let new = |asked| QualitySetting::new(asked, &settings(), Quality::High);
        let mut first = new(None);
        assert!(first.is_tried() && first.quality() == Quality::High);
        first.choose(Quality::Medium, &mut settings()).unwrap();
        assert!(!first.is_tried());
        assert_eq!((new(None).quality(), new(None).is_tried()), (Quality::Medium, false));
        assert_eq!(new(Some(Quality::Ultra)).quality(), Quality::Ultra);
        assert_eq!(new(None).quality(), Quality::Medium, "for that run only");
        for damaged in ["", "(quality: Some(\"best\"))", "\u{fffd}", "(other: 3)"] {
            std::fs::write(&file, damaged).unwrap();
            assert!(new(None).is_tried(), "{damaged:?}");
        }
    }

    #[test]
    fn a_trial_changes_cameras_and_skies_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.ron");
        let mut app = App::new();
        let settings = Settings::read(Some(file.clone()));
        app.insert_resource(QualitySetting::new(None, &settings, Quality::High))
            .insert_resource(settings)
            .insert_resource(DirectionalLightShadowMap { size: 64 })
            .init_resource::<Message>()
            .init_resource::<Time<Real>>()
            .add_systems(Update, (try_out, apply, share_shadow_maps).chain());
        let world = app.world_mut();
        let debug = crate::plugin::DebugView::Slope;
        let lands = [world.spawn_empty().id(), world.spawn_empty().id()];
        let camera = world.spawn((ViewOf(lands[0]), TerrainView { debug, ..TerrainView::DEFAULT })).id();
        let sky = world.spawn(Sky::default()).id();
        let terrain = world.spawn(TerrainStatus::Waiting).id();
        let frames = |app: &mut App, count: usize| {
            for _ in 0..count {
                app.world_mut().resource_mut::<Time<Real>>().advance_by(Duration::from_millis(200));
                app.update();
            }
        };
        frames(&mut app, 100);
        assert_eq!(app.world().resource::<QualitySetting>().quality(), Quality::High, "no land is shown yet");
        app.world_mut().entity_mut(terrain).insert(TerrainStatus::Ready);
        frames(&mut app, 100);
        assert_eq!(
            app.world().get::<TerrainView>(camera),
            Some(&TerrainView { debug, ..Quality::Low.view() })
        );
        assert_eq!(app.world().get::<Sky>(sky).unwrap().shadow_cascades, Quality::Low.shadow_cascades());
        assert!(!app.world().resource::<QualitySetting>().is_tried());
        assert_eq!(Settings::read(Some(file)).quality(), Some(Quality::Low));

        let size = |app: &App| app.world().resource::<DirectionalLightShadowMap>().size;
        assert_eq!(size(&app), Quality::Low.shadow_map_size());
        let second = app.world_mut().spawn(ViewOf(lands[1])).id();
        app.update();
        assert_eq!(size(&app), Quality::Low.shadow_map_size() / 2, "two views share the pixels");
        app.world_mut().despawn(second);
        app.update();
        assert_eq!(size(&app), Quality::Low.shadow_map_size());
    }
}
