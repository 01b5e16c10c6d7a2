//! Files of strokes: RON, or JSON for other programs. A version, then the strokes.
//!
//! Numbers are written with enough digits to preserve their bits.

use std::io::Write;
use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::list::{MAX_STROKES, Strokes};
use super::stroke::Stroke;
use crate::error::{Error, Result};
use crate::files::replace_file;
use crate::files::{self, FileKind};

/// The end of names of stroke files, after the name of their recipe.
pub const STROKES_EXTENSION: &str = "strokes.ron";

/// The version that is read and written.
const VERSION: u32 = 1;

/// The content of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(deserialize_with = "known_version")]
    #[expect(dead_code, reason = "checked where it is read")]
    version: u32,
    strokes: Vec<Stroke>,
}

/// The same, borrowed for writing.
#[derive(Serialize)]
struct DocumentRef<'a> {
    version: u32,
    strokes: Vec<&'a Stroke>,
}

fn known_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(deserializer)?;
    if version == VERSION {
        return Ok(version);
    }
    Err(D::Error::custom(format!("version {version} is not supported; this program reads version {VERSION}")))
}

/// As a list, for data that holds strokes together with other things, such as a game's scene. Files add their
/// version.
impl Serialize for Strokes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Strokes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Through `of`, so that no deserialised list escapes the checks.
        Self::of(Vec::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

impl Strokes {
    /// Reads a file of strokes: JSON if its name ends in `.json`, otherwise RON.
    ///
    /// # Errors
    /// When it cannot be read, is not a file of strokes, has an unsupported version, more than
    /// [`MAX_STROKES`] strokes or more than 64 MiB, or a stroke is not accepted ([`Stroke::check`]).
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_bytes(path, &files::read(path, FileKind::Strokes)?)
    }

    /// Reads the content of a file with this name.
    pub(crate) fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Error::file(path, "is not text in UTF-8; a file of strokes is RON or JSON"))?;
        let read = if is_json(path) { Self::from_json(text) } else { Self::from_ron(text) };
        read.map_err(|error| match error {
            // The parameter alone doesn't say in which file it is.
            Error::Parameter { name, reason } => Error::file(path, format!("{name}: {reason}")),
            error => error,
        })
    }

    /// Reads strokes from RON.
    ///
    /// # Errors
    /// As [`read`](Self::read), with line and column.
    pub fn from_ron(text: &str) -> Result<Self> {
        let document: Document = ron::from_str(text).map_err(|error| {
            let (start, reason) = (error.span.start, error.code);
            Error::parameter(format!("line {}, column {}", start.line, start.col), reason.to_string())
        })?;
        Self::of(document.strokes)
    }

    /// Reads strokes from JSON.
    ///
    /// # Errors
    /// As [`read`](Self::read), with line and column.
    pub fn from_json(text: &str) -> Result<Self> {
        let document: Document =
            serde_json::from_str(text).map_err(|error| Error::parameter("strokes", error.to_string()))?;
        Self::of(document.strokes)
    }

    fn written(&self) -> DocumentRef<'_> {
        DocumentRef { version: VERSION, strokes: self.iter().collect() }
    }

    /// The strokes, without undone ones, as RON, one per line.
    // One stroke a line, so that version control shows what was added.
    pub fn to_ron(&self) -> String {
        let mut text = format!("(\n    version: {VERSION},\n    strokes: [\n");
        for stroke in self.iter() {
            // Strokes hold nothing that RON cannot write.
            text += "        ";
            text += &ron::to_string(stroke).unwrap_or_default();
            text += ",\n";
        }
        text + "    ],\n)\n"
    }

    /// The strokes, without undone ones, as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.written()).unwrap_or_default()
    }

    /// The content of a file with this name.
    pub(crate) fn to_text(&self, path: &Path) -> String {
        if is_json(path) { self.to_json() } else { self.to_ron() }
    }

    /// Writes the strokes, without undone ones, to a file: as JSON if its name ends in `.json`, otherwise as
    /// RON. The old file is replaced once everything has been written; if that fails, it stays.
    ///
    /// # Errors
    /// As [`replace_file`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let text = self.to_text(path);
        replace_file(path, |file| {
            file.write_all(text.as_bytes()).map_err(|error| Error::io(path, "write", error))
        })
    }

    /// The path of the strokes of a recipe: next to it, under its name with [`STROKES_EXTENSION`].
    ///
    /// ```
    /// # use upland_core as upland;
    /// let beside = upland::sculpt::Strokes::beside("lands/island.ron");
    /// assert_eq!(beside, std::path::Path::new("lands/island.strokes.ron"));
    /// ```
    pub fn beside(recipe: impl AsRef<Path>) -> std::path::PathBuf {
        let recipe = recipe.as_ref();
        let name = recipe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // `hills.upland.ron` and `hills.ron` both have `hills.strokes.ron`.
        let name = name.strip_suffix(".ron").unwrap_or(&name);
        let name = name.strip_suffix(".upland").unwrap_or(name);
        recipe.with_file_name(format!("{name}.{STROKES_EXTENSION}"))
    }
}

const _: () = assert!(MAX_STROKES >= 10_000);
