//! The window: one landscape, or several side by side with linked cameras.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, ClearColorConfig};
use bevy::diagnostic::FrameTimeDiagnosticsPlugin;
use bevy::input::InputSystems;
use bevy::prelude::*;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::error_handler::RenderErrorHandler;
use bevy::render::render_resource::BlendState;
use bevy::window::{FileDragAndDrop, PrimaryWindow, WindowResolution};
use bevy::winit::WinitPlugin;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, PrimaryEguiContext};

use super::build::rebuild::RebuildPlugin;
use super::build::{playback, step_stack};
use super::camera::cursor::{UnderCursor, look_under};
use super::camera::fly::FlyPlugin;
use super::camera::pilot::Pilot;
use super::document::Document;
use super::document::autosave::{self, AutosavePlugin};
use super::document::display_names::names_of;
use super::document::lesson::{CurrentLesson, GivenLesson};
use super::files::confirm::ConfirmPlugin;
use super::files::{export, recent, screenshot};
use super::panel;
use super::session::display::{self, Display};
use super::session::key_chords::ChordPlugin;
use super::session::settings::Settings;
use super::session::status_message::{self, Message};
use super::session::{DocumentRequest, Landscapes, Place, ViewOf};
use super::tools::point_editor::DrawPlugin;
use super::tools::towers::TowersPlugin;
use super::tools::{nearest, pointer, probe, sculpt};
use super::views::landscapes::{NotYetSeen, spawn_landscape};
use super::views::layout::LayoutPlugin;
use super::views::quality::{QualityPlugin, QualitySetting};
use super::views::view_mode::ViewModePlugin;
use super::views::{difference, levels_panes, likeness, plots, split_view};
use crate::error::{Error, Result};
use crate::lessons::Lesson;
use crate::plugin::{
    DeviceFailure, LeanViewsPlugin, Quality, ScatterFailed, TerrainCache, TerrainGround, note_failure,
    require_graphics_device, task_pools,
};
use crate::render::scene;

/// Opens a window with `documents`, at least one, and runs until it is closed.
///
/// `quality` applies to this run only. Without it, the quality is the one last selected, or found by a trial.
///
/// # Errors
/// When there is no graphics device, not even a software one, or it is lost.
pub fn view(display: Display, documents: Vec<Document>, quality: Option<Quality>) -> Result<AppExit> {
    run(display, documents, quality, None, None)
}

/// Opens a window with `documents`, takes pictures of all its states into a folder, and closes it. Neither
/// reads nor keeps settings.
///
/// # Errors
/// As [`view`], and when the folder cannot be created.
pub fn take_stills(
    display: Display,
    documents: Vec<Document>,
    quality: Option<Quality>,
    folder: PathBuf,
) -> Result<AppExit> {
    std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, "make", error))?;
    run(display, documents, quality, None, Some(folder))
}

/// Opens a window with a lesson, and runs until it is closed. `path` is the file that the lesson was read
/// from, if any.
///
/// # Errors
/// As [`view`].
pub fn teach(
    display: Display,
    lesson: Lesson,
    path: Option<PathBuf>,
    quality: Option<Quality>,
) -> Result<AppExit> {
    let document = Document::of_lesson(lesson.recipe.clone());
    run(display, vec![document], quality, Some(GivenLesson::new(lesson, path)), None)
}

fn run(
    display: Display,
    documents: Vec<Document>,
    quality: Option<Quality>,
    lesson: Option<GivenLesson>,
    stills: Option<PathBuf>,
) -> Result<AppExit> {
    require_graphics_device()?;
    // Pictures must not depend on the user's own unsaved changes, nor leave any behind.
    let kept = stills.as_ref().map(|_| tempfile::tempdir()).transpose();
    let kept = kept.map_err(|error| Error::io(std::env::temp_dir(), "make a folder in", error))?;
    let left_in = kept.as_ref().map(|folder| folder.path().to_owned()).or_else(autosave::root);
    // Pictures use the smallest common size of a window, to show that everything fits.
    let size = if stills.is_some() { UVec2::new(1280, 720) } else { display::USUAL };
    let resolution = WindowResolution::new(size.x, size.y);
    let window = Window { title: title_of(&documents), name: Some("upland".into()), resolution, ..default() };
    let mut app = display.into_app();
    app.add_plugins(
        DefaultPlugins
            .build()
            .disable::<WinitPlugin>()
            // Closing may need a question first.
            .set(WindowPlugin { primary_window: Some(window), close_when_requested: false, ..default() })
            .set(task_pools())
            .set(bevy::log::LogPlugin { filter: LOG_FILTER.into(), ..default() }),
    );
    app.add_plugins(LeanViewsPlugin);
    furnish(&mut app, documents, quality, lesson, left_in);
    if let Some(folder) = stills {
        app.insert_resource(Settings::default());
        super::ui_screenshots::add(&mut app, folder);
    } else {
        app.add_systems(Update, display::fit);
    }
    let failure = end_without_device(&mut app);
    let exit = app.run();
    let reason = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    reason.map_or(Ok(exit), |reason| Err(Error::parameter("renderer", reason)))
}

/// Adds everything of the window to Bevy's plugins.
pub(super) fn furnish(
    app: &mut App,
    documents: Vec<Document>,
    quality: Option<Quality>,
    lesson: Option<GivenLesson>,
    left_in: Option<PathBuf>,
) {
    app.add_plugins((EguiPlugin::default(), FrameTimeDiagnosticsPlugin::default()))
        .insert_resource(Settings::of_program())
        .add_plugins((FlyPlugin, RebuildPlugin, DrawPlugin, LayoutPlugin, QualityPlugin { asked: quality }))
        .add_plugins((ViewModePlugin, TowersPlugin, RenderDiagnosticsPlugin, ChordPlugin))
        .add_plugins((AutosavePlugin { root: left_in.clone() }, ConfirmPlugin { left_in }))
        .insert_resource(DocumentsToOpen(documents))
        .insert_resource(CurrentLesson(lesson))
        .insert_resource(ClearColor(Color::srgb(0.05, 0.055, 0.06)))
        .init_resource::<Message>()
        .init_resource::<Landscapes>()
        .init_resource::<UnderCursor>()
        .add_systems(Startup, (share_egui, open).chain())
        .add_systems(
            Update,
            (status_message::fade, drop_files, set_first_view, title, look_under, report_missing_plants),
        )
        .add_systems(PreUpdate, screenshot::take.after(InputSystems));

    scene::add_plugins(app);
    split_view::add(app);
    difference::add(app);
    likeness::add(app);
    export::add(app);
    levels_panes::add(app);
    plots::add(app);
    step_stack::add(app);
    playback::add(app);
    probe::add(app);
    pointer::add(app);
    nearest::add(app);
    sculpt::add(app);
    recent::add(app);
    #[cfg(feature = "world")]
    crate::viewer::files::plans::add(app);
    panel::add(app);
}

/// Ends the app once its graphics device has failed, because the window could no longer show anything.
/// Unsaved changes are kept. The returned cell receives the reason.
fn end_without_device(app: &mut App) -> Arc<Mutex<Option<String>>> {
    let failure = Arc::new(Mutex::new(None));
    let reason = failure.clone();
    let end = move |world: &mut World| {
        let kept = if autosave::keep_now(world) {
            "; changes that were not saved are offered at the next start"
        } else {
            ""
        };
        let failed = world.resource::<DeviceFailure>().0.clone();
        *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed + kept);
        world.write_message(AppExit::error());
    };
    app.insert_resource(RenderErrorHandler(note_failure))
        .add_systems(First, end.run_if(resource_added::<DeviceFailure>));
    failure
}

/// Warnings of all crates, except known harmless ones, and except failures that the window itself shows.
const LOG_FILTER: &str = "warn,upland::plugin::events=off,wgpu_core=error,wgpu_hal=error,naga=error,winit=error,bevy_egui=error,bevy_render=error,bevy_asset=error,rfd=off";

/// The documents to open at the start.
#[derive(Resource)]
struct DocumentsToOpen(Vec<Document>);

/// Gives egui a camera of its own for the whole window, so that a landscape's viewport doesn't clip the
/// panels.
fn share_egui(mut commands: Commands, mut settings: ResMut<EguiGlobalSettings>) {
    settings.auto_create_primary_context = false;
    commands.spawn((
        PrimaryEguiContext,
        Camera2d,
        RenderLayers::none(),
        Msaa::Off,
        Camera {
            order: 100,
            output_mode: CameraOutputMode::Write {
                blend_state: Some(BlendState::ALPHA_BLENDING),
                clear_color: ClearColorConfig::None,
            },
            clear_color: ClearColorConfig::Custom(Color::NONE),
            ..default()
        },
    ));
}

fn open(
    mut commands: Commands,
    mut opening: ResMut<DocumentsToOpen>,
    mut pilot: ResMut<Pilot>,
    cache: Res<TerrainCache>,
    chosen: Res<QualitySetting>,
) {
    let quality = chosen.quality();
    let documents = std::mem::take(&mut opening.0);
    let first = documents.iter().position(|document| document.unread().is_none());
    for (index, document) in documents.into_iter().enumerate() {
        if Some(index) == first {
            let (from, look) = scene::first_view(&document.recipe, None);
            pilot.put(from, look);
        }
        spawn_landscape(&mut commands, &cache.0, document, quality);
    }
}

/// Sets the initial view of the first landscape that could be read: that of its recipe, or, once its heights
/// are known, one from which all of it is seen.
fn set_first_view(
    mut commands: Commands,
    mut pilot: ResMut<Pilot>,
    landscapes: Res<Landscapes>,
    grounds: Query<(Entity, &Document, Option<Ref<TerrainGround>>), With<NotYetSeen>>,
    documents: Query<&Document>,
) {
    let is_read = |land: &Entity| documents.get(*land).is_ok_and(|document| document.unread().is_none());
    let first = landscapes.iter().find(is_read);
    for (entity, document, ground) in &grounds {
        // Ground that hasn't changed belongs to the previous land.
        let ground = ground.filter(|ground| ground.is_changed());
        if ground.is_none() && document.recipe.view.is_none() {
            continue;
        }
        commands.entity(entity).try_remove::<NotYetSeen>();
        if Some(entity) == first {
            let heights = ground.map(|ground| ground.height_range());
            let (from, look) = scene::first_view(&document.recipe, heights);
            pilot.put(from, look);
        }
    }
}

/// Opens a dropped file, a recipe, a lesson or elevation, in place of the landscape under it.
fn drop_files(
    mut dropped: MessageReader<FileDragAndDrop>,
    window: Single<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Place, &ViewOf)>,
    landscapes: Res<Landscapes>,
    mut requests: MessageWriter<DocumentRequest>,
    mut message: ResMut<Message>,
) {
    for event in dropped.read() {
        let FileDragAndDrop::DroppedFile { path_buf, .. } = event else { continue };
        let under = window
            .cursor_position()
            .and_then(|cursor| cameras.iter().find(|(place, _)| place.contains(cursor)));
        let Some(document) = under.map(|(_, view)| view.0).or(landscapes.first()) else { continue };
        match recent::request_to_open(document, path_buf) {
            Ok(request) => drop(requests.write(request)),
            Err(error) => message.error(error.to_string()),
        }
    }
}

/// Reports which plants and rocks are not drawn, and why.
fn report_missing_plants(mut failed: MessageReader<ScatterFailed>, mut message: ResMut<Message>) {
    for ScatterFailed { object, error, .. } in failed.read() {
        let what = if object.is_empty() { String::new() } else { format!(" `{object}`") };
        message.error(format!("Plants and rocks{what}: {error}"));
    }
}

fn title(
    changed: Query<(), Changed<Document>>,
    landscapes: Res<Landscapes>,
    documents: Query<&Document>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) {
    if changed.is_empty() {
        return;
    }
    let title = title_of(documents.iter_many(landscapes.iter()));
    if window.title != title {
        window.title = title;
    }
}

/// The maximum number of characters of a landscape's name in the title, because some systems limit titles.
const MOST_LETTERS: usize = 60;

/// The names of all documents, with a mark on those with unsaved changes.
fn title_of<'a>(documents: impl IntoIterator<Item = &'a Document>) -> String {
    let documents: Vec<&Document> = documents.into_iter().collect();
    let names = names_of(documents.iter().copied(), MOST_LETTERS).into_iter().zip(&documents);
    let mark = |of: &Document| if of.is_unsaved() { "*" } else { "" };
    let names: Vec<String> = names.map(|(name, of)| name + mark(of)).collect();
    format!("{} - upland", names.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn a_lost_device_ends_the_window_and_keeps_unsaved_changes() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AutosavePlugin { root: Some(folder.path().into()) }))
            .init_resource::<Message>();
        let failure = end_without_device(&mut app);
        let mut document = Document::new(Recipe::new("Hills", (3, 3), 1.0), None);
        document.recipe.seed = 77;
        Landscapes::spawn(app.world_mut(), document);
        app.update();
        assert_eq!(app.should_exit(), None);

        app.insert_resource(DeviceFailure("the graphics device was lost".into()));
        app.update();
        assert!(app.should_exit().is_some_and(|exit| exit.is_error()));
        let reason = failure.lock().unwrap().clone().unwrap();
        assert!(reason.starts_with("the graphics device was lost; changes"), "{reason}");
        let (left, _) = autosave::find_left(folder.path());
        assert_eq!(left.len(), 0, "it belongs to this window, which is still open");
        let kept = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let kept = std::fs::read_dir(kept).unwrap().map(|file| file.unwrap().path());
        let texts: Vec<_> = kept.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        assert!(texts.iter().any(|text| text.contains("seed: 77")), "{texts:?}");
    }

    #[test]
    fn a_title_has_nothing_that_a_window_system_rejects() {
        let mut recipes =
            ["Hills\0\u{1b}[31m", "Much too long ", "Plain"].map(|name| Recipe::new(name, (3, 3), 1.0));
        recipes[1].name = recipes[1].name.repeat(10_000);
        let mut documents = recipes.map(|recipe| Document::new(recipe, None));
        documents[2].recipe.seed = 1;
        let title = title_of(&documents);
        assert!(!title.contains(char::is_control) && title.len() < 300, "{title:?}");
        assert!(title.starts_with("Hills\u{fffd}") && title.ends_with("| Plain* - upland"), "{title}");
    }
}
