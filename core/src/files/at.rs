//! Bytes read at given positions, by any number of threads simultaneously: an open file, or memory.
//!
//! Files are not mapped into memory: reading a mapped file that has become shorter kills the process.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::{FileKind, amount, failed, open_checked};
use crate::error::{Error, Result};

/// Bytes that are read at given positions. Reading moves no cursor, so that threads can share them.
pub trait ReadAt: Send + Sync {
    /// Bytes in all, as reported when it was opened.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads up to `out.len()` bytes from `place` on, at least one unless the bytes end there.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<usize>;

    /// Checks that the bytes are those that were opened.
    ///
    /// # Errors
    /// When the file is gone, was replaced, or has another length or time of modification.
    fn unchanged(&self) -> Result<()> {
        Ok(())
    }

    /// Fills `out` with the bytes from `place` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the bytes end before.
    fn read_exact_at(&self, mut place: u64, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            // A system may read less than was asked for, and may be interrupted by a signal.
            match self.read_at(place, out) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    place += count as u64;
                    out = &mut out[count..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for Arc<[u8]> {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<usize> {
        (&**self).read_at(place, out)
    }
}

impl ReadAt for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(place).ok().and_then(|place| self.get(place..)).unwrap_or_default();
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// An open file, and what it was like when it was opened.
#[derive(Debug)]
pub(crate) struct FileAt {
    file: File,
    path: PathBuf,
    limit: u64,
    state: State,
}

/// Identifies a file and its state.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    len: u64,
    modified: Option<SystemTime>,
    /// Device and number, where files have them.
    identity: Option<(u64, u64)>,
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        Self { len: metadata.len(), modified: metadata.modified().ok(), identity: identity(metadata) }
    }
}

// Device and inode: a file that was saved under a temporary name and renamed is another one.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

impl FileAt {
    /// Opens a file.
    ///
    /// # Errors
    /// When it is not a regular file, is longer than its kind allows, or the system refuses it.
    pub(crate) fn open(path: impl AsRef<Path>, kind: FileKind) -> Result<Self> {
        let path = path.as_ref();
        let (file, metadata) = open_checked(path, kind)?;
        let state = State::of(&metadata);
        Ok(Self { file, path: path.to_owned(), limit: kind.limit(), state })
    }
}

impl ReadAt for FileAt {
    fn len(&self) -> u64 {
        self.state.len
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<usize> {
        // A file that grows is read to the limit of its kind and no further.
        let room = self.limit.saturating_sub(place).min(out.len() as u64) as usize;
        read_at(&self.file, place, &mut out[..room])
    }

    fn unchanged(&self) -> Result<()> {
        let changed = |reason: String| Err(Error::file(&self.path, reason + "; open it again"));
        let now = self.file.metadata().map_err(|error| failed(&self.path, error))?;
        if now.len() != self.state.len {
            let [was, is] = [self.state.len, now.len()].map(amount);
            let how = if now.len() < self.state.len { "shorter" } else { "longer" };
            return changed(format!("became {how} while it was open, {is} instead of {was}"));
        }
        if State::of(&now) != self.state {
            return changed("was written to while it was open".to_owned());
        }
        // The open handle sees only its own file; only the path shows whether the name means another one by
        // now.
        match std::fs::metadata(&self.path) {
            Ok(there) if identity(&there) == self.state.identity && there.len() == self.state.len => Ok(()),
            Ok(_) => changed("was replaced by another file while it was open".to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                changed("was removed or renamed while it was open".to_owned())
            }
            Err(error) => Err(failed(&self.path, error)),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, place: u64, out: &mut [u8]) -> io::Result<usize> {
    // No system has offsets beyond this.
    if place > i64::MAX as u64 {
        return Ok(0);
    }
    std::os::unix::fs::FileExt::read_at(file, out, place)
}

#[cfg(windows)]
fn read_at(file: &File, place: u64, out: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, place)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: u64, _: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_and_memory_give_the_same_bytes_and_end_at_the_same_place() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..999u32).map(|n| (n ^ n >> 3) as u8).collect();
        file.write_all(&bytes).unwrap();
        let on_disk = FileAt::open(file.path(), FileKind::Recipe).unwrap();
        let held: Arc<[u8]> = bytes.clone().into();
        for bytes_at in [&on_disk as &dyn ReadAt, &held] {
            assert_eq!(bytes_at.len(), 999);
            let mut out = [0; 99];
            bytes_at.read_exact_at(900, &mut out).unwrap();
            assert_eq!(out, bytes[900..]);
            for place in [901, 999, 1 << 40, u64::MAX] {
                let error = bytes_at.read_exact_at(place, &mut out).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{place}");
            }
            assert!(bytes_at.unchanged().is_ok());
        }
    }

    #[test]
    fn changes_to_an_open_file_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("field.raw");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let opened = || FileAt::open(&path, FileKind::Elevation).unwrap();
        let said = |file: &FileAt| file.unchanged().unwrap_err().to_string();
        write("heights");
        let file = opened();
        File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
        let message = said(&file);
        assert!(message.contains("field.raw: became shorter") && message.contains("3 bytes"), "{message}");
        write("heights and more");
        assert!(said(&file).contains("became longer"));
        let file = opened();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(said(&file).contains("was written to"));
        let file = opened();
        std::fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        assert!(said(&file).contains("was removed or renamed"));
        write("heights and more");
        #[cfg(unix)]
        assert!(said(&file).contains("was replaced"));
    }
}
