//! What commands of the palette do.

use bevy::prelude::*;
use bevy_egui::egui;

use super::super::question::Wish;
use super::super::scene;
use super::dock::Tab;
use super::palette::Command;
use super::tools::Tools;
use super::{EditedItem, Windows, gallery, mistake, recipe, section, show, steps};
use crate::lessons::Mistake;
use crate::recipe::Recipe;

impl Tools<'_, '_> {
    /// Does what a command says.
    pub fn carry_out(&mut self, context: &egui::Context, command: Command, documents: &mut [EditedItem]) {
        let edited = self.state.edited;
        if let Command::Show(shown) = command {
            show::show_on(documents, edited, shown, &mut self.scene.viewed);
            return;
        }
        let Some(EditedItem { entity, document, ground, stack, .. }) = documents.get_mut(edited) else {
            return;
        };
        let entity = *entity;
        match command {
            Command::Gallery => self.scene.gallery.open = true,
            Command::LookInside => self.set_open(Tab::Inside, true),
            Command::Watch => self.set_open(Tab::Watch, true),
            Command::Probe => self.set_open(Tab::Probe, true),
            Command::Sculpt => self.set_open(Tab::Sculpt, true),
            Command::Levels => self.scene.comparison.document = Some(edited),
            Command::Export => self.windows.export.open(entity, document),
            Command::Mistake(mistake) => self.explain(entity, mistake),
            Command::Copy => drop(self.wishes.write(Wish::Beside(Box::new(document.recipe.clone())))),
            Command::Arrange(sharing) => self.scene.arrangement.sharing = sharing,
            Command::Difference => self.set_open(Tab::Difference, true),
            Command::CloseOne => drop(self.wishes.write(Wish::CloseOne(entity))),
            Command::Times => self.toggle(Tab::Times),
            Command::Keys => self.state.help = true,
            Command::Panels => self.state.open = !self.state.open,
            Command::Section(title) => {
                self.state.open = true;
                section::want(context, title);
            }
            Command::CloseAll => self.close_all(),
            Command::Tidy => self.state.is_tidied = true,
            Command::Theme(theme) => self.choose_theme(theme),
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
        let lesson = command.lesson().map(|lesson| {
            lesson.map(|lesson| Wish::Learn { document, lesson: Box::new(lesson), path: None })
        });
        match recipe.or(lesson) {
            Some(Ok(wish)) => drop(self.wishes.write(wish)),
            Some(Err(error)) => self.message.error(error.to_string()),
            None => {}
        }
    }

    /// Closes whatever is open beside the editor, and shows the land as it is.
    fn close_all(&mut self) {
        for tab in Tab::PANELS {
            self.set_open(tab, false);
        }
        let Windows { export, mistake, files, .. } = &mut self.windows;
        **export = Default::default();
        **mistake = Default::default();
        **files = Default::default();
        (self.scene.gallery.open, self.state.help) = (false, false);
        self.scene.comparison.document = None;
        self.scene.putting.is_on = false;
    }

    /// Draws the gallery, and does what was chosen there.
    pub fn choose_from_gallery(&mut self, context: &egui::Context, of: &mut EditedItem, has_place: bool) {
        let document = of.entity;
        let chosen = gallery::show(context, &mut self.scene.gallery, &of.document.recipe, has_place);
        match chosen {
            Some(gallery::Chosen::Open(recipe)) => self.open(document, recipe),
            Some(gallery::Chosen::Beside(recipe)) => {
                self.wishes.write(Wish::Beside(Box::new(recipe)));
            }
            Some(gallery::Chosen::Become(recipe)) => {
                of.document.settle();
                of.document.recipe = recipe;
            }
            Some(gallery::Chosen::Explain(mistake)) => self.explain(document, mistake),
            Some(gallery::Chosen::Learn(lesson)) => {
                self.wishes.write(Wish::Learn { document, lesson: Box::new(lesson), path: None });
            }
            None => {}
        }
    }

    /// Draws the mistake that is explained, and shows its lands when they are asked for.
    pub fn explain_mistake(&mut self, context: &egui::Context, of: &EditedItem, has_place: bool) {
        match mistake::show(context, &mut self.windows.mistake, &of.document.recipe, has_place) {
            Some(mistake::Asked::Show(recipe)) => self.open(of.entity, recipe),
            Some(mistake::Asked::Beside(recipe)) => {
                self.wishes.write(Wish::Beside(Box::new(recipe)));
            }
            None => {}
        }
    }

    /// Opens the window about a mistake, with the land that has it.
    fn explain(&mut self, document: Entity, mistake: &'static Mistake) {
        match self.windows.mistake.open(mistake) {
            Ok(wrong) => self.open(document, wrong),
            Err(error) => self.message.error(error.to_string()),
        }
    }

    /// Opens a landscape in place of a document.
    fn open(&mut self, document: Entity, recipe: Recipe) {
        self.wishes.write(Wish::Show { document, recipe: Box::new(recipe), path: None });
    }
}
