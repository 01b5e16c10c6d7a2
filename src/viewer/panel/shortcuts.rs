//! Keys that reach the panels wherever the pointer is, and the click that gives keys back to flying.

use bevy::prelude::*;
use bevy_egui::egui;

use super::analysis::playback;
use super::edited::EditedItem;
use super::palette;
use super::tools::{Tools, Windows};
use crate::viewer::document::new_document;
use crate::viewer::session::{DocumentRequest, Tab};

/// Keys that open panels, and those of files and changes.
pub(super) fn keys(context: &egui::Context, tools: &mut Tools, edited: Option<&mut EditedItem>) {
    use egui::{Key, Modifiers};
    let pressed = |modifiers, key| context.input_mut(|input| input.consume_key(modifiers, key));
    // With Alt a function key is the system's: Alt F4 closes the window.
    let alone = |key| !context.input(|input| input.modifiers.alt) && pressed(Modifiers::NONE, key);
    for (key, tab) in [
        (Key::F3, Tab::Times),
        (Key::F4, Tab::Inside),
        (Key::F5, Tab::Watch),
        (Key::F6, Tab::Probe),
        (Key::F7, Tab::Sculpt),
    ] {
        if alone(key) {
            tools.toggle(tab);
        }
    }
    if alone(Key::F1) {
        tools.state.help = !tools.state.help;
    }
    if alone(Key::F2) {
        tools.scene.gallery.open = !tools.scene.gallery.open;
    }
    if pressed(Modifiers::COMMAND, Key::P) {
        let recipe = edited.as_ref().map(|of| &of.document.recipe);
        tools.windows.palette.toggle(palette::Known::of(recipe, tools.windows.recent.paths()));
    }
    // Not Tab, which goes from control to control.
    if alone(Key::F9) {
        tools.selection.shows_panels = !tools.selection.shows_panels;
    }
    let had_focus = tools.state.had_focus;
    playback::keys(context, tools.windows.player.bypass_change_detection(), had_focus);
    // What is typed into a field is undone there.
    let is_typing = context.text_edit_focused();
    let redo = !is_typing
        && (pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || pressed(Modifiers::COMMAND, Key::Y));
    let undo = !is_typing && pressed(Modifiers::COMMAND, Key::Z);
    let save_as = pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    let save = pressed(Modifiers::COMMAND, Key::S);
    let open = pressed(Modifiers::COMMAND, Key::O);
    let new = pressed(Modifiers::COMMAND, Key::N);
    if pressed(Modifiers::COMMAND, Key::Q) {
        tools.requests.write(DocumentRequest::Close);
    }
    let Some(EditedItem { entity, document, towers, .. }) = edited else { return };
    if new {
        tools.open(*entity, new_document::landscape());
    }
    if open {
        tools.windows.files.open(*entity);
    }
    if save_as {
        tools.windows.files.save_as(*entity, document);
    }
    // While towers are put, what is undone is a tower.
    if undo && !(tools.scene.putting.is_on && towers.undo()) {
        document.undo();
    }
    if redo {
        document.redo();
    }
    if save {
        tools.requests.write(DocumentRequest::Save(*entity));
    }
}

/// Esc ends what lies over land and panels, one at a time. A menu or a list has it before, and panels after.
pub(super) fn end_by_key(context: &egui::Context, tools: &mut Tools) {
    let had_focus = tools.state.had_focus;
    let Windows { palette, files, export, output, exporting, mistake, .. } = &mut tools.windows;
    let (gallery, help) = (tools.scene.gallery.open, tools.state.help);
    let is_over =
        palette.is_open() || files.is_open() || export.is_open() || gallery || help || mistake.is_open();
    let is_over = is_over || output.is_open();
    let is_free = !egui::Popup::is_any_open(context);
    let is_pressed =
        || context.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
    if !(is_over && is_free && is_pressed()) {
        return;
    }
    // The uppermost first.
    if palette.is_open() {
        **palette = Default::default();
    } else if files.is_open() {
        files.close();
    } else if export.is_open() {
        export.end(exporting.bypass_change_detection(), had_focus);
    } else if output.is_open() {
        output.close();
    } else if gallery {
        tools.scene.gallery.open = false;
    } else if help {
        tools.state.help = false;
    } else {
        mistake.close();
    }
}

/// A click on the land takes the keyboard focus from a text field, so that the keys fly again.
pub(super) fn release_keys(context: &egui::Context, land: Rect) {
    let pressed = context.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()));
    let Some(place) = pressed.filter(|place| land.contains(Vec2::new(place.x, place.y))) else { return };
    // Not on what lies over it.
    if context.layer_id_at(place).is_none_or(|layer| layer.order == egui::Order::Background) {
        context.memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }
}
