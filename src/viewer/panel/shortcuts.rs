//! Keys that perform actions wherever the pointer is, and the click that gives keys back to flying.

use bevy::prelude::*;
use bevy_egui::egui::{self, Key, Modifiers};

use super::palette::WIDER;
use super::tools::{Tools, Windows};
use crate::viewer::actions::{Action, Switch};
use crate::viewer::session::{DocumentRequest, Tab};

/// When a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// While nothing is typed into a field, where it means something else.
    NotTyping,
    /// While no control takes keys.
    Free,
    /// While a recorded build is watched, and no control takes keys.
    Watching,
    /// While the brush is out, and no control takes keys.
    Sculpting,
}

/// Keys by their characters. Those with more modifiers come first; otherwise the others would take their
/// keys.
fn chords() -> [(Modifiers, Key, When, Action); 25] {
    use When::{Always, Free, NotTyping, Watching};
    let panel = |tab| Action::Panel(tab, Switch::Toggle);
    let (none, ctrl, shift) = (Modifiers::NONE, Modifiers::COMMAND, Modifiers::SHIFT);
    [
        (none, Key::F3, Always, panel(Tab::Times)),
        (none, Key::F4, Always, panel(Tab::Inside)),
        (none, Key::F5, Always, panel(Tab::Watch)),
        (none, Key::F6, Always, panel(Tab::Probe)),
        (none, Key::F7, Always, panel(Tab::Sculpt)),
        (none, Key::F1, Always, Action::Keys(Switch::Toggle)),
        (none, Key::F2, Always, Action::Gallery(Switch::Toggle)),
        (ctrl, Key::P, Always, Action::Palette),
        // Not Tab, which goes from control to control.
        (none, Key::F9, Always, Action::Panels),
        (none, Key::Space, Watching, Action::Play),
        (none, Key::ArrowRight, Watching, Action::Frame(1)),
        (none, Key::ArrowLeft, Watching, Action::Frame(-1)),
        (none, Key::Home, Watching, Action::Frame(isize::MIN)),
        (none, Key::End, Watching, Action::Frame(isize::MAX)),
        // What is typed into a field is undone there.
        (ctrl | shift, Key::Z, NotTyping, Action::Redo),
        (ctrl, Key::Y, NotTyping, Action::Redo),
        (ctrl, Key::Z, NotTyping, Action::Undo),
        (ctrl | shift, Key::S, Always, Action::SaveAs),
        (ctrl, Key::S, Always, Action::Save),
        (ctrl, Key::O, Always, Action::OpenFile),
        (ctrl, Key::N, Always, Action::New),
        (ctrl, Key::Q, Always, Action::Document(DocumentRequest::Close)),
        (shift, Key::V, Free, Action::ShowNext(-1)),
        (none, Key::V, Free, Action::ShowNext(1)),
        (none, Key::F12, Always, Action::Screenshot),
    ]
}

/// Keys by their place on the keyboard, whatever character they have.
fn places() -> [(KeyCode, When, Action); 3] {
    [
        (KeyCode::KeyL, When::Free, Action::Levels(Switch::Toggle)),
        (KeyCode::BracketLeft, When::Sculpting, Action::Widen(1.0 / WIDER)),
        (KeyCode::BracketRight, When::Sculpting, Action::Widen(WIDER)),
    ]
}

/// Sends the actions of the keys that have been pressed.
pub(super) fn keys(context: &egui::Context, tools: &mut Tools) {
    let is_free = !context.egui_wants_keyboard_input();
    let (is_watching, is_sculpting) = (tools.windows.player.open, tools.windows.sculpting.open);
    let counts = |when| match when {
        When::Always => true,
        When::NotTyping => !context.text_edit_focused(),
        When::Free => is_free,
        When::Watching => is_free && is_watching,
        When::Sculpting => is_free && is_sculpting,
    };
    let held = context.input(|input| input.modifiers);
    for (modifiers, key, when, action) in chords() {
        // With Alt a key is the system's: Alt F4 closes the window.
        let may_be = modifiers.command || !held.alt;
        if may_be && counts(when) && context.input_mut(|input| input.consume_key(modifiers, key)) {
            tools.actions.send(action);
        }
    }
    // An open menu or list gets these keys instead.
    let is_alone = !held.command && !held.alt && !egui::Popup::is_any_open(context);
    for (key, when, action) in places() {
        if is_alone && counts(when) && tools.keys.just_pressed(key) {
            tools.actions.send(action);
        }
    }
    // Esc takes the focus from a control first.
    let may_end = is_watching && is_free && !tools.state.had_focus;
    if may_end && context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        tools.actions.send(Action::Panel(Tab::Watch, Switch::Off));
    }
}

/// Esc closes what lies over land and panels, one thing at a time. Menus and lists react to it before, tools
/// on the land after.
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
    // The topmost first.
    if palette.is_open() {
        **palette = Default::default();
    } else if files.is_open() {
        files.close();
    } else if export.is_open() {
        export.end(exporting, had_focus);
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

/// A click on the land takes the keyboard focus from a text field, so that keys fly again.
pub(super) fn release_keys(context: &egui::Context, land: Rect) {
    let pressed = context.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()));
    let Some(place) = pressed.filter(|place| land.contains(Vec2::new(place.x, place.y))) else { return };
    // Clicks on something over the land don't count.
    if context.layer_id_at(place).is_none_or(|layer| layer.order == egui::Order::Background) {
        context.memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The actions of all keys, with the names of the keys as the palette writes them.
    pub(in super::super) fn of_keys() -> Vec<(String, Action)> {
        let sign = |key: Key| match key {
            Key::ArrowRight => "→".to_owned(),
            Key::ArrowLeft => "←".to_owned(),
            key => format!("{key:?}"),
        };
        let chords = chords().into_iter().map(|(modifiers, key, _, action)| {
            let ctrl = if modifiers.command { "Ctrl " } else { "" };
            let shift = if modifiers.shift { "Shift " } else { "" };
            (format!("{ctrl}{shift}{}", sign(key)), action)
        });
        let places = places().into_iter().map(|(key, _, action)| {
            let sign = match key {
                KeyCode::BracketLeft => "[",
                KeyCode::BracketRight => "]",
                _ => "L",
            };
            (sign.to_owned(), action)
        });
        chords.chain(places).collect()
    }

    #[test]
    fn a_chord_with_more_modifiers_comes_before_those_with_fewer() {
        let chords = chords();
        for (index, (modifiers, key, ..)) in chords.iter().enumerate() {
            for (earlier, other, ..) in &chords[..index] {
                assert!(key != other || !earlier.is_none() && earlier.shift, "{key:?} with {modifiers:?}");
            }
        }
    }
}
