//! The panels: the editor on the left, the status line at the bottom.

mod help;
mod parameters;
mod places;
mod question;
mod recipe;
mod status;
mod steps;
mod style;
mod texture;

use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_egui::{EguiContexts, egui};

use super::cursor::UnderCursor;
use super::document::Document;
use super::draw::{Drawing, Target};
use super::fly::Pilot;
use super::layout::Margins;
use super::message::Message as Told;
use super::quality::Chosen;
use super::question::{Answer, Questions, Wish};
use super::rebuild::BuildTime;
use super::scene;
use super::texture_view::TextureView;
use super::window::Number;
use crate::plugin::{DebugView, Quality, TerrainChunk, TerrainGround, TerrainStatus, TerrainView};
use crate::shown::shown_in_line;
use crate::stream::QUADS;

/// Triangles of a chunk.
const TRIANGLES: usize = 2 * (QUADS * QUADS) as usize;
/// Width of the panel in logical pixels.
const WIDTH: f32 = 340.0;
/// Widest that a message gets, logical pixels.
const MESSAGE_WIDTH: f32 = 620.0;
/// The most characters of a landscape's name where space is short.
const MOST_LETTERS: usize = 40;

/// What the panels remember.
#[derive(Resource)]
pub(super) struct PanelState {
    /// Index of the edited landscape, from the left.
    edited: usize,
    /// Whether the keys are shown.
    help: bool,
    /// Whether the panel is shown.
    open: bool,
}

/// Adds what the panels need.
pub(super) fn add(app: &mut App) {
    app.insert_resource(PanelState { edited: 0, help: false, open: true });
    texture::add(app);
}

/// The scene's data that the panels read.
#[derive(SystemParam)]
pub(super) struct Scene<'w, 's> {
    chunks: Query<'w, 's, &'static ViewVisibility, With<TerrainChunk>>,
    terrains: Query<
        'w,
        's,
        (
            Entity,
            &'static Number,
            &'static mut Document,
            &'static TerrainStatus,
            &'static BuildTime,
            Option<&'static TerrainGround>,
            &'static mut TextureView,
            Option<&'static texture::GroundHistogram>,
        ),
    >,
    views: Query<'w, 's, &'static mut TerrainView>,
    diagnostics: Res<'w, DiagnosticsStore>,
    chosen: ResMut<'w, Chosen>,
    under_cursor: Res<'w, UnderCursor>,
}

/// Draws all panels.
pub(super) fn show(
    mut contexts: EguiContexts,
    mut scene: Scene,
    mut state: ResMut<PanelState>,
    mut margins: ResMut<Margins>,
    mut message: ResMut<Told>,
    questions: Res<Questions>,
    mut wishes: MessageWriter<Wish>,
    mut answers: MessageWriter<Answer>,
    mut pilot: ResMut<Pilot>,
    mut drawing: ResMut<Drawing>,
    mut styled: Local<bool>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if !*styled {
        style::apply(context);
        *styled = true;
    }
    if questions.open.is_none() {
        keys(context, &mut scene, &mut state, &mut wishes);
    }

    let builder =
        egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(context.viewport_rect());
    let mut root = egui::Ui::new(context.clone(), "root".into(), builder);
    let mut taken = Margins::default();

    let visible = scene.chunks.iter().filter(|visibility| visibility.get()).count();
    let mut documents: Vec<_> = scene.terrains.iter_mut().collect();
    documents.sort_by_key(|(_, number, ..)| **number);
    state.edited = state.edited.min(documents.len().saturating_sub(1));

    let status = egui::Panel::bottom("status").show(&mut root, |ui| {
        let shown = documents
            .iter()
            .map(|(_, _, document, status, since, ground, ..)| (&**document, *status, &since.0, *ground));
        let under = scene.under_cursor.0.as_ref();
        status::show(ui, shown, &scene.diagnostics, &pilot, under, visible * TRIANGLES);
    });
    taken.bottom = status.response.rect.height();

    if state.open {
        let panel = egui::Panel::left("recipe").exact_size(WIDTH).show(&mut root, |ui| {
            if documents.len() > 1 {
                ui.horizontal_wrapped(|ui| {
                    for (index, (_, _, document, ..)) in documents.iter().enumerate() {
                        let name = shown_in_line(&document.recipe.name, MOST_LETTERS);
                        ui.selectable_value(&mut state.edited, index, name);
                    }
                });
                ui.separator();
            }
            if let Some((entity, _, document, .., ground, view, histogram)) = documents.get_mut(state.edited)
            {
                egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    let edited = state.edited;
                    let before = drawing.step_of(edited);
                    let mut drawn = before;
                    let asked = recipe::show(ui, document, view, *histogram, &mut drawn, &mut message);
                    if drawn != before {
                        drawing.target = drawn.map(|step| Target { document: edited, step });
                    }
                    if asked.look_again {
                        let range = ground.map(|ground| ground.height_range());
                        let (from, look) = scene::first_view(&document.recipe, range);
                        pilot.put(from, look);
                    }
                    if asked.save {
                        wishes.write(Wish::Save(*entity));
                    }
                    if let Some(recipe) = asked.show {
                        wishes.write(Wish::Show { document: *entity, recipe: Box::new(recipe), path: None });
                    }
                    if asked.keep_view {
                        let (from, look) = pilot.sight();
                        let mut kept = document.recipe.clone();
                        kept.view = Some(crate::recipe::View { from: from.into(), look: look.into() });
                        match kept.check() {
                            Ok(()) => {
                                document.recipe = kept;
                                message.tell("The landscape now opens with this view");
                            }
                            Err(error) => message.error(error.to_string()),
                        }
                    }
                    shown_as(ui, &mut scene.views);
                    drawn_with(ui, &mut scene.chosen, &mut message);
                });
            }
        });
        taken.left = panel.response.rect.width();
    }
    margins.set_if_neq(taken);
    release_keys(context, taken);

    show_message(context, &mut message, taken);
    help::show(context, &mut state.help);
    if let Some(question) = &questions.open {
        let document_of = |wanted| {
            let found = documents.iter().find(|(entity, ..)| *entity == wanted);
            found.map(|(_, _, document, ..)| &**document)
        };
        if let Some(answer) = question::show(context, question, document_of) {
            answers.write(answer);
        }
    }
    Ok(())
}

/// A click on the land takes the keyboard focus from a text field, so that the keys fly again.
fn release_keys(context: &egui::Context, taken: Margins) {
    let floor = context.viewport_rect().bottom() - taken.bottom;
    let on_land = context.input(|input| {
        let place = input.pointer.interact_pos();
        input.pointer.any_pressed() && place.is_some_and(|place| place.x > taken.left && place.y < floor)
    });
    if on_land {
        context.memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }
}

fn keys(
    context: &egui::Context,
    scene: &mut Scene,
    state: &mut PanelState,
    wishes: &mut MessageWriter<Wish>,
) {
    use egui::{Key, Modifiers};
    let pressed = |modifiers, key| context.input_mut(|input| input.consume_key(modifiers, key));
    if pressed(Modifiers::NONE, Key::F1) {
        state.help = !state.help;
    }
    if pressed(Modifiers::NONE, Key::Tab) && !context.egui_wants_keyboard_input() {
        state.open = !state.open;
    }
    let redo = pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || pressed(Modifiers::COMMAND, Key::Y);
    let undo = pressed(Modifiers::COMMAND, Key::Z);
    let save = pressed(Modifiers::COMMAND, Key::S);
    if pressed(Modifiers::COMMAND, Key::Q) {
        wishes.write(Wish::Close);
    }
    if !(undo || redo || save) {
        return;
    }
    let edited = state.edited;
    let found = scene.terrains.iter_mut().find(|(_, number, ..)| number.0 == edited);
    let Some((entity, _, mut document, ..)) = found else { return };
    if undo {
        document.undo();
    }
    if redo {
        document.redo();
    }
    if save {
        wishes.write(Wish::Save(entity));
    }
}

/// Chooses what the colours of the ground show.
fn shown_as(ui: &mut egui::Ui, views: &mut Query<&mut TerrainView>) {
    let Some(mut debug) = views.iter().next().map(|view| view.debug) else { return };
    let before = debug;
    egui::CollapsingHeader::new("Show").default_open(false).show(ui, |ui| {
        for (shown, name, tip) in [
            (DebugView::None, "Landscape", "The landscape's own colours, lit"),
            (DebugView::Slope, "Slope", "Green where one can walk, yellow at 30°, red from 60° on"),
            (DebugView::Contours, "Contours", "Lines of equal height"),
            (DebugView::Normals, "Normals", "Directions of the surface"),
            (DebugView::Levels, "Levels of detail", "A colour for each level of detail"),
        ] {
            ui.radio_value(&mut debug, shown, name).on_hover_text(tip);
        }
    });
    if debug != before {
        views.iter_mut().for_each(|mut view| view.debug = debug);
    }
}

/// Chooses the quality.
fn drawn_with(ui: &mut egui::Ui, chosen: &mut ResMut<Chosen>, message: &mut Told) {
    let before = chosen.quality();
    let mut quality = before;
    egui::CollapsingHeader::new("Quality").default_open(false).show(ui, |ui| {
        for (level, name, tip) in [
            (Quality::Low, "Low", "For devices without a graphics card: half the resolution, simple light"),
            (
                Quality::Medium,
                "Medium",
                "For small graphics devices: full light, larger texels, no smoothed edges",
            ),
            (Quality::High, "High", "For graphics cards: finer ground, more shadows, smoothed edges"),
            (Quality::Ultra, "Ultra", "For fast graphics cards: the finest ground, the sharpest shadows"),
        ] {
            ui.radio_value(&mut quality, level, name).on_hover_text(tip);
        }
        if chosen.is_tried() {
            ui.label(egui::RichText::new("trying what this device can draw").color(style::QUIET));
        }
    });
    if quality != before
        && let Err(error) = chosen.choose(quality)
    {
        message.error(format!("The quality cannot be kept for the next start: {error}"));
    }
}

fn show_message(context: &egui::Context, message: &mut Told, taken: Margins) {
    if message.text.is_empty() {
        return;
    }
    let place = egui::pos2(taken.left + 16.0, 16.0);
    let mut dismissed = false;
    egui::Area::new("message".into()).fixed_pos(place).show(context, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_max_width(MESSAGE_WIDTH.min(context.content_rect().width() - 48.0));
            ui.horizontal(|ui| {
                let colour = if message.is_error { style::ERROR } else { style::GOOD };
                ui.add(egui::Label::new(egui::RichText::new(&message.text).color(colour)).wrap());
                if message.is_error {
                    dismissed = ui.button("Dismiss").clicked();
                }
            });
        });
    });
    if dismissed {
        message.dismiss();
    }
}
