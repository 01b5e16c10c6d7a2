//! A file that a recipe names.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::embedded;
use crate::error::{Error, Result};

/// The path of a file as written in a recipe. A relative path is looked up in the recipe's folder first, then
/// among the files that are built into the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilePath {
    text: String,
    folder: PathBuf,
    /// Files in memory that are read instead of those on disk.
    held: Option<Held>,
    /// The file, if it is open already.
    opened: Opened,
}

/// An open file, as whatever the step that reads it has made of it.
#[derive(Clone, Default)]
struct Opened(Option<Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "open" } else { "closed" })
    }
}

/// Two paths are equal whether or not their files are open.
// The opened file follows from the path: equal paths are equal, whichever has been opened.
impl PartialEq for Opened {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl FilePath {
    /// A path as written in a recipe.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The path as written in the recipe.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Changes the path and closes the file: it is read from disk again.
    pub fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.held = None;
        self.opened = Opened::default();
    }

    /// Sets the folder of the recipe, which relative paths start from.
    pub fn set_folder(&mut self, folder: &Path) {
        folder.clone_into(&mut self.folder);
        self.opened = Opened::default();
    }

    /// Sets the folder of the recipe so that the path still means the same file. Where it would mean another
    /// file from there, the path becomes relative to that folder if the file is in it, and absolute
    /// otherwise. Returns whether the path has changed. It stays as it is if the new path would not be
    /// Unicode, since a recipe cannot name such a file.
    pub(crate) fn move_to(&mut self, folder: &Path) -> bool {
        let meant =
            whole(&self.on_disk()).filter(|meant| whole(&folder.join(&self.text)).as_ref() != Some(meant));
        let text = meant.filter(|_| Path::new(&self.text).is_relative()).and_then(|meant| {
            let folder = std::fs::canonicalize(or_here(folder)).ok();
            match folder.and_then(|folder| Some(meant.strip_prefix(folder).ok()?.to_owned())) {
                Some(inside) => {
                    let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
                    Some(names?.join("/"))
                }
                None => Some(plain(meant.to_str()?).to_owned()),
            }
        });
        self.set_folder(folder);
        let has_changed = text.is_some();
        if let Some(text) = text {
            self.text = text;
        }
        has_changed
    }

    /// Where the file is looked for on disk. An address is returned as it is: no disk has it.
    pub fn on_disk(&self) -> PathBuf {
        if self.is_address() { PathBuf::from(&self.text) } else { self.folder.join(&self.text) }
    }

    /// Whether it is an address, such as `s3://bucket/plan.json`, and not a path. Only steps that read
    /// addresses accept one.
    pub fn is_address(&self) -> bool {
        // `C://land` is a path and not an address of the scheme `C`.
        self.text.split_once("://").is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
    }

    /// Reads the file, and those that belong to it, from memory and never from disk: for recipes from an
    /// archive, a network or a program.
    pub(crate) fn hold(&mut self, held: Held) {
        self.held = Some(held);
        self.opened = Opened::default();
    }

    /// Keeps what was opened, which is then read instead of being opened again, until the path changes.
    pub(crate) fn keep_open(&mut self, file: Arc<dyn Any + Send + Sync>) {
        self.opened = Opened(Some(file));
    }

    /// The opened file, if it is a `T`.
    pub(crate) fn opened<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.opened.0.clone()?.downcast().ok()
    }

    /// The files in memory that replace those on disk, if any.
    pub(crate) fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Reads the file from memory or from disk; if it isn't there, the built-in file of this path.
    pub(crate) fn read_with<T>(
        &self,
        from_disk: impl FnOnce(&Path) -> Result<T>,
        from_bytes: impl FnOnce(&Path, &[u8]) -> Result<T>,
    ) -> Result<T> {
        let path = self.on_disk();
        let built_in = embedded::file(&self.text);
        if let Some(held) = &self.held {
            return match (held.bytes(&path)?, built_in) {
                // A recipe's own file comes before a built-in one of the same name.
                (Some(bytes), _) | (None, Some(bytes)) => from_bytes(&path, bytes),
                (None, None) => Err(held.missing(&path)),
            };
        }
        match built_in {
            // Likewise on disk.
            Some(bytes) if !path.exists() => from_bytes(&path, bytes),
            _ => from_disk(&path),
        }
    }

    /// As [`read_with`](Self::read_with), where the bytes are shared: those in memory aren't copied.
    pub(crate) fn open_with<T>(
        &self,
        from_disk: impl FnOnce(&Path) -> Result<T>,
        from_bytes: impl FnOnce(&Path, Arc<[u8]>) -> Result<T>,
    ) -> Result<T> {
        let held = self.held.as_ref().and_then(|held| held.files.get(&self.on_disk()));
        // The same memory without a copy, if it is held; built-in bytes are copied once.
        let shared = held.and_then(|file| file.as_ref().ok()).map(Arc::clone);
        self.read_with(from_disk, |path, bytes| from_bytes(path, shared.unwrap_or_else(|| bytes.into())))
    }

    /// Whether a file of this path is built into the program.
    pub(crate) fn is_built_in(&self) -> bool {
        embedded::file(&self.text).is_some()
    }

    /// A stamp of the file at `path`, this one or one that belongs to it; `None` if it doesn't exist.
    #[doc(hidden)]
    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        if self.is_address() {
            return Some(Stamp::Elsewhere);
        }
        if let Some(held) = &self.held {
            return held.files.get(path).map(|_| Stamp::Held(held.hash));
        }
        let file = std::fs::metadata(path).ok()?;
        Some(Stamp::OnDisk(file.modified().ok()?, file.len()))
    }
}

/// The folder; the current one if `folder` is empty.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// The same path, absolute and without detours; `None` if its folder does not exist. If the file itself is a
/// link, the link is not followed: its companions lie next to the link.
pub(crate) fn whole(path: &Path) -> Option<PathBuf> {
    // Only the folder is resolved: the file itself may be a link, which is meant as such, or not exist yet.
    let folder = std::fs::canonicalize(or_here(path.parent()?)).ok()?;
    Some(folder.join(path.file_name()?))
}

/// Without the prefix by which Windows takes a path literally, where it isn't needed.
fn plain(path: &str) -> &str {
    // Windows' canonical paths begin with `\\?\`, which few programs understand.
    path.strip_prefix(r"\\?\").filter(|path| !path.starts_with("UNC")).unwrap_or(path)
}

/// Identifies one state of a file, to see whether it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stamp {
    /// Time of last modification and length in bytes.
    OnDisk(SystemTime, u64),
    /// A hash of all the files in memory.
    Held(u64),
    /// Of an address: what is there does not change while the program runs.
    Elsewhere,
}

/// A file in memory: its bytes, or why they could not be read.
pub type HeldFile = std::result::Result<Arc<[u8]>, String>;

/// Files in memory, by the paths that they would have on disk.
#[derive(Clone, Debug)]
pub struct Held {
    files: Arc<BTreeMap<PathBuf, HeldFile>>,
    hash: u64,
}

impl Held {
    pub(crate) fn new(files: BTreeMap<PathBuf, HeldFile>) -> Self {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        // Computed once, so that comparing two sets of large files is quick; equality still compares all
        // bytes.
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&files);
        Self { files: Arc::new(files), hash }
    }

    /// The bytes of a file; `None` where there is none.
    ///
    /// # Errors
    /// When it could not be read.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Option<&[u8]>> {
        let file = self.files.get(path).map(|file| file.as_deref());
        file.transpose().map_err(|reason| Error::file(path, reason.clone()))
    }

    /// The error for a file that is not there.
    pub(crate) fn missing(&self, path: &Path) -> Error {
        Error::file(
            path,
            "does not exist; put it where the recipe says, starting from the recipe's own folder",
        )
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.files, &other.files) || (self.hash == other.hash && self.files == other.files)
    }
}

/// The purpose of a file that a recipe names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Elevation, a mask, a map.
    Data,
    /// A tile: the name of a built-in one, or a picture with its companions next to it.
    Tile,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(path: &str, file: HeldFile) -> FilePath {
        let mut held = FilePath::new(path);
        held.set_folder(Path::new("recipes"));
        held.hold(Held::new([(held.on_disk(), file)].into()));
        held
    }

    fn read(file: &FilePath) -> Result<Vec<u8>> {
        file.read_with(|path| panic!("{} is read from the disk", path.display()), |_, bytes| Ok(bytes.into()))
    }

    #[test]
    fn files_in_memory_are_read_instead_of_the_disk() {
        // This one also exists on disk.
        let file = held("../Cargo.toml", Ok([1, 2, 3].into()));
        assert_eq!(read(&file).unwrap(), [1, 2, 3]);
        assert_ne!(file.stamp(&file.on_disk()), held("../Cargo.toml", Ok([1].into())).stamp(&file.on_disk()));
        let failed = held("a.asc", Err("cannot be read: the line is dead".into()));
        assert!(read(&failed).unwrap_err().to_string().contains("the line is dead"));
    }

    #[test]
    fn an_address_does_not_start_from_the_recipes_folder() {
        let file = |text: &str| {
            let mut file = FilePath::new(text);
            file.set_folder(Path::new("recipes"));
            file
        };
        for address in ["s3://bucket/land/plan.json", "https://host/plan.json"] {
            assert_eq!(file(address).on_disk(), Path::new(address));
            assert_eq!(file(address).stamp(Path::new(address)), Some(Stamp::Elsewhere));
        }
        for path in ["land/plan.json", "C://land", "a b://land", "://land"] {
            assert!(!file(path).is_address(), "{path}");
        }
    }

    #[test]
    fn a_file_missing_in_memory_is_the_built_in_one_or_an_error() {
        let name = "../elevation/world_height_64.png";
        let mut file = held("other.png", Ok([].into()));
        file.text = name.into();
        assert_eq!(read(&file).unwrap(), embedded::file(name).unwrap());
        file.text = "nowhere.png".into();
        assert_eq!(file.stamp(&file.on_disk()), None);
        let error = read(&file).unwrap_err().to_string();
        assert!(error.contains("nowhere.png") && error.contains("does not exist"), "{error}");
    }
}
