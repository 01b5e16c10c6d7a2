//! F1: the keys, and what the mouse does.

use bevy_egui::egui;

const KEYS: [(&str, &str); 32] = [
    ("W A S D", "fly ahead, left, back, right"),
    ("E  Q", "rise, sink"),
    ("Shift", "four times as fast"),
    ("Mouse button", "hold over the land to look around"),
    ("Wheel", "speed"),
    ("Double click", "go to that place; Ctrl P: walk on the ground, or orbit around a place"),
    ("Tab", "hide or show the panels; drag a title to put a panel elsewhere"),
    ("Ctrl Z", "undo"),
    ("Ctrl Shift Z", "redo"),
    ("Ctrl P", "the command palette: everything by its name"),
    ("Ctrl O", "open a recipe or an elevation file"),
    ("Ctrl S  Ctrl Shift S", "save the recipe, save it to another file"),
    ("Ctrl Q", "close the window"),
    ("V  Shift V", "the next view of the land, the one before: wireframe, slope, layers …"),
    ("L", "levels of detail compared: CDLOD, ROAM, TIN, brute force"),
    ("F1", "these keys"),
    ("F2", "the gallery: landscapes, generators, neighbours, one number at nine values"),
    ("F3", "frame times by pass"),
    ("F4", "look inside: heights, slopes, spectrum, variogram, a profile …"),
    ("F5", "watch the steps work: Space plays, ← → step, Home and End"),
    ("F6", "the probe: click on the land to see what each step made of it there"),
    ("F7", "the brush: sculpt and paint the land by hand"),
    ("[ and ]", "a narrower or wider brush"),
    ("S", "beside a step: show only it; drag the dots to move a step"),
    ("F12", "screenshot into this folder"),
    ("Drop a file", "open a recipe or an elevation file"),
    ("Draw on the land", "at a river: click to add a place, right click takes it back, Esc ends"),
    ("Put towers", "in the view Viewshed: click to put one, right click takes it back, Esc ends"),
    ("Drag a slider", "a preview at once, the full land when you let go"),
    ("Texture: W S M", "show a type's weight, only the type, all but the type"),
    ("Texture: dots", "drag a type to another place in the list"),
    ("Texture: bars, feet", "drag where a type lies, and how far it fades beyond"),
];

/// Draws the window while `open`.
pub(super) fn show(context: &egui::Context, open: &mut bool) {
    let window = egui::Window::new("Keys").open(open).collapsible(false).resizable(false);
    window.anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO).show(context, |ui| {
        egui::Grid::new("keys").num_columns(2).spacing([24.0, 6.0]).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.strong(key);
                ui.label(what);
                ui.end_row();
            }
        });
    });
}
