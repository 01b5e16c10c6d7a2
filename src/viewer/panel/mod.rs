//! The panels: the editor on the left, the status line at the bottom.

mod beside;
mod export;
mod files;
mod gallery;
mod help;
mod inside;
mod lesson;
mod levels;
mod mistake;
mod palette;
mod parameters;
mod places;
mod probe;
mod question;
mod recipe;
mod reorder;
mod show;
mod status;
mod steps;
mod style;
mod texture;
mod times;
mod tours;
mod watch;

use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_egui::{EguiClipboard, EguiContexts, egui};

use super::beside::{Arrangement, Differing, Links, SharedLight};
use super::cursor::UnderCursor;
use super::document::Document;
use super::draw::{Drawing, Target};
use super::export::{Exporting, Order};
use super::fly::Pilot;
use super::folders;
use super::gallery::Gallery;
use super::inside::Inside;
use super::layout::{Margins, Place, Slot};
use super::legend::{self, Legend};
use super::levels::{Comparison, Pane};
use super::message::Message as Told;
use super::probe::Probing;
use super::quality::Chosen;
use super::question::{Answer, Questions, Wish};
use super::rebuild::BuildTime;
use super::recent::{Browsing, Recent};
use super::scene;
use super::shot::Shot;
use super::shown::{self, Viewed};
use super::stack::StackView;
use super::teaching::Teaching;
use super::texture_view::{LayerView, TextureView};
use super::towers::{Putting, Towers};
use super::watch::Player;
use super::window::{MAX_LANDSCAPES, Number};
use crate::params::Name;
use crate::plugin::{
    DebugView, Quality, TerrainCache, TerrainChunk, TerrainGround, TerrainStatistics, TerrainStatus,
};
use crate::recipe::{Bookmark, Flight, Tour, Waypoint};
use crate::shown::shown_in_line;
use crate::stream::QUADS;

use palette::Command;
pub(super) use reorder::moved;
pub(super) use status::count;

/// Triangles of a chunk.
pub(super) const TRIANGLES: usize = 2 * (QUADS * QUADS) as usize;
/// Width of the panel in logical pixels.
const WIDTH: f32 = 340.0;
/// Widest that a message gets, logical pixels.
const MESSAGE_WIDTH: f32 = 620.0;
/// The most characters of a landscape's name where space is short.
const MOST_LETTERS: usize = 40;

/// What the panels remember.
#[derive(Resource)]
pub(super) struct PanelState {
    /// Index of the edited landscape, from the left.
    edited: usize,
    /// Whether the keys are shown.
    help: bool,
    /// Whether the panel is shown.
    open: bool,
    /// Whether frame times are shown.
    times: bool,
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

    /// A panel that edits the landscape with this number.
    #[cfg(test)]
    pub fn editing(number: usize) -> Self {
        Self { edited: number, help: false, open: true, times: false }
    }
}

/// Adds what the panels need.
pub(super) fn add(app: &mut App) {
    app.insert_resource(PanelState { edited: 0, help: false, open: true, times: false });
    app.insert_resource(Gallery::new(folders::cache().map(|folder| folder.join("gallery"))));
    texture::add(app);
}

/// The scene's data that the panels read.
#[derive(SystemParam)]
pub(super) struct Scene<'w, 's> {
    chunks: Query<'w, 's, &'static ViewVisibility, With<TerrainChunk>>,
    terrains: Query<'w, 's, Edited>,
    places: Query<'w, 's, (&'static Slot, &'static Place)>,
    viewed: ResMut<'w, Viewed>,
    putting: ResMut<'w, Putting>,
    statistics: Res<'w, TerrainStatistics>,
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
}

/// Windows that are opened beside the panels, and what they need.
#[derive(SystemParam)]
pub(super) struct Windows<'w, 's> {
    player: ResMut<'w, Player>,
    probing: ResMut<'w, Probing>,
    teaching: ResMut<'w, Teaching>,
    recent: Res<'w, Recent>,
    browsing: ResMut<'w, Browsing>,
    clipboard: ResMut<'w, EguiClipboard>,
    exporting: ResMut<'w, Exporting>,
    export: Local<'s, export::ExportWindow>,
    mistake: Local<'s, mistake::MistakeWindow>,
    files: Local<'s, files::FileWindow>,
    palette: Local<'s, palette::Palette>,
}

/// Draws all panels.
pub(super) fn show(
    mut contexts: EguiContexts,
    mut scene: Scene,
    mut state: ResMut<PanelState>,
    mut margins: ResMut<Margins>,
    mut message: ResMut<Told>,
    questions: Res<Questions>,
    mut wishes: MessageWriter<Wish>,
    mut answers: MessageWriter<Answer>,
    mut pilot: ResMut<Pilot>,
    mut drawing: ResMut<Drawing>,
    mut windows: Windows,
    mut styled: Local<bool>,
) -> Result {
    let context = contexts.ctx_mut()?;
    if !*styled {
        style::apply(context);
        *styled = true;
    }
    if questions.open.is_none() {
        keys(context, &mut scene, &mut state, &mut windows, &mut wishes);
    }
    let mut chosen_view = shown_by_key(context, &scene, &state).filter(|_| questions.open.is_none());

    let builder =
        egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(context.viewport_rect());
    let mut root = egui::Ui::new(context.clone(), "root".into(), builder);
    let mut taken = Margins::default();

    let visible = scene.chunks.iter().filter(|visibility| visibility.get()).count();
    let mut documents: Vec<_> = scene.terrains.iter_mut().collect();
    documents.sort_by_key(|edited| *edited.number);
    state.edited = state.edited.min(documents.len().saturating_sub(1));

    let status = egui::Panel::bottom("status").show(&mut root, |ui| {
        let shown =
            documents.iter().map(|edited| (&*edited.document, edited.status, &edited.since.0, edited.ground));
        let under = scene.under_cursor.0.as_ref();
        status::show(ui, shown, &scene.diagnostics, &mut pilot, under, visible * TRIANGLES);
    });
    taken.bottom = status.response.rect.height();

    if state.open {
        let panel = egui::Panel::left("recipe").exact_size(WIDTH).show(&mut root, |ui| {
            if documents.len() > 1 {
                ui.horizontal_wrapped(|ui| {
                    for (index, of) in documents.iter().enumerate() {
                        let name = shown_in_line(&of.document.recipe.name, MOST_LETTERS);
                        ui.selectable_value(&mut state.edited, index, name);
                    }
                });
                let arrangement = scene.arrangement.bypass_change_detection();
                beside::choose(ui, arrangement, scene.differing.bypass_change_detection());
                ui.separator();
            }
            let Some(of) = documents.get_mut(state.edited) else { return };
            if windows.teaching.0.is_some() && of.document.is_in_lesson() {
                let Windows { player, teaching, .. } = &mut windows;
                let beside = (scene.inside.bypass_change_detection(), player.bypass_change_detection());
                lesson::show(ui, teaching.bypass_change_detection(), &mut of.document, beside, &mut message);
                return;
            }
            {
                let EditedItem { entity, document, ground, view, histogram, towers, stack, .. } = of;
                egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    let edited = state.edited;
                    let before = drawing.step_of(edited);
                    let mut drawn = before;
                    let views = (&mut **view, stack.bypass_change_detection());
                    let asked = recipe::show(
                        ui,
                        document,
                        views,
                        *histogram,
                        &mut drawn,
                        tours::Flown { on_tour: pilot.is_on_tour(), recorded: pilot.recorded() },
                        &mut message,
                    );
                    if drawn != before {
                        drawing.target = drawn.map(|step| Target { document: edited, step });
                    }
                    if asked.look_again {
                        let range = ground.map(|ground| ground.height_range());
                        let (from, look) = scene::first_view(&document.recipe, range);
                        pilot.put(from, look);
                    }
                    carry_out(&asked.tours, document, &mut pilot, &mut message);
                    if asked.gallery {
                        scene.gallery.open = true;
                    }
                    if asked.watch {
                        windows.player.open = true;
                    }
                    if asked.probe {
                        windows.probing.open = true;
                    }
                    if asked.look_inside {
                        scene.inside.open = true;
                    }
                    if asked.copy {
                        wishes.write(Wish::Beside(Box::new(document.recipe.clone())));
                    }
                    if asked.export {
                        windows.export.open(*entity, document);
                    }
                    if asked.open {
                        windows.files.open(*entity);
                    }
                    if asked.save_as {
                        windows.files.save_as(*entity, document);
                    }
                    if let Some(place) = asked.paste
                        && let Err(error) = paste(document, stack, place, windows.clipboard.get_text())
                    {
                        message.error(error.to_string());
                    }
                    if asked.save {
                        wishes.write(Wish::Save(*entity));
                    }
                    if asked.keep_view {
                        let (from, look) = pilot.sight();
                        let mut kept = document.recipe.clone();
                        kept.view = Some(crate::recipe::View { from: from.into(), look: look.into() });
                        match kept.check() {
                            Ok(()) => {
                                document.recipe = kept;
                                message.tell("The landscape now opens with this view");
                            }
                            Err(error) => message.error(error.to_string()),
                        }
                    }
                    let layers = document.recipe.layers();
                    let layer = view.layer.as_ref().map(|layer| layer.name.as_str());
                    let now = show::Now { view: scene.viewed.0, layer, layers: &layers };
                    let by_hand = show::show(
                        ui,
                        &now,
                        towers.bypass_change_detection(),
                        scene.putting.bypass_change_detection(),
                        &mut state.times,
                    );
                    chosen_view = by_hand.or(chosen_view.take());
                    let error = scene.chosen.quality().view().pixel_error;
                    levels::show(ui, scene.comparison.bypass_change_detection(), edited, error);
                    drawn_with(ui, &mut scene.chosen, &mut message);
                });
            }
        });
        taken.left = panel.response.rect.width();
    }
    margins.set_if_neq(taken);
    release_keys(context, taken);

    if let Some(chosen) = chosen_view {
        if chosen != shown::Shown::View(DebugView::Viewshed) {
            scene.putting.is_on = false;
        }
        show_on(&mut documents, state.edited, chosen, &mut scene.viewed);
    }
    let panes = scene.panes.iter().map(|(pane, place)| (pane.0, place));
    let first = scene.places.iter().filter(|(slot, _)| scene.comparison.is_of(slot.0));
    let seen = first.map(|(_, place)| (0, place)).chain(panes).filter(|(_, place)| place.is_seen());
    for (pane, place) in seen {
        if let Some(caption) = scene.comparison.caption(pane).filter(|_| scene.comparison.document.is_some())
        {
            let corner = egui::pos2(place.rect().min.x + 14.0, place.rect().max.y - 14.0);
            caption.show(context, 100 + pane, corner);
        }
    }
    for (slot, place) in scene.places.iter().filter(|(_, place)| place.is_seen()) {
        if scene.comparison.document.is_some() {
            break;
        }
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
            let corner = egui::pos2(place.rect().min.x + 14.0, place.rect().max.y - 14.0);
            legend.show(context, slot.0, corner);
        }
    }

    if documents.len() > 1 && scene.comparison.document.is_none() {
        let arrangement = scene.arrangement.bypass_change_detection();
        let asked = views(context, &scene.places, arrangement, &mut documents, state.edited, taken);
        let is_clicking = drawing.is_on() || scene.putting.is_on || windows.probing.open;
        let pressed =
            view_pressed(context, &scene.places).filter(|_| !is_clicking && questions.open.is_none());
        if let Some(number) = asked.edit.or(pressed) {
            state.edited = number.min(documents.len() - 1);
        }
        if let Some(of) = asked.close.and_then(|number| documents.get(number)) {
            wishes.write(Wish::CloseOne(of.entity));
        }
        let names: Vec<String> = documents.iter().map(|of| of.document.recipe.name.clone()).collect();
        let differing = scene.differing.bypass_change_detection();
        if let Some(place) = beside::difference(context, differing, &names) {
            let number = differing.pair[1];
            let height = documents.get(number).and_then(|of| of.ground).map_or(0.0, |of| of.height_range().1);
            pilot.go_to(bevy::math::DVec3::new(place.x, height.into(), place.y));
        }
    }

    let has_place = documents.len() < MAX_LANDSCAPES;
    if let Some(EditedItem { entity, document, .. }) = documents.get_mut(state.edited) {
        let name = document.recipe.name.clone();
        inside::show(context, &mut scene.inside, &name, &mut message);
        match gallery::show(context, &mut scene.gallery, &document.recipe, has_place) {
            Some(gallery::Chosen::Open(recipe)) => {
                wishes.write(Wish::Show { document: *entity, recipe: Box::new(recipe), path: None });
            }
            Some(gallery::Chosen::Beside(recipe)) => {
                wishes.write(Wish::Beside(Box::new(recipe)));
            }
            Some(gallery::Chosen::Become(recipe)) => {
                document.settle();
                document.recipe = recipe;
            }
            Some(gallery::Chosen::Explain(mistake)) => match windows.mistake.open(mistake) {
                Ok(wrong) => {
                    wishes.write(Wish::Show { document: *entity, recipe: Box::new(wrong), path: None });
                }
                Err(error) => message.error(error.to_string()),
            },
            Some(gallery::Chosen::Learn(lesson)) => {
                wishes.write(Wish::Learn { document: *entity, lesson: Box::new(lesson) });
            }
            None => {}
        }
        match mistake::show(context, &mut windows.mistake, &document.recipe, has_place) {
            Some(mistake::Asked::Show(recipe)) => {
                wishes.write(Wish::Show { document: *entity, recipe: Box::new(recipe), path: None });
            }
            Some(mistake::Asked::Beside(recipe)) => {
                wishes.write(Wish::Beside(Box::new(recipe)));
            }
            None => {}
        }
    }
    let document_of = |wanted| documents.iter().find(|of| of.entity == wanted).map(|of| &*of.document);
    let exporting = windows.exporting.bypass_change_detection();
    if let Some((order, entity, path)) = export::show(context, &mut windows.export, exporting, document_of)
        && let Some(of) = documents.iter().find(|of| of.entity == entity)
    {
        let recipe = scene.light.seen_by(&of.document.recipe, *of.number, &of.links);
        let order = match order {
            Order::Picture(shot) => Order::Picture(Box::new(as_seen(*shot, of, &pilot, scene.viewed.0))),
            film @ Order::Film(..) => film,
        };
        exporting.begin(order, recipe, scene.cache.0.clone(), path);
    }
    watch::show(context, windows.player.bypass_change_detection());
    probe::show(context, windows.probing.bypass_change_detection());
    {
        let Windows { files, recent, browsing, .. } = &mut windows;
        let browsing = browsing.bypass_change_detection();
        files::show(context, files, recent, browsing, &mut wishes, &mut message);
    }
    if let Some(command) = palette::show(context, &mut windows.palette) {
        let mut room = Room {
            scene: (&mut scene.gallery, &mut scene.inside, &mut scene.comparison, &mut scene.viewed),
            beside: (&mut scene.arrangement, &mut scene.differing),
            state: &mut state,
            windows: &mut windows,
            wishes: &mut wishes,
            pilot: &mut pilot,
            message: &mut message,
        };
        room.carry_out(command, &mut documents);
    }
    let bar = if documents.len() > 1 { 40.0 } else { 0.0 };
    show_message(context, &mut message, taken, bar);
    times::show(context, &mut state.times, &scene.diagnostics, scene.statistics.systems_ms);
    help::show(context, &mut state.help);
    if let Some(question) = &questions.open {
        let document_of =
            |wanted| documents.iter().find(|edited| edited.entity == wanted).map(|edited| &*edited.document);
        if let Some(answer) = question::show(context, question, document_of) {
            answers.write(answer);
        }
    }
    Ok(())
}

/// Draws what stands over views, where there are several.
fn views(
    context: &egui::Context,
    places: &Query<(&Slot, &Place)>,
    arrangement: &mut Arrangement,
    documents: &mut [EditedItem],
    edited: usize,
    taken: Margins,
) -> beside::Asked {
    let mut asked = beside::Asked::default();
    for (slot, place) in places.iter().filter(|(_, place)| place.is_seen()) {
        let Some(EditedItem { document, links, .. }) = documents.get_mut(slot.0) else { continue };
        let mut chosen = **links;
        let of = (document.recipe.name.as_str(), slot.0 == edited);
        beside::bar(context, slot.0, of, &mut chosen, place, &mut asked);
        links.set_if_neq(chosen);
    }
    let window = context.viewport_rect();
    // Not by its corners, which would be put in order.
    let space = Rect {
        min: Vec2::new(taken.left, 0.0),
        max: Vec2::new(window.width(), window.height() - taken.bottom),
    };
    beside::dividers(context, arrangement, space, documents.len());
    asked
}

/// The number of the view that a mouse button has just been pressed on.
fn view_pressed(context: &egui::Context, places: &Query<(&Slot, &Place)>) -> Option<usize> {
    let pointer =
        context.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()))?;
    let is_free = !context.egui_wants_pointer_input();
    let under = |(_, place): &(&Slot, &Place)| place.contains(Vec2::new(pointer.x, pointer.y));
    let found = places.iter().find(under).filter(|_| is_free);
    found.map(|(slot, _)| slot.0)
}

/// A click on the land takes the keyboard focus from a text field, so that the keys fly again.
fn release_keys(context: &egui::Context, taken: Margins) {
    let floor = context.viewport_rect().bottom() - taken.bottom;
    let on_land = context.input(|input| {
        let place = input.pointer.interact_pos();
        input.pointer.any_pressed() && place.is_some_and(|place| place.x > taken.left && place.y < floor)
    });
    if on_land {
        context.memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }
}

fn keys(
    context: &egui::Context,
    scene: &mut Scene,
    state: &mut PanelState,
    windows: &mut Windows,
    wishes: &mut MessageWriter<Wish>,
) {
    use egui::{Key, Modifiers};
    let pressed = |modifiers, key| context.input_mut(|input| input.consume_key(modifiers, key));
    if pressed(Modifiers::NONE, Key::F1) {
        state.help = !state.help;
    }
    if pressed(Modifiers::NONE, Key::F2) {
        scene.gallery.open = !scene.gallery.open;
    }
    if pressed(Modifiers::NONE, Key::F4) {
        scene.inside.open = !scene.inside.open;
    }
    if pressed(Modifiers::COMMAND, Key::P) {
        windows.palette.toggle();
    }
    if pressed(Modifiers::NONE, Key::F5) {
        windows.player.open = !windows.player.open;
    }
    if pressed(Modifiers::NONE, Key::F6) {
        windows.probing.open = !windows.probing.open;
    }
    if pressed(Modifiers::NONE, Key::F3) {
        state.times = !state.times;
    }
    if pressed(Modifiers::NONE, Key::Tab) && !context.egui_wants_keyboard_input() {
        state.open = !state.open;
    }
    let redo = pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || pressed(Modifiers::COMMAND, Key::Y);
    let undo = pressed(Modifiers::COMMAND, Key::Z);
    let save_as = pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    let save = pressed(Modifiers::COMMAND, Key::S);
    let open = pressed(Modifiers::COMMAND, Key::O);
    if pressed(Modifiers::COMMAND, Key::Q) {
        wishes.write(Wish::Close);
    }
    if !(undo || redo || save || save_as || open) {
        return;
    }
    let edited = state.edited;
    let found = scene.terrains.iter_mut().find(|of| of.number.0 == edited);
    let Some(EditedItem { entity, mut document, mut towers, .. }) = found else { return };
    if open {
        windows.files.open(entity);
    }
    if save_as {
        windows.files.save_as(entity, &document);
    }
    // While towers are put, what is undone is a tower.
    if undo && !(scene.putting.is_on && towers.undo()) {
        document.undo();
    }
    if redo {
        document.redo();
    }
    if save {
        wishes.write(Wish::Save(entity));
    }
}

/// V shows the next view, with shift the one before.
fn shown_by_key(context: &egui::Context, scene: &Scene, state: &PanelState) -> Option<shown::Shown> {
    let step = shown::key(context)?;
    let edited = scene.terrains.iter().find(|of| of.number.0 == state.edited)?;
    let (document, view) = (edited.document, edited.view);
    let layer = view.layer.as_ref().map(|layer| layer.name.as_str());
    Some(shown::stepped(scene.viewed.0, layer, &document.recipe.layers(), step))
}

/// Shows a view on all lands, or a layer on the edited one.
fn show_on(documents: &mut [EditedItem], edited: usize, chosen: shown::Shown, viewed: &mut Viewed) {
    let is_view = match chosen {
        shown::Shown::View(view) => {
            viewed.0 = view;
            true
        }
        shown::Shown::Layer(_) => false,
    };
    for (index, EditedItem { view, .. }) in documents.iter_mut().enumerate() {
        match &chosen {
            shown::Shown::Layer(name) if index == edited => {
                let is_new = view.layer.as_ref().is_none_or(|layer| layer.name.as_str() != name);
                if let Ok(name) = Name::new(name.clone())
                    && is_new
                {
                    view.layer = Some(LayerView::of(name));
                }
            }
            _ if is_view && view.layer.is_some() => view.layer = None,
            _ => {}
        }
    }
}

/// What commands of the palette may change.
struct Room<'a, 'w, 's, 'm> {
    scene: (&'a mut Gallery, &'a mut Inside, &'a mut Comparison, &'a mut Viewed),
    beside: (&'a mut Arrangement, &'a mut Differing),
    state: &'a mut PanelState,
    windows: &'a mut Windows<'w, 's>,
    wishes: &'a mut MessageWriter<'m, Wish>,
    pilot: &'a mut Pilot,
    message: &'a mut Told,
}

impl Room<'_, '_, '_, '_> {
    fn carry_out(&mut self, command: Command, documents: &mut [EditedItem]) {
        let edited = self.state.edited;
        if let Command::Show(shown) = command {
            show_on(documents, edited, shown, self.scene.3);
            return;
        }
        let Some(EditedItem { entity, document, ground, stack, .. }) = documents.get_mut(edited) else {
            return;
        };
        let entity = *entity;
        match command {
            Command::Gallery => self.scene.0.open = true,
            Command::LookInside => self.scene.1.open = true,
            Command::Watch => self.windows.player.open = true,
            Command::Probe => self.windows.probing.open = true,
            Command::Levels => self.scene.2.document = Some(edited),
            Command::Export => self.windows.export.open(entity, document),
            Command::Mistake(mistake) => match self.windows.mistake.open(mistake) {
                Ok(wrong) => {
                    let recipe = Box::new(wrong);
                    self.wishes.write(Wish::Show { document: entity, recipe, path: None });
                }
                Err(error) => self.message.error(error.to_string()),
            },
            Command::Copy => drop(self.wishes.write(Wish::Beside(Box::new(document.recipe.clone())))),
            Command::Arrange(sharing) => self.beside.0.sharing = sharing,
            Command::Difference => self.beside.1.open = true,
            Command::CloseOne => drop(self.wishes.write(Wish::CloseOne(entity))),
            Command::Times => self.state.times = !self.state.times,
            Command::Keys => self.state.help = true,
            Command::Panel => self.state.open = !self.state.open,
            Command::Open => self.windows.files.open(entity),
            Command::Save => drop(self.wishes.write(Wish::Save(entity))),
            Command::SaveAs => self.windows.files.save_as(entity, document),
            Command::Close => drop(self.wishes.write(Wish::Close)),
            Command::Undo => drop(document.undo()),
            Command::Redo => drop(document.redo()),
            Command::NewSeed => document.recipe.seed = recipe::new_seed(),
            Command::AddStep(step) => {
                document.settle();
                steps::append(&mut document.recipe.steps, *step, stack.bypass_change_detection());
            }
            Command::Move(mode) => self.pilot.mode = mode,
            Command::LookAgain => {
                let range = ground.map(|ground| ground.height_range());
                let (from, look) = scene::first_view(&document.recipe, range);
                self.pilot.put(from, look);
            }
            Command::Preset(_) | Command::Lesson(_) => self.open_other(entity, &command),
            Command::Show(_) => {}
        }
    }

    /// Opens a preset or a lesson in place of a document.
    fn open_other(&mut self, document: Entity, command: &Command) {
        let recipe = command
            .recipe()
            .map(|recipe| recipe.map(|recipe| Wish::Show { document, recipe: Box::new(recipe), path: None }));
        let lesson = command
            .lesson()
            .map(|lesson| lesson.map(|lesson| Wish::Learn { document, lesson: Box::new(lesson) }));
        match recipe.or(lesson) {
            Some(Ok(wish)) => drop(self.wishes.write(wish)),
            Some(Err(error)) => self.message.error(error.to_string()),
            None => {}
        }
    }
}

/// Does what is wanted of bookmarks and flights.
fn carry_out(asked: &tours::Asked, document: &mut Document, pilot: &mut Pilot, message: &mut Told) {
    if asked.bookmark || asked.record || asked.put.is_some() {
        keep_sights(asked, document, pilot, message);
    }
    if let Some((from, look)) = asked.visit {
        pilot.go_to_sight(from.into(), look.into());
    }
    if asked.tour {
        let tour = Tour::of(&document.recipe.bookmarks).filter(|_| !pilot.is_on_tour());
        pilot.tour(tour);
    }
    if let Some(flight) = asked.fly.and_then(|index| document.recipe.flights.get(index)) {
        pilot.tour(Tour::along(flight));
    }
}

/// Keeps in the recipe what is seen now, or was seen while a flight was recorded.
fn keep_sights(asked: &tours::Asked, document: &mut Document, pilot: &mut Pilot, message: &mut Told) {
    let (from, look) = pilot.sight();
    let mut kept = document.recipe.clone();
    if asked.bookmark {
        let name = format!("Place {}", kept.bookmarks.len() + 1);
        kept.bookmarks.push(Bookmark { name, from: from.into(), look: look.into() });
    }
    if asked.record && pilot.recorded().is_some() {
        let name = format!("Flight {}", kept.flights.len() + 1);
        kept.flights.push(Flight { name, waypoints: pilot.end_recording() });
    } else if asked.record {
        pilot.begin_recording();
    }
    if let Some([flight, place]) = asked.put
        && let Some(waypoint) = kept.flights.get_mut(flight).and_then(|of| of.waypoints.get_mut(place))
    {
        *waypoint = Waypoint { from: from.into(), look: look.into(), ..waypoint.clone() };
    }
    if kept != document.recipe {
        match kept.check() {
            Ok(()) => document.recipe = kept,
            Err(error) => message.error(error.to_string()),
        }
    }
}

/// A picture of what a view shows.
fn as_seen(shot: Shot, of: &EditedItem, pilot: &Pilot, viewed: DebugView) -> Shot {
    let (from, look) = pilot.sight();
    let (shown, scale) = match &of.view.layer {
        Some(layer) => (shown::Shown::Layer(layer.name.as_str().to_owned()), Some((layer.low, layer.high))),
        None => (shown::Shown::View(viewed), None),
    };
    let (from, look) = (Some(from.into()), Some(look.into()));
    Shot { from, look, shown, scale, watch: of.towers.watch.clone(), ..shot }
}

/// Puts steps from the clipboard into the recipe, at a place of the stack.
fn paste(
    document: &mut Document,
    stack: &mut StackView,
    place: usize,
    text: Option<String>,
) -> crate::Result<()> {
    let nothing = || crate::Error::parameter("clipboard", "holds no text; copy a step first");
    let steps = crate::Step::list_from_ron(&text.ok_or_else(nothing)?)?;
    document.settle();
    let place = place.min(document.recipe.steps.len());
    for (number, step) in steps.into_iter().enumerate() {
        document.recipe.steps.insert(place + number, step);
        stack.inserted(place + number);
    }
    Ok(())
}

/// Chooses the quality.
fn drawn_with(ui: &mut egui::Ui, chosen: &mut ResMut<Chosen>, message: &mut Told) {
    let before = chosen.quality();
    let mut quality = before;
    egui::CollapsingHeader::new("Quality").default_open(false).show(ui, |ui| {
        for (level, name, tip) in [
            (Quality::Low, "Low", "For devices without a graphics card: half the resolution, simple light"),
            (
                Quality::Medium,
                "Medium",
                "For small graphics devices: full light, larger texels, no smoothed edges",
            ),
            (Quality::High, "High", "For graphics cards: finer ground, more shadows, smoothed edges"),
            (Quality::Ultra, "Ultra", "For fast graphics cards: the finest ground, the sharpest shadows"),
        ] {
            ui.radio_value(&mut quality, level, name).on_hover_text(tip);
        }
        if chosen.is_tried() {
            ui.label(egui::RichText::new("trying what this device can draw").color(style::QUIET));
        }
    });
    if quality != before
        && let Err(error) = chosen.choose(quality)
    {
        message.error(format!("The quality cannot be kept for the next start: {error}"));
    }
}

fn show_message(context: &egui::Context, message: &mut Told, taken: Margins, below: f32) {
    if message.text.is_empty() {
        return;
    }
    let place = egui::pos2(taken.left + 16.0, 16.0 + below);
    let mut dismissed = false;
    egui::Area::new("message".into()).fixed_pos(place).show(context, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_max_width(MESSAGE_WIDTH.min(context.content_rect().width() - 48.0));
            ui.horizontal(|ui| {
                let colour = if message.is_error { style::ERROR } else { style::GOOD };
                ui.add(egui::Label::new(egui::RichText::new(&message.text).color(colour)).wrap());
                if message.is_error {
                    dismissed = ui.button("Dismiss").clicked();
                }
            });
        });
    });
    if dismissed {
        message.dismiss();
    }
}
