//! The quality of what the window shows: the one asked for, or the one that was last chosen, or the one that a
//! trial finds at the first start.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bevy::light::DirectionalLightShadowMap;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::time::Real;
use serde::{Deserialize, Serialize};

use super::folders;
use super::layout::Slot;
use super::message::Message;
use super::scene;
use crate::elevation::formats::replace_file;
use crate::error::{Error, Result};
use crate::files::{self, FileKind};
use crate::plugin::{Quality, QualityTrial, Sky, TerrainStatus, TerrainView};

/// Draws with the quality that was asked for, or that was last chosen, or tries which one the device can draw.
pub(super) struct QualityPlugin {
    /// The quality for this time.
    pub asked: Option<Quality>,
}

impl Plugin for QualityPlugin {
    fn build(&self, app: &mut App) {
        let asked = self.asked;
        let start = move |mut commands: Commands, adapter: Option<Res<RenderAdapterInfo>>| {
            let guess = adapter.map_or(Quality::High, |adapter| Quality::for_device(&adapter));
            commands.insert_resource(Chosen::new(asked, settings_file(), guess));
        };
        app.add_systems(PreStartup, start).add_systems(Update, (try_out, apply).chain());
    }
}

/// The quality that is drawn with.
#[derive(Resource)]
pub(super) struct Chosen {
    quality: Quality,
    /// Runs until the device's quality is found.
    trial: Option<QualityTrial>,
    /// Where the choice is kept; `None` where there is no place.
    kept_in: Option<PathBuf>,
}

/// What is kept from one start to the next.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Settings {
    quality: Option<String>,
}

impl Chosen {
    fn new(asked: Option<Quality>, kept_in: Option<PathBuf>, guess: Quality) -> Self {
        let known = asked.or_else(|| kept(kept_in.as_deref()?));
        let trial = known.is_none().then(|| QualityTrial::new(guess));
        Self { quality: known.unwrap_or(guess), trial, kept_in }
    }

    /// What is drawn with now.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// Whether a trial is going on.
    pub fn is_tried(&self) -> bool {
        self.trial.is_some()
    }

    /// The user has chosen.
    ///
    /// # Errors
    /// When the choice cannot be kept for the next start; it counts nevertheless.
    pub fn choose(&mut self, quality: Quality) -> Result<()> {
        (self.quality, self.trial) = (quality, None);
        self.keep()
    }

    fn keep(&self) -> Result<()> {
        let Some(path) = &self.kept_in else { return Ok(()) };
        let settings = Settings { quality: Some(self.quality.name().to_owned()) };
        let text = ron::ser::to_string_pretty(&settings, ron::ser::PrettyConfig::default())
            .map_err(|error| Error::file(path, error.to_string()))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make", error))?;
        }
        replace_file(path, |file| writeln!(file, "{text}").map_err(|error| Error::io(path, "write", error)))
    }
}

/// The file for the program's settings; `None` if there is no place for it.
fn settings_file() -> Option<PathBuf> {
    folders::settings().map(|folder| folder.join("settings.ron"))
}

/// The quality that is kept in a file; `None` if there is none, or none that is known.
fn kept(path: &Path) -> Option<Quality> {
    let text = String::from_utf8(files::read(path, FileKind::Settings).ok()?).ok()?;
    ron::from_str::<Settings>(&text).ok()?.quality?.parse().ok()
}

/// Tries levels while landscapes are seen and none is being built.
fn try_out(
    mut chosen: ResMut<Chosen>,
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
    match chosen.keep() {
        Ok(()) => message.tell(format!("Quality {found}, as this device can draw; `Show` has others")),
        Err(error) => message.error(format!("The quality cannot be kept: {error}")),
    }
}

/// Gives all cameras and skies the settings of the quality.
fn apply(
    chosen: Res<Chosen>,
    mut commands: Commands,
    mut cameras: Query<(Entity, &mut TerrainView), With<Slot>>,
    mut skies: Query<&mut Sky>,
    mut shadow_maps: ResMut<DirectionalLightShadowMap>,
) {
    if !chosen.is_changed() {
        return;
    }
    let quality = chosen.quality;
    shadow_maps.size = quality.shadow_map_size();
    for (camera, mut view) in &mut cameras {
        view.set_if_neq(TerrainView { debug: view.debug, ..quality.view() });
        scene::dress(commands.entity(camera), quality, view.debug);
    }
    for mut sky in &mut skies {
        if sky.shadow_cascades != quality.shadow_cascades() {
            sky.shadow_cascades = quality.shadow_cascades();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_kept_and_what_is_asked_for_counts_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/settings.ron");
        let new = |asked| Chosen::new(asked, Some(file.clone()), Quality::High);
        let mut first = new(None);
        assert!(first.is_tried() && first.quality() == Quality::High);
        first.choose(Quality::Medium).unwrap();
        assert!(!first.is_tried());
        assert_eq!((new(None).quality(), new(None).is_tried()), (Quality::Medium, false));
        assert_eq!(new(Some(Quality::Ultra)).quality(), Quality::Ultra);
        assert_eq!(new(None).quality(), Quality::Medium, "for that time alone");
        for damaged in ["", "(quality: Some(\"best\"))", "\u{fffd}", "(other: 3)"] {
            std::fs::write(&file, damaged).unwrap();
            assert!(new(None).is_tried(), "{damaged:?}");
        }
        assert!(Chosen::new(None, None, Quality::Low).choose(Quality::Ultra).is_ok(), "nowhere to keep it");
    }

    #[test]
    fn a_trial_changes_cameras_and_skies_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.ron");
        let mut app = App::new();
        app.insert_resource(Chosen::new(None, Some(file.clone()), Quality::High))
            .insert_resource(DirectionalLightShadowMap { size: 64 })
            .init_resource::<Message>()
            .init_resource::<Time<Real>>()
            .add_systems(Update, (try_out, apply).chain());
        let world = app.world_mut();
        let debug = crate::plugin::DebugView::Slope;
        let camera = world.spawn((Slot(0), TerrainView { debug, ..TerrainView::DEFAULT })).id();
        let sky = world.spawn(Sky::default()).id();
        let terrain = world.spawn(TerrainStatus::Waiting).id();
        let frames = |app: &mut App, count: usize| {
            for _ in 0..count {
                app.world_mut().resource_mut::<Time<Real>>().advance_by(Duration::from_millis(200));
                app.update();
            }
        };
        frames(&mut app, 100);
        assert_eq!(app.world().resource::<Chosen>().quality(), Quality::High, "nothing is seen yet");
        app.world_mut().entity_mut(terrain).insert(TerrainStatus::Ready);
        frames(&mut app, 100);
        assert_eq!(
            app.world().get::<TerrainView>(camera),
            Some(&TerrainView { debug, ..Quality::Low.view() })
        );
        assert_eq!(app.world().get::<Sky>(sky).unwrap().shadow_cascades, Quality::Low.shadow_cascades());
        assert!(!app.world().resource::<Chosen>().is_tried());
        assert_eq!(kept(&file), Some(Quality::Low));
    }
}
