//! Replacing a file whole: it is written beside the old one and takes its place when it is finished.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Lets `write` fill a temporary file in the folder of `path`, then renames it to `path`. Whatever
/// fails, no half-written file is left, and what was at `path` stays as it was. The new file has the
/// permissions of the old one, or the usual ones.
///
/// ```
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
/// When the folder does not exist or cannot be written to, when `path` is a folder, a device or a
/// file that is read-only, and whatever `write` returns.
pub fn replace_file<T>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<T>,
) -> Result<T> {
    let path = path.as_ref();
    let failed = |error| Error::io(path, "write", error);
    // Through a link, the file it points to is replaced and the link stays.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = std::fs::metadata(&target).ok();
    if let Some(old) = &old {
        if !old.is_file() {
            return Err(Error::file(path, "this is no file that could be replaced; give another name"));
        }
        if old.permissions().readonly() {
            return Err(Error::file(path, "this file is read-only; give another name"));
        }
    }
    let folder = folder_of(&target);
    check_folder(path)?;
    let mut temporary = new_file_in(folder).map_err(failed)?;
    let mut buffered = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
    let result = write(&mut buffered)?;
    buffered.flush().map_err(failed)?;
    drop(buffered);
    if let Some(old) = old {
        temporary.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(&target).map_err(|error| failed(error.error))?;
    Ok(result)
}

/// Whether the folder that `path` is to be written into is there: asked before long work begins.
///
/// # Errors
/// When it isn't.
pub fn check_folder(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let folder = folder_of(path);
    if folder.is_dir() {
        return Ok(());
    }
    let reason = format!("the folder `{}` does not exist; make it first", folder.display());
    Err(Error::file(path, reason))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn new_file_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".upland-");
    // Temporary files are private by default; this one is to become an ordinary file, as open as the
    // user's umask lets files be.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
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
}
