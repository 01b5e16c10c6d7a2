//! The elevation files that stay open while windows are read from them, and the stamps that are read once.

use std::borrow::Cow;
use std::sync::Arc;

use crate::build::cache::Keepable;
use crate::build::groups::label;
use crate::build::{Cache, Key};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::recipe::{Recipe, Step};
use crate::steps::filter::{Stamp, StampPicture};
use crate::steps::generate::{Import, OpenImport};

/// The most that a file keeps of what was decoded, bytes; and the least share of the cache's budget that is
/// left to everything else.
const FILE_BYTES: u64 = 64 << 20;
const FILE_SHARE: u64 = 8;

impl Keepable for OpenImport {
    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

impl Keepable for StampPicture {
    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

impl Recipe {
    /// Whether windows are read from a large elevation file that is not open yet.
    pub(crate) fn reads_large_files(&self) -> bool {
        let Ok(domain) = self.domain() else { return false };
        let mut imports = self.done().filter_map(|(_, step)| step.operation_as::<Import>());
        imports.any(|import| import.reads_windows(domain) && import.file.opened::<OpenImport>().is_none())
    }

    /// The same recipe with its stamps read, and its elevation files open where windows of them are read. The
    /// files are shared with all recipes that use this cache. Reading a file that has changed since is an
    /// error; a stamp stays as it was.
    ///
    /// # Errors
    /// When a file cannot be opened, with the step's index and name; [`Error::Cancelled`].
    #[doc(hidden)]
    pub fn with_open_files(&self, cache: Option<&Cache>, work: &Work) -> Result<Cow<'_, Self>> {
        let domain = self.domain()?;
        let mut recipe = Cow::Borrowed(self);
        for (index, step) in self.done() {
            if let Some(stamp) = step.operation_as::<Stamp>().filter(|stamp| !stamp.is_open()) {
                let open = read(stamp, cache).map_err(|error| named(error, index, step))?;
                recipe.to_mut().keep_open(index, &(open as _));
            }
            let Some(import) = step.operation_as::<Import>().filter(|import| import.reads_windows(domain))
            else {
                continue;
            };
            if import.file.opened::<OpenImport>().is_some() {
                continue;
            }
            let open = opened(import, domain, cache, work).map_err(|error| named(error, index, step))?;
            recipe.to_mut().keep_open(index, &(open as _));
        }
        Ok(recipe)
    }
}

/// An error with the path and the name of the step that it is of.
fn named(error: Error, index: usize, step: &Step) -> Error {
    error.within(&label(index, step))
}

/// The picture of a stamp. It is taken from the cache if that has the picture of the file's present state.
fn read(stamp: &Stamp, cache: Option<&Cache>) -> Result<Arc<StampPicture>> {
    let path = stamp.file.on_disk();
    let state = stamp.file.stamp(&path);
    let key = state.map(|state| Key::NOTHING.of(("stamp", &path, state, stamp.opened_for())));
    match cache {
        Some(cache) => cache.one_of(key, || stamp.open()),
        None => Ok(Arc::new(stamp.open()?)),
    }
}

/// The file, open: the cache's, if it has it in its present state.
fn opened(import: &Import, domain: Domain, cache: Option<&Cache>, work: &Work) -> Result<Arc<OpenImport>> {
    // A share of the cache's budget, so that one large file doesn't push out all results.
    let bytes = cache.map_or(0, |cache| (cache.budget() / FILE_SHARE).min(FILE_BYTES));
    let path = import.file.on_disk();
    let stamp = import.file.stamp(&path);
    let of = |stamp| Key::NOTHING.of(("open", &path, stamp, import.opened_for(domain)));
    let open = || import.open(domain, bytes as usize, work);
    match cache {
        Some(cache) => cache.one_of(stamp.map(of), open),
        None => Ok(Arc::new(open()?)),
    }
}
