//! Atomic replacement of files: written next to the old ones, then renamed over them, one by one or several
//! together.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};

/// At most this many links are followed in a chain, as in Linux.
const MOST_LINKS: usize = 40;

/// The files that are being written now.
static UNFINISHED: Mutex<Unfinished> =
    Mutex::new(Unfinished { files: Vec::new(), folders: Vec::new(), programs: Vec::new() });

/// What [`remove_unfinished`] removes and stops.
struct Unfinished {
    /// Temporary files.
    files: Vec<PathBuf>,
    /// Folders that were created for them.
    folders: Vec<PathBuf>,
    /// Programs that write some of them.
    programs: Vec<Arc<Mutex<Child>>>,
}

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// The calls of [`replace_together`] that this thread is in, the innermost last.
    static GROUPS: RefCell<Vec<Group>> = const { RefCell::new(Vec::new()) };
}

/// Lets `write` fill a temporary file in the folder of `path`, then renames it to `path`. On any failure
/// the temporary file is removed and what was at `path` stays. The new file gets the permissions of the old
/// one, or the default ones. If `path` is a symbolic link, it stays one: its target is replaced or created.
///
/// Within [`replace_together`] the file is renamed at the end of that.
///
/// A program that is killed by a signal leaves its temporary files behind (`.upland-` and six letters),
/// unless it calls [`remove_unfinished`] first.
///
/// ```
/// # use upland_core as upland;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("note.txt");
/// use std::io::Write;
/// upland::formats::replace_file(&path, |file| {
///     file.write_all(b"whole").map_err(|error| upland::Error::io("note.txt", "write", error))
/// })?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"whole");
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// Those of [`check_replaceable`], when the folder cannot be written to, and whatever `write` returns.
pub fn replace_file<T>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<T>,
) -> Result<T> {
    let path = path.as_ref();
    let failed = |error| Error::io(path, "write", error);
    replace(path, |temporary| {
        let mut buffered = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
        let result = write(&mut buffered)?;
        buffered.flush().map_err(failed)?;
        Ok(result)
    })
}

/// As [`replace_file`], for a file that another program writes: `write` gets the path of the temporary file.
/// The program should be a [`WritingProgram`].
///
/// # Errors
/// As [`replace_file`].
pub fn replace_by<T>(path: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    replace(path, |temporary| write(temporary.path()))
}

fn replace<T>(path: &Path, write: impl FnOnce(&mut tempfile::NamedTempFile) -> Result<T>) -> Result<T> {
    let failed = |error| Error::io(path, "write", error);
    // Before anything is written, since that may take minutes.
    check_replaceable(path)?;
    let target = target_of(path)?;
    let old = std::fs::metadata(&target).ok();
    let mut temporary = Temporary::new_in(folder_of(&target)).map_err(failed)?;
    let result = write(&mut temporary.file)?;
    // The new file takes the place of the old one, and so its permissions.
    if let Some(old) = old {
        temporary.file.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    // On disk before the rename: after a power cut there is either the old file or the whole new one.
    temporary.file.as_file().sync_all().map_err(failed)?;
    let bytes = std::fs::metadata(temporary.file.path()).map_err(failed)?.len();
    let whole = WholeFile {
        temporary: temporary.closed(),
        target,
        replaced: ReplacedFile { path: path.to_owned(), bytes },
    };
    // In a group the rename waits until all files are whole.
    let alone = GROUPS.with_borrow_mut(|groups| match groups.last_mut() {
        Some(group) => {
            group.files.push(whole);
            None
        }
        None => Some(whole),
    });
    rename(alone)?;
    Ok(result)
}

/// A file that was written by [`replace_together`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedFile {
    /// Its path as it was given.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// Writes several files together: those that `write` replaces on this thread, by [`replace_file`] or anything
/// that uses it, are renamed once all are complete and `write` has succeeded. After a failure none of them is
/// renamed, and folders that [`create_folder`] has made are removed. Returns what `write` returns, and the
/// files.
///
/// Inside another call, the files are renamed at the end of the outermost one.
///
/// ```
/// # use upland_core as upland;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = |name: &str| folder.path().join(name);
/// use std::io::Write;
/// use upland::formats::{replace_file, replace_together};
/// let write = |name: &str| {
///     let text = |file: &mut std::io::BufWriter<&mut std::fs::File>| {
///         file.write_all(b"text").map_err(|error| upland::Error::io("text", "write", error))
///     };
///     replace_file(path(name), text)
/// };
/// let failed = replace_together(|| write("a").and_then(|()| write("no/such/folder/b")));
/// assert!(failed.is_err() && !path("a").exists());
/// let ((), files) = replace_together(|| write("a").and_then(|()| write("b")))?;
/// assert_eq!((files[1].path.clone(), files[1].bytes), (path("b"), 4));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// Those of `write`, and when a file cannot be renamed; files that were renamed before it keep their new
/// content.
pub fn replace_together<T, E: From<Error>>(
    write: impl FnOnce() -> Result<T, E>,
) -> Result<(T, Vec<ReplacedFile>), E> {
    let open = OpenGroup::begin();
    let result = write()?;
    Ok((result, open.finish()?))
}

/// Creates a folder and its missing parents. Inside [`replace_together`] a failure removes them again if they
/// are empty.
///
/// # Errors
/// When it is a file, or cannot be created.
pub fn create_folder(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    // The deepest first, the order in which empty folders can be removed.
    let missing: Vec<PathBuf> = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    // Created under the lock: a folder never exists without being listed.
    let mut unfinished = unfinished();
    if let Err(error) = std::fs::create_dir_all(path) {
        remove_folders(&missing);
        return Err(Error::io(path, "create", error));
    }
    GROUPS.with_borrow_mut(|groups| {
        if let Some(group) = groups.last_mut() {
            unfinished.folders.splice(0..0, missing.iter().cloned());
            group.folders.splice(0..0, missing);
        }
    });
    Ok(())
}

/// Removes those folders that are empty, in this order: each folder before its parent.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders {
        let _ = std::fs::remove_dir(folder);
    }
}

/// Another program that writes a temporary file of [`replace_by`]. [`remove_unfinished`] stops it before it
/// removes the file, since the program would write the file again. Dropping this also stops it.
#[derive(Debug)]
pub struct WritingProgram(Arc<Mutex<Child>>);

impl WritingProgram {
    /// How long to wait before looking again whether it has ended.
    const PAUSE: Duration = Duration::from_millis(5);

    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        // Started under the lock: the program never runs without being listed.
        let mut unfinished = unfinished();
        let child = Arc::new(Mutex::new(command.spawn()?));
        unfinished.programs.push(child.clone());
        Ok(Self(child))
    }

    /// The process. While it is borrowed, a signal doesn't stop the program.
    pub fn child(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it has ended by itself, or because of a signal.
    ///
    /// # Errors
    /// When the system doesn't report it.
    pub fn wait(&self) -> std::io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.child().try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Self::PAUSE);
        }
    }
}

impl Drop for WritingProgram {
    fn drop(&mut self) {
        end(&mut self.child());
        unfinished().programs.retain(|program| !Arc::ptr_eq(program, &self.0));
    }
}

/// Kills a process if it still runs, and waits until it has ended.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Stops every [`WritingProgram`], removes every temporary file that is being written and blocks new ones.
/// Call it last, from an ordinary thread, in a program that ends on a signal. Files that would have been
/// replaced stay as they were; a write in progress fails, and a new one waits for ever.
pub fn remove_unfinished() {
    let unfinished = unfinished();
    for program in &unfinished.programs {
        end(&mut program.lock().unwrap_or_else(PoisonError::into_inner));
    }
    for path in &unfinished.files {
        // A file that has just been renamed no longer exists under this name.
        let _ = std::fs::remove_file(path);
    }
    remove_folders(&unfinished.folders);
    // The lock is never released: that blocks new files while the program ends.
    std::mem::forget(unfinished);
}

/// Checks that [`replace_file`] can write a file at `path`, as far as this can be known in advance. Call it
/// before long work begins.
///
/// # Errors
/// When its folder does not exist; when `path` is a folder, a device, a circular link or a read-only file.
pub fn check_replaceable(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    if let Ok(old) = std::fs::metadata(target_of(path)?) {
        if !old.is_file() {
            let reason = "this is not a regular file, so it cannot be replaced; give another name";
            return Err(Error::file(path, reason));
        }
        if old.permissions().readonly() {
            return Err(Error::file(path, "this file is read-only; give another name"));
        }
    }
    check_folder(path)
}

/// Checks that the folder of `path` exists. Call it before long work begins.
///
/// # Errors
/// When it doesn't, or when `path` is a circular link.
pub fn check_folder(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let target = target_of(path)?;
    let folder = folder_of(&target);
    if folder.is_dir() {
        return Ok(());
    }
    let reason = format!("the folder `{}` does not exist; make it first", folder.display());
    Err(Error::file(path, reason))
}

/// Where a write to `path` ends up: `path` itself or, for a link, its target, which need not exist.
///
/// # Errors
/// When links are circular.
pub fn target_of(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        // The chain ends at a path that is not a link or doesn't exist.
        let Ok(next) = std::fs::read_link(&target) else { return Ok(target) };
        target = folder_of(&target).join(next);
    }
    Err(Error::file(path, "this link leads in a circle; remove it or give another name"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file that [`remove_unfinished`] knows of.
struct Temporary<File> {
    // Dropped in this order: the file is removed or renamed before it leaves the list.
    file: File,
    listed: ListedPath,
}

impl Temporary<tempfile::NamedTempFile> {
    fn new_in(folder: &Path) -> std::io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".upland-");
        // Temporary files are private by default; this one becomes an ordinary file, so it gets the
        // permissions that the user's umask leaves.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // Created under the lock: a file never exists without being listed.
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(folder)?;
        let path = file.path().to_owned();
        unfinished.files.push(path.clone());
        Ok(Self { file, listed: ListedPath(path) })
    }

    /// The same file, closed: there may be more of them than a process may hold open.
    fn closed(self) -> Temporary<tempfile::TempPath> {
        Temporary { file: self.file.into_temp_path(), listed: self.listed }
    }
}

/// Keeps a path in the list of unfinished files while this exists.
struct ListedPath(PathBuf);

impl Drop for ListedPath {
    fn drop(&mut self) {
        unfinished().files.retain(|path| *path != self.0);
    }
}

/// A complete temporary file and its destination.
struct WholeFile {
    temporary: Temporary<tempfile::TempPath>,
    target: PathBuf,
    replaced: ReplacedFile,
}

/// Renames complete files to their destinations. A signal is handled before or after all of them.
fn rename(files: impl IntoIterator<Item = WholeFile>) -> Result<Vec<ReplacedFile>> {
    // Dropped after the lock is released, because dropping takes the lock.
    let mut listed = Vec::new();
    let _locked = unfinished();
    let mut done = Vec::new();
    let mut outcome = Ok(());
    for WholeFile { temporary, target, replaced } in files {
        listed.push(temporary.listed);
        // After an error the rest is dropped, which removes the temporary files.
        if outcome.is_err() {
            continue;
        }
        match temporary.file.persist(&target) {
            Ok(()) => done.push(replaced),
            Err(error) => outcome = Err(Error::io(&replaced.path, "write", error.error)),
        }
    }
    outcome.map(|()| done)
}

/// Files that are written together.
#[derive(Default)]
struct Group {
    files: Vec<WholeFile>,
    /// Folders that were created, each before its parent.
    folders: Vec<PathBuf>,
}

impl Group {
    /// Takes the folders off the list of unfinished ones.
    fn unlist_folders(&mut self) {
        if !self.folders.is_empty() {
            unfinished().folders.retain(|folder| !self.folders.contains(folder));
            self.folders.clear();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Files first: a folder can be removed only when it is empty.
        self.files.clear();
        remove_folders(&self.folders);
        self.unlist_folders();
    }
}

/// The innermost group of this thread. Dropping this abandons the group.
struct OpenGroup;

impl OpenGroup {
    fn begin() -> Self {
        GROUPS.with_borrow_mut(|groups| groups.push(Group::default()));
        Self
    }

    /// Renames the files, or leaves that to the enclosing group.
    fn finish(self) -> Result<Vec<ReplacedFile>> {
        // Dropping it would take the group away a second time.
        std::mem::forget(self);
        let mut group = GROUPS.with_borrow_mut(Vec::pop).unwrap_or_default();
        let files = std::mem::take(&mut group.files);
        let replaced = files.iter().map(|file| file.replaced.clone()).collect();
        let outermost = GROUPS.with_borrow_mut(|groups| match groups.last_mut() {
            Some(outer) => {
                outer.files.extend(files);
                outer.folders.splice(0..0, std::mem::take(&mut group.folders));
                None
            }
            None => Some(files),
        });
        if let Some(files) = outermost {
            rename(files)?;
            group.unlist_folders();
        }
        Ok(replaced)
    }
}

impl Drop for OpenGroup {
    fn drop(&mut self) {
        // Dropped after the borrow of the list has ended.
        let group = GROUPS.with_borrow_mut(Vec::pop);
        drop(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> impl FnOnce(&mut BufWriter<&mut File>) -> Result<()> {
        move |file| file.write_all(text.as_bytes()).map_err(|error| Error::io("", "write", error))
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("field.tif");
        replace_file(&path, text("old")).unwrap();
        let failed = replace_file(&path, |file| {
            text("half of the n")(file)?;
            Err::<(), _>(Error::Cancelled)
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        replace_file(&path, text("new")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_missing_folder_and_a_folder_as_file_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("nowhere/field.tif");
        let message = replace_file(&missing, text("")).unwrap_err().to_string();
        assert!(message.contains("nowhere` does not exist"), "{message}");
        assert!(replace_file(folder.path(), text("")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_the_usual_ones_or_the_old_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (usual, ours) = (folder.path().join("usual"), folder.path().join("ours"));
        std::fs::write(&usual, "").unwrap();
        replace_file(&ours, text("")).unwrap();
        assert_eq!(mode(&ours), mode(&usual));
        std::fs::set_permissions(&ours, PermissionsExt::from_mode(0o640)).unwrap();
        replace_file(&ours, text("")).unwrap();
        assert_eq!(mode(&ours), 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace_file(&link, text("new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn writing_to_a_dangling_link_creates_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("second", path("first")).unwrap();
        std::fs::create_dir(path("below")).unwrap();
        std::os::unix::fs::symlink("below/file", path("second")).unwrap();
        replace_file(path("first"), text("new")).unwrap();
        assert!(path("first").is_symlink() && path("second").is_symlink());
        assert_eq!(std::fs::read_to_string(path("below/file")).unwrap(), "new");

        std::os::unix::fs::symlink("nowhere/file", path("lost")).unwrap();
        let message = replace_file(path("lost"), text("new")).unwrap_err().to_string();
        assert!(message.contains("nowhere` does not exist") && path("lost").is_symlink(), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_a_circle_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        std::os::unix::fs::symlink(&one, &other).unwrap();
        std::os::unix::fs::symlink(&other, &one).unwrap();
        for message in [check_folder(&one), replace_file(&one, text("new"))] {
            assert!(message.unwrap_err().to_string().contains("leads in a circle"));
        }
        assert!(one.is_symlink());
    }

    #[test]
    fn a_file_is_listed_until_it_is_complete_or_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let here = || {
            let all = unfinished();
            all.files.iter().filter(|path| path.starts_with(folder.path())).cloned().collect::<Vec<_>>()
        };
        let path = folder.path().join("field.tif");
        replace_file(&path, |_| {
            assert!(here().len() == 1 && here()[0].exists());
            Ok(())
        })
        .unwrap();
        assert!(here().is_empty());
        replace_file(&path, |_| Err::<(), _>(Error::Cancelled)).unwrap_err();
        assert!(here().is_empty());
    }

    /// The names of the entries of a folder.
    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_that_are_written_together_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("old"), "old").unwrap();
        let failed = replace_together(|| {
            replace_file(path("old"), text("new"))?;
            create_folder(path("deep/folder"))?;
            replace_file(path("deep/folder/a"), text("a"))?;
            // The failure of an inner group affects the outer one only if that fails too.
            let inner = replace_together(|| {
                replace_file(path("inner"), text(""))?;
                Err::<(), _>(Error::Cancelled)
            });
            assert!(matches!(inner, Err(Error::Cancelled)));
            Err::<(), _>(Error::Cancelled)
        });
        assert!(matches!(failed, Err(Error::Cancelled)));
        assert_eq!(std::fs::read_to_string(path("old")).unwrap(), "old");
        assert_eq!(names(folder.path()), ["old"]);

        let (number, files) = replace_together(|| {
            replace_file(path("old"), text("newer"))?;
            create_folder(path("deep/folder"))?;
            let ((), inner) = replace_together(|| replace_file(path("deep/folder/a"), text("a")))?;
            assert!(inner.len() == 1 && names(&path("deep/folder"))[0].starts_with(".upland-"));
            Ok::<_, Error>(7)
        })
        .unwrap();
        let sizes: Vec<_> = files.into_iter().map(|ReplacedFile { path, bytes }| (path, bytes)).collect();
        assert_eq!((number, sizes), (7, vec![(path("old"), 5), (path("deep/folder/a"), 1)]));
        assert_eq!(std::fs::read_to_string(path("old")).unwrap(), "newer");
        assert_eq!(
            (names(folder.path()), names(&path("deep/folder"))),
            (vec!["deep".into(), "old".into()], vec!["a".into()])
        );
    }

    #[test]
    fn a_panic_abandons_files_that_were_written_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let panicked = std::panic::catch_unwind(|| {
            replace_together::<(), Error>(|| {
                replace_file(&path, text("a"))?;
                if path.exists() { Ok(()) } else { panic!("given up") }
            })
        });
        assert!(panicked.is_err() && names(folder.path()).is_empty());
        replace_file(&path, text("b")).unwrap();
        assert!(path.exists(), "later files are written");
    }

    #[test]
    fn irreplaceable_paths_are_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let message = check_replaceable(folder.path()).unwrap_err().to_string();
        assert!(message.contains("not a regular file"), "{message}");
        let file = folder.path().join("file");
        check_replaceable(&file).unwrap();
        std::fs::write(&file, "").unwrap();
        check_replaceable(&file).unwrap();
        let mut permissions = std::fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&file, permissions).unwrap();
        assert!(check_replaceable(&file).unwrap_err().to_string().contains("read-only"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_writes_ends_before_its_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film");
        let mut id = 0;
        let failed = replace_by(&path, |temporary| {
            let mut command = Command::new("sh");
            // It would write the file again once its input ends.
            command
                .args(["-c", "read -r line; : > \"$0\""])
                .arg(temporary)
                .stdin(std::process::Stdio::piped());
            let program = WritingProgram::start(&mut command).unwrap();
            id = program.child().id();
            Err::<(), _>(Error::Cancelled)
        });
        assert!(!Path::new(&format!("/proc/{id}")).exists(), "it still runs");
        assert!(failed.is_err() && names(folder.path()).is_empty());
        let mut command = Command::new("true");
        let program = WritingProgram::start(&mut command).unwrap();
        assert!(program.wait().unwrap().success());
    }
}
