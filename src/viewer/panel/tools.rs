//! What the panels have at hand of the window and its landscapes, which of them are open, and what stands in them.

use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy::window::WindowThemeChanged;
use bevy_egui::{EguiClipboard, egui};

use super::analysis::{frame_times, playback, plots, probe};
use super::files::{export, output, path_dialog};
use super::landscape::{recipe, sculpt, tours};
use super::learning::{lesson, mistake};
use super::state::PanelState;
use super::{MOST_LETTERS, Orders, commands, display, levels, palette, show, split_view, texture};
use crate::plugin::{
    ScatterStatistics, TerrainCache, TerrainChunk, TerrainGround, TerrainStatistics, TerrainStatus,
};
use crate::render::scene;
use crate::render::texture_view::TextureView;
use crate::render::view_mode::ViewMode;
use crate::viewer::build::playback::Player;
use crate::viewer::build::rebuild::{BuildTime, Failure};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::camera::cursor::UnderCursor;
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::display_names::names_of;
use crate::viewer::document::lesson::Teaching;
use crate::viewer::document::links::{Links, SharedLight};
use crate::viewer::document::{Document, new_document};
use crate::viewer::files::export::Exporting;
use crate::viewer::files::recent::{Browsing, Recent};
use crate::viewer::files::screenshot::Screenshots;
use crate::viewer::session::settings::Settings;
use crate::viewer::session::status_message::Message as Told;
use crate::viewer::session::{Number, Place, Selection, Slot, Tab, Viewed, Wish};
use crate::viewer::tools::nearest::Nearest;
use crate::viewer::tools::point_editor::{Drawing, Target};
use crate::viewer::tools::probe::Probing;
use crate::viewer::tools::sculpt::Sculpting;
use crate::viewer::tools::towers::{Putting, Towers};
use crate::viewer::views::difference::Differing;
use crate::viewer::views::gallery::{Gallery, Shelf};
use crate::viewer::views::levels_panes::{Comparison, Pane};
use crate::viewer::views::plots::Inside;
use crate::viewer::views::quality::Chosen;
use crate::viewer::views::split_view::Arrangement;

/// What the panels have at hand, but for the documents.
#[derive(SystemParam)]
pub(in super::super) struct Tools<'w, 's> {
    pub scene: Scene<'w, 's>,
    pub windows: Windows<'w, 's>,
    pub state: ResMut<'w, PanelState>,
    pub selection: ResMut<'w, Selection>,
    pub pilot: ResMut<'w, Pilot>,
    pub drawing: ResMut<'w, Drawing>,
    pub message: ResMut<'w, Told>,
    pub settings: ResMut<'w, Settings>,
    pub orders: ResMut<'w, Orders>,
    pub wishes: MessageWriter<'w, Wish>,
    pub themes: MessageReader<'w, 's, WindowThemeChanged>,
}

/// The scene's data that the panels read.
#[derive(SystemParam)]
pub(in super::super) struct Scene<'w, 's> {
    pub(super) chunks: Query<'w, 's, (&'static TerrainChunk, &'static ViewVisibility)>,
    pub(super) places: Query<'w, 's, (&'static Slot, &'static Place)>,
    pub(super) viewed: ResMut<'w, Viewed>,
    pub(super) putting: ResMut<'w, Putting>,
    pub(super) statistics: Res<'w, TerrainStatistics>,
    pub(super) scattered: Res<'w, ScatterStatistics>,
    pub(super) nearest: ResMut<'w, Nearest>,
    pub(super) diagnostics: Res<'w, DiagnosticsStore>,
    pub(super) chosen: ResMut<'w, Chosen>,
    pub(super) comparison: ResMut<'w, Comparison>,
    pub(super) panes: Query<'w, 's, (&'static Pane, &'static Place)>,
    pub(super) under_cursor: Res<'w, UnderCursor>,
    pub(super) gallery: ResMut<'w, Gallery>,
    pub(super) inside: ResMut<'w, Inside>,
    pub(super) arrangement: ResMut<'w, Arrangement>,
    pub(super) light: Res<'w, SharedLight>,
    pub(super) cache: Res<'w, TerrainCache>,
    pub(super) differing: ResMut<'w, Differing>,
}

/// A document as the panels see it.
#[derive(QueryData)]
#[query_data(mutable)]
pub(in super::super) struct Edited {
    pub(super) entity: Entity,
    pub(super) number: &'static Number,
    pub(super) document: &'static mut Document,
    pub(super) status: &'static TerrainStatus,
    pub(super) since: &'static BuildTime,
    pub(super) ground: Option<&'static TerrainGround>,
    pub(super) view: &'static mut TextureView,
    pub(super) histogram: Option<&'static texture::GroundHistogram>,
    pub(super) towers: &'static mut Towers,
    pub(super) stack: &'static mut StackView,
    pub(super) links: &'static mut Links,
    pub(super) failure: &'static mut Failure,
}

/// Windows that are opened beside the panels, and what they need.
#[derive(SystemParam)]
pub(in super::super) struct Windows<'w, 's> {
    pub(super) player: ResMut<'w, Player>,
    pub(super) probing: ResMut<'w, Probing>,
    pub(super) sculpting: ResMut<'w, Sculpting>,
    pub(super) teaching: ResMut<'w, Teaching>,
    pub(super) recent: Res<'w, Recent>,
    pub(super) browsing: ResMut<'w, Browsing>,
    pub(super) clipboard: ResMut<'w, EguiClipboard>,
    pub(super) exporting: ResMut<'w, Exporting>,
    pub(super) screenshots: ResMut<'w, Screenshots>,
    pub(super) export: Local<'s, export::ExportWindow>,
    pub(super) output: Local<'s, output::OutputWindow>,
    pub(super) mistake: Local<'s, mistake::MistakeWindow>,
    pub(super) files: Local<'s, path_dialog::FileWindow>,
    pub(super) palette: Local<'s, palette::Palette>,
}

impl Tools<'_, '_> {
    /// Whether a panel is open, though all of them may be hidden.
    pub fn is_open(&self, tab: Tab, documents: usize) -> bool {
        match tab {
            Tab::Land | Tab::Recipe => true,
            Tab::Inside => self.scene.inside.open,
            Tab::Watch => self.windows.player.open,
            Tab::Probe => self.windows.probing.open,
            Tab::Sculpt => self.windows.sculpting.open,
            Tab::Difference => {
                self.scene.differing.open && documents > 1 && self.scene.comparison.document.is_none()
            }
            Tab::Times => self.state.times,
        }
    }

    /// Opens a panel, or closes it.
    pub fn set_open(&mut self, tab: Tab, is_open: bool) {
        match tab {
            Tab::Land | Tab::Recipe => {}
            Tab::Inside => self.scene.inside.open = is_open,
            Tab::Watch => self.windows.player.open = is_open,
            Tab::Probe => self.windows.probing.open = is_open,
            Tab::Sculpt => self.windows.sculpting.open = is_open,
            Tab::Difference => self.scene.differing.open = is_open,
            Tab::Times => self.state.times = is_open,
        }
        // Whoever opens a panel wants to see it.
        self.selection.shows_panels |= is_open;
    }

    /// Opens a panel that is not seen, closes one that is.
    pub fn toggle(&mut self, tab: Tab) {
        let is_seen = self.selection.shows_panels && self.is_open(tab, usize::MAX);
        self.set_open(tab, !is_seen);
    }

    /// Draws what stands in a panel; returns what shall be shown of the land, if that was chosen.
    pub fn draw(&mut self, ui: &mut egui::Ui, tab: Tab, documents: &mut [EditedItem]) -> Option<ViewMode> {
        match tab {
            Tab::Land => {}
            Tab::Recipe => return self.recipe(ui, documents),
            Tab::Inside => {
                if let Some(of) = documents.get(self.selection.edited)
                    && let Some((plot, format)) = plots::show(ui, &mut self.scene.inside)
                {
                    let name = format!("{} {}", of.document.recipe.name, self.scene.inside.kind);
                    self.windows.files.write_plot(plot, format, &name);
                }
            }
            Tab::Watch => {
                let eye = Vec2::new(self.pilot.place.x as f32, self.pilot.place.z as f32);
                let player = self.windows.player.bypass_change_detection();
                let written = playback::show(ui, player, eye);
                if let Some((plot, format)) = written {
                    let name = documents.get(self.selection.edited).map_or("", |of| &of.document.recipe.name);
                    self.windows.files.write_plot(plot, format, &format!("{name} line"));
                }
            }
            Tab::Probe => probe::show(ui, self.windows.probing.bypass_change_detection()),
            Tab::Sculpt => {
                if let Some(of) = documents.get(self.selection.edited) {
                    let brush = self.windows.sculpting.bypass_change_detection();
                    sculpt::show(ui, brush, &of.document.recipe);
                }
            }
            Tab::Difference => self.difference(ui, documents),
            Tab::Times => frame_times::show(ui, &self.scene.diagnostics, self.scene.statistics.systems_ms),
        }
        None
    }

    fn difference(&mut self, ui: &mut egui::Ui, documents: &[EditedItem]) {
        let names = names_of(documents.iter().map(|of| &*of.document), MOST_LETTERS);
        let differing = self.scene.differing.bypass_change_detection();
        if let Some(place) = split_view::difference(ui, differing, &names) {
            let number = differing.pair[1];
            let height = documents.get(number).and_then(|of| of.ground).map_or(0.0, |of| of.height_range().1);
            self.pilot.go_to(DVec3::new(place.x, height.into(), place.y));
        }
    }

    /// The editor: which landscape, how several share the window, and the recipe of one, or the lesson about it.
    fn recipe(&mut self, ui: &mut egui::Ui, documents: &mut [EditedItem]) -> Option<ViewMode> {
        if documents.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                let names = names_of(documents.iter().map(|of| &*of.document), MOST_LETTERS);
                for (index, name) in names.into_iter().enumerate() {
                    ui.selectable_value(&mut self.selection.edited, index, name);
                }
            });
            let arrangement = self.scene.arrangement.bypass_change_detection();
            split_view::choose(ui, arrangement, self.scene.differing.bypass_change_detection());
            ui.separator();
        }
        let of = documents.get_mut(self.selection.edited)?;
        if self.windows.teaching.0.is_some() && of.document.is_in_lesson() {
            let Windows { player, teaching, .. } = &mut self.windows;
            let beside = (self.scene.inside.bypass_change_detection(), player.bypass_change_detection());
            lesson::show(ui, teaching.bypass_change_detection(), &mut of.document, beside, &mut self.message);
            return None;
        }
        let area = egui::ScrollArea::vertical().auto_shrink([false, false]);
        area.show(ui, |ui| self.editor(ui, of)).inner
    }

    fn editor(&mut self, ui: &mut egui::Ui, of: &mut EditedItem) -> Option<ViewMode> {
        let edited = self.selection.edited;
        let EditedItem { document, ground, view, histogram, towers, stack, .. } = of;
        let before = self.drawing.step_of(edited);
        let mut drawn = before;
        let views = (&mut **view, stack.bypass_change_detection());
        let flown = tours::Flown { on_tour: self.pilot.is_on_tour(), recorded: self.pilot.recorded() };
        let known = (*histogram, &*self.scene.scattered, self.scene.chosen.quality());
        let of_land = (edited, &mut **document, *ground);
        let asked = recipe::show(ui, of_land, views, known, &mut drawn, flown, &mut self.message);
        if let Some((from, look)) = stack.bypass_change_detection().sight.take() {
            self.pilot.go_to_sight(from, look);
        }
        if drawn != before {
            self.drawing.target = drawn.map(|step| Target { document: edited, step });
        }
        let layers = document.recipe.layers();
        let layer = view.layer.as_ref().map(|layer| layer.name.as_str());
        let now = show::Now { view: self.scene.viewed.0, layer, layers: &layers };
        let towers = towers.bypass_change_detection();
        let putting = self.scene.putting.bypass_change_detection();
        let chosen = show::show(ui, &now, towers, putting, &mut self.state.times);
        let error = self.scene.chosen.quality().view().pixel_error;
        levels::show(ui, self.scene.comparison.bypass_change_detection(), edited, error);
        display::show(ui, self);
        self.serve(&asked, of);
        chosen
    }

    /// Does what was asked for in the editor.
    fn serve(&mut self, asked: &recipe::Requests, of: &mut EditedItem) {
        let EditedItem { entity, document, ground, stack, .. } = of;
        if asked.look_again {
            let range = ground.map(|ground| ground.height_range());
            let (from, look) = scene::first_view(&document.recipe, range);
            self.pilot.put(from, look);
        }
        tours::carry_out(&asked.tours, document, &mut self.pilot, &mut self.message);
        if let Some(quality) = asked.quality {
            self.choose_quality(quality);
        }
        self.scene.nearest.is_wanted |= asked.nearest;
        self.scene.gallery.open |= asked.gallery;
        if asked.generators {
            self.scene.gallery.open_at(Shelf::Generators);
        }
        for (tab, is_asked) in [
            (Tab::Watch, asked.watch),
            (Tab::Probe, asked.probe),
            (Tab::Sculpt, asked.sculpt),
            (Tab::Inside, asked.look_inside),
        ] {
            if is_asked {
                self.set_open(tab, true);
            }
        }
        if asked.copy {
            self.wishes.write(commands::copy_of(*entity, &document.recipe));
        }
        if asked.other_seed {
            self.wishes.write(commands::with_other_seed(*entity, &document.recipe));
        }
        if asked.export {
            let drawn = self.scene.chosen.quality();
            self.windows.export.open(*entity, document, drawn);
        }
        if asked.output {
            self.windows.output.open(*entity, document);
        }
        if asked.new {
            self.open(*entity, new_document::landscape());
        }
        if asked.open {
            self.windows.files.open(*entity);
        }
        if asked.save_as {
            self.windows.files.save_as(*entity, document);
        }
        if asked.save {
            self.wishes.write(Wish::Save(*entity));
        }
        if let Some(place) = asked.paste
            && let Err(error) = recipe::paste(document, stack, place, self.windows.clipboard.get_text())
        {
            self.message.error(error.to_string());
        }
        if asked.keep_view {
            let (from, look) = self.pilot.sight();
            match recipe::keep_view(document, from, look) {
                Ok(()) => self.message.tell("The landscape now opens with this view"),
                Err(error) => self.message.error(error.to_string()),
            }
        }
    }
}
