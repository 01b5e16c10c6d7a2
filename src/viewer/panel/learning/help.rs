//! F1: the keys, and what the mouse does.

use bevy::math::Rect;
use bevy_egui::egui;

use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::style;

/// What else can do the action of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The command palette can do it too.
    Command,
    /// Only keys, and only while they are held.
    Held,
    /// Only keys: that of the palette itself, and those that move the focus.
    Control,
    /// Only the pointer, because it needs a position.
    Pointer,
}

use By::{Command, Control, Held, Pointer};

/// Keys, what they do, and what else can do it.
pub(crate) const KEYS: &[(&[&str], &str, By)] = &[
    (&["W A S D"], "fly ahead, left, back, right", Held),
    (&["E  Q"], "rise, sink", Held),
    (&["Shift"], "four times as fast", Held),
    (&["Mouse button"], "hold over the land to look around", Pointer),
    (&["Wheel"], "speed", Pointer),
    (&["Double click"], "fly to that place", Pointer),
    (&["Status line"], "click on “Fly” to walk on the ground, or to orbit around a point", Pointer),
    (&["F9"], "hide or show the panels and the status line; drag a title to move a panel", Command),
    (
        &["Tab", "Esc"],
        "next control, with Shift the previous one; Esc leaves it, or closes what is over the land",
        Control,
    ),
    (&["Ctrl Z"], "undo", Command),
    (&["Ctrl Shift Z", "Ctrl Y"], "redo", Command),
    (&["Ctrl P"], "the command palette: all commands by name", Control),
    (&["Ctrl N"], "a new landscape", Command),
    (&["Ctrl O"], "open a recipe or an elevation file", Command),
    (&["Ctrl S"], "save the recipe", Command),
    (&["Ctrl Shift S"], "save the recipe to another file", Command),
    (&["Ctrl Q"], "close the window", Command),
    (&["V"], "the next view of the land: wireframe, slope, layers …", Command),
    (&["Shift V"], "the previous view of the land", Command),
    (&["L"], "levels of detail compared: CDLOD, ROAM, TIN, brute force", Command),
    (&["F1"], "these keys", Command),
    (&["F2"], "the gallery: landscapes, generators, lessons, variants of this land", Command),
    (&["F3"], "frame times by pass", Command),
    (&["F4"], "look inside: heights, slopes, spectrum, variogram, a profile …", Command),
    (&["F5"], "watch the steps work", Command),
    (&["Space"], "in the player: play or pause", Command),
    (&["←", "→"], "in the player: previous or next frame", Command),
    (&["Home", "End"], "in the player: first or last frame", Command),
    (&["F6"], "the probe: click on the land to see what each step did there", Command),
    (&["F7"], "the brush: sculpt and paint the land by hand", Command),
    (&["[", "]"], "a narrower or wider brush", Command),
    (&["Steps"], "S shows only this step; drag the six dots to reorder it", Pointer),
    (
        &["F12"],
        "save a screenshot in the current folder; while panels are hidden (F9), only of the land",
        Command,
    ),
    (&["Drop a file"], "open a recipe or an elevation file", Pointer),
    (
        &["Draw on the land"],
        "for steps with points, such as rivers and roads: click to add a point, right click to remove it, Esc to finish",
        Pointer,
    ),
    (
        &["Set towers"],
        "in the view Viewshed: click to set a tower, right click to remove it, Esc to finish",
        Pointer,
    ),
    (&["Drag a slider"], "a preview while you drag, the full land when you release it", Pointer),
    (&["Texture: W S M"], "show a type's weight, only the type, or all but the type", Pointer),
    (&["Texture: dots"], "drag a type to reorder it", Pointer),
    (
        &["Texture: limits and their fades"],
        "drag the bars to limit where a type lies, and their feet to set how far it fades",
        Pointer,
    ),
    (&["Numbers"], "drag, or click and type; point at a plot to read its values", Pointer),
];

/// Draws the window over the land while `open`.
pub(crate) fn show(context: &egui::Context, open: &mut bool, land: Rect, actions: &mut ActionQueue) {
    let (mut is_open, mut tour) = (*open, false);
    let window = egui::Window::new("Keys").open(&mut is_open).collapsible(false).resizable(false);
    let spacing = context.global_style().spacing.interact_size.y;
    style::over_middle(window, land, false).show(context, |ui| {
        let high = (land.height() - 2.0 * spacing - 40.0).max(3.0 * spacing);
        // Long lines wrap where the land is narrow.
        ui.set_max_width((land.width() - 60.0).clamp(200.0, 900.0));
        let scroll = egui::ScrollArea::vertical().max_height(high).auto_shrink([true, true]);
        scroll.show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([24.0, 6.0]).show(ui, |ui| {
                for &(keys, what, _) in KEYS {
                    ui.strong(keys.join("  "));
                    ui.label(what);
                    ui.end_row();
                }
            });
            ui.add_space(6.0);
            tour = actions.button(ui, "Take the five-minute tour", "", Action::GuidedTour).clicked();
        });
    });
    *open = is_open && !tour;
}
