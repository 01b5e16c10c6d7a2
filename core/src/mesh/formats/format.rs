//! What each format of meshes declares, and what its writer gets.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use glam::Vec3;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::FileFormat;
use crate::mesh::Mesh;

/// Vertices or triangles written between two checks for cancellation.
const WRITTEN_AT_ONCE: usize = 1 << 13;

/// A format that meshes can be written in.
#[derive(Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// The extension of its files, in lower case.
    pub extension: &'static str,
    /// What it is and where up is, for people.
    pub about: &'static str,
    /// Where its texture goes.
    pub(super) texture: TexturePlace,
    /// What it cannot hold of so much; the error is the reason.
    pub(super) check: fn(Amount) -> std::result::Result<(), String>,
    pub(super) write: fn(&mut Target, &Mesh, &Work) -> Result<()>,
}

impl FileFormat for Format {
    fn extensions(&self) -> &[&'static str] {
        std::slice::from_ref(&self.extension)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TexturePlace {
    Inside,
    /// In a picture next to the file, with a file of materials or without.
    Beside {
        material: bool,
    },
    Nowhere,
}

/// How much is to be written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    pub(super) vertices: u64,
    pub(super) triangles: u64,
    /// Bytes of the texture.
    pub(super) texture: u64,
}

/// Where a mesh is written to, and the texture that belongs to it.
pub(super) struct Target<'a, 'f> {
    pub(super) path: &'a Path,
    pub(super) file: &'a mut BufWriter<&'f mut File>,
    pub(super) texture: Option<Texture<'a>>,
}

pub(super) enum Texture<'a> {
    /// The bytes of a PNG.
    Inside(&'a [u8]),
    /// The name of a picture next to the file, and that of the file of materials.
    Beside { picture: String, material: String },
}

impl Target<'_, '_> {
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(self.path, "write", error))
    }

    /// Writes the bytes of all items, a block at a time.
    pub(super) fn write_all<T>(
        &mut self,
        items: &[T],
        work: &Work,
        put: impl Fn(&T, &mut Vec<u8>),
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for items in items.chunks(WRITTEN_AT_ONCE) {
            work.check()?;
            bytes.clear();
            items.iter().for_each(|item| put(item, &mut bytes));
            self.write(&bytes)?;
        }
        Ok(())
    }
}

/// Converts from Y up, with Z to the south, to Z up, with Y to the north.
pub(super) fn z_up(p_in_land: Vec3) -> Vec3 {
    Vec3::new(p_in_land.x, -p_in_land.z, p_in_land.y)
}

/// Appends floats in the byte order of all these formats, the least significant byte first.
pub(super) fn put_floats(floats: impl IntoIterator<Item = f32>, bytes: &mut Vec<u8>) {
    floats.into_iter().for_each(|float| bytes.extend(float.to_le_bytes()));
}
