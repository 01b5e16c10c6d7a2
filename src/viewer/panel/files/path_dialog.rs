//! Opening a file, saving to another one, and writing a plot: a field for a path, recent files, and the
//! system's file dialog.

use std::path::{Path, PathBuf};

use bevy::math::Rect;
use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use crate::analysis::plots;
use crate::analysis::plots::{Plot, PlotFormat};
use crate::shown::shown_in_line;
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::document::{Document, free_name};
use crate::viewer::files::recent::{Browsing, Purpose, Recent, request_to_open};
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{DocumentRequest, directories};

/// The maximum number of letters of a path in the list.
const MOST_LETTERS: usize = 70;

/// The warning if a file exists where another is to be written.
pub(crate) const WOULD_BE_REPLACED: &str = "This file exists and would be replaced";

/// The window for choosing a file, if it is open.
#[derive(Default)]
pub(crate) struct FileWindow {
    purpose: Option<Purpose>,
    path: String,
    /// Why the file could not be opened.
    refused: Option<String>,
    is_new: bool,
    /// The plot to write. It stays when the window is closed, because the system's dialog may still be open.
    plot: Option<Plot>,
}

impl FileWindow {
    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.purpose.is_some()
    }

    /// Closes it.
    pub fn close(&mut self) {
        self.purpose = None;
    }

    /// Opens the window to open a file in place of a document.
    pub fn open(&mut self, document: Entity) {
        *self = Self { purpose: Some(Purpose::Open(document)), is_new: true, ..Self::default() };
    }

    /// Opens the window to save a document to a file.
    pub fn save_as(&mut self, entity: Entity, document: &Document) {
        let path =
            document.path().map(Path::to_owned).or_else(|| document.new_path().ok()).unwrap_or_default();
        let path = std::path::absolute(&path).unwrap_or(path);
        let purpose = Some(Purpose::SaveAs(entity));
        *self = Self { purpose, path: path.display().to_string(), is_new: true, ..Self::default() };
    }

    /// Opens the window to write a plot to a file, with the suggested name `name`.
    pub fn write_plot(&mut self, plot: Plot, format: PlotFormat, name: &str) {
        let path = free_name(name, format.extension()).unwrap_or_default();
        let path = std::path::absolute(&path).unwrap_or(path).display().to_string();
        let purpose = Some(Purpose::Plot(format));
        *self = Self { purpose, path, is_new: true, plot: Some(plot), ..Self::default() };
    }
}

/// Draws the window while it is open.
pub(crate) fn show(
    context: &egui::Context,
    window: &mut FileWindow,
    recent: &Recent,
    (browsing, land): (&mut Browsing, Rect),
    actions: &mut ActionQueue,
    message: &mut Message,
) {
    let is_for_it = |purpose| matches!(purpose, Purpose::Open(_) | Purpose::SaveAs(_) | Purpose::Plot(_));
    if let Some((purpose, path)) = browsing.take(is_for_it) {
        // The system's dialog has already asked whether a file may be replaced.
        choose(window, purpose, &path, actions, message);
    }
    let Some(purpose) = window.purpose else { return };
    let (title, button) = match purpose {
        Purpose::Open(_) => ("Open", "Open"),
        Purpose::SaveAs(_) => ("Save as", "Save"),
        Purpose::Plot(_) => ("Save a plot", "Save"),
        // These have windows or rows of their own.
        Purpose::Picture | Purpose::Video | Purpose::Frames | Purpose::Output(_) | Purpose::Parameter(..) => {
            return;
        }
    };
    let mut open = true;
    let frame = egui::Window::new(title).open(&mut open).collapsible(false).resizable(false);
    let mut taken = None;
    style::over_middle(frame, land, false).default_width(560.0).show(context, |ui| {
        ui.horizontal(|ui| {
            let edit = egui::TextEdit::singleline(&mut window.path).hint_text("path of a file").desired_width(430.0);
            let field = style::called(ui.add(edit), "Path of a file");
            if std::mem::take(&mut window.is_new) {
                field.request_focus();
            }
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let is_typed = !window.path.trim().is_empty();
            let is_clicked = ui.add_enabled(is_typed, egui::Button::new(button)).clicked();
            if is_typed && (is_entered || is_clicked) {
                taken = Some(path_of(&window.path, purpose));
            }
            let browse = ui.add_enabled(!browsing.is_open(), egui::Button::new("Browse …"));
            if browse.tip("Open the system's file dialog").clicked() {
                let near = recent.paths().first().map(PathBuf::as_path);
                let near = if window.path.is_empty() { near } else { Some(Path::new(&window.path)) };
                browsing.begin(purpose, near);
            }
        });
        let there = path_of(&window.path, purpose);
        if !matches!(purpose, Purpose::Open(_)) && there.exists() {
            ui.label(RichText::new(WOULD_BE_REPLACED).color(style::error(ui)));
        }
        if let Some(refused) = &window.refused {
            ui.label(RichText::new(refused).color(style::error(ui)));
        }
        if matches!(purpose, Purpose::Open(_)) {
            let about = if cfg!(feature = "world") {
                "A recipe or a lesson (.ron), a plan (plan.json, or its address), or elevation: GeoTIFF, PNG, EXR, ASC, raw. You can \
                 also drop a file on the window."
            } else {
                "A recipe or a lesson (.ron), or elevation: GeoTIFF, PNG, EXR, ASC, raw. You can also drop a file on the window."
            };
            ui.label(RichText::new(about).color(style::quiet(ui)).size(style::points(ui, 12.0)));
            if !recent.paths().is_empty() {
                ui.separator();
                ui.label(RichText::new("Recent files").color(style::quiet(ui)));
            }
            for path in recent.paths() {
                let text = shown_in_line(&path.display().to_string(), MOST_LETTERS);
                if ui.add(egui::Button::selectable(false, text)).clicked() {
                    taken = Some(path.clone());
                }
            }
        }
    });
    if let Some(path) = taken {
        choose(window, purpose, &path, actions, message);
    } else if !open {
        window.purpose = None;
    }
}

/// Uses a file for the purpose that it was chosen for.
fn choose(
    window: &mut FileWindow,
    purpose: Purpose,
    path: &Path,
    actions: &mut ActionQueue,
    message: &mut Message,
) {
    match purpose {
        Purpose::Open(document) => match request_to_open(document, path) {
            Ok(request) => {
                actions.send(Action::Document(request));
                window.purpose = None;
            }
            Err(error) if window.purpose.is_some() => window.refused = Some(error.to_string()),
            Err(error) => message.error(error.to_string()),
        },
        Purpose::SaveAs(document) => {
            actions.send(Action::Document(DocumentRequest::SaveAs { document, path: path.to_owned() }));
            window.purpose = None;
        }
        Purpose::Plot(_) => {
            let Some(plot) = &window.plot else {
                return message.error("The plot is no longer available; press SVG or CSV again");
            };
            match plots::write(path, plot) {
                Ok(()) => {
                    message.report_file("Saved", path);
                    window.purpose = None;
                }
                Err(error) if window.purpose.is_some() => window.refused = Some(error.to_string()),
                Err(error) => message.error(error.to_string()),
            }
        }
        Purpose::Picture | Purpose::Video | Purpose::Frames | Purpose::Output(_) | Purpose::Parameter(..) => {
        }
    }
}

/// The typed path, with `~` for the home folder.
pub(crate) fn typed_path(text: &str) -> PathBuf {
    let text = text.trim();
    match text.strip_prefix("~/") {
        Some(rest) => directories::home().map_or(text.into(), |home| home.join(rest)),
        None => PathBuf::from(text),
    }
}

/// The typed path. A file to write gets the usual extension if it lacks one.
fn path_of(text: &str, purpose: Purpose) -> PathBuf {
    let mut path = typed_path(text);
    let extension = match purpose {
        Purpose::SaveAs(_) => Some("ron"),
        Purpose::Plot(format) => Some(format.extension()),
        _ => None,
    };
    if let Some(extension) = extension.filter(|_| path.extension().is_none() && path.file_name().is_some()) {
        path.set_extension(extension);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_written_to_its_path_and_a_failure_is_shown_in_the_window() {
        let folder = tempfile::tempdir().unwrap();
        let plot = plots::line_profile(&[0.0, 30.0, 10.0], 40.0).unwrap();
        let write = |path: PathBuf| {
            let (mut window, mut message) = (FileWindow::default(), Message::default());
            window.write_plot(plot.clone(), PlotFormat::Csv, "line");
            let Some(purpose) = window.purpose else { panic!("it asks for a file") };
            choose(&mut window, purpose, &path, &mut ActionQueue::default(), &mut message);
            (window.purpose, window.refused, message.text)
        };
        let path = folder.path().join("line.csv");
        let (purpose, refused, text) = write(path.clone());
        assert!(purpose.is_none() && refused.is_none() && text.starts_with("Saved"), "{text}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), plots::csv(&plot));
        let (purpose, refused, _) = write(folder.path().join("not there/line.csv"));
        assert!(purpose.is_some() && refused.is_some(), "the window stays open");
    }

    #[test]
    fn a_typed_path_gets_its_extension() {
        let (open, save) = (Purpose::Open(Entity::PLACEHOLDER), Purpose::SaveAs(Entity::PLACEHOLDER));
        assert_eq!(path_of(" lands/alps.tif ", open), Path::new("lands/alps.tif"));
        assert_eq!(path_of("alps", open), Path::new("alps"));
        assert_eq!(path_of("alps", save), Path::new("alps.ron"));
        assert_eq!(path_of("alps.ron", save), Path::new("alps.ron"));
        assert_eq!(path_of("", save), Path::new(""));
        let table = Purpose::Plot(PlotFormat::Csv);
        assert_eq!(
            ["slopes", "slopes.svg"].map(|text| path_of(text, table)),
            ["slopes.csv", "slopes.svg"].map(PathBuf::from)
        );
        assert!(!path_of("~/alps.ron", save).starts_with("~") || directories::home().is_none());
    }
}
