//! Atomic replacement of files: written beside the old one, then renamed over it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};

/// At most this many links are followed in a chain, as in Linux.
const MOST_LINKS: usize = 40;

/// The temporary files now being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Lets `write` fill a temporary file in the folder of `path`, then renames it to `path`. On any failure
/// the temporary file is removed and what was at `path` stays. The new file gets the permissions of the old
/// one, or the default ones. If `path` is a symbolic link, it stays one: its target is replaced or created.
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
/// When the folder does not exist or cannot be written to, when `path` is a folder, a device, a circular
/// link or a read-only file, and whatever `write` returns.
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

/// The same for a file that another program writes: `write` is given the path of the temporary file.
///
/// # Errors
/// As [`replace_file`].
pub fn replace_by<T>(path: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    replace(path, |temporary| write(temporary.path()))
}

fn replace<T>(path: &Path, write: impl FnOnce(&mut tempfile::NamedTempFile) -> Result<T>) -> Result<T> {
    let failed = |error| Error::io(path, "write", error);
    let target = target_of(path)?;
    let old = std::fs::metadata(&target).ok();
    if let Some(old) = &old {
        if !old.is_file() {
            return Err(Error::file(
                path,
                "this is not a regular file, so it cannot be replaced; give another name",
            ));
        }
        if old.permissions().readonly() {
            return Err(Error::file(path, "this file is read-only; give another name"));
        }
    }
    check_folder(path)?;
    let mut unfinished = Unfinished::new_in(folder_of(&target)).map_err(failed)?;
    let temporary = &mut unfinished.file;
    let result = write(temporary)?;
    if let Some(old) = old {
        temporary.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    unfinished.rename_to(&target).map_err(failed)?;
    Ok(result)
}

/// Removes every temporary file that is being written and blocks new ones: to be called last, from an
/// ordinary thread, by a program that ends on a signal. Files that would have been replaced stay as they
/// were; a write in progress fails, and a new one waits for ever.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        // A file that has just been renamed no longer exists under this name.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Checks that the folder of `path` exists: to be called before long work begins.
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

/// Where writing to `path` ends up: `path` itself or, for a link, its target, existing or not.
///
/// # Errors
/// When links are circular.
pub fn target_of(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        // The chain ends at what is not a link, or doesn't exist.
        let Ok(next) = std::fs::read_link(&target) else { return Ok(target) };
        target = folder_of(&target).join(next);
    }
    Err(Error::file(path, "this link leads in a circle; remove it or give another name"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file that [`remove_unfinished`] knows of.
struct Unfinished {
    // Dropped in this order: the file is removed or renamed before it leaves the list.
    file: tempfile::NamedTempFile,
    known: Listed,
}

impl Unfinished {
    fn new_in(folder: &Path) -> std::io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".upland-");
        // Temporary files are private by default; this one becomes an ordinary file, so it gets the
        // permissions that the user's umask leaves.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // Created under the lock: at no moment does it exist unlisted.
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let file = builder.tempfile_in(folder)?;
        let path = file.path().to_owned();
        unfinished.push(path.clone());
        Ok(Self { file, known: Listed(path) })
    }

    fn rename_to(self, target: &Path) -> std::io::Result<()> {
        let Self { file, known } = self;
        let renamed = file.persist(target);
        drop(known);
        renamed.map(drop).map_err(|error| error.error)
    }
}

/// Keeps a path in [`UNFINISHED`] while it lives.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.retain(|path| *path != self.0);
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
    fn through_a_dangling_link_what_it_points_to_is_made() {
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
    fn what_is_being_written_is_known_until_it_is_whole_or_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let here = || {
            let all = UNFINISHED.lock().unwrap();
            all.iter().filter(|path| path.starts_with(folder.path())).cloned().collect::<Vec<_>>()
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
}
