//! The window: one landscape, or several side by side with linked cameras.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, ClearColorConfig};
use bevy::diagnostic::FrameTimeDiagnosticsPlugin;
use bevy::ecs::system::SystemParam;
use bevy::input::InputSystems;
use bevy::prelude::*;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::error_handler::RenderErrorHandler;
use bevy::render::render_resource::BlendState;
use bevy::window::{FileDragAndDrop, PrimaryWindow, WindowResolution};
use bevy::winit::WinitPlugin;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext};

use super::autosave::{self, AutosavePlugin};
use super::beside::{self, Differing, Links};
use super::chords::ChordPlugin;
use super::cursor::{UnderCursor, look_under};
use super::display::{self, Display};
use super::document::Document;
use super::draw::{DrawPlugin, Drawing};
use super::fly::{FlyPlugin, FollowsPilot, Pilot};
use super::layout::{LayoutPlugin, Place, Slot};
use super::levels::Comparison;
use super::message::{self, Message};
use super::quality::{Chosen, QualityPlugin};
use super::question::{QuestionPlugin, Wish};
use super::rebuild::{Asked, RebuildPlugin, SkyOf};
use super::settings::Settings;
use super::shown::ShownPlugin;
use super::stack::StackView;
use super::teaching::{GivenLesson, Teaching};
use super::told_apart::names_of;
use super::towers::{Towers, TowersPlugin};
use super::{export, inside, levels, panel, probe, recent, scene, screenshot, sculpting, stack, watch};
use crate::Cache;
use crate::error::{Error, Result};
use crate::lessons::Lesson;
use crate::plugin::{
    DebugView, DeviceFailure, LeanViewsPlugin, Quality, ScatterFailed, Terrain, TerrainCache, TerrainGround,
    WorldOrigin, note_failure, require_graphics_device, task_pools,
};

/// The most landscapes that are shown side by side.
pub const MAX_LANDSCAPES: usize = 4;

/// Opens a window with `documents`, at least one, and runs until it is closed.
///
/// `quality` is that of this time; without, it is the one that was last chosen, or found by a trial.
///
/// # Errors
/// When there is no graphics device, not even a software one, or it is lost.
pub fn view(display: Display, documents: Vec<Document>, quality: Option<Quality>) -> Result<AppExit> {
    run(display, documents, quality, None, None)
}

/// Opens a window with `documents`, takes pictures of all states that it has into a folder, and closes it. It
/// neither reads settings nor keeps any.
///
/// # Errors
/// As [`view`], and when the folder cannot be made.
pub fn take_stills(
    display: Display,
    documents: Vec<Document>,
    quality: Option<Quality>,
    folder: PathBuf,
) -> Result<AppExit> {
    std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, "make", error))?;
    run(display, documents, quality, None, Some(folder))
}

/// Opens a window in which a lesson is given, and runs until it is closed. `path` is the file that it was read from, if
/// it was.
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
    // Whoever takes pictures wants none of what lies about here, and leaves nothing.
    let kept = stills.as_ref().map(|_| tempfile::tempdir()).transpose();
    let kept = kept.map_err(|error| Error::io(std::env::temp_dir(), "make a folder in", error))?;
    let left_in = kept.as_ref().map(|folder| folder.path().to_owned()).or_else(autosave::root);
    // Pictures show that all has its place in the smallest window that is usual.
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
        super::stills::add(&mut app, folder);
    } else {
        app.add_systems(Update, display::fit);
    }
    let failure = end_without_device(&mut app);
    let exit = app.run();
    let reason = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    reason.map_or(Ok(exit), |reason| Err(Error::parameter("renderer", reason)))
}

/// Adds to Bevy's plugins all that the window has.
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
        .add_plugins((ShownPlugin, TowersPlugin, RenderDiagnosticsPlugin, ChordPlugin))
        .add_plugins((AutosavePlugin { root: left_in.clone() }, QuestionPlugin { left_in }))
        .insert_resource(Opening(documents))
        .insert_resource(Teaching(lesson))
        .insert_resource(ClearColor(Color::srgb(0.05, 0.055, 0.06)))
        .init_resource::<Message>()
        .init_resource::<UnderCursor>()
        .add_systems(Startup, (share_egui, open).chain())
        .add_systems(Update, (message::fade, drop_files, first_look, title, look_under, miss_plants))
        .add_systems(PreUpdate, screenshot::take.after(InputSystems))
        .add_systems(EguiPrimaryContextPass, panel::show);
    scene::add_plugins(app);
    beside::add(app);
    export::add(app);
    levels::add(app);
    inside::add(app);
    stack::add(app);
    watch::add(app);
    probe::add(app);
    sculpting::add(app);
    recent::add(app);
    panel::add(app);
}

/// Ends the app once its graphics device has failed: a window that stands still helps nobody. Unsaved changes
/// are kept. The reason is left in what is returned.
fn end_without_device(app: &mut App) -> Arc<Mutex<Option<String>>> {
    let failure = Arc::new(Mutex::new(None));
    let reason = failure.clone();
    let end = move |world: &mut World| {
        let kept = match autosave::keep_now(world) {
            true => "; changes that were not saved are offered at the next start",
            false => "",
        };
        let failed = world.resource::<DeviceFailure>().0.clone();
        *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed + kept);
        world.write_message(AppExit::error());
    };
    app.insert_resource(RenderErrorHandler(note_failure))
        .add_systems(First, end.run_if(resource_added::<DeviceFailure>));
    failure
}

/// Warnings of all crates, except those that are known to be harmless, and what the window itself says of failures.
const LOG_FILTER: &str = "warn,upland::plugin::events=off,wgpu_core=error,wgpu_hal=error,naga=error,winit=error,bevy_egui=error,bevy_render=error,bevy_asset=error,rfd=off";

/// The documents to open at the start.
#[derive(Resource)]
struct Opening(Vec<Document>);

/// A document whose initial viewpoint has not been set yet.
#[derive(Component)]
pub(super) struct NotYetSeen;

/// Gives egui a camera of its own over the whole window, so that panels aren't clipped by a landscape.
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
    mut opening: ResMut<Opening>,
    mut pilot: ResMut<Pilot>,
    cache: Res<TerrainCache>,
    chosen: Res<Chosen>,
) {
    let quality = chosen.quality();
    let documents = std::mem::take(&mut opening.0);
    let first = documents.iter().position(|document| document.unread().is_none());
    for (index, document) in documents.into_iter().enumerate() {
        if Some(index) == first {
            let (from, look) = scene::first_view(&document.recipe, None);
            pilot.put(from, look);
        }
        spawn_landscape(&mut commands, &cache.0, index, document, quality);
    }
}

/// Spawns a document as the one with this number, right of those before it.
pub(super) fn spawn_landscape(
    commands: &mut Commands,
    cache: &Cache,
    index: usize,
    document: Document,
    quality: Quality,
) {
    let cache = cache.clone();
    commands.queue(move |world: &mut World| {
        let recipe = document.recipe.clone();
        let layer = free_layer(world);
        let land = scene::terrain(&recipe, &cache, layer, quality);
        let asked = Asked::full(recipe.clone());
        let of_window =
            (Number(index), NotYetSeen, Towers::default(), StackView::default(), Links::default());
        let is_unread = document.unread().is_some();
        let entity = world.spawn((land, asked, document, of_window)).id();
        if is_unread {
            // A terrain from nowhere fails: its view has the reason, and no land.
            world.entity_mut(entity).insert(Terrain::default()).remove::<NotYetSeen>();
        }
        // The world may have been moved since the first of them stood at its origin.
        let origin = world.get_resource::<WorldOrigin>().copied().unwrap_or_default();
        if let Some(mut place) = world.get_mut::<Transform>(entity) {
            place.translation -= origin.0.as_vec3();
        }
        world.spawn((scene::sky(&recipe, layer, quality), SkyOf(entity)));
        let camera = (scene::camera(layer, quality), Camera { order: layer as isize, ..default() });
        let camera = world.spawn((camera, FollowsPilot, Slot(index))).id();
        scene::dress(world.commands().entity(camera), quality, DebugView::None);
        world.flush();
    });
}

/// Removes a document with its land and its view; those right of it move up. The only one stays.
pub(super) fn close_landscape(world: &mut World, document: Entity) {
    let mut numbers = world.query::<&mut Number>();
    let Some(&Number(closed)) = world.get::<Number>(document) else { return };
    if numbers.iter(world).count() < 2 {
        return;
    }
    let mut skies = world.query::<(Entity, &SkyOf)>();
    let skies = skies.iter(world).filter(|(_, of)| of.0 == document).map(|(sky, _)| sky);
    let mut gone: Vec<Entity> = skies.chain([document]).collect();
    let mut views = world.query::<(Entity, &Slot)>();
    gone.extend(views.iter(world).filter(|(_, slot)| slot.0 == closed).map(|(view, _)| view));
    for entity in gone {
        world.despawn(entity);
    }
    numbers.iter_mut(world).filter(|number| number.0 > closed).for_each(|mut number| number.0 -= 1);
    let mut slots = world.query::<&mut Slot>();
    slots.iter_mut(world).filter(|slot| slot.0 > closed).for_each(|mut slot| slot.0 -= 1);
    autosave::begin_again(world);
    // What goes by numbers would go on with another land.
    let last = numbers.iter(world).count() - 1;
    if let Some(mut state) = world.get_resource_mut::<panel::PanelState>() {
        let edited = state.edited();
        state.edit(if edited > closed { edited - 1 } else { edited.min(last) });
    }
    if let Some(mut differing) = world.get_resource_mut::<Differing>() {
        differing.forget(closed);
    }
    world.resource_mut::<Comparison>().document = None;
    world.resource_mut::<Drawing>().target = None;
}

/// A render layer that no landscape has. Layer 0 is shared; each landscape has one of its own, for as long as it is
/// open.
fn free_layer(world: &mut World) -> usize {
    let mut lands = world.query_filtered::<&RenderLayers, With<Number>>();
    let is_free = |layer: &usize| {
        let layer = RenderLayers::layer(*layer);
        lands.iter(world).all(|taken| !taken.intersects(&layer))
    };
    (1..=MAX_LANDSCAPES).find(is_free).unwrap_or(MAX_LANDSCAPES)
}

/// The render layers of documents, by their numbers.
#[derive(SystemParam)]
pub(super) struct Layers<'w, 's>(Query<'w, 's, (&'static Number, &'static RenderLayers)>);

impl Layers<'_, '_> {
    /// Lets gizmos draw on the land of the document with this number, in front of everything but the nearest metres: at a
    /// bias of −1, rounding would put parts of a line before the near plane.
    pub fn draw_on(&self, config: &mut GizmoConfig, number: usize) {
        config.render_layers = self.of(number);
        config.line.width = 3.0;
        config.depth_bias = -0.9;
    }

    /// Those of the document with this number.
    pub fn of(&self, number: usize) -> RenderLayers {
        let found = self.0.iter().find(|(other, _)| other.0 == number);
        found.map(|(_, layers)| layers.clone()).unwrap_or(RenderLayers::none())
    }
}

/// The number of a document, from the left.
#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number(pub usize);

/// Sets the initial viewpoint of the first landscape that could be read: its own, or once its heights are known one from which all of it is
/// seen.
fn first_look(
    mut commands: Commands,
    mut pilot: ResMut<Pilot>,
    grounds: Query<(Entity, &Number, &Document, Option<Ref<TerrainGround>>), With<NotYetSeen>>,
    documents: Query<(&Number, &Document)>,
) {
    let read = documents.iter().filter(|(_, document)| document.unread().is_none());
    let first = read.map(|(number, _)| *number).min();
    for (entity, place, document, ground) in &grounds {
        // The ground of what was shown before is none of it.
        let ground = ground.filter(|ground| ground.is_changed());
        if ground.is_none() && document.recipe.view.is_none() {
            continue;
        }
        commands.entity(entity).try_remove::<NotYetSeen>();
        if Some(*place) == first {
            let heights = ground.map(|ground| ground.height_range());
            let (from, look) = scene::first_view(&document.recipe, heights);
            pilot.put(from, look);
        }
    }
}

/// Opens a file that was dropped on the window instead of the landscape under it: a recipe, a lesson or elevation.
fn drop_files(
    mut dropped: MessageReader<FileDragAndDrop>,
    window: Single<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Place, &Slot)>,
    documents: Query<(Entity, &Number)>,
    mut wishes: MessageWriter<Wish>,
    mut message: ResMut<Message>,
) {
    for event in dropped.read() {
        let FileDragAndDrop::DroppedFile { path_buf, .. } = event else { continue };
        let under = window
            .cursor_position()
            .and_then(|cursor| cameras.iter().find(|(place, _)| place.contains(cursor)));
        let place = under.map_or(0, |(_, slot)| slot.0);
        let Some((document, _)) = documents.iter().find(|(_, number)| number.0 == place) else { continue };
        match recent::wish_to_open(document, path_buf) {
            Ok(wish) => drop(wishes.write(wish)),
            Err(error) => message.error(error.to_string()),
        }
    }
}

/// Says which plants and rocks are not drawn, and why.
fn miss_plants(mut failed: MessageReader<ScatterFailed>, mut message: ResMut<Message>) {
    for ScatterFailed { object, error, .. } in failed.read() {
        let what = if object.is_empty() { String::new() } else { format!(" `{object}`") };
        message.error(format!("Plants and rocks{what}: {error}"));
    }
}

fn title(
    changed: Query<(), Changed<Document>>,
    documents: Query<(&Number, &Document)>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) {
    if changed.is_empty() {
        return;
    }
    let mut all: Vec<_> = documents.iter().collect();
    all.sort_by_key(|(number, _)| **number);
    let title = title_of(all.into_iter().map(|(_, document)| document));
    if window.title != title {
        window.title = title;
    }
}

/// The most characters of a landscape's name in the title: some systems limit titles.
const MOST_LETTERS: usize = 60;

/// The names of all documents, with a mark on those that have changed.
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
    fn a_lost_device_ends_the_window_and_keeps_what_was_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AutosavePlugin { root: Some(folder.path().into()) }))
            .init_resource::<Message>();
        let failure = end_without_device(&mut app);
        let mut document = Document::new(Recipe::new("Hills", (3, 3), 1.0), None);
        document.recipe.seed = 77;
        app.world_mut().spawn((Number(0), document));
        app.update();
        assert_eq!(app.should_exit(), None);

        app.insert_resource(DeviceFailure("the graphics device was lost".into()));
        app.update();
        assert!(app.should_exit().is_some_and(|exit| exit.is_error()));
        let reason = failure.lock().unwrap().clone().unwrap();
        assert!(reason.starts_with("the graphics device was lost; changes"), "{reason}");
        let (left, _) = autosave::find_left(folder.path());
        assert_eq!(left.len(), 0, "it is this window's, which is still open");
        let kept = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let kept = std::fs::read_dir(kept).unwrap().map(|file| file.unwrap().path());
        let texts: Vec<_> = kept.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        assert!(texts.iter().any(|text| text.contains("seed: 77")), "{texts:?}");
    }

    #[test]
    fn one_of_several_landscapes_is_closed_and_those_right_of_it_move_up() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AutosavePlugin { root: None }))
            .init_resource::<Message>()
            .init_resource::<Comparison>()
            .insert_resource(panel::PanelState::editing(2))
            .init_resource::<Differing>()
            .init_resource::<Drawing>();
        app.world_mut().resource_mut::<Differing>().pair = [0, 2];
        app.world_mut().resource_mut::<Drawing>().target =
            Some(super::super::draw::Target { document: 2, step: 0 });
        let lands: Vec<Entity> = ["A", "B", "C"]
            .into_iter()
            .enumerate()
            .map(|(index, name)| {
                let document = Document::new(Recipe::new(name, (3, 3), 1.0), None);
                let land =
                    app.world_mut().spawn((document, Number(index), RenderLayers::layer(index + 1))).id();
                app.world_mut().spawn(SkyOf(land));
                app.world_mut().spawn(Slot(index));
                land
            })
            .collect();
        let named = |app: &mut App| {
            let mut documents = app.world_mut().query::<(&Number, &Document)>();
            let mut all: Vec<_> =
                documents.iter(app.world()).map(|(number, of)| (number.0, of.recipe.name.clone())).collect();
            all.sort();
            all
        };
        let slots = |app: &mut App| {
            let mut slots = app.world_mut().query::<&Slot>();
            let mut all: Vec<usize> = slots.iter(app.world()).map(|slot| slot.0).collect();
            all.sort_unstable();
            all
        };
        close_landscape(app.world_mut(), lands[1]);
        assert_eq!(named(&mut app), [(0, "A".into()), (1, "C".into())]);
        assert_eq!((slots(&mut app), app.world().resource::<panel::PanelState>().edited()), (vec![0, 1], 1));
        assert!(app.world().resource::<Drawing>().target.is_none());
        assert_eq!(app.world().resource::<Differing>().pair, [0, 1], "A and C are compared as before");
        assert_eq!(free_layer(app.world_mut()), 2, "the layer of the one that is gone");
        close_landscape(app.world_mut(), lands[2]);
        close_landscape(app.world_mut(), lands[0]);
        assert_eq!(named(&mut app), [(0, "A".into())], "the last one stays");
        assert_eq!(app.world().resource::<panel::PanelState>().edited(), 0);
    }

    #[test]
    fn a_title_has_nothing_that_a_window_system_refuses() {
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
