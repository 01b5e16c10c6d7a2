//! Where the objects of a plan are: a folder, or a bucket of an object store.
//!
//! The seam is small on purpose: whole objects, ranges of them, lists, and three ways to write. An object
//! appears whole or not at all: in a folder by a rename, in a bucket by a single request or by a multipart
//! upload that is completed at its end. Calls block; requests run on one runtime of the process.

mod credentials;
mod disk;
mod folder;
mod object;
mod reason;
mod remote;

use std::fmt;
use std::path::Path;

use upland_core::{Error, Result};
use url::Url;

pub(crate) use disk::DiskCache;
pub use folder::remove_unfinished;
pub use object::{Beginning, ObjectInfo};

use folder::Folder;
use object::{SCHEMES, readable};
use remote::Remote;

/// A place with objects, whose names have `/` between folders.
pub struct Store {
    place: Place,
    /// The place for people, without anything secret.
    shown: String,
    /// What keeps ranges that were read.
    disk: Option<DiskCache>,
}

enum Place {
    Folder(Folder),
    Remote(Remote),
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Store").field(&self.shown).finish()
    }
}

impl Store {
    /// Opens a place: a folder, `file://`, `s3://`, `gs://`, `az://`, or `https://`, which can only be read.
    /// Nothing is read or written yet. Credentials come from the environment, as the programs of each store
    /// read them (`AWS_ACCESS_KEY_ID`, `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_KEY`, …).
    ///
    /// # Errors
    /// When the address is not one of these or contains credentials, or when the environment has unusable
    /// settings.
    pub fn open(place: &str) -> Result<Self> {
        let refused = |reason: String| Err(Error::parameter("place", reason));
        if place.trim().is_empty() {
            return refused(format!("is empty; give a folder, or {SCHEMES}"));
        }
        // `C:/land` is a path and not an address of the scheme `c`.
        let Some((scheme, _)) = place.split_once("://").filter(|(scheme, _)| scheme.len() > 1) else {
            return Ok(Self::folder(Path::new(place)));
        };
        let Ok(url) = Url::parse(place) else {
            return refused(format!(
                "an address that begins with {scheme}:// is not complete; give {SCHEMES}"
            ));
        };
        let mut shown = url.clone();
        let has_secrets = !url.username().is_empty() || url.password().is_some() || url.query().is_some();
        if has_secrets || url.fragment().is_some() {
            _ = shown.set_username("");
            _ = shown.set_password(None);
            shown.set_query(None);
            shown.set_fragment(None);
            return refused(format!(
                "{shown}: an address has no user, password or parameters (?…), which would end up in logs; put \
                 credentials into the environment, as docs/worlds.md lists them"
            ));
        }
        if url.scheme() == "file" {
            return match url.to_file_path() {
                Ok(path) => Ok(Self::folder(&path)),
                Err(()) => refused(format!("{url} is not a folder of this machine; write file:///folder")),
            };
        }
        let shown = readable(&url);
        Ok(Self { place: Place::Remote(Remote::open(&url, &shown)?), shown, disk: None })
    }

    /// A folder, which is created when the first object is written.
    pub fn folder(path: &Path) -> Self {
        Self { shown: path.display().to_string(), place: Place::Folder(Folder::new(path)), disk: None }
    }

    /// A store in memory, for tests.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Self {
        Self {
            place: Place::Remote(Remote::in_memory()),
            shown: "s3://bucket/große berge".into(),
            disk: None,
        }
    }

    /// The same store in memory once more, without what is kept on disk.
    #[cfg(test)]
    pub(crate) fn twin(&self) -> Self {
        let place = match &self.place {
            Place::Folder(folder) => Place::Folder(Folder::new(folder.root())),
            Place::Remote(remote) => Place::Remote(remote.twin()),
        };
        Self { place, shown: self.shown.clone(), disk: None }
    }

    /// The place for people.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The place as a shell takes it, in quotes if it needs them.
    pub fn in_shell(&self) -> String {
        let is_plain = |letter: char| letter.is_alphanumeric() || "/._-:~".contains(letter);
        if self.shown.chars().all(is_plain) {
            return self.shown.clone();
        }
        format!("'{}'", self.shown.replace('\'', r"'\''"))
    }

    /// The folder, if it is one.
    pub fn as_folder(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(folder) => Some(folder.root()),
            Place::Remote(_) => None,
        }
    }

    /// An error about an object, with its address.
    pub fn error(&self, key: &str, reason: impl Into<String>) -> Error {
        let address = if key.is_empty() { self.shown.clone() } else { format!("{}/{key}", self.shown) };
        Error::file(address, reason)
    }

    /// An object; `None` where there is none.
    ///
    /// # Errors
    /// When it has more than `most` bytes, or the store fails.
    pub fn get(&self, key: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let got = match &self.place {
            Place::Folder(folder) => folder.get(key, most),
            Place::Remote(remote) => remote.get(key, most),
        };
        got.map_err(|reason| self.error(key, reason))
    }

    /// The bytes `from..from + length` of an object, fewer where it ends before; `None` where there is none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn get_range(&self, key: &str, from: u64, length: u64) -> Result<Option<Vec<u8>>> {
        let fetch = |from: u64, length: u64| match &self.place {
            Place::Folder(folder) => folder.get_range(key, from, length),
            Place::Remote(remote) => remote.get_range(key, from, length),
        };
        let got = match &self.disk {
            Some(disk) => disk.range(key, from, length, &fetch),
            None => fetch(from, length),
        };
        got.map_err(|reason| self.error(key, reason))
    }

    /// The same place, where ranges that are read are kept on this machine's disk. Objects must not change.
    pub(crate) fn cached(self, disk: DiskCache) -> Self {
        Self { disk: Some(disk), ..self }
    }

    /// Forgets what is kept of an object of this length, because it is damaged.
    pub(crate) fn forget(&self, key: &str, length: u64) {
        if let Some(disk) = &self.disk {
            disk.forget(key, length);
        }
    }

    /// The first `length` bytes of many objects, in their order; `None` where there is none. Many requests
    /// are on their way at the same time.
    ///
    /// # Errors
    /// When the store fails.
    pub fn beginnings(&self, keys: &[&str], length: u64) -> Result<Vec<Option<Beginning>>> {
        let got = match &self.place {
            Place::Folder(folder) => folder.beginnings(keys, length),
            Place::Remote(remote) => remote.beginnings(keys, length),
        };
        got.map_err(|(key, reason)| self.error(&key, reason))
    }

    /// The objects in a folder and in the folders below it, in the order of their names; all objects for
    /// `""`.
    ///
    /// # Errors
    /// When the store fails, or cannot list objects, as web servers cannot.
    pub fn list(&self, folder: &str) -> Result<Vec<ObjectInfo>> {
        let listed = match &self.place {
            Place::Folder(place) => place.list(folder),
            Place::Remote(remote) => remote.list(folder),
        };
        let mut listed = listed.map_err(|reason| self.error(folder, reason))?;
        listed.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(listed)
    }

    /// Writes an object, in place of any that is there. Other readers see the old object or the new one.
    ///
    /// # Errors
    /// When the store fails; what was there is then still there.
    pub fn put(&self, key: &str, bytes: Vec<u8>) -> Result<()> {
        let put = match &self.place {
            Place::Folder(folder) => folder.put(key, &bytes),
            Place::Remote(remote) => remote.put(key, bytes),
        };
        put.map_err(|reason| self.error(key, reason))
    }

    /// Copies a file into an object, in parts.
    ///
    /// # Errors
    /// When the file cannot be read or the store fails.
    pub fn put_file(&self, key: &str, path: &Path) -> Result<()> {
        let put = match &self.place {
            Place::Folder(folder) => folder.put_file(key, path),
            Place::Remote(remote) => remote.put_file(key, path),
        };
        put.map_err(|reason| self.error(key, format!("cannot be copied from {}: {reason}", path.display())))
    }

    /// Writes an object unless there is one already; returns whether it was written. Where two programs do
    /// this at the same time, one of them is given `true`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn create(&self, key: &str, bytes: Vec<u8>) -> Result<bool> {
        let created = match &self.place {
            Place::Folder(folder) => folder.create(key, &bytes),
            Place::Remote(remote) => remote.create(key, bytes),
        };
        created.map_err(|reason| self.error(key, reason))
    }

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// When the store fails.
    pub fn remove(&self, key: &str) -> Result<()> {
        let removed = match &self.place {
            Place::Folder(folder) => folder.remove(key),
            Place::Remote(remote) => remote.remove(key),
        };
        removed.map_err(|reason| self.error(key, reason))
    }

    /// Removes half-written files of processes of this machine that have ended without doing so, as those
    /// that were killed have. Stores remove theirs by rules of the bucket.
    pub fn sweep(&self) {
        if let Place::Folder(folder) = &self.place {
            folder.sweep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_without_a_store_are_refused_with_what_would_do() {
        let refused = |place: &str| Store::open(place).unwrap_err().to_string();
        assert!(refused("").contains("give a folder"), "{}", refused(""));
        assert!(refused("ftp://host/land").contains("s3://BUCKET"), "{}", refused("ftp://host/land"));
        let said = refused("s3://AKIAKEY:secret-word@bucket/land");
        assert!(!said.contains("AKIAKEY") && !said.contains("secret-word"), "{said}");
        assert!(said.contains("environment"), "{said}");
        let said = refused("https://account.blob.core.windows.net/box/land?sig=secret-word");
        assert!(!said.contains("secret-word"), "{said}");
    }

    #[test]
    fn places_are_quoted_where_a_shell_would_cut_them() {
        let in_shell = |place: &str| Store::folder(Path::new(place)).in_shell();
        assert_eq!(in_shell("land/höhe"), "land/höhe");
        assert_eq!(in_shell("my land"), "'my land'");
        assert_eq!(in_shell("it's"), r"'it'\''s'");
        assert_eq!(Store::in_memory().in_shell(), "'s3://bucket/große berge'");
    }

    #[test]
    fn a_folder_has_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("große Berge/näher");
        let store = Store::open(root.to_str().unwrap()).unwrap();
        assert_eq!(store.list("").unwrap(), []);
        store.put("layer-Höhe 2/x0000_y0000.tif", b"heights".to_vec()).unwrap();
        let listed = store.list("").unwrap();
        assert_eq!(listed, [ObjectInfo { key: "layer-Höhe 2/x0000_y0000.tif".into(), bytes: 7 }]);
        assert_eq!(store.get(&listed[0].key, 100).unwrap().unwrap(), b"heights");
        let url = Url::from_file_path(&root).unwrap();
        assert_eq!(Store::open(url.as_str()).unwrap().list("layer-Höhe 2").unwrap(), listed);
    }
}
