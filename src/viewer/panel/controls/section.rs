//! Sections of the editor, which fold and which the command palette finds.

use bevy_egui::egui::{self, RichText};

/// Titles of all sections, from top to bottom.
pub(crate) const TITLES: [&str; 11] = [
    "Sun",
    "Weather",
    "Water",
    "Texture",
    "Steps",
    "Plants and rocks",
    "View",
    "Show",
    "Levels of detail",
    "Quality",
    "Panels",
];

/// The key under which the title of a section is kept until it is unfolded.
fn place() -> egui::Id {
    egui::Id::new("wanted section")
}

/// Unfolds a section, and scrolls to it.
pub(crate) fn want(context: &egui::Context, title: &'static str) {
    context.data_mut(|data| data.insert_temp(place(), title));
}

/// Draws a section; `is_open` is its initial state.
pub(crate) fn show(
    ui: &mut egui::Ui,
    title: &'static str,
    is_open: bool,
    content: impl FnOnce(&mut egui::Ui),
) {
    let is_wanted = ui.data(|data| data.get_temp::<&'static str>(place())) == Some(title);
    ui.add_space(2.0);
    let header = egui::CollapsingHeader::new(RichText::new(title).strong()).default_open(is_open);
    let shown = header.open(is_wanted.then_some(true)).show_unindented(ui, content);
    // Unfolding takes several frames, so the request stays until it is complete.
    if is_wanted && shown.openness >= 1.0 {
        shown.header_response.scroll_to_me(Some(egui::Align::TOP));
        ui.data_mut(|data| data.remove::<&'static str>(place()));
    }
}
