//! The content of each panel that can be docked.

use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_egui::egui;

use super::analysis::{frame_times, likeness, playback, plots, probe};
use super::edited::{EditedItem, MOST_LETTERS, item, item_mut};
use super::landscape::scatter::Scattered;
use super::landscape::{recipe, sculpt, tours};
use super::learning::lesson;
use super::tools::Tools;
use super::{display, levels, show, split_view};
use crate::viewer::actions::Action;
use crate::viewer::document::display_names::names_of;
use crate::viewer::session::Tab;
use crate::viewer::tools::point_editor::Target;
use crate::viewer::views::difference;

impl Tools<'_, '_> {
    /// Draws the content of a panel.
    pub fn draw(&mut self, ui: &mut egui::Ui, tab: Tab, documents: &mut [EditedItem]) {
        match tab {
            Tab::Land => {}
            Tab::Recipe => self.recipe(ui, documents),
            Tab::Inside => {
                if let Some(of) = item(documents, self.selection.edited())
                    && let Some((plot, format)) = plots::show(ui, &mut self.scene.inside)
                {
                    let name = format!("{} {}", of.document.recipe.name, self.scene.inside.kind);
                    self.actions.send(Action::WritePlot { plot: Box::new(plot), format, name });
                }
            }
            Tab::Watch => {
                let eye = Vec2::new(self.pilot.place.x as f32, self.pilot.place.z as f32);
                if let Some((plot, format)) = playback::show(ui, &mut self.windows.player, eye) {
                    let edited = item(documents, self.selection.edited());
                    let name = edited.map_or("", |of| &of.document.recipe.name);
                    let name = format!("{name} line");
                    self.actions.send(Action::WritePlot { plot: Box::new(plot), format, name });
                }
            }
            Tab::Probe => probe::show(ui, &mut self.windows.probing),
            Tab::Sculpt => {
                if let Some(of) = item(documents, self.selection.edited()) {
                    sculpt::show(ui, &mut self.windows.sculpting, &of.document.recipe);
                }
            }
            Tab::Difference => self.difference(ui, documents),
            Tab::Likeness => {
                if let Some((plot, format)) = likeness::show(ui, &mut self.scene.likeness, &lands(documents))
                {
                    let name = plot.title.clone();
                    self.actions.send(Action::WritePlot { plot: Box::new(plot), format, name });
                }
            }
            Tab::Times => frame_times::show(ui, &self.scene.diagnostics, self.scene.statistics.systems_ms),
        }
    }

    fn difference(&mut self, ui: &mut egui::Ui, documents: &[EditedItem]) {
        let differing = &mut *self.scene.differing;
        if let Some(place) = split_view::difference(ui, differing, &lands(documents)) {
            let second = item(documents, differing.pair.map(|[_, second]| second));
            let height = second.and_then(|of| of.ground).map_or(0.0, |of| of.height_range().1);
            self.pilot.go_to(DVec3::new(place.x, height.into(), place.y));
        }
    }

    /// The editor: which landscape, how several share the window, and the recipe of one, or the lesson about
    /// it.
    fn recipe(&mut self, ui: &mut egui::Ui, documents: &mut [EditedItem]) {
        if documents.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                let names = names_of(documents.iter().map(|of| &*of.document), MOST_LETTERS);
                for (name, of) in names.into_iter().zip(&*documents) {
                    if ui.selectable_label(self.selection.is_edited(of.entity), name).clicked() {
                        self.actions.send(Action::Edit(of.entity));
                    }
                }
            });
            let open = [self.scene.differing.open, self.scene.likeness.open];
            split_view::choose(ui, (self.scene.arrangement.sharing, open), &mut self.actions);
            ui.separator();
        }
        let Some(of) = item_mut(documents, self.selection.edited()) else { return };
        if self.windows.teaching.0.is_some() && of.document.is_in_lesson() {
            // Not marked as changed: a change means that a lesson has begun.
            let teaching = self.windows.teaching.bypass_change_detection();
            lesson::show(ui, teaching, &mut of.document, &mut self.actions, &mut self.message);
            return;
        }
        ui.add_space(6.0);
        recipe::bar(ui, &mut of.document, &mut self.actions);
        ui.separator();
        let area = egui::ScrollArea::vertical().auto_shrink([false, false]);
        area.show(ui, |ui| self.editor(ui, of));
    }

    fn editor(&mut self, ui: &mut egui::Ui, of: &mut EditedItem) {
        let EditedItem { entity, document, ground, view, histogram, scattered, towers, stack, .. } = of;
        let entity = *entity;
        let before = self.drawing.step_of(entity);
        let mut drawn = before;
        let flown = tours::Flown { on_tour: self.pilot.is_on_tour(), recorded: self.pilot.recorded() };
        let scattered = Scattered {
            statistics: scattered,
            systems_ms: self.scene.scattered.systems_ms,
            search: self.scene.nearest.progress(entity),
        };
        let known = (*histogram, scattered, self.scene.chosen.quality());
        let of_land = (entity, &mut **document, *ground);
        let to_report = (&mut *self.actions, &mut *self.message);
        recipe::show(ui, of_land, (&mut **view, &mut **stack), known, &mut drawn, flown, to_report);
        if let Some((from, look)) = stack.sight.take() {
            self.pilot.go_to_sight(from, look);
        }
        if drawn != before {
            self.drawing.target = drawn.map(|step| Target { document: entity, step });
        }
        let layers = document.recipe.layers();
        let layer = view.layer.as_ref().map(|layer| layer.name.as_str());
        let has_times = self.state.open.contains(&Tab::Times);
        let now = show::Now { view: self.scene.viewed.0, layer, layers: &layers, has_times };
        show::show(ui, &now, towers, &mut self.scene.tower_tool, &mut self.actions);
        let error = self.scene.chosen.quality().view().pixel_error;
        levels::show(ui, &mut self.scene.comparison, (entity, error), &mut self.actions);
        display::show(ui, self);
    }
}

/// The open lands with their names, to choose two of them.
fn lands(documents: &[EditedItem]) -> Vec<(Entity, String)> {
    let names = names_of(documents.iter().map(|of| &*of.document), difference::MOST_LETTERS);
    documents.iter().map(|of| of.entity).zip(names).collect()
}
