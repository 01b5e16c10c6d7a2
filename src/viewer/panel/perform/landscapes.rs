//! Opening and closing landscapes.

use std::path::Path;

use bevy::prelude::Entity;

use crate::Result;
use crate::lessons::{Lesson, Mistake};
use crate::recipe::Recipe;
use crate::viewer::document::display_names::COPY;
use crate::viewer::files::recent::request_to_open;
use crate::viewer::panel::tools::Tools;
use crate::viewer::session::DocumentRequest;

impl Tools<'_, '_> {
    pub(super) fn request(&mut self, request: DocumentRequest) {
        self.requests.write(request);
    }

    /// Opens a landscape in place of a document.
    pub(super) fn open(&mut self, document: Entity, recipe: Recipe) {
        self.request(DocumentRequest::Show { document, recipe: Box::new(recipe), path: None });
    }

    /// Opens a landscape that could be read, in place of a document.
    pub(super) fn open_read(&mut self, document: Entity, recipe: Result<Recipe>) {
        match recipe {
            Ok(recipe) => self.open(document, recipe),
            Err(error) => self.message.error(error.to_string()),
        }
    }

    /// Opens a file in place of a document.
    pub(super) fn open_file(&mut self, document: Entity, path: &Path) {
        match request_to_open(document, path) {
            Ok(request) => self.request(request),
            Err(error) => self.message.error(error.to_string()),
        }
    }

    /// Begins a lesson in place of a document.
    pub(super) fn begin(&mut self, document: Entity, lesson: Result<Lesson>) {
        match lesson {
            Ok(lesson) => {
                self.request(DocumentRequest::Learn { document, lesson: Box::new(lesson), path: None });
            }
            Err(error) => self.message.error(error.to_string()),
        }
    }

    /// Opens the window about a mistake, with the land that has it.
    pub(super) fn explain(&mut self, document: Entity, mistake: &'static Mistake) {
        let wrong = self.windows.mistake.open(mistake);
        self.open_read(document, wrong);
    }

    /// Opens a copy of a document next to it.
    pub(super) fn open_copy(&mut self, document: Entity, recipe: &Recipe) {
        let mut copy = recipe.clone();
        copy.name += COPY;
        self.request(DocumentRequest::Copy { document, recipe: Box::new(copy) });
    }

    /// Opens the same land with the next seed next to a document. It keeps the name, which is shown with the
    /// seed.
    pub(super) fn open_other_seed(&mut self, document: Entity, recipe: &Recipe) {
        let mut copy = recipe.clone();
        copy.seed = copy.seed.wrapping_add(1);
        self.request(DocumentRequest::Copy { document, recipe: Box::new(copy) });
    }
}
