//! A button next to the path of a file that opens the system's file dialog.
//!
//! The row that draws it knows neither the dialog nor the recipe's folder. So its request, and later the
//! chosen file, are left in egui's memory under the row's id.

use std::path::{Path, PathBuf};

use bevy::prelude::Entity;
use bevy_egui::egui::{self, Id};

use super::style;
use crate::viewer::document::Document;
use crate::viewer::files::recent::{Browsing, FileToRead, Purpose};

/// Width that a row reserves for the button and the margins of the field, logical pixels.
const WIDTH: f32 = 36.0;

/// The request of a row for a file.
#[derive(Clone, Debug, PartialEq)]
struct FileRequest {
    row: Id,
    /// The path in the row at that time. If it is different by now, this is another row, or the user has
    /// typed.
    before: String,
    wanted: FileToRead,
}

/// A file that was chosen for a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChosenFile {
    /// Its path, relative to the recipe's folder if it is inside that.
    pub text: String,
    /// The folder that the path starts from.
    pub folder: PathBuf,
}

/// The state that is kept in egui's memory.
#[derive(Clone, Debug, Default)]
struct BrowseMemory {
    /// The request made in this frame.
    asked: Option<FileRequest>,
    /// The request that the open dialog is for.
    open: Option<FileRequest>,
    /// The chosen file, until its row is drawn.
    chosen: Option<(FileRequest, ChosenFile)>,
}

/// Reads or changes what is kept in egui's memory.
fn kept<R>(context: &egui::Context, change: impl FnOnce(&mut BrowseMemory) -> R) -> R {
    context.data_mut(|data| change(data.get_temp_mut_or_default(Id::new("browse"))))
}

/// A text field for a path with the button next to it. Returns the field, and the chosen file, once.
pub(crate) fn field(
    ui: &mut egui::Ui,
    (name, hint): (&str, &str),
    text: &mut String,
    wanted: FileToRead,
) -> (egui::Response, Option<ChosenFile>) {
    let before = text.clone();
    let width = (ui.available_width() - WIDTH - ui.spacing().item_spacing.x).max(WIDTH);
    let edit = egui::TextEdit::singleline(text).hint_text(hint).desired_width(width);
    let field = style::called(ui.add(edit), name);
    let row = ui.make_persistent_id(("browse", name));
    if style::sign(ui.button("…"), &format!("Browse … for {name}")).clicked() {
        let asked = FileRequest { row, before: before.clone(), wanted };
        kept(ui.ctx(), |kept| kept.asked = Some(asked));
    }
    let found = kept(ui.ctx(), |kept| kept.chosen.take_if(|(of, _)| of.row == row));
    (field, found.filter(|(of, _)| of.before == before).map(|(_, found)| found))
}

/// Opens the dialog requested in the editor of a document, and receives the file chosen for this document.
pub(crate) fn serve(
    context: &egui::Context,
    browsing: &mut Browsing,
    (entity, document): (Entity, &Document),
) {
    let asked = kept(context, |kept| kept.asked.take());
    if let Some(asked) = asked.filter(|_| !browsing.is_open()) {
        let name = if asked.before.is_empty() { "file" } else { &asked.before };
        let near = folder_of(document).join(name);
        browsing.begin(Purpose::Parameter(entity, asked.wanted), Some(&near));
        kept(context, |kept| kept.open = Some(asked));
    }
    let is_of_it = |purpose| matches!(purpose, Purpose::Parameter(of, _) if of == entity);
    let Some((_, path)) = browsing.take(is_of_it) else { return };
    let found = ChosenFile::of(&path, folder_of(document));
    kept(context, |kept| kept.chosen = kept.open.take().map(|asked| (asked, found)));
}

/// The folder that the paths of a document's recipe start from.
fn folder_of(document: &Document) -> PathBuf {
    let path = document.absolute_path().or_else(|| std::path::absolute("land.ron").ok());
    path.and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default()
}

impl ChosenFile {
    fn of(path: &Path, folder: PathBuf) -> Self {
        let inside = path.strip_prefix(&folder).unwrap_or(path);
        Self { text: inside.display().to_string(), folder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn a_path_is_relative_to_the_folder_of_the_recipe_where_possible() {
        let chosen = |path: &str| ChosenFile::of(Path::new(path), PathBuf::from("/lands")).text;
        assert_eq!(
            [chosen("/lands/data/alps.tif"), chosen("/other/alps.tif")],
            ["data/alps.tif", "/other/alps.tif"]
        );
    }

    #[test]
    fn a_chosen_file_only_reaches_the_row_that_requested_it() {
        let (context, document) =
            (egui::Context::default(), Document::new(Recipe::new("Plain", (5, 5), 10.0), None));
        let mut browsing = Browsing::default();
        let entity = Entity::PLACEHOLDER;
        let mut texts = ["".to_owned(), "b.png".to_owned()];
        let mut frame = |browsing: &mut Browsing, asks: Option<usize>| {
            let mut found = [None, None];
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                for (index, text) in texts.iter_mut().enumerate() {
                    ui.push_id(index, |ui| {
                        let row = ui.make_persistent_id(("browse", "file"));
                        if asks == Some(index) {
                            let asked =
                                FileRequest { row, before: text.clone(), wanted: FileToRead::Picture };
                            kept(ui.ctx(), |kept| kept.open = Some(asked));
                        }
                        found[index] = field(ui, ("file", ""), text, FileToRead::Picture).1;
                    });
                }
                serve(ui.ctx(), browsing, (entity, &document));
            });
            output.textures_delta.clear();
            found.map(|found| found.map(|found| found.text))
        };
        let chosen = |of| Some((Purpose::Parameter(of, FileToRead::Picture), PathBuf::from("/a/c.png")));
        frame(&mut browsing, Some(1));
        browsing.chosen = chosen(entity);
        frame(&mut browsing, None);
        assert_eq!(frame(&mut browsing, None), [None, Some("/a/c.png".to_owned())]);
        assert_eq!(frame(&mut browsing, None), [None, None], "once");

        // A file chosen for another document waits for that.
        frame(&mut browsing, Some(0));
        browsing.chosen = chosen(Entity::from_raw_u32(7).unwrap());
        frame(&mut browsing, None);
        assert_eq!(frame(&mut browsing, None), [None, None]);
        assert!(browsing.chosen.is_some());
    }
}
