//! A row for the path of a picture. A typed path is only applied once the file exists, so that the land keeps
//! its texture meanwhile.

use bevy_egui::egui::{self, RichText};

use super::land_info::LandInfo;
use crate::viewer::files::recent::FileToRead;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::panel::controls::{browse, parameters};

/// Draws the row, which shows `current` until something is typed. Returns a path once it has been entered and
/// names a file.
pub(super) fn row(ui: &mut egui::Ui, name: &str, current: &str, land: &LandInfo) -> Option<String> {
    let id = ui.make_persistent_id(("typed path", name));
    let mut typed = ui.data(|data| data.get_temp::<Option<String>>(id)).flatten();
    let mut text = typed.clone().unwrap_or_else(|| current.to_owned());
    let exists = !text.is_empty() && land.folder.join(&text).is_file();
    let tip = "Path of a PNG or BMP, absolute or relative to the recipe's folder.";
    let (response, chosen) = parameters::named(ui, name, tip, |ui| {
        browse::field(ui, (name, "moss.png"), &mut text, FileToRead::Picture)
    });
    let response = response.tip(tip);
    if response.changed() {
        typed = Some(text.clone());
    }
    let given = text.clone();
    let mut done = None;
    if let Some(text) = &typed {
        if text == current {
            typed = None;
        } else if !exists {
            let note = RichText::new("No such file yet; the land stays unchanged.").color(style::error(ui));
            ui.label(note);
        } else if response.lost_focus() {
            (done, typed) = (Some(given), None);
        }
    }
    if let Some(chosen) = chosen {
        (done, typed) = (Some(chosen.text), None);
    }
    ui.data_mut(|data| data.insert_temp(id, typed));
    done
}
