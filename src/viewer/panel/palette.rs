//! The command palette: everything that can be done, found by typing a few letters of it.

use std::path::PathBuf;

use bevy::math::Rect;
use bevy_egui::egui::{self, Key, Modifiers, RichText, vec2};

use super::controls::quality::QUALITIES;
use super::controls::{section, style};
use super::landscape::sun::Hour;
use crate::analysis::plots::PlotKind;
use crate::grid::LayerInfo;
use crate::lessons::{Lesson, Mistake, ShippedLesson};
use crate::plugin::{DebugView, Quality};
use crate::recipe::preset::Preset;
use crate::recipe::{Recipe, Step};
use crate::render::display_names::display_names;
use crate::render::view_mode::{VIEWS, ViewMode};
use crate::shown::shown_in_line;
use crate::steps;
use crate::viewer::camera::pilot::Mode;
use crate::viewer::session::settings::Theme;
use crate::viewer::views::gallery::Shelf;
use crate::viewer::views::split_view::Sharing;

/// How many entries are seen without scrolling.
const ROWS: f32 = 14.0;
/// The most letters of what a user has named.
const MOST_LETTERS: usize = 60;
/// How much wider a brush gets at once.
const WIDER: f32 = 1.2;

/// What can be done.
#[derive(Clone, Debug)]
pub(in super::super) enum Command {
    /// Open or close something beside the panel.
    Gallery,
    LookInside,
    /// Opens the plots with this one.
    Plot(PlotKind),
    Watch,
    /// Plays the build that is watched, or pauses it.
    Play,
    /// Goes so many frames of it on.
    Frame(isize),
    Probe,
    Sculpt,
    Levels,
    Times,
    Keys,
    GuidedTour,
    Panels,
    CloseAll,
    Tidy,
    Theme(Theme),
    Quality(Quality),
    Section(&'static str),
    Shelf(Shelf),
    /// Files.
    New,
    Open,
    Save,
    SaveAs,
    OpenRecent(PathBuf),
    Export,
    /// Heights, meshes, colours and objects for other programs.
    Output,
    Screenshot,
    Close,
    /// Several landscapes.
    Copy,
    OtherSeed,
    Arrange(Sharing),
    Difference,
    CloseOne,
    /// Changes.
    Undo,
    Redo,
    NewSeed,
    AddStep(Box<Step>),
    Paste,
    DrawOnLand,
    /// Sets the sun to a time of day.
    Hour(Hour),
    /// Puts the texture into a season.
    Season(f32),
    /// Explains how to do something that is done elsewhere.
    Tell(&'static str),
    /// Makes the brush so many times as wide.
    Widen(f32),
    /// What is seen.
    Show(ViewMode),
    /// The view so many places after the one that is shown.
    ShowNext(isize),
    PutTowers,
    Move(Mode),
    LookAgain,
    Bookmark,
    /// Goes to the bookmark with this index.
    Visit(usize),
    Tour,
    Record,
    /// Flies along the flight with this index.
    Fly(usize),
    /// Other lands.
    Preset(&'static Preset),
    Lesson(ShippedLesson),
    Mistake(&'static Mistake),
}

impl Command {
    /// The recipe that it opens, if it opens one.
    pub fn recipe(&self) -> Option<crate::Result<Recipe>> {
        match self {
            Self::Preset(preset) => Some(preset.recipe()),
            _ => None,
        }
    }

    /// The lesson that it begins, if it begins one.
    pub fn lesson(&self) -> Option<crate::Result<Lesson>> {
        match self {
            Self::Lesson(lesson) => Some(lesson.lesson()),
            _ => None,
        }
    }
}

/// A command with what it is called, and its keys.
struct Entry {
    name: String,
    keys: &'static str,
    command: Command,
    /// What it says of itself: a step with its parameters, a view or a layer of the land.
    about: String,
}

/// What a command's step, view or layer says of itself, in lower case.
fn about(command: &Command) -> String {
    match command {
        Command::AddStep(step) => {
            let mut about = step.operation.doc().to_lowercase();
            step.operation
                .read(&mut |param, _| about += &format!(" {} {}", param.name, param.doc.to_lowercase()));
            about
        }
        Command::Show(ViewMode::View(view)) => view.about().to_lowercase(),
        Command::Show(ViewMode::Layer(name)) => LayerInfo::of(name)
            .map_or(String::new(), |layer| format!("{name} {}", layer.about.to_lowercase())),
        _ => String::new(),
    }
}

/// Whether each of the words, in lower case, is the beginning of a word of a text.
fn has_words(text: &str, wanted: &str) -> bool {
    let begins =
        |word: &str| text.split(|sign: char| !sign.is_alphanumeric()).any(|other| other.starts_with(word));
    wanted.split_whitespace().all(begins)
}

impl Entry {
    /// Everyday words for it that are not in its name.
    fn words(&self) -> &'static str {
        match &self.command {
            Command::Section("Sun") => "time night day light weather hour clock morning evening",
            Command::Section("Texture") => "season snow grass rock colour ground terrain type",
            Command::Section("Plants and rocks") => {
                "trees forest woods vegetation grass bushes scatter objects"
            }
            Command::Section("Water") => "sea lake river ocean coast flood level",
            Command::Hour(Hour::Night) => "dark moon",
            Command::Hour(Hour::Sunrise) => "dawn early",
            Command::Hour(Hour::Sunset) => "dusk evening late",
            Command::Hour(_) => "day light sun",
            Command::Season(season) if *season == 0.75 => "snow ice cold white weather",
            Command::Season(season) if *season == 0.5 => "fall leaves weather",
            Command::Season(_) => "weather",
            Command::Output => {
                "save write file geotiff png exr obj glb stl ply splat height map unity unreal godot blender"
            }
            Command::Export => "image photo render movie video save export",
            Command::Screenshot => "image photo picture",
            Command::GuidedTour => "help tutorial introduction start learn",
            Command::Keys => "help shortcuts how to fly",
            Command::Gallery => "examples templates samples lands",
            Command::New => "empty blank begin start",
            Command::Open | Command::OpenRecent(_) => "load import file elevation dem",
            Command::Save | Command::SaveAs => "keep write file store",
            Command::Quality(_) => "graphics speed slow fast fps plants shadows",
            Command::Theme(_) => "bright colours mode appearance",
            Command::Times => "fps performance speed slow",
            Command::NewSeed => "dice chance other random",
            Command::Sculpt => "brush paint raise lower draw hand dig",
            Command::Undo => "back revert",
            Command::Watch => "animation animate build play",
            Command::LookInside => "statistics histogram profile graph chart analysis",
            Command::LookAgain => "home reset camera start",
            Command::Plot(PlotKind::SlopeArea) => "flow drainage water accumulation catchment",
            Command::Plot(_) => "statistics chart graph look inside",
            _ => "",
        }
    }

    /// Whether it changes the window and not the land: landscapes are listed first.
    fn is_setting(&self) -> bool {
        matches!(
            self.command,
            Command::Quality(_) | Command::Theme(_) | Command::Section(_) | Command::Tidy | Command::Panels
        )
    }

    /// How well it matches the typed words: smaller is better; `None` if it lacks one of them.
    fn fit(&self, wanted: &str) -> Option<usize> {
        let (_, own) = self.name.split_once(": ").unwrap_or(("", &self.name));
        // People type what follows the kind of a command.
        let own = fit(own, wanted);
        let whole = fit(&self.name, wanted);
        let by_words = fit(&format!("{} {}", self.name, self.words()), wanted);
        let by_words = by_words.map(|_| FOUND_BY_WORDS * wanted.split_whitespace().count());
        let is_about = || has_words(&self.about, &wanted.to_lowercase());
        let by_about = || is_about().then(|| FOUND_IN_ABOUT * wanted.split_whitespace().count());
        let found = [own, whole, by_words].into_iter().flatten().min().or_else(by_about)?;
        let is_anything = wanted.trim().is_empty();
        Some(if is_anything { 0 } else { found } + if self.is_setting() { SETTING } else { 0 })
    }
}

/// The penalty for each typed word that is found only in the everyday words, in letters of its name.
const FOUND_BY_WORDS: usize = 30;
/// The penalty for each typed word if one of them is found only in what an entry says of itself.
const FOUND_IN_ABOUT: usize = 60;
/// The penalty for settings.
const SETTING: usize = 20;

/// What entries are made of besides what is always there.
#[derive(Default)]
pub(super) struct Known {
    bookmarks: Vec<String>,
    flights: Vec<String>,
    /// Layers that the steps of the edited recipe write.
    layers: Vec<String>,
    recent: Vec<PathBuf>,
}

impl Known {
    /// The places, flights and layers of the edited recipe, and files that were open lately.
    pub fn of(recipe: Option<&Recipe>, recent: &[PathBuf]) -> Self {
        let bookmarks = recipe.into_iter().flat_map(|recipe| &recipe.bookmarks);
        let flights = recipe.into_iter().flat_map(|recipe| &recipe.flights);
        let bookmarks: Vec<_> = bookmarks.map(|place| (&*place.name, None)).collect();
        let flights: Vec<_> = flights.map(|flight| (&*flight.name, None)).collect();
        Self {
            bookmarks: display_names(&bookmarks, MOST_LETTERS),
            flights: display_names(&flights, MOST_LETTERS),
            layers: recipe.map_or(Vec::new(), Recipe::layers),
            recent: recent.to_vec(),
        }
    }
}

/// Whether the palette is open, and what has been typed.
#[derive(Default)]
pub(super) struct Palette {
    open: bool,
    wanted: String,
    marked: usize,
    entries: Vec<Entry>,
}

impl Palette {
    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Opens it, or closes it.
    pub fn toggle(&mut self, known: Known) {
        *self = Self { open: !self.open, ..Self::default() };
        if self.open {
            self.entries = entries(known);
        }
    }
}

fn entries(known: Known) -> Vec<Entry> {
    let plain = [
        ("Gallery of landscapes", "F2", Command::Gallery),
        ("Watch the steps work", "F5", Command::Watch),
        ("Play or pause the build", "Space", Command::Play),
        ("Next frame of the build", "→", Command::Frame(1)),
        ("Previous frame of the build", "←", Command::Frame(-1)),
        ("First frame of the build", "Home", Command::Frame(isize::MIN)),
        ("Last frame of the build", "End", Command::Frame(isize::MAX)),
        ("Look inside: plots of the land", "F4", Command::LookInside),
        ("Probe a sample", "F6", Command::Probe),
        ("Sculpt by hand", "F7", Command::Sculpt),
        ("Levels of detail compared", "L", Command::Levels),
        ("Frame times by pass", "F3", Command::Times),
        ("Keys", "F1", Command::Keys),
        ("Guided tour: the window in five minutes", "", Command::GuidedTour),
        ("Hide or show the panels", "F9", Command::Panels),
        ("Close all but the landscape", "", Command::CloseAll),
        ("Panels back to their places", "", Command::Tidy),
        ("Dark panels", "", Command::Theme(Theme::Dark)),
        ("Light panels", "", Command::Theme(Theme::Light)),
        ("Panels as the system", "", Command::Theme(Theme::System)),
        ("New landscape", "Ctrl N", Command::New),
        ("Open a file", "Ctrl O", Command::Open),
        ("Save", "Ctrl S", Command::Save),
        ("Save as", "Ctrl Shift S", Command::SaveAs),
        ("Picture or film, at any size", "", Command::Export),
        ("Export: heights, mesh, colours or objects", "", Command::Output),
        ("Screenshot of the window", "F12", Command::Screenshot),
        ("Close the window", "Ctrl Q", Command::Close),
        ("Compare with a copy", "", Command::Copy),
        ("Compare with another seed", "", Command::OtherSeed),
        ("Landscapes side by side", "", Command::Arrange(Sharing::SideBySide)),
        ("Swipe between landscapes", "", Command::Arrange(Sharing::Swipe)),
        ("Difference of two landscapes", "", Command::Difference),
        ("Close this landscape", "", Command::CloseOne),
        ("Undo", "Ctrl Z", Command::Undo),
        ("Redo", "Ctrl Shift Z, Ctrl Y", Command::Redo),
        ("Another random seed", "", Command::NewSeed),
        ("Paste steps at the end", "", Command::Paste),
        ("Draw on the land: the points of a step", "", Command::DrawOnLand),
        ("Narrower brush", "[", Command::Widen(1.0 / WIDER)),
        ("Wider brush", "]", Command::Widen(WIDER)),
        ("Next view of the land", "V", Command::ShowNext(1)),
        ("Previous view of the land", "Shift V", Command::ShowNext(-1)),
        ("Put towers of a viewshed", "", Command::PutTowers),
        ("Opening view", "", Command::LookAgain),
        ("Bookmark this place", "", Command::Bookmark),
        ("Tour of the bookmarks: start or stop", "", Command::Tour),
        ("Record a flight: start or stop", "", Command::Record),
    ];
    let plain = plain.into_iter().map(|(name, keys, command)| (name.to_owned(), keys, command));
    let modes = Mode::ALL
        .into_iter()
        .map(|(mode, name, about)| (format!("{name}: {about}"), "", Command::Move(mode)));
    let views = VIEWS.into_iter().filter(|view| *view != DebugView::Layer).map(|view| {
        let name = if view == DebugView::None { "Landscape" } else { view.title() };
        (format!("Show: {name}"), "", Command::Show(ViewMode::View(view)))
    });
    let layers = known.layers.into_iter().map(|layer| {
        let name = shown_in_line(&layer, MOST_LETTERS);
        let title = LayerInfo::of(&layer).map_or(name.clone(), |of| format!("{} ({name})", of.title));
        (format!("Show layer: {title}"), "", Command::Show(ViewMode::Layer(layer)))
    });
    let plots = PlotKind::ALL
        .map(|kind| (format!("Plot: {}", kind.name().replace('-', " ")), "", Command::Plot(kind)));
    let added = steps::names()
        .into_iter()
        .filter_map(Step::from_name)
        .map(|step| (format!("Add step: {}", step.title()), "", Command::AddStep(Box::new(step))));
    let presets = Preset::all()
        .iter()
        .map(|preset| (format!("Open landscape: {}", preset.name), "", Command::Preset(preset)));
    let lessons = ShippedLesson::all()
        .iter()
        .map(|lesson| (format!("Lesson: {}", lesson.name), "", Command::Lesson(*lesson)));
    let mistakes = Mistake::all()
        .iter()
        .map(|mistake| (format!("Mistake: {}", mistake.title), "", Command::Mistake(mistake)));
    let lessons = lessons.chain(mistakes);
    let sections = section::TITLES.map(|title| (format!("Section: {title}"), "", Command::Section(title)));
    let shelves = Shelf::ALL
        .into_iter()
        .map(|(shelf, name, _)| (format!("Shelf of the gallery: {name}"), "", Command::Shelf(shelf)));
    let qualities = QUALITIES
        .into_iter()
        .map(|(quality, name, _)| (format!("Quality: {name}"), "", Command::Quality(quality)));
    let bookmarks = known.bookmarks.into_iter().enumerate();
    let bookmarks = bookmarks.map(|(index, name)| (format!("Go to: {name}"), "", Command::Visit(index)));
    let flights = known.flights.into_iter().enumerate();
    let flights = flights.map(|(index, name)| (format!("Fly again: {name}"), "", Command::Fly(index)));
    let recent = known.recent.into_iter().map(|path| {
        let name = shown_in_line(&path.display().to_string(), MOST_LETTERS);
        (format!("Open recent file: {name}"), "", Command::OpenRecent(path))
    });
    let hours =
        Hour::ALL.into_iter().map(|(hour, name)| (format!("Time of day: {name}"), "", Command::Hour(hour)));
    let seasons =
        SEASONS.into_iter().map(|(name, season)| (format!("Season: {name}"), "", Command::Season(season)));
    let told = TOLD.into_iter().map(|(name, text)| (name.to_owned(), "", Command::Tell(text)));
    let all = recent.chain(presets).chain(plain).chain(bookmarks).chain(flights).chain(hours).chain(seasons);
    let all = all.chain(shelves).chain(lessons).chain(added).chain(modes).chain(views).chain(told);
    let all = all.chain(layers).chain(plots).chain(sections).chain(qualities);
    let mut all: Vec<Entry> =
        all.map(|(name, keys, command)| Entry { name, keys, about: about(&command), command }).collect();
    // Otherwise they stay in this order.
    all.sort_by_key(Entry::is_setting);
    all
}

/// The seasons, by the time of the year of their middles.
const SEASONS: [(&str, f32); 4] = [("spring", 0.0), ("summer", 0.25), ("autumn", 0.5), ("winter", 0.75)];

/// Things that people look for here but that are done elsewhere, and where.
const TOLD: [(&str, &str); 2] = [
    (
        "Planet: how to draw one",
        "A planet is drawn from the command line: “upland render LAND.ron --planet 6371000 -o planet.png” lays an endless \
         landscape around a sphere of that radius in metres. The size of a landscape becomes endless by “--set size=endless”.",
    ),
    (
        "Weather: clouds, haze and rain",
        "A landscape has no weather: it is drawn in clear air with thin clouds. The time of the day is set under Sun, the \
         season under Texture; in games the plugin's Sky sets clouds and visibility.",
    ),
];

/// How well a name fits what was typed: smaller is better; `None` if it lacks one of the words.
fn fit(name: &str, wanted: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let mut sum = 0;
    for word in wanted.to_lowercase().split_whitespace() {
        let at = name.find(word)?;
        let begins = at == 0 || name[..at].ends_with([' ', ':', '-', '_', '(']);
        sum += at + if begins { 0 } else { 100 };
    }
    Some(sum)
}

/// The command that fits best what was typed.
pub(super) fn named(wanted: &str, known: Known) -> Option<Command> {
    best(wanted, known).map(|entry| entry.command)
}

/// The name of the command that fits best what was typed.
#[cfg(test)]
pub(in super::super) fn command_named(wanted: &str) -> Option<String> {
    best(wanted, Known::default()).map(|entry| entry.name)
}

fn best(wanted: &str, known: Known) -> Option<Entry> {
    let fits = entries(known).into_iter().filter_map(|entry| Some((entry.fit(wanted)?, entry)));
    fits.min_by_key(|(fit, entry)| (*fit, entry.name.len())).map(|(_, entry)| entry)
}

/// Draws the palette while it is open; returns what was chosen.
pub(super) fn show(context: &egui::Context, palette: &mut Palette, land: Rect) -> Option<Command> {
    if !palette.open {
        return None;
    }
    let pressed = |key| context.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let (up, down, enter) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter));
    // Of names that fit as well the shortest has the least that was not asked for; without a word all are in their order.
    let length = |entry: &Entry| if palette.wanted.trim().is_empty() { 0 } else { entry.name.len() };
    let mut found: Vec<(usize, usize, usize)> = (palette.entries.iter().enumerate())
        .filter_map(|(index, entry)| Some((entry.fit(&palette.wanted)?, length(entry), index)))
        .collect();
    found.sort();
    let last = found.len().saturating_sub(1);
    palette.marked = match (up, down) {
        (true, _) => palette.marked.saturating_sub(1),
        (_, true) => palette.marked + 1,
        _ => palette.marked,
    }
    .min(last);
    let mut chosen = found.get(palette.marked).filter(|_| enter).map(|(_, _, index)| *index);
    let window = egui::Window::new("palette").title_bar(false).resizable(false);
    let width = (460.0 * style::scale(&context.global_style())).min(land.width().max(200.0) - 20.0);
    style::over_middle(window, land, true).fixed_size([width, 0.0]).show(context, |ui| {
        let edit = egui::TextEdit::singleline(&mut palette.wanted);
        let edit = edit.hint_text("what to do, show, add or open").desired_width(f32::INFINITY);
        let field = style::called(ui.add(edit), "Command");
        field.request_focus();
        if field.changed() {
            palette.marked = 0;
        }
        ui.add_space(2.0);
        let row = style::points(ui, 22.0);
        let high = (ROWS * (row + ui.spacing().item_spacing.y)).min((land.height() - 140.0).max(4.0 * row));
        egui::ScrollArea::vertical()
            .max_height(high)
            .min_scrolled_height(high)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for (place, (_, _, index)) in found.iter().enumerate() {
                    let entry = &palette.entries[*index];
                    let is_marked = place == palette.marked;
                    let keys = RichText::new(entry.keys).size(style::points(ui, 11.0));
                    // Quiet text would be unreadable on the highlight.
                    let keys = if is_marked { keys } else { keys.color(style::quiet(ui)) };
                    let button = egui::Button::selectable(is_marked, &entry.name).right_text(keys);
                    let button = ui.add(button.truncate().min_size(vec2(ui.available_width(), row)));
                    if is_marked && (up || down) {
                        button.scroll_to_me(None);
                    }
                    if button.clicked() {
                        chosen = Some(*index);
                    }
                }
            });
        if found.is_empty() {
            ui.label(RichText::new("Nothing found").color(style::quiet(ui)));
        }
    });
    let command = palette.entries.get(chosen?)?.command.clone();
    *palette = Palette::default();
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Bookmark, Flight};
    use crate::viewer::panel::learning::help;

    fn first(wanted: &str) -> String {
        command_named(wanted).unwrap_or_default()
    }

    #[test]
    fn everyday_words_find_what_is_meant() {
        for (word, expected) in [
            ("season", "Season: "),
            ("winter", "Season: winter"),
            ("snow", "Season: winter"),
            ("night", "Time of day: night"),
            ("time", "Time of day: "),
            ("weather", "Weather"),
            ("planet", "Planet"),
            ("export", "Export: heights"),
            ("tutorial", "Guided tour"),
            ("trees", "Section: Plants and rocks"),
            ("video", "Picture or film"),
            ("geotiff", "Export: heights"),
            ("flow", "Plot: slope area"),
            ("hurst", "Add step: "),
            ("meander", "Add step: River"),
            ("walk green", "Show: Slope"),
            ("seed compare", "Compare with another seed"),
        ] {
            assert!(first(word).starts_with(expected), "{word}: {}", first(word));
        }
    }

    #[test]
    fn many_entries_are_seen_without_scrolling() {
        let context = egui::Context::default();
        let mut palette = Palette::default();
        palette.toggle(Known::default());
        let land = Rect::new(0.0, 0.0, 900.0, 700.0);
        for _ in 0..3 {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(900.0, 700.0));
            let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
            _ = context.run_ui(input, |ui| _ = show(ui.ctx(), &mut palette, land));
        }
        let rect = context.memory(|memory| memory.area_rect(egui::Id::new(Some("palette")))).unwrap();
        assert!((300.0..600.0).contains(&rect.height()), "{rect}");
    }

    #[test]
    fn landscapes_stand_before_settings() {
        assert_eq!(first("high"), "Open landscape: high-range");
        let entries = entries(Known::default());
        let last_land =
            entries.iter().rposition(|entry| matches!(entry.command, Command::Preset(_))).unwrap();
        let first_setting = entries.iter().position(Entry::is_setting).unwrap();
        assert!(last_land < first_setting);
        assert!(matches!(entries[0].command, Command::Preset(_)), "{}", entries[0].name);
    }

    #[test]
    fn a_few_letters_find_what_is_meant() {
        assert_eq!(first("undo"), "Undo");
        assert_eq!(first("new"), "New landscape");
        assert_eq!(first("canyon"), "Open landscape: canyon");
        assert_eq!(first("add gauss"), "Add step: Gaussian");
        assert_eq!(first("add step: river"), "Add step: River");
        assert_eq!(first("lesson fault"), "Lesson: faults");
        assert!(first("walk").starts_with("Walk"));
        assert!(first("wire").contains("ireframe"), "{}", first("wire"));
        assert_eq!(first("no such thing"), "");
    }

    /// Chords in a list of them.
    fn chords(keys: &'static str) -> impl Iterator<Item = &'static str> {
        keys.split(", ").filter(|keys| !keys.is_empty())
    }

    #[test]
    fn whatever_a_key_does_the_palette_does_and_tells_the_key() {
        let entries = entries(Known::default());
        let of_palette: Vec<&str> = entries.iter().flat_map(|entry| chords(entry.keys)).collect();
        let of_help = keys_of_help(help::By::Command);
        for key in &of_help {
            assert_eq!(of_palette.iter().filter(|other| *other == key).count(), 1, "{key} in the palette");
        }
        for key in of_palette {
            assert!(of_help.contains(&key), "{key} is not in the help");
        }
    }

    /// The keys of the help whose rows are done by this.
    fn keys_of_help(by: help::By) -> Vec<&'static str> {
        let rows = help::KEYS.iter().filter(|(.., of)| *of == by);
        rows.flat_map(|(keys, ..)| keys.iter().copied()).collect()
    }

    /// Whether a word names a key.
    fn is_key(word: &str) -> bool {
        const NAMES: [&str; 11] =
            ["Ctrl", "Shift", "Alt", "Tab", "Esc", "Enter", "Backspace", "Space", "Home", "End", "Delete"];
        let is_sign = |sign: char| sign.is_ascii_uppercase() || "[]←→↑↓".contains(sign);
        let mut signs = word.chars();
        let is_sign = signs.next().is_some_and(is_sign) && signs.next().is_none();
        let is_function = word.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok());
        is_sign || is_function || NAMES.contains(&word)
    }

    #[test]
    fn only_keys_that_are_held_or_go_among_controls_are_no_commands() {
        assert_eq!(keys_of_help(help::By::Held), ["W A S D", "E  Q", "Shift"]);
        assert_eq!(keys_of_help(help::By::Control), ["Tab", "Esc", "Ctrl P"]);
        for name in keys_of_help(help::By::Pointer) {
            assert!(!is_key(name), "{name} is a key");
        }
        // Nor does a text tell of a key that has no row.
        let with_rows = [help::By::Command, help::By::Held, help::By::Control].map(keys_of_help).concat();
        let with_rows: Vec<&str> = with_rows.into_iter().flat_map(str::split_whitespace).collect();
        for (keys, what, _) in help::KEYS {
            let words = what.split(|sign: char| sign.is_whitespace() || ",;:.".contains(sign));
            for word in words.filter(|word| is_key(word)) {
                assert!(with_rows.contains(&word), "{word} in the text of {keys:?}");
            }
        }
    }

    #[test]
    fn places_and_flights_of_one_name_are_told_apart() {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.bookmarks = vec![Bookmark { name: "Lake".into(), ..Bookmark::default() }; 2];
        recipe.flights = vec![Flight { name: "Low".into(), ..Flight::default() }; 2];
        let known = Known::of(Some(&recipe), &[]);
        assert_eq!((known.bookmarks[1].as_str(), known.flights[1].as_str()), ("Lake (2)", "Low (2)"));
        assert!(matches!(named("Fly again: Low (2)", known), Some(Command::Fly(1))));
    }

    #[test]
    fn places_flights_and_files_are_found_by_their_names() {
        let known = || Known {
            bookmarks: vec!["Lake".into(), "Pass".into()],
            flights: vec!["Valley".into()],
            layers: vec!["flow".into()],
            recent: vec!["lands/alps.tif".into()],
        };
        assert!(matches!(named("pass", known()), Some(Command::Visit(1))));
        assert!(matches!(named("fly valley", known()), Some(Command::Fly(0))));
        assert!(
            matches!(named("alps.tif", known()), Some(Command::OpenRecent(path)) if path.ends_with("alps.tif"))
        );
        assert!(
            matches!(named("flow", known()), Some(Command::Show(ViewMode::Layer(name))) if name == "flow")
        );
        assert!(matches!(named("shelf neigh", known()), Some(Command::Shelf(Shelf::Neighbours))));
        assert!(matches!(named("quality ultra", known()), Some(Command::Quality(Quality::Ultra))));
    }

    #[test]
    fn whatever_can_be_opened_opens() {
        for entry in entries(Known::default()) {
            assert!(!entry.name.is_empty());
            if let Some(recipe) = entry.command.recipe() {
                recipe.unwrap();
            }
            if let Some(lesson) = entry.command.lesson() {
                lesson.unwrap();
            }
        }
    }
}
