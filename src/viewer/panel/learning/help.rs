//! F1: the keys, and what the mouse does.

use bevy::math::Rect;
use bevy_egui::egui;

use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::style;

/// Who does what a row tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The command palette as well.
    Command,
    /// Keys alone: one moves for as long as they are held.
    Held,
    /// Keys alone: the palette's own, and those that go from control to control.
    Control,
    /// The pointer alone: it needs a place.
    Pointer,
}

use By::{Command, Control, Held, Pointer};

/// Keys, what they do, and who else does it.
pub(crate) const KEYS: [(&[&str], &str, By); 41] = [
    (&["W A S D"], "fly ahead, left, back, right", Held),
    (&["E  Q"], "rise, sink", Held),
    (&["Shift"], "four times as fast", Held),
    (&["Mouse button"], "hold over the land to look around", Pointer),
    (&["Wheel"], "speed", Pointer),
    (&["Double click"], "go to that place", Pointer),
    (&["Status line"], "click on “Fly” to walk on the ground, or to orbit around a place", Pointer),
    (&["F9"], "hide or show the panels and the status line; drag a title to put a panel elsewhere", Command),
    (
        &["Tab", "Esc"],
        "to the next control, with Shift the one before; Esc lets go, and closes what lies over the land",
        Control,
    ),
    (&["Ctrl Z"], "undo", Command),
    (&["Ctrl Shift Z", "Ctrl Y"], "redo", Command),
    (&["Ctrl P"], "the command palette: everything by its name", Control),
    (&["Ctrl N"], "a new landscape, of one generator", Command),
    (&["Ctrl O"], "open a recipe or an elevation file", Command),
    (&["Ctrl S"], "save the recipe", Command),
    (&["Ctrl Shift S"], "save the recipe to another file", Command),
    (&["Ctrl Q"], "close the window", Command),
    (&["V"], "the next view of the land: wireframe, slope, layers …", Command),
    (&["Shift V"], "the previous view of the land", Command),
    (&["L"], "levels of detail compared: CDLOD, ROAM, TIN, brute force", Command),
    (&["F1"], "these keys", Command),
    (&["F2"], "the gallery: landscapes, generators, neighbours, one number at nine values", Command),
    (&["F3"], "frame times by pass", Command),
    (&["F4"], "look inside: heights, slopes, spectrum, variogram, a profile …", Command),
    (&["F5"], "watch the steps work", Command),
    (&["Space"], "while steps are watched: play or pause", Command),
    (&["←", "→"], "while steps are watched: one frame back or on", Command),
    (&["Home", "End"], "while steps are watched: the first frame, the last", Command),
    (&["F6"], "the probe: click on the land to see what each step made of it there", Command),
    (&["F7"], "the brush: sculpt and paint the land by hand", Command),
    (&["[", "]"], "a narrower or wider brush", Command),
    (&["Steps"], "S shows only this step; drag the six dots to move it in the list", Pointer),
    (&["F12"], "save a screenshot in this folder; with the panels hidden (F9), of the land alone", Command),
    (&["Drop a file"], "open a recipe or an elevation file", Pointer),
    (
        &["Draw on the land"],
        "at steps with points, such as rivers and roads: click to add one, right click removes it, Esc finishes",
        Pointer,
    ),
    (
        &["Put towers"],
        "in the view Viewshed: click to put one, right click removes it, Esc finishes",
        Pointer,
    ),
    (&["Drag a slider"], "a preview at once, the full land when you let go", Pointer),
    (&["Texture: W S M"], "show a type's weight, only the type, all but the type", Pointer),
    (&["Texture: dots"], "drag a type to another place in the list", Pointer),
    (
        &["Texture: limits and their fades"],
        "drag the bars to limit where a type lies, and their feet to set how far it fades out",
        Pointer,
    ),
    (&["Numbers"], "drag, or click and type; the pointer over a plot reads it", Pointer),
];

/// Draws the window over the land while `open`.
pub(crate) fn show(context: &egui::Context, open: &mut bool, land: Rect, actions: &mut ActionQueue) {
    let (mut is_open, mut tour) = (*open, false);
    let window = egui::Window::new("Keys").open(&mut is_open).collapsible(false).resizable(false);
    let spacing = context.global_style().spacing.interact_size.y;
    style::over_middle(window, land, false).show(context, |ui| {
        let high = (land.height() - 2.0 * spacing - 40.0).max(3.0 * spacing);
        // Long lines are wrapped where the land is narrow.
        ui.set_max_width((land.width() - 60.0).clamp(200.0, 900.0));
        let scroll = egui::ScrollArea::vertical().max_height(high).auto_shrink([true, true]);
        scroll.show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([24.0, 6.0]).show(ui, |ui| {
                for (keys, what, _) in KEYS {
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
