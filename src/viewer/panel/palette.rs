//! The command palette: all commands, found by typing a few letters.

use std::path::PathBuf;

use bevy::math::Rect;
use bevy_egui::egui::{self, Key, Modifiers, RichText, vec2};

use super::controls::quality::QUALITIES;
use super::controls::section;
use super::controls::style::{self, Tip as _};
use crate::analysis::plots::PlotKind;
use crate::grid::LayerInfo;
use crate::lessons::{Mistake, ShippedLesson};
use crate::plugin::DebugView;
use crate::recipe::preset::Preset;
use crate::recipe::{Recipe, Step};
use crate::render::display_names::display_names;
use crate::render::view_mode::{VIEWS, ViewMode};
use crate::shown::shown_in_line;
use crate::steps;
use crate::viewer::actions::{Action, ActionQueue, Forecast, Hour, Switch};
use crate::viewer::camera::pilot::Mode;
use crate::viewer::session::settings::Theme;
use crate::viewer::session::{DocumentRequest, Tab};
use crate::viewer::views::gallery::Shelf;
use crate::viewer::views::split_view::Sharing;

/// The number of entries seen without scrolling.
const ROWS: f32 = 14.0;
/// The maximum number of letters of a name given by the user.
const MOST_LETTERS: usize = 60;
/// How much wider a brush gets at once.
pub(super) const WIDER: f32 = 1.2;

/// An action with its name and keys.
struct Entry {
    name: String,
    keys: &'static str,
    action: Action,
    /// Its description: of a step with its parameters, a view or a layer of the land.
    about: String,
}

/// The description of an action's step, view or layer, in lower case.
fn about(action: &Action) -> String {
    match action {
        Action::AddStep(step) => {
            let mut about = step.operation.doc().to_lowercase();
            step.operation
                .read(&mut |param, _| about += &format!(" {} {}", param.name, param.doc.to_lowercase()));
            about
        }
        Action::Show(ViewMode::View(view)) => view.about().to_lowercase(),
        Action::Show(ViewMode::Layer(name)) => LayerInfo::of(name)
            .map_or(String::new(), |layer| format!("{name} {}", layer.about.to_lowercase())),
        _ => String::new(),
    }
}

/// Whether each of the words, in lower case, is the beginning of a word in a text.
fn has_words(text: &str, wanted: &str) -> bool {
    let begins =
        |word: &str| text.split(|sign: char| !sign.is_alphanumeric()).any(|other| other.starts_with(word));
    wanted.split_whitespace().all(begins)
}

impl Entry {
    fn new(name: impl Into<String>, keys: &'static str, action: Action) -> Self {
        Self { name: name.into(), keys, about: about(&action), action }
    }

    /// Everyday words for it that are not in its name.
    fn words(&self) -> &'static str {
        match &self.action {
            Action::Section("Sun") => "time night day light hour clock morning evening",
            Action::Section("Weather") => "clouds haze mist fog visibility sky",
            Action::Weather(_) => "clouds sky sunny bright dull grey mist fog",
            Action::Section("Texture") => "season snow grass rock colour ground terrain type",
            Action::Section("Plants and rocks") => {
                "trees forest woods vegetation grass bushes scatter objects"
            }
            Action::Section("Water") => "sea lake river ocean coast flood level",
            Action::Hour(Hour::Night) => "dark moon",
            Action::Hour(Hour::Sunrise) => "dawn early",
            Action::Hour(Hour::Sunset) => "dusk evening late",
            Action::Hour(_) => "day light sun",
            Action::Season(season) if *season == 0.75 => "snow ice cold white weather",
            Action::Season(season) if *season == 0.5 => "fall leaves weather",
            Action::Season(_) => "weather",
            Action::Output => {
                "save write file geotiff png exr obj glb stl ply splat height map unity unreal godot blender"
            }
            Action::Export => "image photo render movie video save export",
            Action::Screenshot => "image photo picture",
            Action::GuidedTour => "help tutorial introduction start learn",
            Action::Keys(_) => "help shortcuts how to fly",
            Action::Gallery(_) => "examples templates samples lands",
            Action::New => "empty blank begin start",
            Action::OpenFile | Action::OpenRecent(_) => "load import file elevation dem",
            Action::Save | Action::SaveAs => "keep write file store",
            Action::Quality(_) => "graphics speed slow fast fps plants shadows",
            Action::Theme(_) => "bright colours mode appearance",
            Action::Panel(Tab::Times, _) => "fps performance speed slow",
            Action::NewSeed => "dice chance other random",
            Action::Panel(Tab::Sculpt, _) => "brush paint raise lower draw hand dig",
            Action::Undo => "back revert",
            Action::Panel(Tab::Watch, _) => "animation animate build play",
            Action::Panel(Tab::Likeness, _) => "compare similar dem elevation realistic distance",
            Action::Panel(Tab::Inside, _) => "statistics histogram profile graph chart analysis",
            Action::LookAgain => "home reset camera start",
            Action::Plot(PlotKind::SlopeArea) => "flow drainage water accumulation catchment",
            Action::Plot(PlotKind::Geomorphons) => {
                "landforms ridges valleys peaks pits spurs hollows classification"
            }
            Action::Plot(PlotKind::LongProfile | PlotKind::Chi | PlotKind::Ksn | PlotKind::Hack) => {
                "river stream channel steepness knickpoint length"
            }
            Action::Plot(PlotKind::Basins) => "catchment watershed drainage rank",
            Action::Plot(_) => "statistics chart graph look inside",
            _ => "",
        }
    }

    /// Whether it changes the window rather than the land: landscapes are listed first.
    fn is_setting(&self) -> bool {
        matches!(
            self.action,
            Action::Quality(_) | Action::Theme(_) | Action::Section(_) | Action::Tidy | Action::Panels
        )
    }

    /// The length of the part of its name in which the typed words are looked for: of its kind, if they name that,
    /// so that all entries of a kind stay in their order.
    fn length(&self, wanted: &str) -> usize {
        let kind = self.name.split_once(": ").map(|(kind, _)| kind);
        kind.filter(|kind| fit(kind, wanted).is_some()).unwrap_or(&self.name).len()
    }

    /// How well it matches the typed words: smaller is better; `None` if it lacks one of them.
    fn fit(&self, wanted: &str) -> Option<usize> {
        let (_, own) = self.name.split_once(": ").unwrap_or(("", &self.name));
        // People usually type what follows the kind of a command.
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

/// The penalty for each typed word that is only found in the everyday words, in letters of the name.
const FOUND_BY_WORDS: usize = 30;
/// The penalty for each typed word if one of them is only found in an entry's description.
const FOUND_IN_ABOUT: usize = 60;
/// The penalty for settings.
const SETTING: usize = 20;

/// What there are entries for, in addition to the fixed ones.
#[derive(Default)]
pub(super) struct PaletteContext {
    bookmarks: Vec<String>,
    flights: Vec<String>,
    /// Layers that the steps of the edited recipe write.
    layers: Vec<String>,
    recent: Vec<PathBuf>,
}

impl PaletteContext {
    /// The bookmarks, flights and layers of the edited recipe, and recently opened files.
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
    /// Whether it has been drawn since it was opened.
    is_drawn: bool,
}

impl Palette {
    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Opens it, or closes it.
    pub fn toggle(&mut self, known: PaletteContext) {
        *self = Self { open: !self.open, ..Self::default() };
        if self.open {
            self.entries = entries(known);
        }
    }
}

impl Palette {
    /// The entries that have the typed words, the best first: how well each fits, its length and its index.
    fn found(&self) -> Vec<(usize, usize, usize)> {
        // Among equally good names, the shortest has the least that was not typed. Without typed words, all keep
        // their order.
        let is_anything = self.wanted.trim().is_empty();
        let length = |entry: &Entry| if is_anything { 0 } else { entry.length(&self.wanted) };
        let fits = self.entries.iter().enumerate();
        let mut found: Vec<(usize, usize, usize)> = fits
            .filter_map(|(index, entry)| Some((entry.fit(&self.wanted)?, length(entry), index)))
            .collect();
        found.sort();
        found
    }
}

fn entries(known: PaletteContext) -> Vec<Entry> {
    let PaletteContext { bookmarks, flights, layers, recent } = known;
    let mut all = recent_files(recent);
    all.extend(presets());
    all.extend(plain().into_iter().map(|(name, keys, action)| Entry::new(name, keys, action)));
    all.extend(sights(bookmarks, flights));
    all.extend(light_and_seasons());
    all.extend(shelves());
    all.extend(lessons());
    all.extend(steps());
    all.extend(modes_and_views());
    all.extend(EXPLAINED.map(|(name, text)| Entry::new(name, "", Action::Explain(text))));
    all.extend(layers_and_plots(layers));
    all.extend(settings());
    // Otherwise they stay in this order.
    all.sort_by_key(Entry::is_setting);
    all
}

/// Actions with a fixed name, and often a key.
fn plain() -> Vec<(&'static str, &'static str, Action)> {
    let open = |tab| Action::Panel(tab, Switch::On);
    let theme = Action::Theme;
    vec![
        ("Gallery of landscapes", "F2", Action::Gallery(Switch::On)),
        ("Watch the steps work", "F5", open(Tab::Watch)),
        ("Play or pause the build", "Space", Action::Play),
        ("Next frame of the build", "→", Action::Frame(1)),
        ("Previous frame of the build", "←", Action::Frame(-1)),
        ("First frame of the build", "Home", Action::Frame(isize::MIN)),
        ("Last frame of the build", "End", Action::Frame(isize::MAX)),
        ("Look inside: plots of the land", "F4", open(Tab::Inside)),
        ("Probe a sample", "F6", open(Tab::Probe)),
        ("Sculpt by hand", "F7", open(Tab::Sculpt)),
        ("Levels of detail compared", "L", Action::Levels(Switch::On)),
        ("Frame times by pass", "F3", Action::Panel(Tab::Times, Switch::Toggle)),
        ("Keys", "F1", Action::Keys(Switch::On)),
        ("Guided tour: the window in five minutes", "", Action::GuidedTour),
        ("Hide or show the panels", "F9", Action::Panels),
        ("Close all but the landscape", "", Action::CloseAll),
        ("Reset panel layout", "", Action::Tidy),
        ("Dark panels", "", theme(Theme::Dark)),
        ("Light panels", "", theme(Theme::Light)),
        ("Panels follow the system", "", theme(Theme::System)),
        ("New landscape", "Ctrl N", Action::New),
        ("Open a file", "Ctrl O", Action::OpenFile),
        ("Save", "Ctrl S", Action::Save),
        ("Save as", "Ctrl Shift S", Action::SaveAs),
        ("Picture or film, at any size", "", Action::Export),
        ("Export: heights, mesh, colours or objects", "", Action::Output),
        ("Screenshot of the window", "F12", Action::Screenshot),
        ("Close the window", "Ctrl Q", Action::Document(DocumentRequest::Close)),
        ("Compare with a copy", "", Action::Copy),
        ("Compare with another seed", "", Action::OtherSeed),
        ("Landscapes side by side", "", Action::Arrange(Sharing::SideBySide)),
        ("Swipe between landscapes", "", Action::Arrange(Sharing::Swipe)),
        ("Difference of two landscapes", "", open(Tab::Difference)),
        ("Likeness of two landscapes, such as real land", "", open(Tab::Likeness)),
        ("Close this landscape", "", Action::CloseOne),
        ("Undo", "Ctrl Z", Action::Undo),
        ("Redo", "Ctrl Shift Z, Ctrl Y", Action::Redo),
        ("Another random seed", "", Action::NewSeed),
        ("Paste steps at the end", "", Action::Paste(usize::MAX)),
        ("Draw on the land: the points of a step", "", Action::DrawOnLand),
        ("Narrower brush", "[", Action::Widen(1.0 / WIDER)),
        ("Wider brush", "]", Action::Widen(WIDER)),
        ("Next view of the land", "V", Action::ShowNext(1)),
        ("Previous view of the land", "Shift V", Action::ShowNext(-1)),
        ("Set towers for a viewshed", "", Action::PutTowers(Switch::On)),
        ("Opening view", "", Action::LookAgain),
        ("Bookmark this place", "", Action::Bookmark),
        ("Tour of the bookmarks: start or stop", "", Action::Tour),
        ("Record a flight: start or stop", "", Action::Record),
    ]
}

fn recent_files(paths: Vec<PathBuf>) -> Vec<Entry> {
    let file = |path: PathBuf| {
        let name = shown_in_line(&path.display().to_string(), MOST_LETTERS);
        Entry::new(format!("Open recent file: {name}"), "", Action::OpenRecent(path))
    };
    paths.into_iter().map(file).collect()
}

fn presets() -> impl Iterator<Item = Entry> {
    let all = Preset::all().iter();
    all.map(|preset| Entry::new(format!("Open landscape: {}", preset.name), "", Action::Preset(preset)))
}

/// Bookmarks and flights, by their names.
fn sights(bookmarks: Vec<String>, flights: Vec<String>) -> impl Iterator<Item = Entry> {
    let go = |(index, name)| Entry::new(format!("Go to: {name}"), "", Action::Visit(index));
    let fly = |(index, name)| Entry::new(format!("Fly again: {name}"), "", Action::Fly(index));
    bookmarks.into_iter().enumerate().map(go).chain(flights.into_iter().enumerate().map(fly))
}

fn light_and_seasons() -> impl Iterator<Item = Entry> {
    let hour = |(hour, name)| Entry::new(format!("Time of day: {name}"), "", Action::Hour(hour));
    let season = |(name, season)| Entry::new(format!("Season: {name}"), "", Action::Season(season));
    let weather = |(kind, name)| Entry::new(format!("Weather: {name}"), "", Action::Weather(kind));
    let light = Hour::ALL.into_iter().map(hour).chain(SEASONS.into_iter().map(season));
    light.chain(Forecast::ALL.into_iter().map(weather))
}

fn shelves() -> impl Iterator<Item = Entry> {
    Shelf::ALL
        .into_iter()
        .map(|(shelf, name, _)| Entry::new(format!("Shelf of the gallery: {name}"), "", Action::Shelf(shelf)))
}

/// Lessons and mistakes.
fn lessons() -> impl Iterator<Item = Entry> {
    let lesson =
        |lesson: &ShippedLesson| Entry::new(format!("Lesson: {}", lesson.name), "", Action::Lesson(*lesson));
    let mistake = |mistake: &'static Mistake| {
        Entry::new(format!("Mistake: {}", mistake.title), "", Action::Mistake(mistake))
    };
    ShippedLesson::all().iter().map(lesson).chain(Mistake::all().iter().map(mistake))
}

fn steps() -> impl Iterator<Item = Entry> {
    steps::names()
        .into_iter()
        .filter_map(Step::from_name)
        .map(|step| Entry::new(format!("Add step: {}", step.title()), "", Action::AddStep(Box::new(step))))
}

fn modes_and_views() -> impl Iterator<Item = Entry> {
    let mode = |(mode, name, about)| Entry::new(format!("{name}: {about}"), "", Action::Move(mode));
    let view = |view: DebugView| {
        let name = if view == DebugView::None { "Landscape" } else { view.title() };
        Entry::new(format!("Show: {name}"), "", Action::Show(ViewMode::View(view)))
    };
    let views = VIEWS.into_iter().filter(|view| *view != DebugView::Layer);
    Mode::ALL.into_iter().map(mode).chain(views.map(view))
}

fn layers_and_plots(layers: Vec<String>) -> impl Iterator<Item = Entry> {
    let layer = |layer: String| {
        let name = shown_in_line(&layer, MOST_LETTERS);
        let title = LayerInfo::of(&layer).map_or(name.clone(), |of| format!("{} ({name})", of.title));
        Entry::new(format!("Show layer: {title}"), "", Action::Show(ViewMode::Layer(layer)))
    };
    let plot = |kind: PlotKind| {
        Entry::new(format!("Plot: {}", kind.name().replace('-', " ")), "", Action::Plot(kind))
    };
    layers.into_iter().map(layer).chain(PlotKind::ALL.into_iter().map(plot))
}

/// Sections of the editor and levels of quality.
fn settings() -> impl Iterator<Item = Entry> {
    let section = |title| Entry::new(format!("Section: {title}"), "", Action::Section(title));
    let quality = |(quality, name, _)| Entry::new(format!("Quality: {name}"), "", Action::Quality(quality));
    section::TITLES.into_iter().map(section).chain(QUALITIES.into_iter().map(quality))
}

/// The seasons, with the time of year in the middle of each.
const SEASONS: [(&str, f32); 4] = [("spring", 0.0), ("summer", 0.25), ("autumn", 0.5), ("winter", 0.75)];

/// Things that people look for here but that no command does, and where to do them.
const EXPLAINED: [(&str, &str); 2] = [
    (
        "Planet: how to draw one",
        "A planet is drawn from the command line: “upland render LAND.ron --planet 6371000 -o planet.png” wraps an endless \
         landscape around a sphere of that radius in metres. To make a landscape endless, use “--set size=endless”.",
    ),
    (
        "Weather: rain and snowfall",
        "No rain or snow falls in landscapes yet. Clouds and haze are set under Weather, the time of day under Sun, and the \
         season, with snow on the ground, under Texture.",
    ),
];

/// How well a name fits the typed words: smaller is better; `None` if it lacks one of them.
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

/// The action that fits the typed words best.
pub(in super::super) fn action_named(
    wanted: &str,
    recipe: Option<&Recipe>,
    recent: &[PathBuf],
) -> Option<Action> {
    named(wanted, PaletteContext::of(recipe, recent))
}

fn named(wanted: &str, known: PaletteContext) -> Option<Action> {
    best(wanted, known).map(|entry| entry.action)
}

/// All actions with their keys, for a recipe and files that were open lately.
#[cfg(test)]
pub(super) fn actions_of(recipe: &Recipe, recent: &[PathBuf]) -> Vec<(&'static str, Action)> {
    let entries = entries(PaletteContext::of(Some(recipe), recent)).into_iter();
    entries.map(|entry| (entry.keys, entry.action)).collect()
}

/// The name of the command that fits the typed words best.
#[cfg(test)]
pub(in super::super) fn command_named(wanted: &str) -> Option<String> {
    best(wanted, PaletteContext::default()).map(|entry| entry.name)
}

fn best(wanted: &str, known: PaletteContext) -> Option<Entry> {
    let fits = entries(known).into_iter().filter_map(|entry| Some((entry.fit(wanted)?, entry)));
    fits.min_by_key(|(fit, entry)| (*fit, entry.length(wanted))).map(|(_, entry)| entry)
}

/// Draws the palette while it is open. Refused actions are subdued, and give the reason.
pub(super) fn show(context: &egui::Context, palette: &mut Palette, land: Rect, actions: &mut ActionQueue) {
    if !palette.open {
        return;
    }
    let pressed = |key| context.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let (up, down, enter) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown), pressed(Key::Enter));
    // What comes with the key that opens it is not an answer to it.
    let enter = enter && palette.is_drawn;
    let mut found = palette.found();
    let last = found.len().saturating_sub(1);
    palette.marked = match (up, down) {
        (true, _) => palette.marked.saturating_sub(1),
        (_, true) => palette.marked + 1,
        _ => palette.marked,
    }
    .min(last);
    let mut chosen = None;
    let window = egui::Window::new("palette").title_bar(false).resizable(false);
    let width = (460.0 * style::scale(&context.global_style())).min(land.width().max(200.0) - 20.0);
    let window = style::over_middle(window, land, true).fixed_size([width, 0.0]);
    let window = window.show(context, |ui| {
        let edit = egui::TextEdit::singleline(&mut palette.wanted);
        let edit = edit.hint_text("what to do, show, add or open").desired_width(f32::INFINITY);
        let field = style::called(ui.add(edit), "Command");
        field.request_focus();
        if field.changed() {
            palette.marked = 0;
            found = palette.found();
        }
        // Not before the field has the words: in a long frame they and Enter come together.
        chosen = found.get(palette.marked).filter(|_| enter).map(|(_, _, index)| *index);
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
                    let reason = actions.refused(&entry.action);
                    let (keys, name) = (RichText::new(entry.keys), RichText::new(&entry.name));
                    let keys = keys.size(style::points(ui, 11.0));
                    // Subdued text would be unreadable on the highlight.
                    let keys = if is_marked { keys } else { keys.color(style::quiet(ui)) };
                    let is_quiet = reason.is_some() && !is_marked;
                    let name = if is_quiet { name.color(style::quiet(ui)) } else { name };
                    let button = egui::Button::selectable(is_marked, name).right_text(keys);
                    let button = ui.add(button.truncate().min_size(vec2(ui.available_width(), row)));
                    let button = if let Some(reason) = reason { button.tip(reason) } else { button };
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
    // As with a menu, a click anywhere else closes it. The first one is that on the button that has opened it.
    let was_drawn = std::mem::replace(&mut palette.is_drawn, true);
    if was_drawn && window.is_some_and(|window| window.response.clicked_elsewhere()) {
        *palette = Palette::default();
        return;
    }
    if let Some(entry) = chosen.and_then(|chosen| palette.entries.get(chosen)) {
        actions.send(entry.action.clone());
        *palette = Palette::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::Quality;
    use crate::recipe::{Bookmark, Flight};
    use crate::viewer::panel::learning::help;

    fn first(wanted: &str) -> String {
        command_named(wanted).unwrap_or_default()
    }

    #[test]
    fn everyday_words_find_the_right_command() {
        for (word, expected) in [
            ("season", "Season: "),
            ("winter", "Season: winter"),
            ("snow", "Add step: Snow"),
            ("glacier", "Add step: Glaciers"),
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
            ("yellow level", "Show: Slope"),
            ("seed compare", "Compare with another seed"),
        ] {
            assert!(first(word).starts_with(expected), "{word}: {}", first(word));
        }
    }

    #[test]
    fn entries_of_a_kind_stay_in_their_order() {
        let mut palette = Palette::default();
        palette.toggle(PaletteContext::default());
        palette.wanted = "quality".into();
        let names = palette.found().into_iter().map(|(_, _, index)| palette.entries[index].name.as_str());
        let names: Vec<&str> = names.filter(|name| name.starts_with("Quality")).collect();
        let expected = QUALITIES.map(|(_, name, _)| format!("Quality: {name}"));
        assert_eq!(names, expected);
    }

    #[test]
    fn many_entries_are_seen_without_scrolling() {
        let context = egui::Context::default();
        let mut palette = Palette::default();
        palette.toggle(PaletteContext::default());
        let mut actions = ActionQueue::default();
        let land = Rect::new(0.0, 0.0, 900.0, 700.0);
        for _ in 0..3 {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(900.0, 700.0));
            let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
            _ = context.run_ui(input, |ui| show(ui.ctx(), &mut palette, land, &mut actions));
        }
        let rect = context.memory(|memory| memory.area_rect(egui::Id::new(Some("palette")))).unwrap();
        assert!((300.0..600.0).contains(&rect.height()), "{rect}");
    }

    #[test]
    fn words_that_come_in_one_frame_with_enter_count() {
        let context = egui::Context::default();
        let mut palette = Palette::default();
        palette.toggle(PaletteContext::default());
        let mut actions = ActionQueue::default();
        let land = Rect::new(0.0, 0.0, 900.0, 700.0);
        let mut frame = |events| {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(900.0, 700.0));
            let input = egui::RawInput { screen_rect: Some(screen), events, ..Default::default() };
            _ = context.run_ui(input, |ui| show(ui.ctx(), &mut palette, land, &mut actions));
            actions.take()
        };
        let key = |key| egui::Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        assert!(frame(vec![key(Key::Enter)]).is_empty(), "in the frame that opens it");
        let done = frame(vec![egui::Event::Text("another seed".into()), key(Key::Enter)]);
        assert!(matches!(done[..], [Action::NewSeed]), "{done:?}");
    }

    #[test]
    fn a_click_elsewhere_closes_it_but_not_the_one_that_has_opened_it() {
        let context = egui::Context::default();
        let mut palette = Palette::default();
        let mut actions = ActionQueue::default();
        let land = Rect::new(0.0, 0.0, 900.0, 700.0);
        let mut click = |palette: &mut Palette| {
            for pressed in [true, false] {
                let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(900.0, 700.0));
                let (pos, modifiers) = (egui::pos2(5.0, 690.0), Modifiers::NONE);
                let button = egui::PointerButton::Primary;
                let event = egui::Event::PointerButton { pos, button, pressed, modifiers };
                let events = vec![egui::Event::PointerMoved(pos), event];
                let input = egui::RawInput { screen_rect: Some(screen), events, ..Default::default() };
                if !pressed && !palette.is_open() {
                    palette.toggle(PaletteContext::default());
                }
                _ = context.run_ui(input, |ui| show(ui.ctx(), palette, land, &mut actions));
            }
        };
        click(&mut palette);
        assert!(palette.is_open(), "opened by this click");
        click(&mut palette);
        assert!(!palette.is_open());
    }

    #[test]
    fn landscapes_come_before_settings() {
        assert_eq!(first("high"), "Open landscape: high-range");
        let entries = entries(PaletteContext::default());
        let last_land = entries.iter().rposition(|entry| matches!(entry.action, Action::Preset(_))).unwrap();
        let first_setting = entries.iter().position(Entry::is_setting).unwrap();
        assert!(last_land < first_setting);
        assert!(matches!(entries[0].action, Action::Preset(_)), "{}", entries[0].name);
    }

    #[test]
    fn a_few_letters_find_the_right_command() {
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

    /// The chords in a list.
    fn chords(keys: &'static str) -> impl Iterator<Item = &'static str> {
        keys.split(", ").filter(|keys| !keys.is_empty())
    }

    #[test]
    fn every_key_has_a_command_that_shows_it() {
        let entries = entries(PaletteContext::default());
        let of_palette: Vec<&str> = entries.iter().flat_map(|entry| chords(entry.keys)).collect();
        let of_help = keys_of_help(help::By::Command);
        for key in &of_help {
            assert_eq!(of_palette.iter().filter(|other| *other == key).count(), 1, "{key} in the palette");
        }
        for key in of_palette {
            assert!(of_help.contains(&key), "{key} is not in the help");
        }
    }

    /// The keys in the help whose rows are of this kind.
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
    fn only_keys_that_are_held_or_move_the_focus_have_no_command() {
        assert_eq!(keys_of_help(help::By::Held), ["W A S D", "E  Q", "Shift"]);
        assert_eq!(keys_of_help(help::By::Control), ["Tab", "Esc", "Ctrl P"]);
        for name in keys_of_help(help::By::Pointer) {
            assert!(!is_key(name), "{name} is a key");
        }
        // Texts mention no key that has no row.
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
    fn bookmarks_and_flights_with_the_same_name_are_numbered() {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.bookmarks = vec![Bookmark { name: "Lake".into(), ..Bookmark::default() }; 2];
        recipe.flights = vec![Flight { name: "Low".into(), ..Flight::default() }; 2];
        let known = PaletteContext::of(Some(&recipe), &[]);
        assert_eq!((known.bookmarks[1].as_str(), known.flights[1].as_str()), ("Lake (2)", "Low (2)"));
        assert!(matches!(named("Fly again: Low (2)", known), Some(Action::Fly(1))));
    }

    #[test]
    fn bookmarks_flights_and_files_are_found_by_their_names() {
        let known = || PaletteContext {
            bookmarks: vec!["Lake".into(), "Pass".into()],
            flights: vec!["Valley".into()],
            layers: vec!["flow".into()],
            recent: vec!["lands/alps.tif".into()],
        };
        assert!(matches!(named("pass", known()), Some(Action::Visit(1))));
        assert!(matches!(named("fly valley", known()), Some(Action::Fly(0))));
        assert!(
            matches!(named("alps.tif", known()), Some(Action::OpenRecent(path)) if path.ends_with("alps.tif"))
        );
        assert!(
            matches!(named("flow", known()), Some(Action::Show(ViewMode::Layer(name))) if name == "flow")
        );
        assert!(matches!(named("shelf neigh", known()), Some(Action::Shelf(Shelf::Neighbours))));
        assert!(matches!(named("quality ultra", known()), Some(Action::Quality(Quality::Ultra))));
    }

    #[test]
    fn all_commands_that_open_something_can_open_it() {
        for entry in entries(PaletteContext::default()) {
            assert!(!entry.name.is_empty());
            match entry.action {
                Action::Preset(preset) => drop(preset.recipe().unwrap()),
                Action::Lesson(lesson) => drop(lesson.lesson().unwrap()),
                _ => {}
            }
        }
    }
}
