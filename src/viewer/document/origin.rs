//! Where an open recipe came from, and what is known of its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::files::{self, FileKind};
use crate::recipe::preset::Preset;
use crate::recipe::{Recipe, may_have_comments};

/// The origin of a recipe, and what is known of its file.
#[derive(Clone, Debug)]
pub(super) struct RecipeOrigin {
    /// The file that it was read from or saved to.
    pub path: Option<PathBuf>,
    /// The folder for a new file, if it has none.
    pub folder: PathBuf,
    /// The content that is safe: that of the file or the preset.
    pub saved: Option<Recipe>,
    /// A hash of the file's bytes when `saved` was read or written.
    pub mark: Option<u64>,
    /// The same for the files of strokes that `saved` names.
    pub strokes: Vec<(PathBuf, u64)>,
    /// The text of the file or preset if it has comments, because saving keeps these.
    pub commented: Option<Arc<str>>,
    /// When the file was last modified, as of the last check.
    pub modified: Option<SystemTime>,
    /// Whether the file has changed since, but is not shown because of unsaved changes here.
    pub is_behind: bool,
    /// Whether changes may be discarded, because it is the land of a lesson, which can be restarted.
    pub is_lesson: bool,
    /// Why its file could not be read, if so; the open recipe then only stands in for it.
    pub unread: Option<String>,
}

impl RecipeOrigin {
    /// The origin of `recipe`. `path` counts as its file only if it is a recipe.
    pub fn new(recipe: &Recipe, path: Option<PathBuf>) -> Self {
        let is_recipe =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron"));
        let path = path.filter(is_recipe);
        let bytes = path.as_deref().and_then(|path| files::read(path, FileKind::Recipe).ok());
        Self {
            mark: bytes.as_deref().map(mark),
            strokes: marks_of_strokes(recipe),
            commented: match &path {
                Some(_) => bytes.as_deref().and_then(commented),
                None => commented_preset(recipe),
            },
            modified: path.as_deref().and_then(files::changed),
            path,
            folder: PathBuf::new(),
            saved: Some(recipe.clone()),
            is_behind: false,
            is_lesson: false,
            unread: None,
        }
    }

    /// The land of a lesson.
    pub fn of_lesson(recipe: &Recipe) -> Self {
        Self { is_lesson: true, ..Self::new(recipe, None) }
    }
}

/// Unsaved changes, with all that another run of the program needs to continue with them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unsaved {
    /// The recipe with the changes.
    pub recipe: Recipe,
    /// The file that was changed; absolute.
    pub path: Option<PathBuf>,
    /// The folder that the recipe's relative paths start from; absolute.
    pub folder: PathBuf,
    /// A hash of the file's bytes when it was read.
    pub mark: Option<u64>,
}

impl Unsaved {
    /// Their origin, as far as it still exists, and the recipe.
    pub(super) fn into_origin(self) -> (RecipeOrigin, Recipe) {
        let Self { recipe, path, folder, mark } = self;
        let saved = path.as_ref().and_then(|path| Recipe::read(path).ok());
        let modified = path.as_deref().and_then(files::changed);
        let commented = match &path {
            Some(path) => files::read(path, FileKind::Recipe).ok().as_deref().and_then(commented),
            None => commented_preset(&recipe),
        };
        let strokes = saved.as_ref().map(marks_of_strokes).unwrap_or_default();
        let (is_behind, is_lesson, unread) = (false, false, None);
        let origin = RecipeOrigin {
            path,
            folder,
            saved,
            mark,
            strokes,
            commented,
            modified,
            is_behind,
            is_lesson,
            unread,
        };
        (origin, recipe)
    }
}

/// The text of a recipe, if it has comments.
pub(super) fn commented(bytes: &[u8]) -> Option<Arc<str>> {
    std::str::from_utf8(bytes).ok().filter(|text| may_have_comments(text)).map(Arc::from)
}

/// The text of the preset that a recipe was made from, recognised by name and description, if it has
/// comments.
fn commented_preset(recipe: &Recipe) -> Option<Arc<str>> {
    let mut named = Preset::all().iter().filter(|preset| preset.text.contains(&recipe.name));
    let is_its = |of: Recipe| of.name == recipe.name && of.about == recipe.about;
    let preset = named.find(|preset| preset.recipe().is_ok_and(is_its))?;
    commented(preset.text.as_bytes())
}

/// A hash of a file's bytes (FNV-1a); `None` if it cannot be read.
pub(super) fn mark_of_file(path: &Path, kind: FileKind) -> Option<u64> {
    files::read(path, kind).ok().map(|bytes| mark(&bytes))
}

/// The files of strokes that a recipe names and that can be read, with a hash of each.
pub(super) fn marks_of_strokes(recipe: &Recipe) -> Vec<(PathBuf, u64)> {
    let marked = |path: PathBuf| Some((path.clone(), mark_of_file(&path, FileKind::Strokes)?));
    recipe.strokes_files().into_iter().filter_map(marked).collect()
}

/// A hash of bytes.
pub(super) fn mark(bytes: &[u8]) -> u64 {
    let step = |mark: u64, byte: &u8| (mark ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
