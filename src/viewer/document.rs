//! A recipe that is open in the viewer: what it was, what it is, where it came from.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bevy::prelude::*;

use crate::error::{Error, Result};
use crate::formats::replace_file;
use crate::recipe::Recipe;

/// How many changes can be undone.
const HISTORY: usize = 200;

/// A recipe that is open, on the entity of the terrain that shows it.
#[derive(Component, Clone, Debug)]
pub struct Document {
    /// The recipe as it is being edited.
    pub recipe: Recipe,
    /// The file it came from or was saved to.
    pub path: Option<PathBuf>,
    /// What the file holds.
    saved: Recipe,
    /// The recipe when the hand last rested.
    settled: Recipe,
    /// When the file was last changed, as far as is known here.
    modified: Option<SystemTime>,
    undo: Vec<Recipe>,
    redo: Vec<Recipe>,
}

impl Document {
    /// A document of `recipe`, which came from `path`.
    pub fn new(recipe: Recipe, path: Option<PathBuf>) -> Self {
        let path = path.filter(|path| path.extension().is_some_and(|extension| extension == "ron"));
        Self {
            saved: recipe.clone(),
            settled: recipe.clone(),
            recipe,
            modified: path.as_deref().and_then(modified),
            path,
            undo: Vec::new(),
            redo: Vec::new(),
        }
    }

    /// Makes what was changed since the last call one step that can be undone.
    pub fn settle(&mut self) {
        if self.recipe == self.settled {
            return;
        }
        self.undo.push(std::mem::replace(&mut self.settled, self.recipe.clone()));
        if self.undo.len() > HISTORY {
            self.undo.remove(0);
        }
        self.redo.clear();
    }

    /// Takes the last change back; `false` when there is none.
    pub fn undo(&mut self) -> bool {
        self.settle();
        let Some(earlier) = self.undo.pop() else { return false };
        self.redo.push(std::mem::replace(&mut self.settled, earlier.clone()));
        self.recipe = earlier;
        true
    }

    /// Makes the last undone change again; `false` when there is none.
    pub fn redo(&mut self) -> bool {
        let Some(later) = self.redo.pop() else { return false };
        self.undo.push(std::mem::replace(&mut self.settled, later.clone()));
        self.recipe = later;
        true
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty() || self.recipe != self.settled
    }

    /// Whether there is something to make again.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// Whether the recipe differs from its file.
    pub fn is_changed(&self) -> bool {
        self.recipe != self.saved
    }

    /// Reads the file again if it was changed and the recipe here was not. `None` when there is
    /// nothing to do; on an error the recipe stays.
    pub fn reread(&mut self) -> Option<Result<()>> {
        let path = self.path.clone()?;
        let now = modified(&path)?;
        if self.modified == Some(now) {
            return None;
        }
        self.modified = Some(now);
        if self.is_changed() {
            return None;
        }
        Some(Recipe::read(&path).map(|recipe| {
            self.saved = recipe.clone();
            self.recipe = recipe;
            self.settle();
        }))
    }

    /// Writes the recipe to its file, or, having none, to `NAME.ron` in the current folder, never over a
    /// file that is there. Says where.
    ///
    /// # Errors
    /// When the recipe has a value that could not be read again, or the file cannot be written.
    pub fn save(&mut self) -> Result<PathBuf> {
        self.recipe.check()?;
        let path = match &self.path {
            Some(path) => path.clone(),
            None => free_name(&self.recipe.name, "ron")?,
        };
        let text = self.recipe.to_ron()?;
        replace_file(&path, |file| {
            use std::io::Write;
            file.write_all(text.as_bytes()).map_err(|error| Error::io(&path, "write", error))
        })?;
        self.recipe.set_folder(path.parent().unwrap_or(Path::new("")));
        self.saved = self.recipe.clone();
        self.settled.set_folder(path.parent().unwrap_or(Path::new("")));
        self.modified = modified(&path);
        self.path = Some(path.clone());
        Ok(path)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|file| file.modified()).ok()
}

/// `name.extension` in the current folder, or `name-2.extension` and so on when that is taken.
///
/// # Errors
/// When 9999 such files are there.
pub fn free_name(name: &str, extension: &str) -> Result<PathBuf> {
    let kept = |letter: char| letter.is_alphanumeric() || letter == '-';
    let words = name.split(|letter| !kept(letter)).filter(|word| !word.is_empty());
    let stem = words.collect::<Vec<_>>().join("-").to_lowercase();
    let stem = if stem.is_empty() { "landscape".to_owned() } else { stem };
    let numbered = (2..10_000).map(|number| format!("{stem}-{number}.{extension}"));
    std::iter::once(format!("{stem}.{extension}"))
        .chain(numbered)
        .map(PathBuf::from)
        .find(|path| !path.exists())
        .ok_or_else(|| {
            Error::file(format!("{stem}.{extension}"), "all names up to 9999 are taken; tidy this folder")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_undone_and_made_again_one_by_one() {
        let mut document = Document::new(Recipe::new("Land", (3, 3), 1.0), None);
        for seed in [1, 2] {
            document.recipe.seed = seed;
            document.settle();
        }
        assert!(document.undo() && document.recipe.seed == 1);
        assert!(document.undo() && document.recipe.seed == 0);
        assert!(!document.undo() && !document.is_changed());
        assert!(document.redo() && document.redo() && document.recipe.seed == 2);
        assert!(!document.redo());
    }
}
