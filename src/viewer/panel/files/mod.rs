//! Windows for opening, saving and exporting files.

pub(super) mod export;
pub(super) mod output;
pub(super) mod path_dialog;

use bevy_egui::egui;

use crate::viewer::document::Document;

/// A landscape that can be exported.
pub(crate) struct ExportedLand<'a> {
    pub document: &'a Document,
    /// Its name beside the others; `None` if it is the only one.
    pub name: Option<String>,
}

/// Says which of several landscapes is exported.
fn name_of_land(ui: &mut egui::Ui, name: Option<&str>) {
    if let Some(name) = name {
        ui.horizontal(|ui| (ui.label("landscape"), ui.strong(name)));
    }
}
