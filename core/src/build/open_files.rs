//! Land that is made in windows, and the elevation files that stay open while it is.
//!
//! Endless land has no other way. Large land, of more than 8193² samples, takes it if its steps work by position
//! or look at a neighbourhood: nothing is made of all of it, so that it may be larger than memory.

use std::any::Any;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::cache::Keepable;
use super::{Cache, Key};
use crate::compute::work::Work;
use crate::elevation::formats;
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::error::{Error, Result};
use crate::grid::{Domain, MAX_SAMPLES};
use crate::params::{self, Value};
use crate::recipe::{DEFAULT_CELL, Recipe, Step};
use crate::steps::filter::{Stamp, StampPicture};
use crate::steps::generate::{Import, OpenImport};
use crate::steps::{Kind, Reach};

/// The most that a file keeps of what was decoded, bytes; and the least share of the cache's budget that is left
/// to everything else.
const FILE_BYTES: u64 = 64 << 20;
const FILE_SHARE: u64 = 8;

/// Samples, at most, from which the range of a large file's heights is told.
const SURVEYED: usize = 1 << 18;

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
    /// Whether the land is only made in windows: endless land, and large land no step of which must know all of
    /// it.
    ///
    /// # Errors
    /// When size, cell or unit is impossible, or a step must know all of a land that cannot be held at once.
    #[doc(hidden)]
    pub fn is_made_in_windows(&self) -> Result<bool> {
        let domain = self.domain()?;
        if domain.is_endless() {
            return Ok(true);
        }
        self.check_reach()?;
        let mut done = self.steps.iter().filter(|step| step.is_done());
        Ok(domain.is_large() && !done.any(|step| needs_all(step, domain)))
    }

    /// Refuses steps that must know all of a land that is endless or cannot be held at once.
    pub(crate) fn check_reach(&self) -> Result<()> {
        let domain = self.domain()?;
        let mut done = self.steps.iter().enumerate().filter(|(_, step)| step.is_done());
        let Some((index, step)) = done.find(|(_, step)| needs_all(step, domain)) else { return Ok(()) };
        let title = step.title();
        let reason = match domain.size() {
            None => format!(
                "{title} needs to know all of the land, and endless land has no end; give the recipe a size, or \
                 mute the step"
            ),
            Some([width, depth]) if u64::from(width) * u64::from(depth) > MAX_SAMPLES as u64 => format!(
                "{title} needs to know all of the land, and {width}×{depth} samples cannot be held at once, at most \
                 32768×32768; give the recipe a smaller size, or mute the step"
            ),
            Some(_) => return Ok(()),
        };
        Err(Error::parameter(label(index, step), reason))
    }

    /// A recipe that shows a large elevation file, read with the parameters of `import`, and only as far as
    /// needed. `None` if the file is not large, or cannot be read in parts, or at all.
    ///
    /// # Errors
    /// When the file cannot be made square, its size or cell is not accepted for recipes, or it is damaged.
    #[doc(hidden)]
    pub fn from_large_elevation(path: &Path, import: &Import) -> Result<Option<Self>> {
        let reading = import.reading()?;
        let (work, options) =
            (Work::new(), ElevationFileOptions { reading, default_cell: DEFAULT_CELL, ..Default::default() });
        if !formats::is_read_in_parts(path) {
            return Ok(None);
        }
        let file = match ElevationFile::open(path, &options, &work) {
            Ok(file) if file.domain().is_large() => file,
            // Whatever is wrong is told when it is loaded.
            _ => return Ok(None),
        };
        let mut recipe = Self::showing(path, file.grid(), import)?;
        recipe.dress(file.read(file.overview(SURVEYED), &work)?.range());
        recipe.keep_open(0, &(Arc::new(OpenImport::new(file, &options)) as _));
        Ok(Some(recipe))
    }

    /// Whether windows are read from a large elevation file that is not open yet.
    pub(crate) fn reads_large_files(&self) -> bool {
        let Ok(domain) = self.domain() else { return false };
        let imports =
            self.steps.iter().filter(|step| step.is_done()).filter_map(Step::operation_as::<Import>);
        imports
            .into_iter()
            .any(|import| import.reads_windows(domain) && import.file.opened::<OpenImport>().is_none())
    }

    /// Keeps the file open that a step imports.
    fn keep_open(&mut self, step: usize, open: &Arc<dyn Any + Send + Sync>) {
        params::each_mut(&mut self.steps[step], &mut |path, _, value| {
            if let Value::File(file) = value
                && [Import::FILE, Stamp::FILE].contains(&path)
            {
                file.keep_open(open.clone());
            }
        });
    }

    /// The same recipe, its elevation files open where windows of them are read, and its stamps read. They are shared
    /// with all recipes that use this cache. A file that changes from now on is an error for whoever reads it; a stamp
    /// stays as it was.
    ///
    /// # Errors
    /// When a file cannot be opened, with the step's index and name; [`Error::Cancelled`].
    #[doc(hidden)]
    pub fn with_open_files(&self, cache: Option<&Cache>, work: &Work) -> Result<Cow<'_, Self>> {
        let domain = self.domain()?;
        let mut recipe = Cow::Borrowed(self);
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| step.is_done()) {
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

fn needs_all(step: &Step, domain: Domain) -> bool {
    let reach = step.operation.reach(domain);
    step.operation.kind() == Kind::Waterway || matches!(reach, Reach::Whole | Reach::Range)
}

/// An error with the path and the name of the step that it is of.
fn named(error: Error, index: usize, step: &Step) -> Error {
    error.within(&label(index, step))
}

/// What a stamp lays on the land: the cache's, if it has it of the file's present state.
fn read(stamp: &Stamp, cache: Option<&Cache>) -> Result<Arc<StampPicture>> {
    let path = stamp.file.on_disk();
    let state = stamp.file.stamp(&path);
    let key = state.map(|state| Key::NOTHING.of(("stamp", &path, state, stamp.opened_for())));
    match cache {
        Some(cache) => cache.one_of(key, || stamp.open()),
        None => Ok(Arc::new(stamp.open()?)),
    }
}

/// What errors call a step: the path and the name.
fn label(index: usize, step: &Step) -> String {
    format!("steps.{index} ({})", step.name())
}

/// The file, open: the cache's, if it has it in its present state.
fn opened(import: &Import, domain: Domain, cache: Option<&Cache>, work: &Work) -> Result<Arc<OpenImport>> {
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
