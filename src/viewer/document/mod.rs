//! A document: a recipe that is open in the viewer, its history and its file.

pub(crate) mod autosave;
pub(crate) mod display_names;
pub(crate) mod history;
pub(crate) mod lesson;
pub(crate) mod links;
mod name;
pub(crate) mod new_document;
mod origin;
pub(crate) mod revision;
#[cfg(test)]
mod tests;

pub use name::free_name;
pub(super) use origin::Unsaved;

use std::path::{Path, PathBuf};

use bevy::prelude::*;

use crate::error::{Error, Result};
use crate::files::replace_file;
use crate::files::{self, FileKind};
use crate::recipe::{Recipe, StrokesRead};

use name::free_name_in;
use origin::{RecipeOrigin, commented, mark, mark_of_file, marks_of_strokes};
use revision::Revision;

/// The maximum number of changes that can be undone.
const HISTORY: usize = 200;

/// A recipe that is open, on the entity of the terrain that shows it.
#[derive(Component, Clone, Debug)]
pub struct Document {
    /// The recipe as it is being edited.
    pub recipe: Recipe,
    /// `recipe` as of the last count of revisions.
    revision: Revision,
    /// The files and presets that have been open here, in order.
    origins: Vec<RecipeOrigin>,
    /// Index of the origin of `recipe`.
    origin: usize,
    /// The state after the last completed change.
    settled: State,
    undo: Vec<State>,
    redo: Vec<State>,
    /// The number of paths that the last save rewrote, because the recipe moved to another folder.
    moved: usize,
}

/// A state in the history.
#[derive(Clone, Debug, PartialEq)]
struct State {
    recipe: Recipe,
    origin: usize,
    /// How it differs from the state before it, in words.
    label: String,
}

/// The result of saving.
#[derive(Debug, PartialEq)]
pub(super) enum Saved {
    /// It is in this file.
    To(PathBuf),
    /// Nothing was written: the file has changed since it was read.
    ChangedElsewhere(PathBuf),
}

/// The result of rereading a changed file.
#[derive(Debug, PartialEq)]
pub(super) enum Reread {
    /// The new content is shown.
    Shown,
    /// It is not shown, because of unsaved changes here.
    Kept,
}

impl Document {
    /// A document of `recipe`, which came from `path`.
    pub fn new(recipe: Recipe, path: Option<PathBuf>) -> Self {
        Self::of(RecipeOrigin::new(&recipe, path), recipe)
    }

    /// A document in place of a file that could not be read, with the reason. If it is a recipe, it is shown
    /// once it can be read.
    pub fn unread_file(path: &Path, reason: impl Into<String>) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut document = Self::new(Recipe::new(name, (2, 2), 1.0), Some(path.to_owned()));
        let origin = document.origin_mut();
        // The file's content is unknown, so saving must ask before it replaces the file.
        (origin.mark, origin.unread) = (None, Some(reason.into()));
        document
    }

    /// Why the document's file could not be read; `None` if it could.
    pub fn unread(&self) -> Option<&str> {
        self.origin().unread.as_deref()
    }

    /// A document of a copy of what is open in `other`. Saving puts it into the same folder.
    pub(super) fn copy_of(other: &Self, copy: Recipe) -> Self {
        let (commented, folder) = (other.origin().commented.clone(), other.folder());
        Self::of(RecipeOrigin { commented, folder, ..RecipeOrigin::new(&copy, None) }, copy)
    }

    /// The folder of its file, or the folder for a new file.
    fn folder(&self) -> PathBuf {
        let RecipeOrigin { path, folder, .. } = self.origin();
        path.as_deref().and_then(Path::parent).unwrap_or(folder).to_owned()
    }

    /// A document of a lesson's land. Its changes count as unsaved only after
    /// [`end_lesson`](Self::end_lesson).
    pub(super) fn of_lesson(recipe: Recipe) -> Self {
        Self::of(RecipeOrigin::of_lesson(&recipe), recipe)
    }

    fn of(origin: RecipeOrigin, recipe: Recipe) -> Self {
        Self {
            settled: State { recipe: recipe.clone(), origin: 0, label: "as it was opened".to_owned() },
            revision: Revision::new(&recipe),
            recipe,
            origins: vec![origin],
            origin: 0,
            undo: Vec::new(),
            redo: Vec::new(),
            moved: 0,
        }
    }

    /// The number of paths of files that the last save rewrote, because they would have meant other files in
    /// the new folder.
    pub(super) fn moved_paths(&self) -> usize {
        self.moved
    }

    /// The recipe as of the end of the last frame, with numbers that show whether it has changed.
    pub(super) fn revision(&self) -> &Revision {
        &self.revision
    }

    /// The file that it came from or was saved to.
    pub fn path(&self) -> Option<&Path> {
        self.origin().path.as_deref()
    }

    /// Which of the landscapes that have been open here it shows, in the order in which they were opened.
    pub(super) fn origin_number(&self) -> usize {
        self.origin
    }

    fn origin(&self) -> &RecipeOrigin {
        &self.origins[self.origin]
    }

    fn origin_mut(&mut self) -> &mut RecipeOrigin {
        &mut self.origins[self.origin]
    }

    /// Makes the changes since the last call one step that can be undone.
    pub fn settle(&mut self) {
        if self.is_settled() {
            return;
        }
        let label = if self.origin == self.settled.origin {
            self.recipe.changed_from(&self.settled.recipe)
        } else {
            format!("opened {}", self.recipe.name)
        };
        self.settle_as(label);
    }

    /// Makes a change that is one step by itself. The caller names it, because its result doesn't reveal
    /// everything: when two things were exchanged, for example, which one was moved.
    pub(super) fn change_as(&mut self, label: String, change: impl FnOnce(&mut Recipe)) {
        self.settle();
        change(&mut self.recipe);
        if !self.is_settled() {
            self.settle_as(label);
        }
    }

    /// Whether all changes are in the history.
    pub(super) fn is_settled(&self) -> bool {
        self.recipe == self.settled.recipe && self.origin == self.settled.origin
    }

    fn settle_as(&mut self, label: String) {
        let now = State { recipe: self.recipe.clone(), origin: self.origin, label };
        self.undo.push(std::mem::replace(&mut self.settled, now));
        if self.undo.len() > HISTORY {
            self.undo.remove(0);
        }
        self.redo.clear();
    }

    /// Opens `recipe`, which came from `path`, instead of the present one. Undoing that brings back the
    /// present one and its file.
    pub fn show(&mut self, recipe: Recipe, path: Option<PathBuf>) {
        self.show_of(RecipeOrigin::new(&recipe, path), recipe);
    }

    /// Opens a lesson's land. Its changes count as unsaved only after [`end_lesson`](Self::end_lesson).
    pub(super) fn show_lesson(&mut self, recipe: Recipe) {
        self.show_of(RecipeOrigin::of_lesson(&recipe), recipe);
    }

    /// Whether the land is that of a lesson.
    pub(super) fn is_in_lesson(&self) -> bool {
        self.origin().is_lesson
    }

    /// From now on, changes count as the user's own.
    pub(super) fn end_lesson(&mut self) {
        let now = Some(self.recipe.clone());
        if self.origin().is_lesson {
            self.origin_mut().saved = now;
        }
        self.origins.iter_mut().for_each(|origin| origin.is_lesson = false);
    }

    fn show_of(&mut self, origin: RecipeOrigin, recipe: Recipe) {
        self.settle();
        self.origins.push(origin);
        self.origin = self.origins.len() - 1;
        self.recipe = recipe;
        self.settle();
    }

    /// Restores changes that were never saved. If their file is open here, they become one more change;
    /// otherwise they replace what is open.
    pub(super) fn restore(&mut self, unsaved: Unsaved) {
        if unsaved.path.is_some() && unsaved.path.as_deref() == self.absolute_path().as_deref() {
            self.settle();
            self.recipe = unsaved.recipe;
            self.settle();
            // Saving compares the file with its state when it was edited, rather than with its present one.
            self.origin_mut().mark = unsaved.mark;
            return;
        }
        let (origin, recipe) = unsaved.into_origin();
        self.show_of(origin, recipe);
    }

    /// A document of changes that were never saved.
    pub(super) fn restored(unsaved: Unsaved) -> Self {
        let (origin, recipe) = unsaved.into_origin();
        Self::of(origin, recipe)
    }

    /// What would be lost if the program ended now; `None` if nothing.
    pub(super) fn unsaved(&self) -> Option<Unsaved> {
        let (recipe, path, mark) = (self.recipe.clone(), self.absolute_path(), self.origin().mark);
        let folder = std::path::absolute(self.folder().join(".")).unwrap_or_default();
        self.is_unsaved().then_some(Unsaved { recipe, path, folder, mark })
    }

    /// The absolute path of its file.
    pub(super) fn absolute_path(&self) -> Option<PathBuf> {
        self.path().and_then(|path| std::path::absolute(path).ok())
    }

    /// Undoes the last change; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        self.settle();
        let Some(earlier) = self.undo.pop() else { return false };
        self.redo.push(std::mem::replace(&mut self.settled, earlier.clone()));
        (self.recipe, self.origin) = (earlier.recipe, earlier.origin);
        true
    }

    /// Redoes the last undone change; `false` if there is none, or if another change has been made since.
    pub fn redo(&mut self) -> bool {
        // Otherwise a change in progress would be lost.
        self.settle();
        let Some(later) = self.redo.pop() else { return false };
        self.undo.push(std::mem::replace(&mut self.settled, later.clone()));
        (self.recipe, self.origin) = (later.recipe, later.origin);
        true
    }

    /// Descriptions of all states, from the first that undoing can reach to the last that redoing can reach,
    /// and the index of the present one. A change in progress is not among them yet.
    pub(super) fn history(&self) -> (Vec<&str>, usize) {
        let all = self.undo.iter().chain([&self.settled]).chain(self.redo.iter().rev());
        (all.map(|state| &*state.label).collect(), self.undo.len())
    }

    /// Undoes or redoes until the state with this index in the history is the present one.
    pub(super) fn go_to(&mut self, index: usize) {
        self.settle();
        while self.undo.len() > index && self.undo() {}
        while self.undo.len() < index && self.redo() {}
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty() || self.recipe != self.settled.recipe
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty() && self.is_settled()
    }

    /// Whether closing would lose anything, because the recipe differs from its file or preset. It is not
    /// called `is_changed`, because in a query Bevy's method of that name, which means something else, would
    /// be called.
    pub fn is_unsaved(&self) -> bool {
        let origin = self.origin();
        !origin.is_lesson && origin.saved.as_ref() != Some(&self.recipe)
    }

    /// Reads the file again if it has changed. Returns `None` if there is nothing to do; on an error the
    /// recipe stays.
    pub(super) fn reread(&mut self) -> Option<Result<Reread>> {
        let path = self.path()?.to_owned();
        let now = files::changed(&path)?;
        // Shows the new content once the changes here have been undone.
        let is_free = self.origin().is_behind && !self.is_unsaved();
        if self.origin().modified == Some(now) && !is_free {
            return None;
        }
        self.origin_mut().modified = Some(now);
        self.origin_mut().is_behind = false;
        let bytes = match files::read(&path, FileKind::Recipe) {
            Ok(bytes) => bytes,
            Err(error) => return Some(Err(error)),
        };
        let mark = mark(&bytes);
        if self.origin().mark == Some(mark) {
            return None;
        }
        if self.is_unsaved() {
            self.origin_mut().is_behind = true;
            return Some(Ok(Reread::Kept));
        }
        let text = commented(&bytes);
        Some(Recipe::from_file(bytes, &path).map(|recipe| {
            let origin = self.origin_mut();
            (origin.mark, origin.saved, origin.unread) = (Some(mark), Some(recipe.clone()), None);
            (origin.strokes, origin.commented) = (marks_of_strokes(&recipe), text);
            self.recipe = recipe;
            self.settle();
            Reread::Shown
        }))
    }

    /// Writes the recipe to its file, unless the file has changed since it was read. Without a file it
    /// creates `NAME.ron` in the current folder, under a name that isn't taken.
    ///
    /// # Errors
    /// When the recipe has a value that could not be read again, or the file cannot be written.
    pub(super) fn save(&mut self) -> Result<Saved> {
        self.recipe.check()?;
        let Some(path) = self.path().map(Path::to_owned) else {
            return self.write(self.new_path()?).map(Saved::To);
        };
        // A file that was deleted has no content to lose.
        let is_there = std::fs::symlink_metadata(&path).is_ok();
        let is_known = self.unread().is_none() && mark_of_file(&path, FileKind::Recipe) == self.origin().mark;
        if is_there && !is_known {
            return Ok(Saved::ChangedElsewhere(path));
        }
        // Another window may have sculpted the same land.
        let of_strokes =
            if self.recipe.held_strokes()?.is_empty() { &[][..] } else { &self.origin().strokes };
        let now = |path: &Path| mark_of_file(path, FileKind::Strokes);
        if let Some((changed, _)) =
            of_strokes.iter().find(|(path, mark)| now(path).is_some_and(|now| now != *mark))
        {
            return Ok(Saved::ChangedElsewhere(changed.clone()));
        }
        self.write(path).map(Saved::To)
    }

    /// Writes the recipe to its file without checking whether that has changed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn save_over(&mut self) -> Result<PathBuf> {
        let path = match self.path() {
            Some(path) => path.to_owned(),
            None => self.new_path()?,
        };
        self.write(path)
    }

    /// Writes the recipe to `path`, which becomes its file. Keeps the comments of that file, or of the
    /// recipe's origin. Rewrites relative paths so that they mean the same files in another folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn write(&mut self, path: PathBuf) -> Result<PathBuf> {
        self.settle();
        // Works on a copy, so that a failure changes nothing here.
        let mut recipe = self.recipe.clone();
        let is_own = self.path() == Some(&*path);
        let origin = self.origin;
        let own_states = |state: &&mut State| state.origin == origin;
        if !is_own || !recipe.held_strokes()?.is_empty() {
            // Undoing must bring back the strokes of that time, even if their files change later, so earlier
            // states keep them in memory.
            let mut read = StrokesRead::default();
            for state in self.undo.iter_mut().chain(&mut self.redo).filter(own_states) {
                state.recipe.hold_strokes_on_disk(&mut read);
            }
        }
        // Strokes are written first: a recipe must not name a file that doesn't exist.
        recipe.write_strokes(&path, self.origin().saved.as_ref().filter(|_| is_own))?;
        if is_own {
            // The strokes are on disk even if writing the recipe fails, and that change is this document's
            // own.
            self.origin_mut().strokes = marks_of_strokes(&recipe);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let moved = recipe.move_to(folder);
        // Another program may have changed the comments in the file meanwhile.
        let present = if is_own { files::read(&path, FileKind::Recipe).ok() } else { None };
        let commented_before =
            present.as_deref().and_then(commented).or_else(|| self.origin().commented.clone());
        let text = match commented_before {
            Some(old) => recipe.to_ron_with_comments(&old)?,
            None => recipe.to_ron()?,
        };
        replace_file(&path, |file| {
            use std::io::Write;
            file.write_all(text.as_bytes()).map_err(|error| Error::io(&path, "write", error))
        })?;
        self.settled.recipe.clone_from(&recipe);
        (self.recipe, self.moved) = (recipe, moved);
        // Earlier states belong to this file from now on, so their paths start from its folder.
        for state in self.undo.iter_mut().chain(&mut self.redo).filter(own_states) {
            state.recipe.move_to(folder);
        }
        let (saved, strokes) = (Some(self.recipe.clone()), marks_of_strokes(&self.recipe));
        let origin = self.origin_mut();
        (origin.saved, origin.strokes, origin.mark) = (saved, strokes, Some(mark(text.as_bytes())));
        origin.commented = commented(text.as_bytes());
        (origin.modified, origin.path) = (files::changed(&path), Some(path.clone()));
        (origin.is_behind, origin.is_lesson, origin.unread) = (false, false, None);
        Ok(path)
    }

    /// A free file name next to its own file, or in the current folder.
    ///
    /// # Errors
    /// When 9999 such files exist.
    pub(super) fn new_path(&self) -> Result<PathBuf> {
        let origin = self.origin();
        match &origin.path {
            Some(path) => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                free_name_in(path.parent().unwrap_or(Path::new("")), &stem, "ron")
            }
            None => free_name_in(&origin.folder, &self.recipe.name, "ron"),
        }
    }
}

/// Gives every document that has been changed since the last count its next revision.
pub(crate) fn count_revisions(mut documents: Query<&mut Document>) {
    for mut document in &mut documents {
        if let Some(next) = document.revision.next(&document.recipe) {
            document.revision = next;
        }
    }
}
