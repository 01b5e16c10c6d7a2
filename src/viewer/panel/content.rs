//! What stands in each panel that can be docked, and what is done with it.

use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_egui::egui;

use super::analysis::{frame_times, playback, plots, probe};
use super::edited::{EditedItem, MOST_LETTERS};
use super::landscape::scatter::Scattered;
use super::landscape::{recipe, sculpt, tours};
use super::learning::lesson;
use super::tools::{Tools, Windows};
use super::{commands, display, levels, show, split_view};
use crate::render::scene;
use crate::render::view_mode::ViewMode;
use crate::viewer::document::display_names::names_of;
use crate::viewer::document::new_document;
use crate::viewer::session::{DocumentRequest, Tab};
use crate::viewer::tools::point_editor::Target;
use crate::viewer::views::gallery::Shelf;

impl Tools<'_, '_> {
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
        let EditedItem { entity, document, ground, view, histogram, scattered, towers, stack, .. } = of;
        let before = self.drawing.step_of(edited);
        let mut drawn = before;
        let views = (&mut **view, stack.bypass_change_detection());
        let flown = tours::Flown { on_tour: self.pilot.is_on_tour(), recorded: self.pilot.recorded() };
        let scattered = Scattered {
            statistics: scattered,
            systems_ms: self.scene.scattered.systems_ms,
            search: self.scene.nearest.progress(*entity),
        };
        let known = (*histogram, scattered, self.scene.chosen.quality());
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
        if asked.cancel_nearest {
            self.scene.nearest.cancel();
        }
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
            self.requests.write(commands::copy_of(*entity, &document.recipe));
        }
        if asked.other_seed {
            self.requests.write(commands::with_other_seed(*entity, &document.recipe));
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
            self.requests.write(DocumentRequest::Save(*entity));
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
