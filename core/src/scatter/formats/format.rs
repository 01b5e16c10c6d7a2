//! What each format of objects declares, and what its writer gets.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use glam::DVec3;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::FileFormat;
use crate::rules::Rule;
use crate::scatter::Object;

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
    pub(super) write: fn(&mut Target, &Placed, &Work) -> Result<()>,
}

impl FileFormat for Format {
    fn extensions(&self) -> &[&'static str] {
        std::slice::from_ref(&self.extension)
    }
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
pub(super) struct Target<'a, 'b> {
    pub(super) path: &'a Path,
    pub(super) file: &'a mut BufWriter<&'b mut File>,
}

impl Placed<'_> {
    /// The position of an object relative to the middle of the land.
    pub(super) fn place(&self, object: &Object) -> DVec3 {
        object.position - DVec3::new(self.middle[0], 0.0, self.middle[1])
    }
}

impl Target<'_, '_> {
    pub(super) fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        self.file.write_all(bytes.as_ref()).map_err(|error| Error::io(self.path, "write", error))
    }

    /// Writes a line for each object, a block at a time; `put` also gets the object's number.
    pub(super) fn write_lines(
        &mut self,
        objects: &[Object],
        work: &Work,
        put: impl Fn(usize, &Object, &mut String) -> std::fmt::Result,
    ) -> Result<()> {
        // One text for all blocks, so that memory is allocated once.
        let mut text = String::new();
        for (block, some) in objects.chunks(WRITTEN_AT_ONCE).enumerate() {
            work.check()?;
            text.clear();
            for (index, object) in some.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = put(block * WRITTEN_AT_ONCE + index, object, &mut text);
            }
            self.write(&text)?;
            work.advance(some.len());
        }
        Ok(())
    }
}
