//! The window: one landscape, or several side by side with linked cameras.

use std::path::PathBuf;

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, ClearColorConfig};
use bevy::diagnostic::FrameTimeDiagnosticsPlugin;
use bevy::prelude::*;
use bevy::render::render_resource::BlendState;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::window::{FileDragAndDrop, PrimaryWindow, WindowResolution};
use bevy::winit::WinitPlugin;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext};

use super::display::Display;
use super::document::Document;
use super::draw::DrawPlugin;
use super::fly::{FlyPlugin, FollowsPilot, Pilot};
use super::layout::{Margins, Place, divide};
use super::message::{self, Message};
use super::rebuild::{Asked, RebuildPlugin, SkyOf};
use super::scene::Quality;
use super::{panel, scene, screenshot};
use crate::error::Result;
use crate::plugin::{TerrainGround, require_graphics_device};
use crate::recipe::Recipe;

/// The most landscapes that are shown side by side.
pub const MAX_LANDSCAPES: usize = 4;

/// Opens a window on `documents`, at least one, and runs until it is closed.
///
/// # Errors
/// When there is no graphics device, not even a software one.
pub fn view(display: Display, documents: Vec<Document>) -> Result<AppExit> {
    require_graphics_device()?;
    let names: Vec<&str> = documents.iter().map(|document| document.recipe.name.as_str()).collect();
    let window = Window {
        title: format!("{} - upland", names.join(" | ")),
        name: Some("upland".into()),
        resolution: WindowResolution::new(1440, 860),
        ..default()
    };
    let mut app = display.into_app();
    app.add_plugins(
        DefaultPlugins
            .build()
            .disable::<WinitPlugin>()
            .set(WindowPlugin { primary_window: Some(window), ..default() })
            .set(bevy::log::LogPlugin { filter: LOG_FILTER.into(), ..default() }),
    )
    .add_plugins((EguiPlugin::default(), FrameTimeDiagnosticsPlugin::default()))
    .add_plugins((FlyPlugin, RebuildPlugin, DrawPlugin))
    .insert_resource(Opening(documents))
    .insert_resource(ClearColor(Color::srgb(0.05, 0.055, 0.06)))
    .init_resource::<Margins>()
    .init_resource::<Message>()
    .add_systems(Startup, (share_egui, open).chain())
    .add_systems(Update, (divide, screenshot::take, message::fade, drop_files, first_look, title))
    .add_systems(EguiPrimaryContextPass, panel::show);
    scene::add_plugins(&mut app);
    panel::add(&mut app);
    Ok(app.run())
}

/// Warnings of everybody, except those that are known to mean nothing.
const LOG_FILTER: &str = "warn,wgpu_core=error,wgpu_hal=error,naga=error,winit=error,bevy_egui=error,bevy_render=error,bevy_asset=error";

/// What is to be opened when the program starts.
#[derive(Resource)]
struct Opening(Vec<Document>);

/// A document whose land hasn't been looked at yet.
#[derive(Component)]
pub(super) struct NotYetSeen;

/// Gives egui a camera of its own over the whole window, so that panels aren't cut by a landscape.
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
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let quality = Quality::of(adapter.as_deref());
    for (index, document) in std::mem::take(&mut opening.0).into_iter().enumerate() {
        let recipe = document.recipe.clone();
        if index == 0 {
            let (from, look) = scene::first_view(&recipe, None);
            pilot.put(from, look);
        }
        let layer = layer_of(index);
        let entity = commands
            .spawn((
                scene::terrain(&recipe, layer),
                Asked::full(recipe.clone()),
                document,
                Number(index),
                NotYetSeen,
            ))
            .id();
        commands.spawn((scene::sky(&recipe, layer, quality), SkyOf(entity)));
        commands.spawn((
            scene::camera(layer, quality),
            Camera { order: index as isize, ..default() },
            FollowsPilot,
            Place(index),
        ));
    }
}

/// The render layer of the document with this number. Layer 0 is everybody's; each landscape has one of
/// its own.
pub(super) fn layer_of(number: usize) -> usize {
    number + 1
}

/// The number of a document, from the left.
#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number(pub usize);

/// Once the heights are known, a landscape without a view of its own is looked at from where it is
/// whole.
fn first_look(
    mut commands: Commands,
    mut pilot: ResMut<Pilot>,
    grounds: Query<(Entity, &Number, &Document, &TerrainGround), With<NotYetSeen>>,
) {
    for (entity, place, document, ground) in &grounds {
        commands.entity(entity).remove::<NotYetSeen>();
        if place.0 == 0 && document.recipe.view.is_none() {
            let (from, look) = scene::first_view(&document.recipe, Some(ground.height_range()));
            pilot.put(from, look);
        }
    }
}

/// A file dropped on the window is opened in place of the landscape under it.
fn drop_files(
    mut dropped: MessageReader<FileDragAndDrop>,
    window: Single<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &Place)>,
    mut commands: Commands,
    mut documents: Query<(Entity, &Number, &mut Document)>,
    mut message: ResMut<Message>,
) {
    for event in dropped.read() {
        let FileDragAndDrop::DroppedFile { path_buf, .. } = event else { continue };
        let under = window.cursor_position().and_then(|cursor| {
            let mut places = cameras.iter();
            places
                .find(|(camera, _)| camera.logical_viewport_rect().is_some_and(|view| view.contains(cursor)))
        });
        let place = under.map_or(0, |(_, place)| place.0);
        if let Some((entity, _, mut document)) = documents.iter_mut().find(|(_, number, _)| number.0 == place)
        {
            replace(&mut commands, entity, &mut document, path_buf.clone(), &mut message);
        }
    }
}

/// Opens `path` in place of `document`; on an error the document stays.
fn replace(
    commands: &mut Commands,
    entity: Entity,
    document: &mut Document,
    path: PathBuf,
    message: &mut Message,
) {
    match Recipe::open(&path) {
        Ok(recipe) => {
            message.tell(format!("Opened {}", path.display()));
            *document = Document::new(recipe, Some(path));
            commands.entity(entity).insert(NotYetSeen);
        }
        Err(error) => message.error(error.to_string()),
    }
}

fn title(
    documents: Query<(&Number, &Document), Changed<Document>>,
    all: Query<(&Number, &Document)>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) {
    if documents.is_empty() {
        return;
    }
    let mut names: Vec<(Number, String)> = all
        .iter()
        .map(|(place, document)| {
            let mark = if document.is_changed() { "*" } else { "" };
            (*place, format!("{}{mark}", document.recipe.name))
        })
        .collect();
    names.sort();
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    window.title = format!("{} - upland", names.join(" | "));
}
