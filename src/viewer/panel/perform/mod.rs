//! Performing actions, wherever they come from.

mod changes;
mod landscapes;
mod sights;
mod windows;

use bevy_egui::egui;

use super::controls::section;
use super::edited::{EditedItem, item, item_mut};
use super::landscape::{recipe, sun};
use super::tools::Tools;
use crate::viewer::actions::{Action, WindowState, refused};
use crate::viewer::document::new_document;
use crate::viewer::session::DocumentRequest;

impl Tools<'_, '_> {
    /// The present state, which decides whether actions are possible.
    pub fn window_state(&self, documents: &[EditedItem]) -> WindowState {
        let edited = item(documents, self.selection.edited());
        let state = WindowState::of(edited.map(|of| &*of.document), documents.len());
        let can_undo_tower = self.scene.tower_tool.is_on && edited.is_some_and(|of| of.towers.can_undo());
        WindowState {
            can_undo: state.can_undo || can_undo_tower,
            is_drawing: self.drawing.is_on(),
            is_on_tour: self.pilot.is_on_tour(),
            is_recording: self.pilot.recorded().is_some(),
            ..state
        }
    }

    /// Performs what has been sent, and reports what is refused.
    pub fn perform_all(&mut self, context: &egui::Context, documents: &mut [EditedItem]) {
        for action in self.actions.take() {
            // Earlier actions may have changed the state.
            let state = self.window_state(documents);
            match refused(&action, &state) {
                // Having nothing more to undo is not a mistake.
                Some(reason) if matches!(action, Action::Undo | Action::Redo) => self.message.report(reason),
                Some(reason) => self.message.error(reason),
                None => self.perform(context, action, documents),
            }
        }
        self.actions.state = self.window_state(documents);
    }

    /// Performs an action that is not refused.
    fn perform(&mut self, context: &egui::Context, action: Action, documents: &mut [EditedItem]) {
        let Some(of) = item_mut(documents, self.selection.edited()) else { return };
        let entity = of.entity;
        match action {
            Action::Panel(tab, to) => self.switch(tab, to),
            Action::Gallery(to) => self.scene.gallery.open = to.of(self.scene.gallery.open),
            Action::Shelf(shelf) => self.scene.gallery.open_at(shelf),
            Action::Plot(kind) => self.plot(kind),
            Action::WritePlot { plot, format, name } => self.windows.files.write_plot(*plot, format, &name),
            Action::Play => self.play(),
            Action::Frame(frames) => self.go_to_frame(frames),
            Action::Levels(to) => self.compare_levels(to),
            Action::Keys(to) => self.state.help = to.of(self.state.help),
            Action::Palette => self.open_palette(of),
            Action::GuidedTour => self.state.welcome.begin(),
            Action::Panels => self.selection.shows_panels = !self.selection.shows_panels,
            Action::CloseAll => self.close_all(),
            Action::Tidy => self.state.is_to_be_tidied = true,
            Action::Theme(theme) => self.choose_theme(theme),
            Action::Quality(quality) => self.choose_quality(quality),
            Action::Section(title) => {
                self.selection.shows_panels = true;
                section::want(context, title);
            }
            Action::Explain(text) => self.message.report(text),

            Action::New => self.open(entity, new_document::landscape()),
            Action::OpenFile => self.windows.files.open(entity),
            Action::OpenRecent(path) => self.open_file(entity, &path),
            Action::Save => self.request(DocumentRequest::Save(entity)),
            Action::SaveAs => self.windows.files.save_as(entity, &of.document),
            Action::Export => {
                let drawn = self.scene.chosen.quality();
                self.windows.export.open(entity, &of.document, drawn);
            }
            Action::Output => self.windows.output.open(entity, &of.document),
            Action::Screenshot => self.windows.screenshots.is_wanted = true,
            Action::Document(request) => self.request(request),
            Action::Preset(preset) => self.open_read(entity, preset.recipe()),
            Action::Lesson(lesson) => self.begin(entity, lesson.lesson()),
            Action::Mistake(mistake) => self.explain(entity, mistake),

            Action::Edit(document) => self.selection.edit(document),
            Action::Copy => self.open_copy(entity, &of.document.recipe),
            Action::OtherSeed => {
                self.open_other_seed(entity, &of.document.recipe);
                self.fly_to_opening_view(of);
            }
            Action::Arrange(sharing) => self.scene.arrangement.sharing = sharing,
            Action::CloseOne => self.request(DocumentRequest::CloseOne(entity)),

            Action::Undo => self.undo(of),
            Action::Redo => drop(of.document.redo()),
            Action::NewSeed => of.document.recipe.seed = recipe::new_seed(),
            Action::Become(recipe) => {
                of.document.settle();
                of.document.recipe = *recipe;
            }
            Action::AddStep(step) => self.add_step(of, *step),
            Action::Paste(place) => self.paste(of, place),
            Action::DrawOnLand => self.draw_on_land(of),
            Action::Hour(hour) => sun::go_to(context, entity, hour, &mut of.document.recipe.sun),
            Action::Weather(forecast) => {
                of.document.recipe.weather = forecast.on(of.document.recipe.weather);
            }
            Action::Season(season) => {
                of.document.settle();
                of.document.recipe.texture = of.document.recipe.texture.in_season(season);
            }
            Action::Widen(times) => self.widen_brush(times),

            Action::Show(view) => self.show_view(documents, view),
            Action::ShowNext(step) => self.show_next(documents, step),
            Action::PutTowers(to) => self.put_towers(documents, to),
            Action::Move(mode) => self.pilot.mode = mode,
            Action::LookAgain => self.look_again(of),
            Action::KeepView => self.keep_view(&mut of.document),
            Action::Bookmark => self.keep_bookmark(&mut of.document),
            Action::Visit(index) => self.visit(&of.document, index),
            Action::GoTo(from, look) => self.pilot.go_to_sight(from.into(), look.into()),
            Action::Nearest => self.scene.nearest.is_wanted = true,
            Action::CancelNearest => self.scene.nearest.cancel(),
            Action::Tour => self.tour(&of.document),
            Action::Record => self.record(&mut of.document),
            Action::Fly(index) => self.fly(&of.document, index),
            Action::MoveWaypoint(place) => self.move_waypoint(&mut of.document, place),
        }
    }

    /// Reports why something could not be done.
    fn report<T>(&mut self, outcome: crate::Result<T>) {
        if let Err(error) = outcome {
            self.message.error(error.to_string());
        }
    }
}
