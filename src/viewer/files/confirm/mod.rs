//! Questions that prevent loss: about unsaved changes, a file that has changed elsewhere, and changes that an
//! earlier window left behind.
//!
//! The user's intention arrives as a [`DocumentRequest`]. It is carried out immediately, or a [`Confirm`]
//! comes first; the panel shows it and sends the [`ConfirmChoice`].

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::WindowCloseRequested;

use super::export::Exporting;
use super::recent::opened_with;
use crate::error::Result;
use crate::plugin::{Quality, TerrainCache};
use crate::recipe::Recipe;
use crate::viewer::document::autosave::{Autosave, KeptDocument, Left, ago, find_left};
use crate::viewer::document::lesson::{CurrentLesson, GivenLesson};
use crate::viewer::document::{Document, Saved, Unsaved};
use crate::viewer::session::status_message::Message as StatusMessage;
use crate::viewer::session::{DocumentRequest, Landscapes, MAX_LANDSCAPES, Selection};
use crate::viewer::views::landscapes::{NotYetSeen, close_landscape, spawn_landscape};
use crate::viewer::views::quality::QualitySetting;

/// Asks before anything is lost.
pub(crate) struct ConfirmPlugin {
    /// The folder in which windows leave unsaved changes behind, if there is one.
    pub left_in: Option<PathBuf>,
}

impl Plugin for ConfirmPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Confirmation>()
            .init_resource::<Landscapes>()
            .add_message::<WindowCloseRequested>()
            .add_message::<DocumentRequest>()
            .add_message::<ConfirmChoice>()
            // The answer comes first, because it may make way for wishes that arrive in the same frame.
            .add_systems(Update, (answer, hear, proceed).chain());
        if let Some(root) = self.left_in.clone() {
            let look = move |confirmation: ResMut<Confirmation>, message: ResMut<StatusMessage>| {
                look_for_left(&root, confirmation, message)
            };
            app.add_systems(Startup, look);
        }
    }
}

/// A question that the user must answer before something that may lose work.
#[derive(Debug)]
pub(crate) enum Confirm {
    /// Should the changes of `documents` be saved before the request is granted?
    Unsaved {
        /// The user's wish.
        request: DocumentRequest,
        /// The documents with changes.
        documents: Vec<Entity>,
    },
    /// The file of `document` has been changed elsewhere: should it be replaced?
    ChangedElsewhere {
        /// The document that is to be saved.
        document: Entity,
        /// Its file.
        path: PathBuf,
        /// A new file to save to instead.
        beside: PathBuf,
        /// The wish to grant once it is saved.
        then: Option<DocumentRequest>,
    },
    /// A picture or a film is being drawn to this path, and closing the window would cancel it: should the
    /// window be closed?
    Drawing(PathBuf),
    /// An earlier window left changes behind: should they be restored?
    Left(Vec<String>),
}

/// The user's answer.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConfirmChoice {
    /// Save the changes, then proceed.
    Save,
    /// Discard the changes and proceed.
    Discard,
    /// Save to another file.
    SaveBeside,
    /// Replace the file.
    Overwrite,
    /// Close the window once drawing is finished.
    Wait,
    /// Restore the changes that were left behind.
    Restore,
    /// Do nothing; changes left behind are offered again at the next start.
    Cancel,
}

/// The current question, and what waits for its answer.
#[derive(Resource, Default)]
pub(crate) struct Confirmation {
    /// The question that is shown.
    pub open: Option<Confirm>,
    waiting: VecDeque<DocumentRequest>,
    left: Vec<Left>,
}

/// Everything that granting a wish may change.
#[derive(SystemParam)]
pub(crate) struct ConfirmParams<'w, 's> {
    commands: Commands<'w, 's>,
    landscapes: Res<'w, Landscapes>,
    documents: Query<'w, 's, &'static mut Document>,
    confirmation: ResMut<'w, Confirmation>,
    message: ResMut<'w, StatusMessage>,
    autosave: Res<'w, Autosave>,
    exit: MessageWriter<'w, AppExit>,
    chosen: Option<Res<'w, QualitySetting>>,
    cache: Option<Res<'w, TerrainCache>>,
    selection: Option<ResMut<'w, Selection>>,
    exporting: Option<ResMut<'w, Exporting>>,
}

fn look_for_left(root: &Path, mut confirmation: ResMut<Confirmation>, mut message: ResMut<StatusMessage>) {
    let (left, notes) = find_left(root);
    if !notes.is_empty() {
        message.error(notes.join("\n"));
    }
    let changes = left.iter().flat_map(|left| &left.changes);
    let lines: Vec<String> =
        changes.map(|change| format!("{}, {}", name_of(&change.unsaved), ago(change.age))).collect();
    confirmation.left = left;
    if !lines.is_empty() {
        confirmation.open = Some(Confirm::Left(lines));
    }
}

/// A landscape's name, with that of its file.
fn name_of(unsaved: &Unsaved) -> String {
    let file = unsaved.path.as_ref().and_then(|path| path.file_name());
    let file = file.map(|file| format!(" ({})", file.to_string_lossy()));
    format!("{}{}", unsaved.recipe.name, file.unwrap_or_default())
}

/// Receives the user's requests.
fn hear(
    mut closed: MessageReader<WindowCloseRequested>,
    mut requests: MessageReader<DocumentRequest>,
    mut confirmation: ResMut<Confirmation>,
) {
    let closed = closed.read().map(|_| DocumentRequest::Close).last();
    for request in requests.read().cloned().chain(closed) {
        match (&request, &confirmation.open) {
            // A second request to close the window changes nothing while the first is pending.
            (
                DocumentRequest::Close,
                Some(Confirm::Unsaved { request: DocumentRequest::Close, .. } | Confirm::Drawing(_)),
            ) => {}
            // Closing has priority; changes left behind are offered again at the next start.
            (DocumentRequest::Close, Some(Confirm::Left(_))) => {
                confirmation.open = None;
                confirmation.left.clear();
                confirmation.waiting.push_back(request);
            }
            _ => confirmation.waiting.push_back(request),
        }
    }
}

/// Grants requests until one needs a question.
fn proceed(mut world: ConfirmParams) {
    while world.confirmation.open.is_none()
        && let Some(request) = world.confirmation.waiting.pop_front()
    {
        world.consider(request);
    }
}

/// Carries out the user's answer.
fn answer(mut answers: MessageReader<ConfirmChoice>, mut world: ConfirmParams) {
    for answer in answers.read() {
        if let Some(question) = world.confirmation.open.take() {
            world.answered(question, *answer);
        }
    }
}

impl ConfirmParams<'_, '_> {
    /// Grants a request if that loses nothing; otherwise asks first.
    fn consider(&mut self, request: DocumentRequest) {
        if let DocumentRequest::Save(document) = request {
            self.save(document, None);
            return;
        }
        if let DocumentRequest::SaveAs { document, path } = request {
            self.write(document, None, |document| {
                document.recipe.check()?;
                document.write(path)
            });
            return;
        }
        match self.drawn().filter(|_| matches!(request, DocumentRequest::Close)) {
            Some(path) => self.confirmation.open = Some(Confirm::Drawing(path)),
            None => self.ask_of_changes(request),
        }
    }

    /// The file that is being drawn and would not be finished.
    fn drawn(&self) -> Option<PathBuf> {
        self.exporting.as_ref()?.unfinished().map(Path::to_owned)
    }

    /// Grants a request unless that loses changes; asks in that case.
    fn ask_of_changes(&mut self, request: DocumentRequest) {
        let documents = self.changed(&request);
        if documents.is_empty() {
            self.grant(request);
        } else {
            self.confirmation.open = Some(Confirm::Unsaved { request, documents });
        }
    }

    /// Closes the window once drawing is finished, which may be the case already.
    fn wait_for_drawing(&mut self) {
        match &mut self.exporting {
            Some(exporting) if exporting.unfinished().is_some() => {
                exporting.closes = true;
                self.message.report("The window will close when drawing is finished");
            }
            _ => self.ask_of_changes(DocumentRequest::Close),
        }
    }

    /// The documents that would lose changes, in order from the left.
    fn changed(&self, request: &DocumentRequest) -> Vec<Entity> {
        let loses = |entity| match request {
            DocumentRequest::Close => true,
            DocumentRequest::Show { document, .. }
            | DocumentRequest::Learn { document, .. }
            | DocumentRequest::CloseOne(document) => *document == entity,
            DocumentRequest::Save(_)
            | DocumentRequest::SaveAs { .. }
            | DocumentRequest::Beside(_)
            | DocumentRequest::Copy { .. } => false,
            // Its land is shown by another request, which asks.
            #[cfg(feature = "world")]
            DocumentRequest::OpenPlan { .. } => false,
        };
        let is_unsaved = |entity| self.documents.get(entity).is_ok_and(Document::is_unsaved);
        self.landscapes.iter().filter(|entity| loses(*entity) && is_unsaved(*entity)).collect()
    }

    fn answered(&mut self, question: Confirm, answer: ConfirmChoice) {
        match (question, answer) {
            (Confirm::Unsaved { request, .. }, ConfirmChoice::Save) => self.save_all(request),
            (Confirm::Unsaved { request, .. }, ConfirmChoice::Discard) => self.grant(request),
            (Confirm::ChangedElsewhere { document, then, .. }, ConfirmChoice::Overwrite) => {
                self.write(document, then, Document::save_over);
            }
            (Confirm::ChangedElsewhere { document, beside, then, .. }, ConfirmChoice::SaveBeside) => {
                self.write(document, then, |document| document.write(beside));
            }
            (Confirm::Drawing(_), ConfirmChoice::Wait) => self.wait_for_drawing(),
            (Confirm::Drawing(_), ConfirmChoice::Discard) => self.ask_of_changes(DocumentRequest::Close),
            (Confirm::Left(_), ConfirmChoice::Restore) => self.restore(),
            (Confirm::Left(_), ConfirmChoice::Discard) => {
                let left = std::mem::take(&mut self.confirmation.left);
                left.into_iter().for_each(|left| self.autosave.remove(left));
            }
            // Dropping them releases their locks, so that they are offered again.
            (Confirm::Left(_), _) => self.confirmation.left.clear(),
            (Confirm::Unsaved { .. } | Confirm::ChangedElsewhere { .. } | Confirm::Drawing(_), _) => {}
        }
    }

    /// Saves everything that a request would lose, then grants the wish.
    fn save_all(&mut self, request: DocumentRequest) {
        match self.changed(&request).first() {
            Some(&document) => self.save(document, Some(request)),
            None => self.grant(request),
        }
    }

    /// Saves a document, or asks how. A request that is waiting for this is granted once everything is saved,
    /// and dropped if saving fails.
    fn save(&mut self, document: Entity, then: Option<DocumentRequest>) {
        let Ok(mut opened) = self.documents.get_mut(document) else { return };
        match opened.save().and_then(|saved| Ok((saved, opened.new_path()?))) {
            Ok((Saved::To(path), _)) => {
                let moved = opened.moved_paths();
                self.saved(&path, moved, then);
            }
            Ok((Saved::ChangedElsewhere(path), beside)) => {
                self.confirmation.open = Some(Confirm::ChangedElsewhere { document, path, beside, then });
            }
            Err(error) => self.message.error(error.to_string()),
        }
    }

    fn write(
        &mut self,
        document: Entity,
        then: Option<DocumentRequest>,
        write: impl FnOnce(&mut Document) -> Result<PathBuf>,
    ) {
        let Ok(mut opened) = self.documents.get_mut(document) else { return };
        match write(&mut opened) {
            Ok(path) => {
                let moved = opened.moved_paths();
                self.saved(&path, moved, then);
            }
            Err(error) => self.message.error(error.to_string()),
        }
    }

    fn saved(&mut self, path: &Path, moved: usize, then: Option<DocumentRequest>) {
        self.message.report_file("Saved", path);
        match moved {
            0 => {}
            1 => self.message.text += "; one path in it was rewritten to point to the same file from there",
            _ => {
                self.message.text +=
                    &format!("; {moved} paths in it were rewritten to point to the same files from there")
            }
        }
        if let Some(request) = then {
            self.save_all(request);
        }
    }

    /// Carries out a request.
    fn grant(&mut self, request: DocumentRequest) {
        match request {
            DocumentRequest::Close => {
                self.autosave.forget_all();
                self.exit.write(AppExit::Success);
            }
            DocumentRequest::CloseOne(document) => {
                self.commands.queue(move |world: &mut World| close_landscape(world, document));
            }
            DocumentRequest::Show { document, recipe, path } => {
                let Ok(mut opened) = self.documents.get_mut(document) else { return };
                if let Some(path) = &path {
                    self.message.report(opened_with(path, &recipe));
                }
                if is_seen_elsewhere(&recipe, &opened.recipe) {
                    self.commands.entity(document).try_insert(NotYetSeen);
                }
                opened.show(*recipe, path);
            }
            DocumentRequest::Learn { document, lesson, path } => {
                // Only one lesson can be in progress.
                self.documents.iter_mut().for_each(|mut other| other.end_lesson());
                let Ok(mut opened) = self.documents.get_mut(document) else { return };
                if let Some(path) = &path {
                    self.message.report(format!("Opened {}", path.display()));
                }
                self.commands.entity(document).try_insert(NotYetSeen);
                opened.show_lesson(lesson.recipe.clone());
                self.commands.insert_resource(CurrentLesson(Some(GivenLesson::new(*lesson, path))));
                // The lesson may have been dropped on a landscape other than the edited one.
                if let Some(selection) = &mut self.selection {
                    selection.turn_to(document);
                }
            }
            #[cfg(feature = "world")]
            DocumentRequest::OpenPlan { document, place } => {
                self.commands.queue(move |world: &mut World| super::plans::begin(world, document, place));
            }
            DocumentRequest::Beside(recipe) => self.open_beside(Document::new(*recipe, None), false),
            DocumentRequest::Copy { document, recipe } => {
                let Ok(of) = self.documents.get(document) else { return };
                let copy = Document::copy_of(of, *recipe);
                // The user wants to change the copy, while the original stays as it was.
                self.open_beside(copy, true);
            }
            DocumentRequest::Save(_) | DocumentRequest::SaveAs { .. } => {}
        }
    }

    /// Opens a document next to the others, if there is room for it. The panel then edits it, if `is_edited`.
    fn open_beside(&mut self, document: Document, is_edited: bool) {
        if self.landscapes.len() >= MAX_LANDSCAPES {
            let reason = format!("At most {MAX_LANDSCAPES} landscapes can be shown; close one first");
            return self.message.error(reason);
        }
        let quality = self.chosen.as_ref().map_or(Quality::High, |chosen| chosen.quality());
        let cache = self.cache.as_deref().cloned().unwrap_or_default().0;
        let opened = spawn_landscape(&mut self.commands, &cache, document, quality);
        if is_edited && let Some(selection) = &mut self.selection {
            selection.turn_to(opened);
        }
    }

    /// Opens the changes that were left behind: in the document of the same file, in one without changes, or
    /// next to the others.
    fn restore(&mut self) {
        let quality = self.chosen.as_ref().map_or(Quality::High, |chosen| chosen.quality());
        let cache = self.cache.as_deref().cloned().unwrap_or_default().0;
        let mut count = self.landscapes.len();
        let mut taken: Vec<Entity> = Vec::new();
        let mut without_place = 0;
        for mut left in std::mem::take(&mut self.confirmation.left) {
            let mut restored = Vec::new();
            left.changes.retain(|change| {
                let unsaved = change.unsaved.clone();
                if let Some(document) = place_for(&unsaved, &self.landscapes, &self.documents, &taken)
                    && let Some(index) = self.landscapes.index_of(document)
                    && let Ok(mut opened) = self.documents.get_mut(document)
                {
                    taken.push(document);
                    restored.push((KeptDocument { document, index }, unsaved.clone()));
                    opened.restore(unsaved);
                } else if count < MAX_LANDSCAPES {
                    let restoring = Document::restored(unsaved.clone());
                    let document = spawn_landscape(&mut self.commands, &cache, restoring, quality);
                    restored.push((KeptDocument { document, index: count }, unsaved));
                    count += 1;
                } else {
                    without_place += 1;
                    return false;
                }
                true
            });
            self.autosave.take_over(restored, left);
        }
        if without_place > 0 {
            self.message.error(format!(
                "There is no room for {without_place} more; they will be offered again at the next start"
            ));
        }
    }
}

/// Why no other landscape can be opened next to this many.
pub(crate) fn no_place(landscapes: usize) -> Option<String> {
    (landscapes >= MAX_LANDSCAPES)
        .then(|| format!("{MAX_LANDSCAPES} landscapes are shown already; there is no place for another"))
}

/// Whether a land needs another view than the previous one. If size and opening view are the same, the camera
/// stays, because it may be the same land made differently.
fn is_seen_elsewhere(recipe: &Recipe, before: &Recipe) -> bool {
    let place = |recipe: &Recipe| (recipe.view, recipe.size, recipe.cell, recipe.unit);
    place(recipe) != place(before)
}

/// The document into which changes are restored: the one of the same file, otherwise the first without a file
/// and without changes.
fn place_for(
    unsaved: &Unsaved,
    landscapes: &Landscapes,
    documents: &Query<&mut Document>,
    taken: &[Entity],
) -> Option<Entity> {
    let free = landscapes.iter().filter(|entity| !taken.contains(entity)).filter_map(|entity| {
        let document = documents.get(entity).ok()?;
        let is_same = unsaved.path.is_some() && document.absolute_path() == unsaved.path;
        let has_no_file = document.path().is_none();
        (!document.is_unsaved() && (is_same || has_no_file)).then_some((entity, has_no_file))
    });
    // The first of several that are equal.
    free.min_by_key(|(_, has_no_file)| *has_no_file).map(|(entity, _)| entity)
}
