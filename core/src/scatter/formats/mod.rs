//! Files of objects: CSV, JSON, and glTF with instances. Lengths are metres in all of them, Y is up, X east
//! and Z south of the middle of the land.

mod csv;
mod format;
mod gltf;
mod json;

use std::path::Path;

use self::format::Target;
pub use self::format::{Format, Placed};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::{FormatTable, check_replaceable, replace_file};

static TABLE: FormatTable<Format> =
    FormatTable { what: "objects", formats: &[csv::FORMAT, json::FORMAT, gltf::TEXT, gltf::BINARY] };

/// Every format, in the order of a menu.
pub fn formats() -> &'static [Format] {
    TABLE.formats
}

impl Format {
    /// The format for a name's extension.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(path: impl AsRef<Path>) -> Result<&'static Self> {
        TABLE.of(path.as_ref())
    }
}

/// Writes objects; the extension of `path` decides the format. The file is replaced atomically: after a
/// failure the old file is unchanged.
///
/// # Errors
/// When no format has this extension, when an object's rule is not among the rules, when the format cannot
/// hold that many, when the file cannot be written, and [`Error::Cancelled`].
pub fn write(path: impl AsRef<Path>, placed: &Placed, work: &Work) -> Result<()> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    check_replaceable(path)?;
    if let Some(object) = placed.objects.iter().find(|object| object.rule as usize >= placed.rules.len()) {
        let reason = format!("object {:016x} belongs to rule {}; give all rules", object.id, object.rule);
        return Err(Error::parameter("objects", reason));
    }
    work.stage("write", placed.objects.len());
    replace_file(path, |file| (format.write)(&mut Target { path, file }, placed, work))
}
