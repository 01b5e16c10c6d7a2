//! The whole window, driven as by a user, in tests, except the window system and the graphics device.
//! Controls are found by their names, as a screen reader finds them.

mod beside;
mod brush;
mod dock;
mod files;
mod gallery;
mod killed;
mod lessons;
mod moves;
mod panels;
#[cfg(feature = "measure")]
mod speed;
mod tests;

use std::time::{Duration, Instant};

use bevy::app::TerminalCtrlCHandlerPlugin;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::input::mouse::{MouseButtonInput, MouseScrollUnit, MouseWheel};
use bevy::input::touch::TouchPhase;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::settings::WgpuSettings;
use bevy::render::sync_world::SyncWorldPlugin;
use bevy::time::TimeUpdateStrategy;
use bevy::window::{CursorMoved, FileDragAndDrop, PrimaryWindow, WindowEvent};
use bevy_egui::egui::{self, accesskit};
use bevy_egui::{EguiContext, EguiOutput, PrimaryEguiContext};

use super::actions::ActionQueue;
use super::app::furnish;
use super::document::Document;
use super::files::recent::Recent;
use super::panel;
use super::session::settings::Settings;
use super::session::{Landscapes, Place, Selection, View};
use crate::plugin::{Quality, TerrainStatus};
use crate::recipe::Recipe;

/// How long to wait for something to happen.
const PATIENCE: Duration = Duration::from_secs(300);
/// Duration of a frame, seconds.
const FRAME: f32 = 1.0 / 60.0;

/// The window.
struct Driven {
    app: App,
    window: Entity,
}

impl Driven {
    /// Opens these landscapes, whose changes are kept below `root` in case of a crash.
    fn open(recipes: Vec<Recipe>, root: &std::path::Path) -> Self {
        let documents = recipes.into_iter().map(|recipe| Document::new(recipe, None));
        Self::open_documents(documents.collect(), root)
    }

    /// Like [`open`](Self::open), with documents.
    fn open_documents(documents: Vec<Document>, root: &std::path::Path) -> Self {
        let settings = WgpuSettings { backends: None, ..default() };
        let window = Window { resolution: (1280, 720).into(), ..default() };
        let plugins = DefaultPlugins
            .set(WindowPlugin { primary_window: Some(window), close_when_requested: false, ..default() })
            .set(RenderPlugin { render_creation: settings.into(), ..default() })
            .disable::<PipelinedRenderingPlugin>()
            .disable::<TerminalCtrlCHandlerPlugin>()
            .disable::<bevy::winit::WinitPlugin>()
            .disable::<bevy::log::LogPlugin>();
        let mut app = App::new();
        app.add_plugins(plugins)
            // Despawned entities are added to a list that, without a graphics device, only exists with this
            // plugin.
            .add_plugins(SyncWorldPlugin)
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(FRAME)));
        furnish(&mut app, documents, Some(Quality::Low), None, Some(root.join("kept")));
        app.insert_resource(Settings::default());
        app.finish();
        app.cleanup();
        let mut windows = app.world_mut().query_filtered::<Entity, With<PrimaryWindow>>();
        let window = windows.single(app.world()).unwrap();
        let mut driven = Self { app, window };
        driven.frames(3);
        driven.context().enable_accesskit();
        driven.frames(3);
        driven
    }

    fn frames(&mut self, count: usize) {
        for _ in 0..count {
            self.app.update();
        }
    }

    /// Runs frames until something has happened.
    fn until(&mut self, what: &str, mut has_happened: impl FnMut(&mut Self) -> bool) {
        let begun = Instant::now();
        while !has_happened(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {:?}", self.names());
            self.app.update();
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The landscape at this place from the left.
    fn landscape(&self, index: usize) -> Entity {
        let found = self.app.world().resource::<Landscapes>().at(index);
        found.unwrap_or_else(|| panic!("no landscape {index}"))
    }

    /// A component of each landscape, from left to right.
    fn of_landscapes<C: Component>(&self) -> Vec<Option<&C>> {
        let all = self.app.world().resource::<Landscapes>().iter();
        all.map(|land| self.app.world().get::<C>(land)).collect()
    }

    /// The place of the view of each landscape, from left to right.
    fn views(&self) -> Vec<Rect> {
        let views = self.of_landscapes::<View>().into_iter().map(|view| view.unwrap().camera());
        views.map(|camera| self.app.world().get::<Place>(camera).unwrap().rect()).collect()
    }

    /// The document at this place from the left.
    fn document(&self, index: usize) -> &Document {
        self.app.world().get::<Document>(self.landscape(index)).unwrap()
    }

    /// The same, to change it.
    fn document_mut(&mut self, index: usize) -> Mut<'_, Document> {
        let land = self.landscape(index);
        self.app.world_mut().get_mut::<Document>(land).unwrap()
    }

    /// Edits the landscape at this place from the left.
    fn edit(&mut self, index: usize) {
        let land = self.landscape(index);
        self.app.world_mut().resource_mut::<Selection>().edit(land);
    }

    /// The number of landscapes.
    fn landscapes(&self) -> usize {
        self.app.world().resource::<Landscapes>().len()
    }

    /// Waits until all lands are built.
    fn settle(&mut self) {
        self.until("lands are built", |driven| {
            let mut lands = driven.app.world_mut().query::<&TerrainStatus>();
            lands.iter(driven.app.world()).all(|status| *status == TerrainStatus::Ready)
        });
    }

    /// The tree of controls that screen readers receive.
    fn tree(&mut self) -> &accesskit::TreeUpdate {
        let mut outputs = self.app.world_mut().query_filtered::<&EguiOutput, With<PrimaryEguiContext>>();
        let output = outputs.single(self.app.world()).unwrap();
        output.platform_output.accesskit_update.as_ref().expect("a tree of controls")
    }

    /// The controls that are shown: roles, names, and places in logical pixels.
    fn controls(&mut self) -> Vec<(accesskit::Role, String, Rect)> {
        let update = self.tree();
        let name = |node: &accesskit::Node| {
            let labels = node.labelled_by().iter().filter_map(|id| {
                let label = update.nodes.iter().find(|(other, _)| other == id);
                label.and_then(|(_, label)| label.value().or(label.label()))
            });
            let labels: Vec<&str> = labels.collect();
            let own = node.label().or(node.value()).unwrap_or_default();
            if labels.is_empty() { own.to_owned() } else { labels.join(" ") }
        };
        let place = |node: &accesskit::Node| {
            let bounds = node.bounds()?;
            Some(Rect::new(bounds.x0 as f32, bounds.y0 as f32, bounds.x1 as f32, bounds.y1 as f32))
        };
        let control =
            |(_, node): &(accesskit::NodeId, accesskit::Node)| Some((node.role(), name(node), place(node)?));
        update.nodes.iter().filter_map(control).collect()
    }

    fn names(&mut self) -> Vec<String> {
        self.controls().into_iter().map(|(role, name, _)| format!("{role:?} {name}")).collect()
    }

    /// The place of the control with this role whose name begins with this; the topmost, then leftmost, if
    /// there are several.
    fn find(&mut self, role: accesskit::Role, name: &str) -> Rect {
        let found =
            self.controls().into_iter().filter(|(other, of, _)| *other == role && of.starts_with(name));
        let places = found.map(|(.., place)| place);
        places
            .min_by(|a, b| (a.min.y, a.min.x).partial_cmp(&(b.min.y, b.min.x)).unwrap())
            .unwrap_or_else(|| panic!("no {role:?} {name:?} in {:?}", self.names()))
    }

    /// The place of the control with this name and any role; `None` if there is none.
    fn named(&mut self, name: &str) -> Option<Rect> {
        let found = self.controls().into_iter().find(|(_, of, _)| of == name);
        found.map(|(.., place)| place)
    }

    fn has(&mut self, role: accesskit::Role, name: &str) -> bool {
        self.controls().into_iter().any(|(other, of, _)| other == role && of.starts_with(name))
    }

    /// Whether this text is shown anywhere.
    fn says(&mut self, text: &str) -> bool {
        self.names().iter().any(|name| name.contains(text))
    }

    /// Whether a control with this name is selected or switched on.
    fn is_chosen(&mut self, name: &str) -> bool {
        let mut nodes = self.tree().nodes.iter();
        nodes.any(|(_, node)| node.label() == Some(name) && node.toggled() == Some(accesskit::Toggled::True))
    }

    fn point(&mut self, to: Vec2) {
        self.pointer_to(to);
        self.frames(2);
    }

    /// Moves the pointer; the next frame receives that.
    fn pointer_to(&mut self, to: Vec2) {
        let moved = CursorMoved { window: self.window, position: to, delta: None };
        let mut window = self.app.world_mut().get_mut::<Window>(self.window).unwrap();
        window.set_cursor_position(Some(to));
        self.app.world_mut().write_message(moved.clone());
        self.app.world_mut().write_message(WindowEvent::CursorMoved(moved));
    }

    fn button(&mut self, state: ButtonState) {
        let input = MouseButtonInput { button: MouseButton::Left, state, window: self.window };
        self.app.world_mut().write_message(input);
        self.app.world_mut().write_message(WindowEvent::MouseButtonInput(input));
        self.frames(2);
    }

    fn click_at(&mut self, place: Vec2) {
        self.point(place);
        self.button(ButtonState::Pressed);
        self.button(ButtonState::Released);
    }

    /// Clicks on a button.
    fn click(&mut self, name: &str) {
        let place = self.find(accesskit::Role::Button, name).center();
        self.click_at(place);
    }

    /// Drags from one place to another.
    fn drag(&mut self, from: Vec2, to: Vec2) {
        self.point(from);
        self.button(ButtonState::Pressed);
        self.point(from.midpoint(to));
        self.point(to);
        self.button(ButtonState::Released);
    }

    /// Turns the wheel down by this number of lines over a place, and waits until nothing moves any more.
    fn scroll(&mut self, over: Vec2, lines: f32) {
        self.point(over);
        let (unit, phase, window) = (MouseScrollUnit::Line, TouchPhase::Moved, self.window);
        let turned = MouseWheel { unit, x: 0.0, y: -lines, window, phase };
        self.app.world_mut().write_message(turned);
        self.app.world_mut().write_message(WindowEvent::MouseWheel(turned));
        self.frames(60);
    }

    /// Drags slowly, so that controls under the pointer can react.
    fn hold(&mut self, from: Vec2, to: Vec2) {
        self.point(from);
        self.button(ButtonState::Pressed);
        for share in 1..=8 {
            self.point(from.lerp(to, share as f32 / 8.0));
        }
        self.frames(30);
        self.button(ButtonState::Released);
    }

    /// Carries out the command that the palette finds by this name.
    fn order(&mut self, name: &str) {
        let edited = self.app.world().resource::<Selection>().edited().unwrap();
        let recipe = self.app.world().get::<Document>(edited).unwrap().recipe.clone();
        let recent = self.app.world().resource::<Recent>().paths().to_owned();
        if let Some(action) = panel::action_named(name, Some(&recipe), &recent) {
            self.app.world_mut().resource_mut::<ActionQueue>().send(action);
        }
        self.frames(3);
    }

    /// The egui context of the panels.
    fn context(&mut self) -> egui::Context {
        let mut contexts =
            self.app.world_mut().query_filtered::<&mut EguiContext, With<PrimaryEguiContext>>();
        contexts.single_mut(self.app.world_mut()).unwrap().get_mut().clone()
    }

    /// Presses keys together, and releases them.
    fn press(&mut self, keys: &[(KeyCode, Key)]) {
        self.press_within(keys, 1);
    }

    /// Like [`press`](Self::press), with this number of frames after each key goes down or up.
    fn press_within(&mut self, keys: &[(KeyCode, Key)], frames: usize) {
        let all = keys.iter().map(|key| (key, ButtonState::Pressed));
        let all = all.chain(keys.iter().rev().map(|key| (key, ButtonState::Released)));
        for (key, state) in all {
            self.key(key, state);
            self.frames(frames);
        }
        self.frames(2);
    }

    /// Sends a key that went down or up to the next frame.
    fn key(&mut self, (key_code, logical_key): &(KeyCode, Key), state: ButtonState) {
        let (key_code, logical_key, window) = (*key_code, logical_key.clone(), self.window);
        let input = KeyboardInput { key_code, logical_key, state, text: None, repeat: false, window };
        self.app.world_mut().write_message(input.clone());
        self.app.world_mut().write_message(WindowEvent::KeyboardInput(input));
    }

    /// Holds a key down for this number of frames.
    fn hold_key(&mut self, key_code: KeyCode, logical_key: Key, frames: usize) {
        for (state, frames) in [(ButtonState::Pressed, frames), (ButtonState::Released, 2)] {
            self.key(&(key_code, logical_key.clone()), state);
            self.frames(frames);
        }
    }

    /// Drops a file on the window.
    fn drop_file(&mut self, path: &std::path::Path) {
        let dropped = FileDragAndDrop::DroppedFile { window: self.window, path_buf: path.to_owned() };
        self.app.world_mut().write_message(dropped.clone());
        self.app.world_mut().write_message(WindowEvent::FileDragAndDrop(dropped));
        self.frames(4);
    }

    /// Presses Ctrl with a letter.
    fn command(&mut self, code: KeyCode, letter: &str) {
        self.press(&[(KeyCode::ControlLeft, Key::Control), (code, Key::Character(letter.into()))]);
    }
}
