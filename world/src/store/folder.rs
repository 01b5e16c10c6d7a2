//! Objects as files of a folder, which may be shared by several machines.
//!
//! An object is written under a name of its own, `.upland-HOST-PROCESS-NUMBER.part`, and renamed at its end.
//! The name says whose file it is, so that a later run can remove those that a killed process has left.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use rayon::prelude::*;

use super::object::{Beginning, ObjectInfo};
use super::reason::too_long;

/// How the names of half-written files begin and end.
const PART: (&str, &str) = (".upland-", ".part");

/// Half-written files of this process, removed when a signal ends it.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The name of this machine, as far as it can be part of a file's name.
static HOST: LazyLock<String> = LazyLock::new(|| {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = name.trim().chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    if name.is_empty() { "host".into() } else { name }
});

/// Removes the files that this process is writing. For a handler of signals that then ends the process.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        _ = fs::remove_file(path);
    }
    // No other thread begins another file before the process has ended.
    std::mem::forget(unfinished);
}

pub(super) struct Folder {
    root: PathBuf,
}

/// A file that is being written; dropped before it is in place, it is removed.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    fn begin(folder: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}{}-{}-{number}{}", PART.0, *HOST, std::process::id(), PART.1);
        let path = folder.join(name);
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => {
                unlist(&path);
                Err(error)
            }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It is gone already where it was renamed.
        _ = fs::remove_file(&self.path);
        unlist(&self.path);
    }
}

fn unlist(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
}

impl Folder {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, key: &str) -> PathBuf {
        // Part by part: names have `/` on all systems.
        key.split('/').fold(self.root.clone(), |path, name| path.join(name))
    }

    pub(super) fn get(&self, key: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = self.open(key)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(read_failed)?;
        if bytes.len() as u64 > most {
            return Err(too_long(most));
        }
        Ok(Some(bytes))
    }

    pub(super) fn get_range(&self, key: &str, from: u64, length: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(mut file) = self.open(key)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from)).map_err(read_failed)?;
        file.take(length).read_to_end(&mut bytes).map_err(read_failed)?;
        Ok(Some(bytes))
    }

    fn open(&self, key: &str) -> Result<Option<File>, String> {
        let path = self.path(key);
        // Pipes and devices are never objects, and opening one may wait for ever.
        match fs::metadata(&path) {
            Ok(about) if !about.is_file() => {
                return Err("is not a file; remove it, or choose another folder".into());
            }
            Err(error) if is_missing(&error) => return Ok(None),
            _ => {}
        }
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(read_failed(error)),
        }
    }

    pub(super) fn beginnings(
        &self,
        keys: &[&str],
        length: u64,
    ) -> Result<Vec<Option<Beginning>>, (String, String)> {
        let read = |key: &&str| self.beginning(key, length).map_err(|reason| ((*key).to_owned(), reason));
        keys.par_iter().map(read).collect()
    }

    fn beginning(&self, key: &str, length: u64) -> Result<Option<Beginning>, String> {
        let Some(file) = self.open(key)? else { return Ok(None) };
        let size = file.metadata().map_err(read_failed)?.len();
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).map_err(read_failed)?;
        Ok(Some(Beginning { bytes, size }))
    }

    pub(super) fn list(&self, folder: &str) -> Result<Vec<ObjectInfo>, String> {
        let mut found = Vec::new();
        let top = if folder.is_empty() { self.root.clone() } else { self.path(folder) };
        self.walk(&top, folder, &mut |_, key, bytes| {
            if !is_part(&key) {
                found.push(ObjectInfo { key, bytes });
            }
        })?;
        Ok(found)
    }

    /// Calls `visit` with every file below a folder: its path, its name and its length.
    fn walk(
        &self,
        folder: &Path,
        key: &str,
        visit: &mut dyn FnMut(&Path, String, u64),
    ) -> Result<(), String> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(read_failed(error)),
        };
        for entry in entries {
            let entry = entry.map_err(read_failed)?;
            // Names that are not Unicode are not ours.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let key = if key.is_empty() { name } else { format!("{key}/{name}") };
            match entry.metadata() {
                Ok(about) if about.is_dir() => self.walk(&entry.path(), &key, visit)?,
                Ok(about) if about.is_file() => visit(&entry.path(), key, about.len()),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn put(&self, key: &str, bytes: &[u8]) -> Result<(), String> {
        self.put_with(key, |file| file.write_all(bytes))
    }

    pub(super) fn put_file(&self, key: &str, path: &Path) -> Result<(), String> {
        let mut from = File::open(path).map_err(read_failed)?;
        self.put_with(key, |file| io::copy(&mut from, file).map(|_| ()))
    }

    fn put_with(&self, key: &str, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), String> {
        let target = self.path(key);
        let mut part = self.begin(&target)?;
        write(&mut part.file).map_err(write_failed)?;
        fs::rename(&part.path, &target).map_err(write_failed)
    }

    pub(super) fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, String> {
        let target = self.path(key);
        let mut part = self.begin(&target)?;
        part.file.write_all(bytes).map_err(write_failed)?;
        // A link, unlike a rename, never takes the place of a file, so only one of two succeeds.
        match fs::hard_link(&part.path, &target) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            // Some file systems have no links. Then the new file is written in place; whoever reads it
            // meanwhile finds that it is incomplete.
            Err(_) => match File::create_new(&target) {
                Ok(mut file) => file.write_all(bytes).map(|()| true).map_err(write_failed),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
                Err(error) => Err(write_failed(error)),
            },
        }
    }

    fn begin(&self, target: &Path) -> Result<Part, String> {
        let folder = target.parent().unwrap_or(&self.root);
        let begin = || Part::begin(folder);
        // The folder is there except for the first object.
        match begin() {
            Err(error) if is_missing(&error) => {
                fs::create_dir_all(folder).map_err(write_failed)?;
                begin().map_err(write_failed)
            }
            begun => begun.map_err(write_failed),
        }
    }

    pub(super) fn remove(&self, key: &str) -> Result<(), String> {
        match fs::remove_file(self.path(key)) {
            Err(error) if !is_missing(&error) => Err(write_failed(error)),
            _ => Ok(()),
        }
    }

    pub(super) fn sweep(&self) {
        let running = Path::new("/proc/self");
        // Without a list of processes nothing is known about them.
        if !running.exists() {
            return;
        }
        let mut left = Vec::new();
        _ = self.walk(&self.root, "", &mut |path, key, _| {
            let is_running = |process: u32| Path::new(&format!("/proc/{process}")).exists();
            if process_of(&key).is_some_and(|process| !is_running(process)) {
                left.push(path.to_owned());
            }
        });
        left.iter().for_each(|path| _ = fs::remove_file(path));
    }
}

fn is_part(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or(key);
    name.starts_with(PART.0) && name.ends_with(PART.1)
}

/// The process of this machine that writes, or has written, a half-written file.
fn process_of(key: &str) -> Option<u32> {
    let name = key.rsplit('/').next()?.strip_prefix(PART.0)?.strip_suffix(PART.1)?;
    let mut words = name.split('-');
    (words.next()? == *HOST).then_some(())?;
    words.next()?.parse().ok()
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn read_failed(error: io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "cannot be read: permission denied; let this user read it".into(),
        _ => format!("cannot be read: {error}; run the command again to try again"),
    }
}

fn write_failed(error: io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "cannot be written: no space is left; free some and run the command again, which resumes".into()
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("cannot be written: {error}; let this user write there, or choose another folder")
        }
        _ => format!("cannot be written: {error}; run the command again, which resumes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_that_create_an_object_one_wins() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path());
        let won: Vec<bool> = std::thread::scope(|scope| {
            let folder = &folder;
            let threads: Vec<_> =
                (0..8u8).map(|number| scope.spawn(move || folder.create("plan", &[number; 9]))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        let winner = won.iter().position(|won| *won).unwrap() as u8;
        assert_eq!(folder.get("plan", 9).unwrap().unwrap(), [winner; 9]);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "no part is left");
    }

    #[test]
    fn a_write_that_fails_leaves_what_was_there() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path());
        folder.put("a/tile", b"old").unwrap();
        let failed = folder.put_with("a/tile", |file| {
            file.write_all(b"half")?;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(failed.unwrap_err().contains("no space is left; free some"));
        assert_eq!(folder.get("a/tile", 9).unwrap().unwrap(), b"old");
        assert_eq!(fs::read_dir(root.path().join("a")).unwrap().count(), 1);
        assert!(folder.get("a/tile", 2).unwrap_err().contains("more than 2 bytes"));
        assert_eq!(folder.get_range("a/tile", 1, 9).unwrap().unwrap(), b"ld");
        assert_eq!(folder.get("a/none", 9).unwrap(), None);
        assert!(folder.get("a", 9).unwrap_err().contains("is not a file"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn parts_of_processes_that_have_ended_are_swept_and_others_stay() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path());
        // Numbers of processes on Linux end far below.
        let dead = format!("{}{}-4294967295-0{}", PART.0, *HOST, PART.1);
        let alive = format!("{}{}-{}-77{}", PART.0, *HOST, std::process::id(), PART.1);
        let elsewhere = format!("{}otherhost1-4294967295-0{}", PART.0, PART.1);
        for name in [&dead, &alive, &elsewhere] {
            fs::write(root.path().join(name), "half").unwrap();
        }
        assert_eq!(folder.list("").unwrap(), [], "parts are not objects");
        folder.sweep();
        let exists = |name: &str| root.path().join(name).exists();
        assert!(!exists(&dead) && exists(&alive) && exists(&elsewhere));
    }
}
