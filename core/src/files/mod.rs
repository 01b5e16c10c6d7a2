//! All reading of files goes through this module.
//!
//! A recipe may come from anyone, and may name a device that never ends, a pipe that is never written to or a
//! disk image. So only regular files are read, checked before they are opened and again on the open handle;
//! only up to the limit of their kind; and no byte beyond that, even from a file that grows meanwhile or,
//! like those of `/proc`, reports a wrong length.

mod at;
pub mod embedded;
mod formats;
pub(crate) mod gltf;
mod path;
mod png_rows;
mod replace;

pub(crate) use at::FileAt;
pub use at::ReadAt;
pub(crate) use formats::{FileFormat, FormatTable};
pub(crate) use path::whole;
pub use path::{FilePath, Held, HeldFile, Stamp, Use};
pub use png_rows::write_png_rows;
pub use replace::{
    ReplacedFile, WritingProgram, check_folder, check_replaceable, create_folder, remove_unfinished,
    replace_by, replace_file, replace_together, target_of,
};

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use crate::error::{Error, Result};

const MIB: u64 = 1 << 20;

/// What a file is read as, which decides how long it may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileKind {
    /// A recipe. Hundreds of steps with a thousand drawn points each take less than a tenth of this.
    Recipe,
    /// A lesson: text for a few hours of reading, and a recipe.
    Lesson,
    /// Strokes of a brush. A hundred thousand of them with ten points each take less than half of this.
    Strokes,
    /// A picture of a tile, kept whole in memory. 4096 × 4096 texels of four 16-bit channels are 128 MiB.
    Tile,
    /// A picture over the land, a mask or a map of types, kept whole in memory. 8192 × 8192 pixels of four
    /// 16-bit channels are 512 MiB.
    Picture,
    /// Elevation, read in parts. [`MAX_SAMPLES`](crate::MAX_SAMPLES) samples of four 64-bit channels are 32
    /// GiB; the limit leaves as much again for the rest of the file.
    Elevation,
    /// The program's settings.
    Settings,
    /// A text file next to an elevation file, such as a `.prj`. They usually have a few kilobytes.
    Companion,
}

impl FileKind {
    /// The most bytes that such a file may have.
    #[doc(hidden)]
    pub const fn limit(self) -> u64 {
        match self {
            Self::Recipe => 16 * MIB,
            Self::Lesson => MIB,
            Self::Strokes => 64 * MIB,
            Self::Tile => 256 * MIB,
            Self::Picture => 1024 * MIB,
            Self::Elevation => 64 * 1024 * MIB,
            Self::Settings | Self::Companion => MIB,
        }
    }

    /// Its name in messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Recipe => "a recipe",
            Self::Lesson => "a lesson",
            Self::Strokes => "a file of strokes",
            Self::Tile => "a tile's picture",
            Self::Picture => "a picture",
            Self::Elevation => "an elevation file",
            Self::Settings => "a file of settings",
            Self::Companion => "a file beside an elevation file",
        }
    }

    /// The message for a file of `len` bytes that exceeds the limit.
    fn too_long(self, len: u64) -> String {
        let (len, limit) = (amount(len), amount(self.limit()));
        // For a file one byte beyond the limit, both amounts may be rounded to the same number.
        let more = if len == limit { "more than " } else { "" };
        format!("has {more}{len}; {} has at most {limit}, so this may be another file", self.name())
    }
}

/// Reads a whole file.
///
/// # Errors
/// When it is not a regular file, is longer than its kind allows, or the system refuses it.
pub fn read(path: impl AsRef<Path>, kind: FileKind) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let mut opened = open(path, kind)?;
    // The length is only a hint for the allocation; the file may have grown, or report none.
    let mut bytes = Vec::with_capacity(opened.len.min(kind.limit()) as usize + 1);
    opened.read_to_end(&mut bytes).map_err(|error| failed(path, error))?;
    Ok(bytes)
}

/// Converts an error of the system's, or of [`Opened`]'s.
pub(crate) fn failed(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        // This kind is only used here: no system reports it for reading.
        io::ErrorKind::FileTooLarge => Error::file(path, error.to_string()),
        _ => Error::io(path, "read", error),
    }
}

/// Opens a file to be read piece by piece.
///
/// # Errors
/// As [`read`]. A file that grows beyond the limit fails when reading gets there.
pub(crate) fn open(path: impl AsRef<Path>, kind: FileKind) -> Result<Opened> {
    let (file, metadata) = open_checked(path.as_ref(), kind)?;
    Ok(Opened::new(file, metadata.len(), kind))
}

/// Opens a file that is regular and no longer than its kind allows, and returns the system's metadata of it.
fn open_checked(path: &Path, kind: FileKind) -> Result<(File, Metadata)> {
    let failed = |error| failed(path, error);
    // Check before opening: opening a pipe may block for ever, opening a device may rewind a tape.
    check(path, kind, &std::fs::metadata(path).map_err(failed)?)?;
    let file = options().open(path).map_err(failed)?;
    // Another file may have taken its place since, so check the open handle too.
    let metadata = file.metadata().map_err(failed)?;
    check(path, kind, &metadata)?;
    Ok((file, metadata))
}

/// When a file was last modified; `None` if there is none.
pub fn changed(path: impl AsRef<Path>) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn check(path: &Path, kind: FileKind, metadata: &Metadata) -> Result<()> {
    if !metadata.is_file() {
        let (is, name) = (what_it_is(metadata), kind.name());
        return Err(Error::file(path, format!("is {is}; {name} must be a regular file")));
    }
    if metadata.len() > kind.limit() {
        return Err(Error::file(path, kind.too_long(metadata.len())));
    }
    Ok(())
}

#[cfg(unix)]
fn what_it_is(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn what_it_is(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a device" }
}

/// Non-blocking: if a pipe has taken the file's place, opening it returns immediately, and the pipe is then
/// refused.
#[cfg(unix)]
fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

/// A number of bytes for people.
pub(crate) fn amount(bytes: u64) -> String {
    let scaled = |unit: u64, name: &str| {
        let tenths = format!("{:.1}", bytes as f64 / unit as f64);
        format!("{} {name}", tenths.strip_suffix(".0").unwrap_or(&tenths))
    };
    match bytes {
        ..1024 => format!("{bytes} bytes"),
        1024..MIB => scaled(1024, "KiB"),
        MIB..0x4000_0000 => scaled(MIB, "MiB"),
        _ => scaled(1024 * MIB, "GiB"),
    }
}

/// An open file, buffered. Unlike with `BufReader`, seeking within the buffer keeps it, and after a jump the
/// buffer starts small and doubles while reading is sequential, so that scattered small reads don't each
/// fetch a large block.
#[derive(Debug)]
pub(crate) struct Opened {
    file: File,
    kind: FileKind,
    /// The file's length in bytes as reported when it was opened.
    len: u64,
    buffer: Vec<u8>,
    /// Offset of the buffer in the file.
    start: u64,
    /// Read position within the buffer.
    at: usize,
    /// Position of the file handle.
    system_at: u64,
    /// Bytes requested last.
    asked: usize,
}

/// Size of the buffer after a jump, and its largest size.
const SMALLEST: usize = 4 << 10;
const LARGEST: usize = 256 << 10;

impl Opened {
    fn new(file: File, len: u64, kind: FileKind) -> Self {
        Self { file, kind, len, buffer: Vec::new(), start: 0, at: 0, system_at: 0, asked: SMALLEST }
    }

    /// The file's length in bytes as reported when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Fills the empty buffer from `start`.
    fn fill(&mut self) -> io::Result<()> {
        // The handle is where the buffer ends as long as reading is sequential.
        if self.start == self.system_at {
            self.asked = (2 * self.asked).min(LARGEST);
        } else {
            self.system_at = self.file.seek(SeekFrom::Start(self.start))?;
            self.asked = SMALLEST;
        }
        // At the limit, one more byte is requested to learn whether the file goes on.
        let room = self.kind.limit().saturating_sub(self.start);
        self.buffer.resize(self.asked.min(room.max(1) as usize), 0);
        let count = loop {
            match self.file.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(*count.as_ref().unwrap_or(&0));
        self.system_at += count? as u64;
        if self.system_at > self.kind.limit() {
            self.buffer.clear();
            let reason = self.kind.too_long(self.system_at.max(self.len));
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        Ok(())
    }
}

impl BufRead for Opened {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.buffer.len() {
            self.start += self.at as u64;
            self.at = 0;
            self.buffer.clear();
            self.fill()?;
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, count: usize) {
        // A caller may consume more than there is; the trait forbids it, but a wrong index would be a panic.
        self.at = (self.at + count).min(self.buffer.len());
    }
}

impl Read for Opened {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.fill_buf()?;
        let count = rest.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => (self.start + self.at as u64).checked_add_signed(by),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
        };
        // No system has offsets beyond 2^63.
        let place = place.filter(|&place| place <= i64::MAX as u64).ok_or(io::ErrorKind::InvalidInput)?;
        // The system's handle is moved when more is read, so a seek within the buffer costs nothing.
        match place.checked_sub(self.start) {
            Some(at) if at <= self.buffer.len() as u64 => self.at = at as usize,
            _ => {
                self.buffer.clear();
                (self.start, self.at) = (place, 0);
            }
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn jumps_while_reading_never_change_what_is_read() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..3 * LARGEST as u32 + 17).map(|n| (n ^ n >> 7) as u8).collect();
        file.write_all(&bytes).unwrap();
        assert_eq!(read(file.path(), FileKind::Recipe).unwrap(), bytes);

        let mut opened = open(file.path(), FileKind::Recipe).unwrap();
        let mut inside = io::Cursor::new(&bytes);
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = (state >> 33) % (bytes.len() as u64 + 10);
            let to = match state >> 20 & 3 {
                0 => SeekFrom::Start(place),
                1 => SeekFrom::End(-((place / 2) as i64)),
                2 => SeekFrom::Start(0),
                _ => SeekFrom::Current((state >> 40 & 0xFF) as i64 - 0x80),
            };
            assert_eq!(opened.seek(to).ok(), inside.seek(to).ok(), "{to:?}");
            let (mut a, mut b) = ([0; 700], [0; 700]);
            let length = (state >> 10 & 0x1FF) as usize;
            // Beyond the end there are no bytes.
            let length = length.min(bytes.len().saturating_sub(inside.position() as usize));
            opened.read_exact(&mut a[..length]).unwrap();
            inside.read_exact(&mut b[..length]).unwrap();
            assert_eq!(opened.stream_position().unwrap(), inside.stream_position().unwrap());
            assert_eq!(a, b);
        }
    }

    #[test]
    fn only_regular_files_of_a_sensible_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let said = |path: &Path, kind| read(path, kind).unwrap_err().to_string();
        assert!(said(folder.path(), FileKind::Recipe).contains("is a folder"));
        assert!(said(&folder.path().join("none"), FileKind::Tile).contains("no such file"));

        let long = folder.path().join("long.ron");
        File::create(&long).unwrap().set_len(FileKind::Recipe.limit() + 1).unwrap();
        let message = said(&long, FileKind::Recipe);
        let expected = "has more than 16 MiB; a recipe has at most 16 MiB, so this may be another file";
        assert!(message.ends_with(expected), "{message}");
        File::create(&long).unwrap().set_len(FileKind::Recipe.limit()).unwrap();
        assert_eq!(read(&long, FileKind::Recipe).unwrap().len() as u64, FileKind::Recipe.limit());
        File::create(&long).unwrap().set_len(6 << 30).unwrap();
        for kind in [FileKind::Recipe, FileKind::Tile, FileKind::Picture] {
            let message = said(&long, kind);
            assert!(message.contains("has 6 GiB") && message.contains("at most"), "{message}");
        }
    }

    #[test]
    fn a_file_that_grows_is_read_to_the_limit_and_no_further() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grows.ron");
        let file = File::create(&path).unwrap();
        let mut opened = open(&path, FileKind::Recipe).unwrap();
        file.set_len(6 << 30).unwrap();
        let mut bytes = Vec::new();
        let error = opened.read_to_end(&mut bytes).unwrap_err();
        assert!(error.to_string().contains("at most 16 MiB"), "{error}");
        assert_eq!(bytes.len() as u64, FileKind::Recipe.limit());
        assert!(opened.fill_buf().is_err(), "and stays at its limit");
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_without_waiting() {
        let said = |path: &Path| read(path, FileKind::Elevation).unwrap_err().to_string();
        let message = said(Path::new("/dev/zero"));
        assert_eq!(message, "/dev/zero: is a device; an elevation file must be a regular file");
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(said(&socket).contains("is a socket"));
        let pipe = folder.path().join("pipe");
        if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            assert!(said(&pipe).contains("is a pipe"));
            // Opening a pipe doesn't block either, should it take the place of a file between the checks.
            let file = options().open(&pipe).unwrap();
            assert!(!file.metadata().unwrap().is_file());
        }
    }

    #[test]
    fn amounts_are_short() {
        let said = [0, 1023, 1024, 1536, 16 << 20, 6 << 30].map(amount);
        assert_eq!(said, ["0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "16 MiB", "6 GiB"]);
    }
}
