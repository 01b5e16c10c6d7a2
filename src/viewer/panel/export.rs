//! The window in which a picture of any size or a film is ordered.

use std::path::PathBuf;

use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use super::super::document::{Document, free_name};
use super::super::export::{Exporting, Order, has_ffmpeg};
use super::super::film::Film;
use super::super::fly::Pilot;
use super::super::shot::Shot;
use super::super::shown;
use super::display::QUALITIES;
use super::{EditedItem, style};
use crate::plugin::{DebugView, MAX_PICTURE_SIDE, Quality};
use crate::recipe::Tour;
use crate::shown::shown_in_line;

/// Sizes to choose from, pixels.
const SIZES: [(&str, (u32, u32)); 6] = [
    ("HD", (1280, 720)),
    ("Full HD", (1920, 1080)),
    ("4K", (3840, 2160)),
    ("8K", (7680, 4320)),
    ("Square", (2048, 2048)),
    ("Panorama", (8192, 2048)),
];

/// What is ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Picture,
    Film,
}

/// The window.
pub(super) struct ExportWindow {
    open: bool,
    kind: Kind,
    /// The document that is drawn.
    document: Option<Entity>,
    size: (u32, u32),
    quality: Quality,
    /// Whether size and quality have been proposed.
    is_proposed: bool,
    rate: f32,
    /// The flight that is filmed; `None` for a tour of the bookmarks.
    flight: Option<String>,
    path: String,
    /// Whether ffmpeg was there when the window was opened.
    has_ffmpeg: bool,
}

impl Default for ExportWindow {
    fn default() -> Self {
        let document = None;
        let ((size, quality), rate) = (proposed(Quality::High), Film::default().rate);
        let (flight, path) = (None, String::new());
        Self {
            open: false,
            kind: Kind::Picture,
            document,
            size,
            quality,
            is_proposed: false,
            rate,
            flight,
            path,
            has_ffmpeg: false,
        }
    }
}

impl ExportWindow {
    /// Opens it for a document; `drawn` is the quality of the window.
    pub fn open(&mut self, entity: Entity, document: &Document, drawn: Quality) {
        (self.open, self.document, self.has_ffmpeg) = (true, Some(entity), has_ffmpeg());
        if !std::mem::replace(&mut self.is_proposed, true) {
            (self.size, self.quality) = proposed(drawn);
        }
        self.suggest(document);
    }

    /// Suggests a name that is not taken.
    fn suggest(&mut self, document: &Document) {
        let name = &document.recipe.name;
        let path = match self.kind {
            Kind::Picture => free_name(name, "png"),
            Kind::Film if self.has_ffmpeg => free_name(name, "mp4"),
            Kind::Film => free_name(&format!("{name} film"), ""),
        };
        self.path = path.map(|path| path.display().to_string()).unwrap_or_default();
    }
}

/// The size and quality that are proposed where the window is drawn with a quality: a picture may take some minutes, but
/// no hours.
fn proposed(drawn: Quality) -> ((u32, u32), Quality) {
    match drawn {
        Quality::Low => ((1280, 720), Quality::Medium),
        Quality::Medium => ((1920, 1080), Quality::High),
        Quality::High | Quality::Ultra => ((3840, 2160), drawn),
    }
}

/// Draws the window while it is open. Returns what is ordered, the document, and the path.
pub(super) fn show<'a>(
    context: &egui::Context,
    window: &mut ExportWindow,
    exporting: &mut Exporting,
    document_of: impl Fn(Entity) -> Option<&'a Document>,
) -> Option<(Order, Entity, PathBuf)> {
    let entity = window.document.filter(|_| window.open)?;
    let Some(document) = document_of(entity) else {
        window.open = false;
        return None;
    };
    let (mut open, mut ordered) = (true, None);
    let frame = egui::Window::new("Picture or film").open(&mut open).collapsible(false).resizable(false);
    frame.anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO).default_width(440.0).show(context, |ui| {
        let before = window.kind;
        ui.horizontal(|ui| {
            let tip = "What this view shows, at any size";
            ui.selectable_value(&mut window.kind, Kind::Picture, "Picture").on_hover_text(tip);
            let tip =
                "A tour of the bookmarks, or a flight that was recorded, with every picture drawn in full";
            ui.selectable_value(&mut window.kind, Kind::Film, "Film").on_hover_text(tip);
        });
        if before != window.kind {
            window.suggest(document);
            if window.kind == Kind::Film {
                window.size = Film::default().size;
            }
        }
        ui.separator();
        size(ui, window);
        ui.horizontal(|ui| {
            ui.label("quality").on_hover_text("How finely the land is drawn; a finer one takes longer");
            for (quality, name, tip) in QUALITIES {
                ui.selectable_value(&mut window.quality, quality, name).on_hover_text(tip);
            }
        });
        let tour = match window.kind {
            Kind::Picture => None,
            Kind::Film => Some(film(ui, window, document)),
        };
        let refused = tour.as_ref().and_then(|tour| tour.as_ref().err());
        ui.horizontal(|ui| {
            ui.label("to");
            let hint = match window.kind {
                Kind::Picture => "a file: .png or .bmp",
                Kind::Film => "a new folder, or a video: .mp4 .mkv .webm .mov",
            };
            let field = egui::TextEdit::singleline(&mut window.path).hint_text(hint).desired_width(330.0);
            style::called(ui.add(field), "File that is written").on_hover_text(hint);
        });
        ui.add_space(4.0);
        if let Some((progress, seconds)) = exporting.progress() {
            ui.horizontal(|ui| {
                let given_up = exporting.is_given_up();
                let what = if given_up { "ends with this frame" } else { &*progress.stage };
                let text = format!("{what}, {seconds:.0} s");
                ui.add(egui::ProgressBar::new(progress.fraction).desired_width(330.0).text(text));
                if ui.add_enabled(!given_up, egui::Button::new("Give up")).clicked() {
                    exporting.cancel();
                }
            });
            return;
        }
        if let Some(refused) = refused {
            ui.label(RichText::new(refused).color(style::error(ui)));
        }
        let is_ready = refused.is_none() && !window.path.trim().is_empty();
        let button = ui.add_enabled(is_ready, egui::Button::new("Draw"));
        if button.on_hover_text("The window goes on meanwhile").clicked() {
            let (size, quality, rate) = (window.size, window.quality, window.rate);
            let order = match tour {
                Some(Ok(tour)) => Order::Film(Film { size, quality, rate, ..Film::default() }, tour),
                _ => Order::Picture(Box::new(Shot { size, quality, ..Shot::default() })),
            };
            ordered = Some((order, entity, PathBuf::from(window.path.trim())));
        }
    });
    window.open = open;
    ordered
}

fn size(ui: &mut egui::Ui, window: &mut ExportWindow) {
    ui.horizontal(|ui| {
        let tip = "Width and height, whatever the window's are; those of a video are even";
        ui.label("size").on_hover_text(tip);
        let (width, height) = &mut window.size;
        let range = 16..=MAX_PICTURE_SIDE;
        let drag = egui::DragValue::new(width).range(range.clone()).speed(8);
        style::called(ui.add(drag).on_hover_text(tip), "width");
        ui.label("×");
        let drag = egui::DragValue::new(height).range(range).speed(8).suffix(" pixels");
        style::called(ui.add(drag).on_hover_text(tip), "height");
        let known = SIZES.iter().find(|(_, size)| *size == window.size).map_or("own", |(name, _)| name);
        let combo = egui::ComboBox::from_id_salt("size").selected_text(known).width(90.0);
        let combo = combo.show_ui(ui, |ui| {
            for (name, size) in SIZES {
                ui.selectable_value(&mut window.size, size, format!("{name}: {} × {}", size.0, size.1));
            }
        });
        style::called(combo.response, "usual sizes").on_hover_text("Sizes that are usual");
    });
}

/// What a film needs: its tour, or why there is none yet.
fn film(ui: &mut egui::Ui, window: &mut ExportWindow, document: &Document) -> Result<Tour, String> {
    let recipe = &document.recipe;
    if !recipe.flights.iter().any(|flight| Some(&flight.name) == window.flight.as_ref()) {
        let first = recipe.flights.first().filter(|_| recipe.bookmarks.len() < 2);
        window.flight = first.map(|flight| flight.name.clone());
    }
    ui.horizontal(|ui| {
        ui.label("of");
        let bookmarks = "a tour of the bookmarks";
        let name = window.flight.as_deref().unwrap_or(bookmarks).to_owned();
        let combo = egui::ComboBox::from_id_salt("tour").selected_text(shown_in_line(&name, 40)).width(240.0);
        let combo = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut window.flight, None, bookmarks);
            for flight in &recipe.flights {
                let name = shown_in_line(&flight.name, 40);
                ui.selectable_value(&mut window.flight, Some(flight.name.clone()), name);
            }
        });
        style::called(combo.response, "of").on_hover_text("The way that the film shows");
    });
    ui.horizontal(|ui| {
        ui.label("pictures a second");
        let tip = "24 as in the cinema, 30 or 60 for screens: motion is smoother, and drawing takes longer";
        let drag = egui::DragValue::new(&mut window.rate).range(1.0..=120.0).max_decimals(2).speed(0.2);
        style::called(ui.add(drag).on_hover_text(tip), "pictures a second");
    });
    let tour = recipe.tour(window.flight.as_deref()).map_err(|_| {
        "There are no two places to fly between: add bookmarks, or record a flight, in the section View"
            .to_owned()
    })?;
    let film = Film { rate: window.rate, ..Film::default() };
    let text = format!("{:.0} s, {} pictures", tour.seconds(), film.pictures(&tour));
    ui.label(RichText::new(text).color(style::quiet(ui)));
    if !window.has_ffmpeg {
        let text = "ffmpeg is not installed: a folder gets numbered pictures, which any video editor reads";
        ui.label(RichText::new(text).color(style::quiet(ui)).size(12.0));
    }
    Ok(tour)
}

/// A picture of what a view shows.
pub(super) fn as_seen(shot: Shot, of: &EditedItem, pilot: &Pilot, viewed: DebugView) -> Shot {
    let (from, look) = pilot.sight();
    let (shown, scale) = match &of.view.layer {
        Some(layer) => (shown::Shown::Layer(layer.name.as_str().to_owned()), Some((layer.low, layer.high))),
        None => (shown::Shown::View(viewed), None),
    };
    let (from, look) = (Some(from.into()), Some(look.into()));
    Shot { from, look, shown, scale, watch: of.towers.watch.clone(), ..shot }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proposed_suits_the_device_and_is_not_proposed_again() {
        let document = Document::new(crate::recipe::Recipe::new("Plain", (5, 5), 10.0), None);
        let mut window = ExportWindow::default();
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        assert_eq!((window.size, window.quality), ((1280, 720), Quality::Medium));
        window.size = (640, 360);
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        assert_eq!((window.size, window.quality), ((640, 360), Quality::Medium), "what was set stays");

        let pixels = Quality::ALL.map(|drawn| proposed(drawn).0.0 * proposed(drawn).0.1);
        assert!(pixels.is_sorted());
        assert!(Quality::ALL.iter().all(|drawn| proposed(*drawn).1 >= *drawn));
    }
}
