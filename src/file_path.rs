//! A file that a recipe names.

use std::path::{Path, PathBuf};

use crate::built_in;
use crate::error::Result;

/// The path of a file as a recipe writes it. A relative one is looked for beside the recipe first,
/// then among the files that are built into the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilePath {
    text: String,
    folder: PathBuf,
}

impl FilePath {
    /// A path as it would stand in a recipe.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), folder: PathBuf::new() }
    }

    /// The path as the recipe writes it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Names another file.
    pub fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
    }

    /// Says where the recipe lies, for relative paths.
    pub fn set_folder(&mut self, folder: &Path) {
        folder.clone_into(&mut self.folder);
    }

    /// Where the file is looked for on the disk.
    pub fn on_disk(&self) -> PathBuf {
        self.folder.join(&self.text)
    }

    /// Reads the file from the disk, or, where there is none, the built-in one of this path.
    pub(crate) fn read_with<T>(
        &self,
        from_disk: impl FnOnce(&Path) -> Result<T>,
        from_bytes: impl FnOnce(&Path, &[u8]) -> Result<T>,
    ) -> Result<T> {
        let path = self.on_disk();
        match built_in::file(&self.text) {
            Some(bytes) if !path.exists() => from_bytes(&path, bytes),
            _ => from_disk(&path),
        }
    }
}
