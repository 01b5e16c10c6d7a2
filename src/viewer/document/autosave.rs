//! Autosave: keeps unsaved changes on disk, in case the program ends before they are saved.
//!
//! Each window has a folder of its own in the system's place for program state, with a recipe for each
//! document that has changes. A lock on a file in it, which is released however the program ends,
//! distinguishes folders of open windows from those left behind. A thread writes, so that no frame waits
//! for the disk.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bevy::prelude::*;

use super::{Document, Unsaved};
use crate::error::{Error, Result};
use crate::files::{self, FileKind, replace_file};
use crate::recipe::Recipe;
use crate::sculpt::Strokes;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Landscapes, MAX_LANDSCAPES, directories};

/// Seconds without a change after which changes are kept.
const REST: f32 = 1.0;
/// Seconds after which they are kept even if editing goes on.
const LONGEST: f32 = 10.0;
/// Seconds until the next attempt after a failure.
const PAUSE: f32 = 30.0;
/// How long the program waits for the disk when it ends.
const PATIENCE: Duration = Duration::from_secs(3);
/// The file in a window's folder that is locked while the window is open.
const LOCK: &str = "lock";
/// Appended to the name of a file that cannot be read.
const DAMAGED: &str = "damaged";

/// Keeps unsaved changes in a folder.
pub(crate) struct AutosavePlugin {
    /// The folder for all windows; `None` if there is none.
    pub root: Option<PathBuf>,
}

impl Plugin for AutosavePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Autosave::new(self.root.clone()))
            .init_resource::<Landscapes>()
            .register_required_components::<Document, AutosaveState>()
            .add_systems(Update, (keep, report).chain());
    }
}

/// The folder in which unsaved changes are kept; `None` if there is no place for one.
pub(crate) fn root() -> Option<PathBuf> {
    directories::state().map(|folder| folder.join("autosave"))
}

/// The autosave of this window.
#[derive(Resource)]
pub(crate) struct Autosave {
    /// The channel to the writing thread; `None` if there is nowhere to write.
    orders: Option<Sender<Order>>,
    results: Mutex<Receiver<KeepResult>>,
    /// Documents that still cannot be kept, each of which has been reported.
    failing: BTreeSet<Entity>,
    /// Whether it has been reported that there is nowhere to write.
    is_reported: bool,
}

/// A document, and its place from the left, by which its file is named.
#[derive(Clone, Copy)]
pub(crate) struct KeptDocument {
    /// The document.
    pub document: Entity,
    /// Its place.
    pub index: usize,
}

/// Orders for the thread, carried out in sequence.
enum Order {
    /// Write this document.
    Keep(KeptDocument, Box<Unsaved>),
    /// The changes of the document at this place were saved or discarded.
    Forget(usize),
    /// All changes were saved or discarded.
    ForgetAll,
    /// Write these documents, which were restored from an earlier window, then remove its files.
    TakeOver(Vec<(KeptDocument, Unsaved)>, Left),
    /// Remove what an earlier window left behind.
    Remove(Left),
    /// Answer when all earlier orders are done.
    Answer(Sender<()>),
}

/// The result of keeping a document.
struct KeepResult(Entity, Result<()>);

impl Autosave {
    fn new(root: Option<PathBuf>) -> Self {
        let (result, results) = channel();
        let orders = root.and_then(|root| {
            let (order, orders) = channel();
            let keeper = Keeper { root, mine: None, results: result };
            let thread = std::thread::Builder::new().name("autosave".into());
            thread.spawn(move || keeper.work(&orders)).ok().map(|_| order)
        });
        Self { orders, results: Mutex::new(results), failing: BTreeSet::new(), is_reported: false }
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // The thread ends only with the program.
            let _ = orders.send(order);
        }
    }

    /// Keeps changes that an earlier window left behind as changes of these documents of this window.
    pub fn take_over(&self, changes: Vec<(KeptDocument, Unsaved)>, left: Left) {
        self.order(Order::TakeOver(changes, left));
    }

    /// Removes what was left behind.
    pub fn remove(&self, left: Left) {
        self.order(Order::Remove(left));
    }

    /// Discards everything that this window has kept.
    pub fn forget_all(&self) {
        self.order(Order::ForgetAll);
        self.finish();
    }

    /// Waits until all orders are done, but no longer than [`PATIENCE`].
    pub fn finish(&self) {
        let (done, is_done) = channel();
        self.order(Order::Answer(done));
        let _ = is_done.recv_timeout(PATIENCE);
    }
}

/// The state of a document when it was last checked.
#[derive(Component, Default)]
pub(crate) struct AutosaveState {
    /// The number of its revision.
    revision: Option<u64>,
    /// Seconds without a change.
    rested: f32,
    /// Seconds since the first change that has not been kept; `None` if all are.
    waited: Option<f32>,
    /// Seconds until the next attempt.
    pause: f32,
    is_kept: bool,
}

/// Keeps changes after a pause in editing, and now and then during it.
fn keep(
    landscapes: Res<Landscapes>,
    mut documents: Query<(&Document, &mut AutosaveState)>,
    autosave: Res<Autosave>,
    time: Res<Time>,
) {
    let seconds = time.delta_secs();
    for (index, entity) in landscapes.iter().enumerate() {
        let Ok((document, mut watched)) = documents.get_mut(entity) else { continue };
        if !document.is_unsaved() {
            if watched.is_kept {
                autosave.order(Order::Forget(index));
            }
            *watched = AutosaveState::default();
            continue;
        }
        let revision = Some(document.revision().number);
        if watched.revision == revision {
            watched.rested += seconds;
        } else {
            watched.revision = revision;
            watched.rested = 0.0;
            watched.waited.get_or_insert(0.0);
        }
        watched.pause -= seconds;
        let Some(waited) = &mut watched.waited else { continue };
        *waited += seconds;
        let is_time = watched.rested >= REST || watched.waited >= Some(LONGEST);
        if is_time
            && watched.pause <= 0.0
            && let Some(unsaved) = document.unsaved()
        {
            autosave.order(Order::Keep(KeptDocument { document: entity, index }, Box::new(unsaved)));
            watched.waited = None;
            watched.is_kept = true;
        }
    }
}

/// Forgets what was kept of all documents and keeps them again, because their places have changed.
pub(crate) fn begin_again(world: &mut World) {
    let mut documents = world.query::<&mut AutosaveState>();
    documents.iter_mut(world).for_each(|mut watched| *watched = AutosaveState::default());
    if let Some(autosave) = world.get_resource::<Autosave>() {
        (0..MAX_LANDSCAPES).for_each(|index| autosave.order(Order::Forget(index)));
    }
}

/// Keeps all changes immediately, because the program is about to end by itself, and waits for the disk.
/// Returns whether there were any changes and a place to keep them.
pub(crate) fn keep_now(world: &World) -> bool {
    let Some(autosave) = world.get_resource::<Autosave>() else { return false };
    let mut are_kept = false;
    for (index, document) in world.resource::<Landscapes>().iter().enumerate() {
        if let Some(unsaved) = world.get::<Document>(document).and_then(Document::unsaved) {
            autosave.order(Order::Keep(KeptDocument { document, index }, Box::new(unsaved)));
            are_kept = autosave.orders.is_some();
        }
    }
    autosave.finish();
    are_kept
}

/// Reports a failure once, and schedules the next attempt.
fn report(
    mut autosave: ResMut<Autosave>,
    mut documents: Query<(&Document, &mut AutosaveState)>,
    mut message: ResMut<Message>,
) {
    let new: Vec<KeepResult> = {
        let results = autosave.results.get_mut().unwrap_or_else(PoisonError::into_inner);
        results.try_iter().collect()
    };
    for KeepResult(document, outcome) in new {
        let Err(error) = outcome else {
            autosave.failing.remove(&document);
            continue;
        };
        if let Ok((_, mut watched)) = documents.get_mut(document) {
            watched.waited = Some(0.0);
            watched.pause = PAUSE;
        }
        if autosave.failing.insert(document) && autosave.failing.len() == 1 {
            message.error(format!("{NOT_KEPT}: {error}"));
        }
    }
    // A document without unsaved changes has nothing to keep, so its failure is over.
    let is_unsaved = |document| documents.get(document).is_ok_and(|(document, _)| document.is_unsaved());
    autosave.failing.retain(|document| is_unsaved(*document));
    let is_changed = || documents.iter().any(|(document, _)| document.is_unsaved());
    if autosave.orders.is_none() && !autosave.is_reported && is_changed() {
        autosave.is_reported = true;
        message.error(format!("{NOT_KEPT}: there is no home folder to keep them in; set HOME"));
    }
}

const NOT_KEPT: &str = "Unsaved changes cannot be kept in case of a crash, so save often";

/// Writes and removes files on a thread of its own.
struct Keeper {
    root: PathBuf,
    /// This window's folder, and the lock on it.
    mine: Option<(PathBuf, File)>,
    results: Sender<KeepResult>,
}

impl Keeper {
    fn work(mut self, orders: &Receiver<Order>) {
        for order in orders {
            match order {
                Order::Keep(document, unsaved) => {
                    self.keep(document, &unsaved);
                }
                Order::TakeOver(changes, left) => {
                    let lost = changes.iter().filter(|(document, unsaved)| !self.keep(*document, unsaved));
                    // Changes that could not be kept here remain in the folder of the earlier window.
                    if lost.count() == 0 {
                        left.remove();
                    }
                }
                Order::Forget(index) => {
                    if let Some((folder, _)) = &self.mine {
                        let _ = std::fs::remove_file(path_of(folder, index));
                    }
                }
                Order::ForgetAll => {
                    if let Some((folder, lock)) = self.mine.take() {
                        drop(lock);
                        let _ = std::fs::remove_dir_all(folder);
                    }
                }
                Order::Remove(left) => left.remove(),
                Order::Answer(done) => drop(done.send(())),
            }
        }
    }

    /// Writes a document, reports the result, and returns whether it succeeded. On failure, the earlier file
    /// stays.
    fn keep(&mut self, KeptDocument { document, index }: KeptDocument, unsaved: &Unsaved) -> bool {
        let outcome = self.write(index, unsaved);
        let is_kept = outcome.is_ok();
        let _ = self.results.send(KeepResult(document, outcome));
        is_kept
    }

    fn write(&mut self, index: usize, unsaved: &Unsaved) -> Result<()> {
        let folder = match &self.mine {
            Some((folder, _)) if folder.is_dir() => folder.clone(),
            _ => {
                let (folder, lock) =
                    new_folder(&self.root).map_err(|error| Error::io(&self.root, "write", error))?;
                self.mine = Some((folder.clone(), lock));
                folder
            }
        };
        let text = to_text(unsaved)?;
        let path = path_of(&folder, index);
        // The file on disk may be the only readable copy, so the new text must be readable before it replaces
        // that. If it isn't, the recipe's own check explains why in words meant for users.
        from_text(&text, &path).map_err(|error| unsaved.recipe.check().err().unwrap_or(error))?;
        replace_file(&path, |file| {
            file.write_all(text.as_bytes()).map_err(|error| Error::io(&path, "write", error))
        })
    }
}

fn path_of(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index}.ron"))
}

/// Creates and locks a folder for a window.
fn new_folder(root: &Path) -> std::io::Result<(PathBuf, File)> {
    std::fs::create_dir_all(root)?;
    loop {
        let folder = tempfile::Builder::new().prefix("window-").tempdir_in(root)?.keep();
        let lock = File::create(folder.join(LOCK))?;
        // Another window that looks for leftovers may have locked the file first; then try another folder.
        // Where locks are not supported, that cannot be detected.
        if !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return Ok((folder, lock));
        }
    }
}

/// The comment before the strokes of a step begins with this, followed by the step's index.
const STROKES_OF: &str = "strokes of step ";

/// Changes as text: a recipe that can be opened as such, with its origin in comments before it.
fn to_text(unsaved: &Unsaved) -> Result<String> {
    let mut recipe = unsaved.recipe.clone();
    // A recipe may name files of another folder, for example a copy of a land from elsewhere.
    recipe.move_to(&unsaved.folder);
    let quoted = |path: &Path| ron::to_string(&path.to_string_lossy()).unwrap_or_default();
    let mut text = "// Changes that were not saved. upland offers them when it starts again.\n".to_owned();
    // A path that is not Unicode cannot be written here, but the recipe can.
    if let Some(path) = unsaved.path.as_deref().filter(|path| path.to_str().is_some()) {
        text += &format!("// file: {}\n", quoted(path));
    }
    text += &format!("// folder: {}\n", quoted(&unsaved.folder));
    if let Some(mark) = unsaved.mark {
        text += &format!("// mark: {mark}\n");
    }
    // Strokes that have no file yet are written as JSON, which takes a single line.
    for (step, strokes) in recipe.held_strokes()? {
        text += &format!("// {STROKES_OF}{step}: {}\n", strokes.to_json());
    }
    let text = text + &recipe.to_ron()?;
    if text.len() as u64 > FileKind::Recipe.limit() {
        return Err(Error::parameter(
            "strokes",
            "there are too many to keep in case of a crash; save the landscape",
        ));
    }
    Ok(text)
}

fn from_text(text: &str, origin: &Path) -> Result<Unsaved> {
    let comments = || {
        let lines = text.lines().map_while(|line| line.strip_prefix("// "));
        lines.filter_map(|line| line.split_once(": "))
    };
    let said = |key: &str| comments().find(|(name, _)| *name == key).map(|(_, said)| said);
    let path = |key| said(key).and_then(|said| ron::from_str::<String>(said).ok()).map(PathBuf::from);
    let mut recipe = Recipe::from_ron(text, &origin.display().to_string())?;
    let folder = path("folder").unwrap_or_default();
    recipe.set_folder(&folder);
    for (key, strokes) in comments() {
        if let Some(step) = key.strip_prefix(STROKES_OF).and_then(|step| step.parse().ok()) {
            recipe.hold_strokes(step, &Strokes::from_json(strokes)?, &folder);
        }
    }
    let mark = said("mark").and_then(|mark| mark.parse().ok());
    Ok(Unsaved { recipe, path: path("file"), folder, mark })
}

/// The changes left behind by a window.
pub(crate) struct Left {
    folder: PathBuf,
    /// Held so that no other window offers the same changes.
    _lock: File,
    /// The changes.
    pub changes: Vec<LeftChange>,
}

/// The changes of one document, and the file that contains them.
pub(crate) struct LeftChange {
    file: PathBuf,
    /// The changes.
    pub unsaved: Unsaved,
    /// Time since they were kept.
    pub age: Duration,
}

impl Left {
    /// Removes its files, and its folder if that is then empty.
    fn remove(self) {
        let lock = self.folder.join(LOCK);
        for file in self.changes.iter().map(|change| &change.file).chain([&lock]) {
            let _ = std::fs::remove_file(file);
        }
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// The changes that windows which have ended left behind below `root`, and notes for the user.
pub(crate) fn find_left(root: &Path) -> (Vec<Left>, Vec<String>) {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        let Ok(lock) = File::create(folder.join(LOCK)) else { continue };
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            continue;
        }
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
        files.sort();
        let mut changes = Vec::new();
        for path in files {
            match read(&path) {
                Ok(change) if is_saved(&change.unsaved) => drop(std::fs::remove_file(&path)),
                Ok(change) => changes.push(change),
                Err(error) => {
                    let aside = path.with_extension(DAMAGED);
                    let _ = std::fs::rename(&path, &aside);
                    let name = aside.file_name().unwrap_or_default().to_string_lossy();
                    notes.push(format!(
                        "{error}. It contained unsaved changes; it has been renamed to {name}"
                    ));
                }
            }
        }
        let left = Left { folder, _lock: lock, changes };
        if left.changes.is_empty() {
            left.remove();
        } else {
            all.push(left);
        }
    }
    (all, notes)
}

fn read(path: &Path) -> Result<LeftChange> {
    let bytes = files::read(path, FileKind::Recipe)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::file(path, "is not text in UTF-8"))?;
    let kept = files::changed(path).unwrap_or_else(SystemTime::now);
    // If the clock was set back, the changes count as just made.
    let age = kept.elapsed().unwrap_or_default();
    Ok(LeftChange { file: path.to_owned(), unsaved: from_text(&text, path)?, age })
}

/// Whether the file contains these changes already.
fn is_saved(unsaved: &Unsaved) -> bool {
    let path = unsaved.path.as_ref();
    path.and_then(|path| Recipe::read(path).ok()).is_some_and(|saved| saved == unsaved.recipe)
}

/// A duration for people, such as "3 minutes ago".
pub(crate) fn ago(age: Duration) -> String {
    let (count, unit) = match age.as_secs() {
        ..60 => return "just now".into(),
        seconds @ 60..3600 => (seconds / 60, "minute"),
        seconds @ 3600..86_400 => (seconds / 3600, "hour"),
        seconds => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}
