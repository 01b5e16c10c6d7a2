//! *File: Export*: the window for exporting files for other programs.

use std::path::{Path, PathBuf};

use bevy::math::Rect;
use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use super::path_dialog::{WOULD_BE_REPLACED, typed_path};
use super::{ExportedLand, name_of_land};
use crate::recipe::Recipe;
use crate::render::short_numbers;
use crate::viewer::document::{Document, free_name};
use crate::viewer::files::export::Exporting;
use crate::viewer::files::output::{Output, OutputKind};
use crate::viewer::files::recent::{Browsing, Purpose};
use crate::viewer::panel::controls::style::{self, Tip as _};

/// The title of the window, and its id.
pub(crate) const TITLE: &str = "Export";

/// Sizes of pictures of the ground to choose from, texels along the longer side; 0 is the texture's own size.
const TEXELS: [u32; 6] = [0, 1024, 2048, 4096, 8192, 16_384];
/// The range of a mesh's largest error, metres.
const ERRORS: std::ops::RangeInclusive<f32> = 0.01..=500.0;

/// The state of the window.
#[derive(Default)]
pub(crate) struct OutputWindow {
    document: Option<Entity>,
    output: Output,
    path: String,
    /// The path of the last export from this window.
    written: String,
    /// Whether it has just been opened, so that it needs a path.
    needs_path: bool,
}

impl OutputWindow {
    /// Opens it for a document.
    pub fn open(&mut self, entity: Entity, document: &Document) {
        self.document = Some(entity);
        // In a picture of the whole land 8000 pixels wide, such a mesh is off by at most one pixel.
        let extent =
            document.recipe.cell * (document.recipe.size.0.max(document.recipe.size.1) - 1).max(1) as f32;
        let error = (extent / 8000.0).clamp(*ERRORS.start(), *ERRORS.end());
        self.output.error = self.output.error.map(|_| two_digits(error));
        self.needs_path = true;
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.document.is_some()
    }

    /// Closes it. An export in progress continues.
    pub fn close(&mut self) {
        self.document = None;
    }

    /// Suggests a file name that is not taken for the land called `land`, with an extension for the kind; keeps the
    /// present extension if it is valid.
    fn suggest(&mut self, land: &str, wanted: Option<&str>) {
        let all = self.output.kind.extensions();
        let now = Path::new(&self.path).extension().map(|now| now.to_string_lossy().to_lowercase());
        let wanted = wanted.map(str::to_owned).or(now);
        let is_known = |wanted: &&str| all.iter().any(|(extension, _)| extension == wanted);
        let extension = wanted.as_deref().filter(is_known).unwrap_or(all[0].0);
        let name = OutputKind::ALL.iter().find(|(kind, ..)| *kind == self.output.kind);
        let name = name.map_or("land", |(_, name, _)| name);
        let path = free_name(&format!("{land} {name}"), extension).unwrap_or_default();
        // Stays in the folder that the user chose, if any.
        let folder = typed_path(&self.path).parent().map(Path::to_owned).unwrap_or_default();
        let path = folder.join(path);
        self.path = path.display().to_string();
    }
}

/// Draws the window while it is open. Returns the requested output, the document, and the path.
pub(crate) fn show<'a>(
    context: &egui::Context,
    window: &mut OutputWindow,
    exporting: &mut Exporting,
    (browsing, land): (&mut Browsing, Rect),
    land_of: impl Fn(Entity) -> Option<ExportedLand<'a>>,
) -> Option<(Output, Entity, PathBuf)> {
    let chosen = browsing.take(|purpose| matches!(purpose, Purpose::Output(_)));
    let entity = window.document?;
    if let Some((_, path)) = chosen {
        window.path = with_extension(path, window.output.kind).display().to_string();
    }
    let Some(ExportedLand { document, name }) = land_of(entity) else {
        window.document = None;
        return None;
    };
    // With its seed, where another one has the same name.
    let land_name = name.as_deref().unwrap_or(&document.recipe.name);
    if std::mem::take(&mut window.needs_path) {
        window.suggest(land_name, None);
    }
    let (mut open, mut ordered) = (true, None);
    let frame = egui::Window::new(TITLE).id(egui::Id::new(TITLE)).open(&mut open);
    let frame = frame.collapsible(false).resizable(false);
    style::growing_over_middle(frame, land, 480.0).show(context, |ui| {
        name_of_land(ui, name.as_deref());
        kinds(ui, window, land_name);
        ui.separator();
        options(ui, &mut window.output, &document.recipe);
        target(ui, window, browsing);
        ui.add_space(4.0);
        if let Some((progress, seconds)) = exporting.progress() {
            super::export::working(ui, exporting, &progress, seconds);
            return;
        }
        let path = typed_path(&window.path);
        let refused = window.output.check(&document.recipe, &path).err();
        let files = window.output.files(&document.recipe, &path).unwrap_or_default();
        let is_named = !window.path.trim().is_empty();
        match &refused {
            Some(refused) if is_named => {
                let text = style::quoted(&refused.to_string());
                ui.add(egui::Label::new(RichText::new(text).color(style::error(ui))).wrap());
            }
            _ => what_is_written(ui, &files, window.written == window.path),
        }
        let can_write = is_named && refused.is_none();
        let button = ui.add_enabled(can_write, egui::Button::new("Export"));
        if button.tip("You can continue working meanwhile").clicked() {
            window.written.clone_from(&window.path);
            ordered = Some((window.output.clone(), entity, path));
        }
    });
    if !open {
        window.document = None;
    }
    ordered
}

/// The kind and format of the file.
fn kinds(ui: &mut egui::Ui, window: &mut OutputWindow, land: &str) {
    let before = window.output.kind;
    ui.horizontal_wrapped(|ui| {
        for (kind, name, about) in OutputKind::ALL {
            ui.selectable_value(&mut window.output.kind, kind, name).tip(about);
        }
    });
    if window.output.kind != before {
        window.suggest(land, None);
    }
    let about =
        OutputKind::ALL.iter().find(|(kind, ..)| *kind == window.output.kind).map_or("", |(.., about)| about);
    ui.add(egui::Label::new(RichText::new(about).color(style::quiet(ui))).wrap());
    let all = window.output.kind.extensions();
    let now = typed_path(&window.path)
        .extension()
        .map(|now| now.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let mut chosen = None;
    ui.horizontal(|ui| {
        ui.label("format");
        let combo = egui::ComboBox::from_id_salt("format").selected_text(format!(".{now}"));
        let combo = combo.show_ui(ui, |ui| {
            for (extension, about) in &all {
                if ui.selectable_label(*extension == now, format!(".{extension}")).tip(about).clicked() {
                    chosen = Some(*extension);
                }
            }
        });
        style::called(combo.response, "format");
        let about = all.iter().find(|(extension, _)| *extension == now).map_or("", |(_, about)| about);
        ui.add(egui::Label::new(RichText::new(about).color(style::quiet(ui))).wrap());
    });
    if let Some(extension) = chosen {
        window.suggest(land, Some(extension));
    }
}

/// The settings of a kind.
fn options(ui: &mut egui::Ui, output: &mut Output, recipe: &Recipe) {
    let has_texels = match output.kind {
        OutputKind::Heights | OutputKind::Objects => false,
        OutputKind::Mesh => output.is_coloured,
        OutputKind::Colours | OutputKind::Splat => true,
    };
    if output.kind == OutputKind::Mesh {
        ui.horizontal(|ui| {
            let mut is_whole = output.error.is_none();
            let (width, depth) = recipe.size;
            let all = 2 * (width as usize).saturating_sub(1) * (depth as usize).saturating_sub(1);
            let text = format!("All samples ({} triangles)", short_numbers::count(all));
            ui.checkbox(&mut is_whole, text).tip("Two triangles between every four samples");
            let mut error = output.error.unwrap_or(1.0);
            let tip =
                "The maximum distance of any sample from the mesh. A smaller value gives more triangles";
            ui.label("or simplified, by at most").tip(tip);
            let drag = egui::DragValue::new(&mut error).range(ERRORS).speed(0.05).suffix(" m");
            let drag = ui.add_enabled(!is_whole, drag).tip(tip);
            style::called(drag, "maximum error");
            output.error = (!is_whole).then_some(error);
        });
        ui.checkbox(&mut output.is_coloured, "Colours of the ground").tip("As a texture; not for .stl");
    }
    if matches!(output.kind, OutputKind::Heights | OutputKind::Mesh) {
        let mut text = "The ground alone: without water, bridges, plants and rocks.".to_owned();
        if let Some(sea) = recipe.sea_level() {
            text += &format!(" The sea lies at {}\u{a0}m.", sea.to_string().replace('-', "−"));
        }
        ui.add(egui::Label::new(RichText::new(text).color(style::quiet(ui))).wrap());
    }
    if has_texels {
        ui.horizontal(|ui| {
            ui.label("texels");
            let own = match recipe.texture.texture().resolution {
                0 => "two for each sample".to_owned(),
                own => own.to_string(),
            };
            let text = |texels: u32| match texels {
                0 => format!("as in the texture: {own}"),
                texels => texels.to_string(),
            };
            let combo =
                egui::ComboBox::from_id_salt("texels").selected_text(text(output.texels)).width(200.0);
            let combo = combo.show_ui(ui, |ui| {
                for texels in TEXELS {
                    ui.selectable_value(&mut output.texels, texels, text(texels));
                }
            });
            style::called(combo.response, "texels").tip("Along the longer side of the picture");
        });
    }
}

/// The path of the file.
fn target(ui: &mut egui::Ui, window: &mut OutputWindow, browsing: &mut Browsing) {
    ui.horizontal(|ui| {
        ui.label("to");
        let field = egui::TextEdit::singleline(&mut window.path).desired_width(style::points(ui, 330.0));
        style::called(ui.add(field), "File to write");
        let browse = ui.add_enabled(!browsing.is_open(), egui::Button::new("Browse …"));
        if browse.tip("Open the system's file dialog").clicked() {
            let near = std::path::absolute(typed_path(&window.path)).ok();
            browsing.begin(Purpose::Output(window.output.kind), near.as_deref());
        }
    });
}

/// The files that will be written, and a warning if one of them exists already.
fn what_is_written(ui: &mut egui::Ui, files: &[PathBuf], is_own: bool) {
    if files.len() > 1 {
        let names: Vec<_> = files
            .iter()
            .map(|file| file.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        let text = format!("{} files: {}", names.len(), names.join(", "));
        ui.add(egui::Label::new(RichText::new(text).color(style::quiet(ui))).wrap());
    }
    if files.iter().any(|file| file.exists()) {
        let (text, colour) = if is_own {
            ("Exporting again replaces this file", style::quiet(ui))
        } else {
            (WOULD_BE_REPLACED, style::error(ui))
        };
        ui.label(RichText::new(text).color(colour));
    }
}

/// A number rounded to two significant digits, so that it is easy to read.
fn two_digits(number: f32) -> f32 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

/// The path chosen in a dialog. If it lacks an extension, it gets the usual one.
fn with_extension(mut path: PathBuf, kind: OutputKind) -> PathBuf {
    if path.extension().is_none() {
        path.set_extension(kind.extensions()[0].0);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_gets_a_suggested_name_in_the_same_folder() {
        let document = Document::new(Recipe::new("My hills", (9, 9), 10.0), None);
        let mut window = OutputWindow::default();
        window.open(Entity::PLACEHOLDER, &document);
        assert!(window.needs_path);
        let land = "My hills";
        window.suggest(land, None);
        assert_eq!(window.path, "my-hills-heights.tif");
        window.suggest("My hills, seed 7", None);
        assert_eq!(window.path, "my-hills-seed-7-heights.tif", "another of the same name");
        window.path = "exports/hills.png".into();
        window.suggest(land, None);
        assert_eq!(Path::new(&window.path), Path::new("exports/my-hills-heights.png"), "its format stays");
        window.output.kind = OutputKind::Mesh;
        window.suggest(land, None);
        assert_eq!(Path::new(&window.path), Path::new("exports/my-hills-mesh.glb"));
        window.suggest(land, Some("obj"));
        assert_eq!(Path::new(&window.path), Path::new("exports/my-hills-mesh.obj"));
        assert_eq!(with_extension(PathBuf::from("a"), OutputKind::Splat), Path::new("a.png"));
        assert_eq!([1.536, 0.0123, 499.0].map(two_digits), [1.5, 0.012, 500.0]);
    }
}
