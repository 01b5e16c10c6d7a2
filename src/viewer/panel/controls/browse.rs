//! A button beside the path of a file that opens the system's own dialog. The row that draws it knows neither the dialog nor
//! the recipe's folder: what it asks for, and what comes of that, is left with egui under its identity.

use std::path::{Path, PathBuf};

use bevy::prelude::Entity;
use bevy_egui::egui::{self, Id};

use super::style;
use crate::viewer::document::Document;
use crate::viewer::files::recent::{Browsing, FileToRead, Purpose};

/// Width that a row leaves for the button and the margins of the field, logical pixels.
const WIDTH: f32 = 36.0;

/// A file that a row has asked for.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    row: Id,
    /// The path that the row had then. Where it has another by now, it is another row, or somebody has typed.
    before: String,
    wanted: FileToRead,
}

/// A file that was chosen for a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chosen {
    /// Its path, from the recipe's folder if it lies in there.
    pub text: String,
    /// The folder that the path starts from.
    pub folder: PathBuf,
}

/// What egui keeps.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// What was asked for in this frame.
    asked: Option<Asked>,
    /// What the open dialog is for.
    open: Option<Asked>,
    /// What was chosen, until its row is drawn.
    chosen: Option<(Asked, Chosen)>,
}

/// Reads or changes what egui keeps.
fn kept<R>(context: &egui::Context, change: impl FnOnce(&mut Kept) -> R) -> R {
    context.data_mut(|data| change(data.get_temp_mut_or_default(Id::new("browse"))))
}

/// A text field for a path with the button beside it. Returns the field, and what was chosen, once.
pub(crate) fn field(
    ui: &mut egui::Ui,
    (name, hint): (&str, &str),
    text: &mut String,
    wanted: FileToRead,
) -> (egui::Response, Option<Chosen>) {
    let before = text.clone();
    let width = (ui.available_width() - WIDTH - ui.spacing().item_spacing.x).max(WIDTH);
    let edit = egui::TextEdit::singleline(text).hint_text(hint).desired_width(width);
    let field = style::called(ui.add(edit), name);
    let row = ui.make_persistent_id(("browse", name));
    if style::sign(ui.button("…"), &format!("Browse … for {name}")).clicked() {
        let asked = Asked { row, before: before.clone(), wanted };
        kept(ui.ctx(), |kept| kept.asked = Some(asked));
    }
    let found = kept(ui.ctx(), |kept| kept.chosen.take_if(|(of, _)| of.row == row));
    (field, found.filter(|(of, _)| of.before == before).map(|(_, found)| found))
}

/// Opens the dialog that was asked for in the editor of a document, and takes what was chosen for this one.
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
    let found = Chosen::of(&path, folder_of(document));
    kept(context, |kept| kept.chosen = kept.open.take().map(|asked| (asked, found)));
}

/// The folder that the paths of a document's recipe start from.
fn folder_of(document: &Document) -> PathBuf {
    let path = document.absolute_path().or_else(|| std::path::absolute("land.ron").ok());
    path.and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default()
}

impl Chosen {
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
    fn a_path_starts_from_the_folder_of_the_recipe_where_it_can() {
        let chosen = |path: &str| Chosen::of(Path::new(path), PathBuf::from("/lands")).text;
        assert_eq!(
            [chosen("/lands/data/alps.tif"), chosen("/other/alps.tif")],
            ["data/alps.tif", "/other/alps.tif"]
        );
    }

    #[test]
    fn what_is_chosen_comes_to_the_row_that_asked_and_to_it_alone() {
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
                            let asked = Asked { row, before: text.clone(), wanted: FileToRead::Picture };
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

        // What was chosen for another document waits for it.
        frame(&mut browsing, Some(0));
        browsing.chosen = chosen(Entity::from_raw_u32(7).unwrap());
        frame(&mut browsing, None);
        assert_eq!(frame(&mut browsing, None), [None, None]);
        assert!(browsing.chosen.is_some());
    }
}
