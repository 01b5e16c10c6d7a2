//! Names of new files.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The maximum number of characters of a landscape's name in a file name, which all file systems accept.
const LONGEST_STEM: usize = 60;

/// `name.extension` in the current folder, or `name-2.extension` and so on if that is taken. An empty
/// extension has no dot.
///
/// # Errors
/// When 9999 such files exist.
pub fn free_name(name: &str, extension: &str) -> Result<PathBuf> {
    free_name_in(Path::new(""), name, extension)
}

/// Like [`free_name`], in a folder.
pub(super) fn free_name_in(folder: &Path, name: &str, extension: &str) -> Result<PathBuf> {
    let kept = |letter: char| letter.is_alphanumeric() || letter == '-';
    let words = name.split(|letter| !kept(letter)).filter(|word| !word.is_empty());
    let stem = words.collect::<Vec<_>>().join("-").to_lowercase();
    let stem: String = stem.chars().take(LONGEST_STEM).collect();
    let stem = if stem.is_empty() { "landscape".to_owned() } else { stem };
    let ending = if extension.is_empty() { String::new() } else { format!(".{extension}") };
    let numbered = (2..10_000).map(|number| format!("{stem}-{number}{ending}"));
    std::iter::once(format!("{stem}{ending}"))
        .chain(numbered)
        .map(|name| folder.join(name))
        // A broken link takes a name too.
        .find(|path| std::fs::symlink_metadata(path).is_err())
        .ok_or_else(|| {
            let first = folder.join(format!("{stem}{ending}"));
            Error::file(first, "all names up to 9999 are taken; tidy this folder")
        })
}
