//! The window for drawing a picture of any size, or a film.

use std::path::{Path, PathBuf};

use bevy::math::Rect;
use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use super::path_dialog::{WOULD_BE_REPLACED, typed_path};
use super::{ExportedLand, name_of_land};
use crate::compute::work::Progress;
use crate::plugin::{DebugView, MAX_PICTURE_SIDE, Quality};
use crate::recipe::{Flight, Recipe, Tour};
use crate::render::display_names::display_names;
use crate::render::film::Film;
use crate::render::still::Shot;
use crate::render::video::is_video;
use crate::render::view_mode::ViewMode;
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::links::SharedLight;
use crate::viewer::document::{Document, free_name};
use crate::viewer::files::export::{Exporting, Order, has_ffmpeg};
use crate::viewer::files::recent::{Browsing, Purpose};
use crate::viewer::panel::controls::quality::QUALITIES;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::panel::edited::EditedItem;

/// The title of the window, and its id.
pub(crate) const TITLE: &str = "Picture or film";

/// Sizes to choose from, pixels.
const SIZES: [(&str, (u32, u32)); 6] = [
    ("HD", (1280, 720)),
    ("Full HD", (1920, 1080)),
    ("4K", (3840, 2160)),
    ("8K", (7680, 4320)),
    ("Square", (2048, 2048)),
    ("Panorama", (8192, 2048)),
];

/// What to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Picture,
    Film,
}

/// The state of the window.
pub(crate) struct ExportWindow {
    open: bool,
    kind: Kind,
    /// The document to draw.
    document: Option<Entity>,
    size: (u32, u32),
    quality: Quality,
    /// Whether size and quality have been suggested.
    is_proposed: bool,
    rate: f32,
    /// The flight to film: its index, and a copy as of the last frame. `None` for a tour of the bookmarks.
    flight: Option<(usize, Flight)>,
    path: String,
    /// The path of the last export from this window.
    drawn: String,
    /// Whether ffmpeg was found when the window was opened.
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
            drawn: String::new(),
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

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.open && self.document.is_some()
    }

    /// Esc cancels an export in progress, or else closes the window. If a control had the focus, Esc only
    /// takes that.
    pub fn end(&mut self, exporting: &mut Exporting, had_focus: bool) {
        match exporting.unfinished() {
            Some(_) if had_focus => {}
            Some(_) => exporting.cancel(),
            None => self.open = false,
        }
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

/// The size and quality to suggest if the window has this quality: a picture may take minutes, but not hours.
fn proposed(drawn: Quality) -> ((u32, u32), Quality) {
    match drawn {
        Quality::Low => ((1280, 720), Quality::Medium),
        Quality::Medium => ((1920, 1080), Quality::High),
        Quality::High | Quality::Ultra => ((3840, 2160), drawn),
    }
}

/// A message about what exists at a path, and whether drawing is possible nevertheless.
fn found_there(kind: Kind, path: &Path) -> Option<(&'static str, bool)> {
    let is_folder = path.is_dir();
    match kind {
        _ if path.as_os_str().is_empty() || !path.exists() => None,
        Kind::Film if !is_video(path) && !is_folder => {
            Some(("This is a file; numbered pictures need a folder", false))
        }
        Kind::Film if !is_video(path) => {
            let is_empty = std::fs::read_dir(path).is_ok_and(|mut inside| inside.next().is_none());
            let text = "This folder is not empty; the pictures need a new or an empty folder";
            (!is_empty).then_some((text, false))
        }
        Kind::Picture | Kind::Film if is_folder => Some(("A folder has this name", false)),
        Kind::Picture | Kind::Film => Some((WOULD_BE_REPLACED, true)),
    }
}

/// The purpose of the system's dialog: a film goes to a folder unless the path is a video.
fn purpose(kind: Kind, path: &Path) -> Purpose {
    match kind {
        Kind::Picture => Purpose::Picture,
        Kind::Film if is_video(path) => Purpose::Video,
        Kind::Film => Purpose::Frames,
    }
}

/// The path chosen in a dialog. If it lacks an extension it gets the usual one, because a video would
/// otherwise become a folder.
fn chosen_path(purpose: Purpose, mut path: PathBuf) -> String {
    let extension = match purpose {
        Purpose::Picture => Some("png"),
        Purpose::Video => Some("mp4"),
        _ => None,
    };
    if let Some(extension) = extension.filter(|_| path.extension().is_none()) {
        path.set_extension(extension);
    }
    path.display().to_string()
}

/// Draws the window while it is open. Returns what to draw, the document, and the path.
pub(crate) fn show<'a>(
    context: &egui::Context,
    window: &mut ExportWindow,
    exporting: &mut Exporting,
    (browsing, land): (&mut Browsing, Rect),
    land_of: impl Fn(Entity) -> Option<ExportedLand<'a>>,
) -> Option<(Order, Entity, PathBuf)> {
    let is_for_it = |purpose| matches!(purpose, Purpose::Picture | Purpose::Video | Purpose::Frames);
    let chosen = browsing.take(is_for_it);
    let entity = window.document.filter(|_| window.open)?;
    if let Some((purpose, path)) = chosen {
        window.path = chosen_path(purpose, path);
    }
    let Some(ExportedLand { document, name }) = land_of(entity) else {
        window.open = false;
        return None;
    };
    let (mut open, mut ordered) = (true, None);
    let frame = egui::Window::new(TITLE).id(egui::Id::new(TITLE)).open(&mut open);
    let frame = frame.collapsible(false).resizable(false);
    style::growing_over_middle(frame, land, 440.0).show(context, |ui| {
        name_of_land(ui, name.as_deref());
        let before = window.kind;
        ui.horizontal(|ui| {
            let tip = "The present view, at any size";
            ui.selectable_value(&mut window.kind, Kind::Picture, "Picture").tip(tip);
            let tip = "A tour of the bookmarks or a recorded flight, with every frame at full detail";
            ui.selectable_value(&mut window.kind, Kind::Film, "Film").tip(tip);
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
            ui.label("quality").tip("The detail of the land; more takes longer");
            for (quality, name, tip) in QUALITIES {
                ui.selectable_value(&mut window.quality, quality, name).tip(tip);
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
            style::called(ui.add(field), "File to write").tip(hint);
            let browse = ui.add_enabled(!browsing.is_open(), egui::Button::new("Browse …"));
            if browse.tip("Open the system's file dialog").clicked() {
                let path = typed_path(&window.path);
                let near = std::path::absolute(&path).ok();
                browsing.begin(purpose(window.kind, &path), near.as_deref());
            }
        });
        ui.add_space(4.0);
        if let Some((progress, seconds)) = exporting.progress() {
            working(ui, exporting, &progress, seconds);
            return;
        }
        if let Some(refused) = refused {
            ui.label(RichText::new(refused).color(style::error(ui)));
        }
        let there = found_there(window.kind, &typed_path(&window.path));
        match there {
            Some((WOULD_BE_REPLACED, _)) if window.drawn == window.path && exporting.progress().is_none() => {
                ui.label(RichText::new("Drawing again replaces this file").color(style::quiet(ui)));
            }
            Some((text, _)) => drop(ui.label(RichText::new(text).color(style::error(ui)))),
            None => {}
        }
        let can_be_written = there.is_none_or(|(_, can_be_written)| can_be_written);
        let is_ready = refused.is_none() && !window.path.trim().is_empty() && can_be_written;
        let button = ui.add_enabled(
            is_ready,
            egui::Button::new(if window.kind == Kind::Film { "Make film" } else { "Draw" }),
        );
        if button.tip("You can continue working meanwhile").clicked() {
            let (size, quality, rate) = (window.size, window.quality, window.rate);
            let order = match tour {
                Some(Ok(tour)) => Order::Film(Film { size, quality, rate, ..Film::default() }, tour),
                _ => Order::Picture(Box::new(Shot { size, quality, ..Shot::default() })),
            };
            window.drawn.clone_from(&window.path);
            ordered = Some((order, entity, typed_path(&window.path)));
        }
    });
    window.open = open;
    ordered
}

/// The progress of the export, and a button that cancels it.
pub(crate) fn working(ui: &mut egui::Ui, exporting: &mut Exporting, progress: &Progress, seconds: f32) {
    ui.horizontal(|ui| {
        let given_up = exporting.is_given_up();
        let what = if given_up { "cancelling" } else { style::stage_name(&progress.stage) };
        let text = format!("{what}, {seconds:.0} s");
        ui.add(style::progress(ui, progress.fraction, text).desired_width(style::points(ui, 330.0)));
        let cancel = ui.add_enabled(!given_up, egui::Button::new("Cancel"));
        let tip = "Cancels the export and removes unfinished files. Closing this window doesn't cancel it";
        if cancel.tip(tip).clicked() {
            exporting.cancel();
        }
    });
}

fn size(ui: &mut egui::Ui, window: &mut ExportWindow) {
    ui.horizontal(|ui| {
        let tip = "Width and height, independent of the window; even numbers for a video";
        ui.label("size").tip(tip);
        let (width, height) = &mut window.size;
        let range = 16..=MAX_PICTURE_SIDE;
        let drag = egui::DragValue::new(width).range(range.clone()).speed(8);
        style::called(ui.add(drag).tip(tip), "width");
        ui.label("×");
        let drag = egui::DragValue::new(height).range(range).speed(8).suffix(" pixels");
        style::called(ui.add(drag).tip(tip), "height");
        let known = SIZES.iter().find(|(_, size)| *size == window.size).map_or("custom", |(name, _)| name);
        let combo = egui::ComboBox::from_id_salt("size").selected_text(known).width(90.0);
        let combo = combo.show_ui(ui, |ui| {
            for (name, size) in SIZES {
                ui.selectable_value(&mut window.size, size, format!("{name}: {} × {}", size.0, size.1));
            }
        });
        style::called(combo.response, "common sizes").tip("Common sizes");
    });
}

/// The tour of a film, or why there is none yet.
fn film(ui: &mut egui::Ui, window: &mut ExportWindow, document: &Document) -> Result<Tour, String> {
    let recipe = &document.recipe;
    let index = window.flight.as_ref().and_then(|(index, seen)| index_now(*index, seen, &recipe.flights));
    let first = (recipe.bookmarks.len() < 2 && !recipe.flights.is_empty()).then_some(0);
    let mut chosen = index.or(first);
    ui.horizontal(|ui| {
        ui.label("of");
        let bookmarks = "a tour of the bookmarks";
        let names: Vec<_> = recipe.flights.iter().map(|flight| (&*flight.name, None)).collect();
        let names = display_names(&names, 40);
        let name = chosen.and_then(|index| names.get(index)).map_or(bookmarks, String::as_str);
        let combo = egui::ComboBox::from_id_salt("tour").selected_text(name).width(240.0);
        let combo = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut chosen, None, bookmarks);
            for (index, name) in names.iter().enumerate() {
                ui.selectable_value(&mut chosen, Some(index), name);
            }
        });
        style::called(combo.response, "of").tip("The route of the film");
    });
    ui.horizontal(|ui| {
        ui.label("frames per second");
        let tip = "24 as in the cinema, 30 or 60 for screens; more is smoother, but takes longer to draw";
        let drag = egui::DragValue::new(&mut window.rate).range(1.0..=120.0).max_decimals(2).speed(0.2);
        style::called(ui.add(drag).tip(tip), "frames per second");
    });
    let flight = chosen.and_then(|index| Some((index, recipe.flights.get(index)?)));
    if flight != window.flight.as_ref().map(|(index, seen)| (*index, seen)) {
        window.flight = flight.map(|(index, flight)| (index, flight.clone()));
    }
    // Found by its index, because another flight may have the same name.
    let tour = match flight {
        Some((_, flight)) => Tour::along(flight),
        None => Tour::of(&recipe.bookmarks),
    };
    let tour = tour.ok_or("A film needs two bookmarks or a recorded flight; add them in the section View")?;
    let film = Film { rate: window.rate, ..Film::default() };
    let text = format!("{:.0} s, {} pictures", tour.seconds(), film.pictures(&tour));
    ui.label(RichText::new(text).color(style::quiet(ui)));
    if !window.has_ffmpeg {
        let text = "ffmpeg is not installed; numbered pictures are written to a folder, which any video editor can read";
        ui.label(RichText::new(text).color(style::quiet(ui)).size(style::points(ui, 12.0)));
    }
    Ok(tour)
}

/// The recipe of what a view shows: with one step or terrain type alone, if only that is shown.
pub(in crate::viewer) fn recipe_as_seen(of: &EditedItem, light: &SharedLight) -> Recipe {
    let mut recipe = light.seen_by(&of.stack.seen(&of.document.recipe), of.entity, &of.links);
    // A picture of a layer has colours of its own.
    if of.view.layer.is_none() {
        recipe.texture = of.view.seen(&recipe.texture);
    }
    recipe
}

/// The present index of a flight that was `seen` at an index. Others may have been removed since, or it may
/// have been edited. `None` if it is gone.
fn index_now(index: usize, seen: &Flight, flights: &[Flight]) -> Option<usize> {
    let there = flights.get(index);
    if there == Some(seen) {
        return Some(index);
    }
    let elsewhere = flights.iter().position(|flight| flight == seen);
    // A flight's name and its waypoints cannot both be edited within a frame, so one of them is still the
    // same.
    let is_like_it = |flight: &&Flight| flight.name == seen.name || flight.waypoints == seen.waypoints;
    elsewhere.or_else(|| there.filter(is_like_it).map(|_| index))
}

/// A picture of what a view shows.
pub(crate) fn as_seen(shot: Shot, of: &EditedItem, pilot: &Pilot, viewed: DebugView) -> Shot {
    let (from, look) = pilot.sight();
    let (shown, scale) = match &of.view.layer {
        Some(layer) => (ViewMode::Layer(layer.name.as_str().to_owned()), Some((layer.low, layer.high))),
        None => (ViewMode::View(viewed), None),
    };
    let (from, look) = (Some(from.into()), Some(look.into()));
    Shot { from, look, shown, scale, watch: of.towers.watch.clone(), ..shot }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::accesskit::Role;

    use super::*;
    use crate::recipe::Waypoint;

    /// The texts of the window, and whether *Draw* can be pressed.
    fn drawn(window: &mut ExportWindow, document: &Document, browsing: &mut Browsing) -> (Vec<String>, bool) {
        drawn_beside(window, document, None, browsing)
    }

    /// The same with the name that the landscape has beside others.
    fn drawn_beside(
        window: &mut ExportWindow,
        document: &Document,
        name: Option<&str>,
        browsing: &mut Browsing,
    ) -> (Vec<String>, bool) {
        let context = egui::Context::default();
        context.enable_accesskit();
        let mut output = egui::FullOutput::default();
        // Windows are measured in their first frame, and visible in the next.
        for _ in 0..3 {
            output = context.run_ui(egui::RawInput::default(), |ui| {
                let land = Rect::new(0.0, 0.0, 900.0, 700.0);
                let land_of = |_| Some(ExportedLand { document, name: name.map(str::to_owned) });
                let ordered = show(ui.ctx(), window, &mut Exporting::default(), (browsing, land), land_of);
                assert!(ordered.is_none());
            });
            output.textures_delta.clear();
        }
        let nodes = output.platform_output.accesskit_update.expect("it is on").nodes;
        let named = |role: Role, name: &str| {
            nodes.iter().find(|(_, node)| node.role() == role && node.label() == Some(name))
        };
        let can_draw = named(Role::Button, "Draw").is_some_and(|(_, node)| !node.is_disabled());
        assert!(named(Role::Button, "Browse …").is_some());
        let said = nodes.iter().filter(|(_, node)| node.role() == Role::Label);
        (said.filter_map(|(_, node)| node.value().map(str::to_owned)).collect(), can_draw)
    }

    #[test]
    fn the_window_warns_before_a_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let document = Document::new(crate::recipe::Recipe::new("Plain", (5, 5), 10.0), None);
        let mut window = ExportWindow::default();
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        window.path = folder.path().join("plain.png").display().to_string();
        let mut browsing = Browsing::default();
        let (said, can_draw) = drawn(&mut window, &document, &mut browsing);
        assert!(can_draw && !said.iter().any(|text| text == WOULD_BE_REPLACED), "{said:?}");
        std::fs::write(&window.path, "mine").unwrap();
        let (said, can_draw) = drawn(&mut window, &document, &mut browsing);
        assert!(can_draw && said.iter().any(|text| text == WOULD_BE_REPLACED), "{said:?}");
        // A path chosen in the system's dialog appears in the field.
        browsing.chosen = Some((Purpose::Picture, folder.path().join("other")));
        let (said, _) = drawn(&mut window, &document, &mut browsing);
        assert!(window.path.ends_with("other.png") && !said.iter().any(|text| text == WOULD_BE_REPLACED));
    }

    #[test]
    fn the_window_says_which_of_several_landscapes_it_draws() {
        let document = Document::new(crate::recipe::Recipe::new("Plain", (5, 5), 10.0), None);
        let mut window = ExportWindow::default();
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        let mut says = |name: Option<&str>| {
            let (said, _) = drawn_beside(&mut window, &document, name, &mut Browsing::default());
            said.iter().any(|text| text == "Plain, seed 7")
        };
        assert!(says(Some("Plain, seed 7")) && !says(None));
    }

    #[test]
    fn escape_cancels_the_export_and_then_closes_the_window() {
        let document = Document::new(crate::recipe::Recipe::new("Plain", (5, 5), 10.0), None);
        let mut window = ExportWindow::default();
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        let mut exporting = Exporting::drawing(PathBuf::from("plain.png"));
        window.end(&mut exporting, true);
        assert!(window.is_open() && !exporting.is_given_up(), "it only took the focus from a field");
        window.end(&mut exporting, false);
        assert!(window.is_open() && exporting.is_given_up());
        window.end(&mut exporting, false);
        assert!(!window.is_open());
    }

    #[test]
    fn a_film_replaces_a_video_and_needs_a_folder_without_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let can_be_drawn = |name: &str| found_there(Kind::Film, &path(name)).map(|(_, can)| can);
        assert_eq!(["tour.mp4", "film"].map(can_be_drawn), [None, None]);
        std::fs::write(path("tour.mp4"), "mine").unwrap();
        std::fs::create_dir(path("film")).unwrap();
        assert_eq!((can_be_drawn("tour.mp4"), can_be_drawn("film")), (Some(true), None));
        std::fs::write(path("film/00000.png"), "mine").unwrap();
        assert_eq!((can_be_drawn("film"), can_be_drawn("film/00000.png")), (Some(false), Some(false)));
        assert_eq!(found_there(Kind::Picture, &path("film")).map(|(_, can)| can), Some(false));
        assert_eq!(found_there(Kind::Picture, Path::new("")), None);
        let purposes = ["a.mp4", "film"].map(|name| purpose(Kind::Film, Path::new(name)));
        assert_eq!(purposes, [Purpose::Video, Purpose::Frames]);
    }

    #[test]
    fn the_selected_flight_is_filmed_even_if_names_are_equal() {
        let flight = |name: &str, after: f32| {
            let place = |x: f32| Waypoint { after, from: (x, 9.0, 0.0), look: (x, 0.0, -9.0) };
            Flight { name: name.into(), waypoints: vec![place(0.0), place(50.0)] }
        };
        let mut document = Document::new(crate::recipe::Recipe::new("Plain", (5, 5), 10.0), None);
        let flights = [flight("Low", 2.0), flight("Twice", 3.0), flight("Twice", 5.0)];
        document.recipe.flights = flights.to_vec();
        let mut window = ExportWindow::default();
        let seconds = |window: &mut ExportWindow, document: &Document| {
            let mut tour = None;
            let mut output = egui::Context::default()
                .run_ui(egui::RawInput::default(), |ui| tour = Some(film(ui, window, document)));
            output.textures_delta.clear();
            tour.unwrap().unwrap().seconds()
        };
        assert_eq!(seconds(&mut window, &document), 2.0, "the first flight, without bookmarks");
        window.flight = Some((2, flights[2].clone()));
        assert_eq!(seconds(&mut window, &document), 5.0);
        // Another flight is removed, and this one is renamed.
        document.recipe.flights.remove(0);
        assert_eq!(seconds(&mut window, &document), 5.0);
        document.recipe.flights[1].name = "Once".into();
        assert_eq!(seconds(&mut window, &document), 5.0);
        document.recipe.flights[1].waypoints[1].after = 6.0;
        assert_eq!(seconds(&mut window, &document), 6.0);
        document.recipe.flights.pop();
        assert_eq!(seconds(&mut window, &document), 3.0, "the flight is gone");
    }

    #[test]
    fn suggestions_suit_the_device_and_are_made_once() {
        let document = Document::new(crate::recipe::Recipe::new("Plain", (5, 5), 10.0), None);
        let mut window = ExportWindow::default();
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        assert_eq!((window.size, window.quality), ((1280, 720), Quality::Medium));
        window.size = (640, 360);
        window.open(Entity::PLACEHOLDER, &document, Quality::Low);
        assert_eq!((window.size, window.quality), ((640, 360), Quality::Medium), "the user's settings stay");

        let pixels = Quality::ALL.map(|drawn| proposed(drawn).0.0 * proposed(drawn).0.1);
        assert!(pixels.is_sorted());
        assert!(Quality::ALL.iter().all(|drawn| proposed(*drawn).1 >= *drawn));
    }
}
