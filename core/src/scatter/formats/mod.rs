//! Files of objects: CSV, JSON, and glTF with instances. Lengths are metres in all of them, Y is up, X east and Z
//! south of the middle of the land.

mod csv;
mod gltf;
mod json;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use glam::DVec3;

use super::Object;
use crate::compute::work::Work;
use crate::elevation::formats::{check_replaceable, replace_file};
use crate::error::{Error, Result};
use crate::files::no_format;
use crate::rules::Rule;

/// Objects written between two checks for cancellation.
const WRITTEN_AT_ONCE: usize = 1 << 12;

/// A format that objects can be written in.
#[derive(Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// The extension of its files, in lower case.
    pub extension: &'static str,
    /// What it holds, for people.
    pub about: &'static str,
    write: fn(&mut Target, &Placed, &Work) -> Result<()>,
}

/// One line for each format.
static TABLE: [Format; 4] = [csv::FORMAT, json::FORMAT, gltf::TEXT, gltf::BINARY];

/// Every format, in the order of a menu.
pub fn formats() -> &'static [Format] {
    &TABLE
}

/// Objects to be written.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The objects.
    pub objects: &'a [Object],
    /// The rules of their recipe.
    pub rules: &'a [Rule],
    /// The middle of the land, metres from its sample (0, 0): where files have x = z = 0.
    pub middle: [f64; 2],
}

/// Where objects are written to.
struct Target<'a, 'b> {
    path: &'a Path,
    file: &'a mut BufWriter<&'b mut File>,
}

impl Format {
    /// The format of files with a name's extension.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(path: impl AsRef<Path>) -> Result<&'static Self> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let found = TABLE.iter().find(|format| format.extension == extension);
        found.ok_or_else(|| no_format(path, "objects", TABLE.iter().map(|format| format.extension)))
    }
}

/// Writes objects; the extension of `path` decides the format. The file is replaced atomically: on failure what was
/// there before stays.
///
/// # Errors
/// When the extension is none of [`formats`], when an object's rule is not among the rules, when the format cannot
/// hold so many, when the file cannot be written, and [`Error::Cancelled`].
pub fn write(path: impl AsRef<Path>, placed: &Placed, work: &Work) -> Result<()> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    check_replaceable(path)?;
    if let Some(object) = placed.objects.iter().find(|object| object.rule as usize >= placed.rules.len()) {
        let reason = format!("object {:016x} is of rule {}; give all rules", object.id, object.rule);
        return Err(Error::parameter("objects", reason));
    }
    work.stage("write", placed.objects.len());
    replace_file(path, |file| (format.write)(&mut Target { path, file }, placed, work))
}

impl Placed<'_> {
    /// Where an object stands from the middle of the land.
    fn place(&self, object: &Object) -> DVec3 {
        object.position - DVec3::new(self.middle[0], 0.0, self.middle[1])
    }
}

impl Target<'_, '_> {
    fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        self.file.write_all(bytes.as_ref()).map_err(|error| Error::io(self.path, "write", error))
    }

    /// Writes a line for every object, a block at a time; `put` is told its number too.
    fn write_lines(
        &mut self,
        objects: &[Object],
        work: &Work,
        put: impl Fn(usize, &Object, &mut String) -> std::fmt::Result,
    ) -> Result<()> {
        let mut text = String::new();
        for (block, some) in objects.chunks(WRITTEN_AT_ONCE).enumerate() {
            work.check()?;
            text.clear();
            for (index, object) in some.iter().enumerate() {
                // A string takes all that is written.
                let _ = put(block * WRITTEN_AT_ONCE + index, object, &mut text);
            }
            self.write(&text)?;
            work.advance(some.len());
        }
        Ok(())
    }
}
