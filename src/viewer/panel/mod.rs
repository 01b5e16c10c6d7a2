//! The panels, docked around the land or over it, windows that come and go, and the status line at the bottom.

mod beside;
mod browse;
mod commands;
mod display;
mod dock;
mod export;
mod files;
mod gallery;
mod help;
mod inside;
mod keyboard;
mod lesson;
mod levels;
mod mistake;
mod names;
mod palette;
mod parameters;
mod places;
mod probe;
mod question;
mod recipe;
mod reorder;
mod scatter;
mod sculpting;
mod section;
mod show;
mod status;
mod steps;
mod style;
mod texture;
mod times;
mod tools;
mod tours;
mod watch;

use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, WindowTheme};
use bevy_egui::{EguiClipboard, EguiContexts, egui};

use super::beside::{Arrangement, Differing, Links, SharedLight};
use super::cursor::UnderCursor;
use super::document::Document;
use super::export::{Exporting, Order};
use super::folders;
use super::fresh;
use super::gallery::Gallery;
use super::inside::Inside;
use super::layout::{Margins, Place, Slot};
use super::legend::{self, Legend};
use super::levels::{Comparison, Pane};
use super::message::Message as Told;
use super::probe::Probing;
use super::quality::Chosen;
use super::question::{Answer, Questions, Wish};
use super::rebuild::{BuildTime, Failure};
use super::recent::{Browsing, Recent};
use super::screenshot::Screenshots;
use super::sculpting::Sculpting;
use super::shown::{Shown, Viewed};
use super::stack::StackView;
use super::teaching::Teaching;
use super::texture_view::TextureView;
use super::towers::{Putting, Towers};
use super::watch::Player;
use super::window::{MAX_LANDSCAPES, Number};
use crate::plugin::{
    DebugView, ScatterStatistics, TerrainCache, TerrainChunk, TerrainGround, TerrainStatistics, TerrainStatus,
};
use crate::shown::{shown, shown_in_line};

use dock::Dock;
pub(super) use dock::{Home, Tab};
#[cfg(test)]
pub(super) use palette::command_named;
pub(super) use reorder::moved;
pub(super) use status::count;
use tools::Tools;

/// Widest that a message gets, and what it has at least, logical pixels.
const MESSAGE_WIDTH: f32 = 620.0;
const MESSAGE_LEAST: f32 = 120.0;
/// The most characters of a landscape's name where space is short.
const MOST_LETTERS: usize = 40;

/// What the panels remember.
#[derive(Resource)]
pub(super) struct PanelState {
    /// Index of the edited landscape, from the left.
    edited: usize,
    /// Whether the keys are shown.
    help: bool,
    /// Whether panels are shown.
    open: bool,
    /// Whether frame times are shown.
    times: bool,
    /// Whether a control had the focus at the end of the frame before.
    had_focus: bool,
    /// Whether panels shall go back to their first places.
    is_tidied: bool,
    /// What the system said last of its theme.
    system_theme: Option<WindowTheme>,
}

impl Default for PanelState {
    fn default() -> Self {
        Self {
            edited: 0,
            help: false,
            open: true,
            times: false,
            had_focus: false,
            is_tidied: false,
            system_theme: None,
        }
    }
}

impl PanelState {
    /// The number of the edited landscape.
    pub fn edited(&self) -> usize {
        self.edited
    }

    /// Edits the landscape with this number from now on.
    pub fn edit(&mut self, number: usize) {
        self.edited = number;
    }

    /// Shows what stands in the editor of the landscape with this number, also where panels were hidden.
    pub fn turn_to(&mut self, number: usize) {
        (self.edited, self.open) = (number, true);
    }

    /// Whether the land has the whole window.
    pub fn are_hidden(&self) -> bool {
        !self.open
    }

    /// A panel that edits the landscape with this number.
    #[cfg(test)]
    pub fn editing(number: usize) -> Self {
        Self { edited: number, ..Self::default() }
    }
}

/// What shall be done as if it had been typed into the command palette.
#[derive(Resource, Default)]
pub(super) struct Orders(pub Vec<String>);

/// Adds what the panels need.
pub(super) fn add(app: &mut App) {
    app.init_resource::<PanelState>().init_resource::<Orders>().init_resource::<Screenshots>();
    app.insert_resource(Gallery::new(folders::cache().map(|folder| folder.join("gallery"))));
    texture::add(app);
}

/// The scene's data that the panels read.
#[derive(SystemParam)]
pub(super) struct Scene<'w, 's> {
    chunks: Query<'w, 's, (&'static TerrainChunk, &'static ViewVisibility)>,
    places: Query<'w, 's, (&'static Slot, &'static Place)>,
    viewed: ResMut<'w, Viewed>,
    putting: ResMut<'w, Putting>,
    statistics: Res<'w, TerrainStatistics>,
    scattered: Res<'w, ScatterStatistics>,
    diagnostics: Res<'w, DiagnosticsStore>,
    chosen: ResMut<'w, Chosen>,
    comparison: ResMut<'w, Comparison>,
    panes: Query<'w, 's, (&'static Pane, &'static Place)>,
    under_cursor: Res<'w, UnderCursor>,
    gallery: ResMut<'w, Gallery>,
    inside: ResMut<'w, Inside>,
    arrangement: ResMut<'w, Arrangement>,
    light: Res<'w, SharedLight>,
    cache: Res<'w, TerrainCache>,
    differing: ResMut<'w, Differing>,
}

/// A document as the panels see it.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct Edited {
    entity: Entity,
    number: &'static Number,
    document: &'static mut Document,
    status: &'static TerrainStatus,
    since: &'static BuildTime,
    ground: Option<&'static TerrainGround>,
    view: &'static mut TextureView,
    histogram: Option<&'static texture::GroundHistogram>,
    towers: &'static mut Towers,
    stack: &'static mut StackView,
    links: &'static mut Links,
    failure: &'static mut Failure,
}

/// Windows that are opened beside the panels, and what they need.
#[derive(SystemParam)]
pub(super) struct Windows<'w, 's> {
    player: ResMut<'w, Player>,
    probing: ResMut<'w, Probing>,
    sculpting: ResMut<'w, Sculpting>,
    teaching: ResMut<'w, Teaching>,
    recent: Res<'w, Recent>,
    browsing: ResMut<'w, Browsing>,
    clipboard: ResMut<'w, EguiClipboard>,
    exporting: ResMut<'w, Exporting>,
    screenshots: ResMut<'w, Screenshots>,
    export: Local<'s, export::ExportWindow>,
    mistake: Local<'s, mistake::MistakeWindow>,
    files: Local<'s, files::FileWindow>,
    palette: Local<'s, palette::Palette>,
}

/// Draws all panels.
pub(super) fn show(
    mut contexts: EguiContexts,
    mut terrains: Query<Edited>,
    mut tools: Tools,
    mut margins: ResMut<Margins>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
    questions: Res<Questions>,
    mut answers: MessageWriter<Answer>,
    mut styled: Local<bool>,
    mut dock: Local<Option<Dock>>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if !*styled {
        style::apply(context);
        context.add_plugin(names::Names);
        *styled = true;
    }
    style::allow_slow_clicks(context);
    tools.dress(context, window.and_then(|window| window.window_theme));
    let mut documents: Vec<_> = terrains.iter_mut().collect();
    documents.sort_by_key(|edited| *edited.number);
    tools.state.edited = tools.state.edited.min(documents.len().saturating_sub(1));
    let edited = tools.state.edited;
    let mut chosen = None;
    if questions.open.is_none() {
        end_by_key(context, &mut tools);
        keys(context, &mut tools, documents.get_mut(edited));
        chosen = documents.get(edited).and_then(|of| show::by_key(context, of, tools.scene.viewed.0));
    }

    let builder =
        egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(context.viewport_rect());
    let mut root = egui::Ui::new(context.clone(), "root".into(), builder);
    if tools.state.open {
        status_line(&mut root, &mut tools, &documents);
    }
    let dock = dock.get_or_insert_with(|| Dock::new(tools.settings.kept().panels.clone()));
    let (land, by_hand) = docked(&mut root, dock, &mut tools, &mut documents);
    let taken = Margins::around(land, context.viewport_rect());
    margins.set_if_neq(taken);
    release_keys(context, land);

    if let Some(chosen) = by_hand.or(chosen) {
        if chosen != Shown::View(DebugView::Viewshed) {
            tools.scene.putting.is_on = false;
        }
        show::show_on(&mut documents, tools.state.edited, chosen, &mut tools.scene.viewed);
    }
    captions(context, &tools.scene, &documents);
    let is_of_land = tools.windows.screenshots.is_of_land;
    if !is_of_land {
        failures(context, &tools.scene, &mut documents);
    }
    if documents.len() > 1 && tools.scene.comparison.document.is_none() {
        views(context, &mut tools, &mut documents, land, questions.open.is_none());
    }
    windows(context, &mut tools, &mut documents);
    let bar = if documents.len() > 1 { 40.0 } else { 0.0 };
    if !is_of_land {
        show_message(context, &mut tools.message, land, bar);
    }
    help::show(context, &mut tools.state.help);
    if let Some(question) = &questions.open {
        let document_of =
            |wanted| documents.iter().find(|edited| edited.entity == wanted).map(|edited| &*edited.document);
        if let Some(answer) = question::show(context, question, document_of) {
            answers.write(answer);
        }
    }
    tools.state.had_focus = context.egui_wants_keyboard_input();
    Ok(())
}

fn status_line(root: &mut egui::Ui, tools: &mut Tools, documents: &[EditedItem]) {
    let scene = &tools.scene;
    let seen = scene.chunks.iter().filter(|(_, visibility)| visibility.get());
    let triangles: usize = seen.map(|(chunk, _)| chunk.part.triangles()).sum();
    egui::Panel::bottom("status").show(root, |ui| {
        let shown =
            documents.iter().map(|edited| (&*edited.document, edited.status, &edited.since.0, edited.ground));
        let under = scene.under_cursor.0.as_ref();
        status::show(ui, shown, &scene.diagnostics, &mut tools.pilot, under, triangles);
    });
}

/// Draws the panels that can be docked. Returns what they leave of the window, and what was chosen to be shown.
fn docked(
    root: &mut egui::Ui,
    dock: &mut Dock,
    tools: &mut Tools,
    documents: &mut [EditedItem],
) -> (Rect, Option<Shown>) {
    if std::mem::take(&mut tools.state.is_tidied) {
        *dock = Dock::new(Default::default());
    }
    let open: Vec<Tab> = Tab::PANELS.into_iter().filter(|tab| tools.is_open(*tab, documents.len())).collect();
    let (is_shown, mut chosen) = (tools.state.open, None);
    let shown = dock.show(
        root,
        |tab| is_shown && open.contains(&tab),
        |ui, tab| {
            let by_hand = tools.draw(ui, tab, documents);
            chosen = by_hand.or(chosen.take());
        },
    );
    for tab in shown.closed {
        tools.set_open(tab, false);
    }
    // Not while a border is dragged.
    if !root.input(|input| input.pointer.any_down())
        && let Err(error) = tools.settings.keep_panels(dock.homes())
    {
        tools.message.error(format!("The places of the panels cannot be kept for the next start: {error}"));
    }
    let egui::Rect { min, max } = shown.land;
    // Not by its corners, which would be put in order.
    (Rect { min: Vec2::new(min.x, min.y), max: Vec2::new(max.x, max.y) }, chosen)
}

/// What colours mean in each view, or, while levels of detail are compared, what each pane shows.
fn captions(context: &egui::Context, scene: &Scene, documents: &[EditedItem]) {
    let corner = |place: &Place| egui::pos2(place.rect().min.x + 14.0, place.rect().max.y - 14.0);
    if scene.comparison.document.is_some() {
        let panes = scene.panes.iter().map(|(pane, place)| (pane.0, place));
        let first = scene.places.iter().filter(|(slot, _)| scene.comparison.is_of(slot.0));
        let seen = first.map(|(_, place)| (0, place)).chain(panes).filter(|(_, place)| place.is_seen());
        for (pane, place) in seen {
            if let Some(caption) = scene.comparison.caption(pane) {
                caption.show(context, 100 + pane, corner(place));
            }
        }
        return;
    }
    for (slot, place) in scene.places.iter().filter(|(_, place)| place.is_seen()) {
        let Some(EditedItem { document, ground, view, towers, .. }) = documents.get(slot.0) else { continue };
        let debug = if view.layer.is_some() { DebugView::Layer } else { scene.viewed.0 };
        let land = legend::Land {
            debug,
            layer: view.layer.as_ref(),
            texture: &document.recipe.texture.texture(),
            heights: ground.map_or((0.0, 0.0), |ground| ground.height_range()),
            seen: towers.seen.as_ref(),
        };
        if let Some(legend) = Legend::of(&land) {
            legend.show(context, slot.0, corner(place));
        }
    }
}

/// In the view of each land that could not be read or built, why not.
fn failures(context: &egui::Context, scene: &Scene, documents: &mut [EditedItem]) {
    for (slot, place) in scene.places.iter().filter(|(_, place)| place.is_seen()) {
        let Some(EditedItem { document, failure, .. }) = documents.get_mut(slot.0) else { continue };
        let (rect, name) = (place.rect(), shown_in_line(&document.recipe.name, MOST_LETTERS));
        if failure.0.is_empty() || rect.width() < MESSAGE_LEAST {
            continue;
        }
        let what = match document.unread() {
            Some(_) => "cannot be read",
            None => "cannot be built as it is now",
        };
        let mut is_closed = false;
        let middle = egui::pos2(rect.center().x, rect.center().y);
        let area = egui::Area::new(egui::Id::new(("failure", slot.0))).pivot(egui::Align2::CENTER_CENTER);
        area.fixed_pos(middle).show(context, |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                ui.set_max_width(MESSAGE_WIDTH.min(rect.width() - 48.0));
                ui.label(egui::RichText::new(format!("{name} {what}")).strong());
                let reason = egui::RichText::new(&failure.0).color(style::error(ui));
                ui.add(egui::Label::new(reason).wrap());
                is_closed =
                    style::sign(ui.button("Close"), &format!("Close what failed in {name}")).clicked();
            });
        });
        if is_closed {
            failure.0.clear();
        }
    }
}

/// What stands over the views of several landscapes, and a click that chooses one.
fn views(
    context: &egui::Context,
    tools: &mut Tools,
    documents: &mut [EditedItem],
    land: Rect,
    is_free: bool,
) {
    let arrangement = tools.scene.arrangement.bypass_change_detection();
    let edited = tools.state.edited;
    // In a picture of the land its name stands without buttons.
    let edited = Some(edited).filter(|_| !tools.windows.screenshots.is_of_land);
    let asked = beside::views(context, &tools.scene.places, arrangement, documents, edited, land);
    let is_clicking = tools.drawing.is_on() || tools.scene.putting.is_on || tools.windows.probing.open;
    let is_clicking = is_clicking || tools.windows.sculpting.open;
    let pressed = beside::view_pressed(context, &tools.scene.places).filter(|_| !is_clicking && is_free);
    if let Some(number) = asked.edit.or(pressed) {
        tools.state.edited = number.min(documents.len() - 1);
    }
    if let Some(of) = asked.close.and_then(|number| documents.get(number)) {
        tools.wishes.write(Wish::CloseOne(of.entity));
    }
}

/// Draws the windows that come and go: gallery, mistakes, pictures, files, palette.
fn windows(context: &egui::Context, tools: &mut Tools, documents: &mut [EditedItem]) {
    let has_place = documents.len() < MAX_LANDSCAPES;
    if let Some(of) = documents.get_mut(tools.state.edited) {
        tools.choose_from_gallery(context, of, has_place);
        tools.explain_mistake(context, of, has_place);
    }
    let document_of = |wanted| documents.iter().find(|of| of.entity == wanted).map(|of| &*of.document);
    let exporting = tools.windows.exporting.bypass_change_detection();
    let browsing = tools.windows.browsing.bypass_change_detection();
    if let Some((order, entity, path)) =
        export::show(context, &mut tools.windows.export, exporting, browsing, document_of)
        && let Some(of) = documents.iter().find(|of| of.entity == entity)
    {
        let recipe = tools.scene.light.seen_by(&of.document.recipe, *of.number, &of.links);
        let order = match order {
            Order::Picture(shot) => {
                let seen = export::as_seen(*shot, of, &tools.pilot, tools.scene.viewed.0);
                Order::Picture(Box::new(seen))
            }
            film @ Order::Film(..) => film,
        };
        exporting.begin(order, recipe, tools.scene.cache.0.clone(), path);
    }
    let Windows { files, recent, browsing, .. } = &mut tools.windows;
    let (files, browsing) = (&mut **files, browsing.bypass_change_detection());
    if let Some(of) = documents.get(tools.state.edited) {
        browse::serve(context, browsing, (of.entity, &*of.document));
    }
    files::show(context, files, recent, browsing, &mut tools.wishes, &mut tools.message);
    if let Some(command) = palette::show(context, &mut tools.windows.palette) {
        tools.carry_out(context, command, documents);
    }
    for wanted in std::mem::take(&mut tools.orders.0) {
        let recipe = documents.get(tools.state.edited).map(|of| &of.document.recipe);
        let known = palette::Known::of(recipe, tools.windows.recent.paths());
        if let Some(command) = palette::named(&wanted, known) {
            tools.carry_out(context, command, documents);
        }
    }
}

/// A click on the land takes the keyboard focus from a text field, so that the keys fly again.
fn release_keys(context: &egui::Context, land: Rect) {
    let pressed = context.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()));
    let Some(place) = pressed.filter(|place| land.contains(Vec2::new(place.x, place.y))) else { return };
    // Not on what lies over it.
    if context.layer_id_at(place).is_none_or(|layer| layer.order == egui::Order::Background) {
        context.memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }
}

/// Esc ends what lies over land and panels, one at a time. A menu or a list has it before, and panels after.
fn end_by_key(context: &egui::Context, tools: &mut Tools) {
    let had_focus = tools.state.had_focus;
    let Windows { palette, files, export, exporting, .. } = &mut tools.windows;
    let (gallery, help) = (tools.scene.gallery.open, tools.state.help);
    let is_over = palette.is_open() || files.is_open() || export.is_open() || gallery || help;
    let is_free = !egui::Popup::is_any_open(context);
    let is_pressed =
        || context.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
    if !(is_over && is_free && is_pressed()) {
        return;
    }
    // The uppermost first.
    if palette.is_open() {
        **palette = Default::default();
    } else if files.is_open() {
        files.close();
    } else if export.is_open() {
        export.end(exporting.bypass_change_detection(), had_focus);
    } else if gallery {
        tools.scene.gallery.open = false;
    } else {
        tools.state.help = false;
    }
}

/// Keys that open panels, and those of files and changes.
fn keys(context: &egui::Context, tools: &mut Tools, edited: Option<&mut EditedItem>) {
    use egui::{Key, Modifiers};
    let pressed = |modifiers, key| context.input_mut(|input| input.consume_key(modifiers, key));
    for (key, tab) in [
        (Key::F3, Tab::Times),
        (Key::F4, Tab::Inside),
        (Key::F5, Tab::Watch),
        (Key::F6, Tab::Probe),
        (Key::F7, Tab::Sculpt),
    ] {
        if pressed(Modifiers::NONE, key) {
            tools.toggle(tab);
        }
    }
    if pressed(Modifiers::NONE, Key::F1) {
        tools.state.help = !tools.state.help;
    }
    if pressed(Modifiers::NONE, Key::F2) {
        tools.scene.gallery.open = !tools.scene.gallery.open;
    }
    if pressed(Modifiers::COMMAND, Key::P) {
        let recipe = edited.as_ref().map(|of| &of.document.recipe);
        tools.windows.palette.toggle(palette::Known::of(recipe, tools.windows.recent.paths()));
    }
    // Not Tab, which goes from control to control.
    if pressed(Modifiers::NONE, Key::F9) {
        tools.state.open = !tools.state.open;
    }
    let had_focus = tools.state.had_focus;
    watch::keys(context, tools.windows.player.bypass_change_detection(), had_focus);
    let redo = pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || pressed(Modifiers::COMMAND, Key::Y);
    let undo = pressed(Modifiers::COMMAND, Key::Z);
    let save_as = pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    let save = pressed(Modifiers::COMMAND, Key::S);
    let open = pressed(Modifiers::COMMAND, Key::O);
    let new = pressed(Modifiers::COMMAND, Key::N);
    if pressed(Modifiers::COMMAND, Key::Q) {
        tools.wishes.write(Wish::Close);
    }
    let Some(EditedItem { entity, document, towers, .. }) = edited else { return };
    if new {
        tools.open(*entity, fresh::landscape());
    }
    if open {
        tools.windows.files.open(*entity);
    }
    if save_as {
        tools.windows.files.save_as(*entity, document);
    }
    // While towers are put, what is undone is a tower.
    if undo && !(tools.scene.putting.is_on && towers.undo()) {
        document.undo();
    }
    if redo {
        document.redo();
    }
    if save {
        tools.wishes.write(Wish::Save(*entity));
    }
}

fn show_message(context: &egui::Context, message: &mut Told, land: Rect, below: f32) {
    if message.text.is_empty() {
        return;
    }
    let place = egui::pos2(land.min.x + 16.0, land.min.y + 16.0 + below);
    let mut dismissed = false;
    let area = egui::Area::new("message".into()).fixed_pos(place).show(context, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_max_width(MESSAGE_WIDTH.min(land.width() - 64.0).max(MESSAGE_LEAST));
            ui.horizontal(|ui| {
                let colour = if message.is_error { style::error(ui) } else { style::good(ui) };
                let text = egui::RichText::new(&message.text).color(colour);
                let text = ui.add(egui::Label::new(text).wrap());
                if let Some(path) = &message.path {
                    let whole = path.display().to_string();
                    let tip = shown(&whole).into_owned();
                    text.on_hover_text(&tip);
                    if ui.button("Copy path").on_hover_text(tip).clicked() {
                        ui.ctx().copy_text(whole);
                    }
                }
                if message.is_error {
                    dismissed = ui.button("Dismiss").clicked();
                }
            });
        });
    });
    if area.response.contains_pointer() {
        message.stay();
    }
    if dismissed {
        message.dismiss();
    }
}
