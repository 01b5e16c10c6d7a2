//! What each format of elevation declares.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use super::options::ReadOptions;
use super::source::Source;
use crate::elevation::raster::Raster;
use crate::error::Result;
use crate::files::FileFormat;

/// A file format for elevation.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, for people.
    pub name: &'static str,
    /// Its extensions in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// One line on what it holds.
    pub about: &'static str,
    pub(super) reader: Option<Reader>,
    pub(super) writer: Option<Writer>,
}

impl FileFormat for Format {
    fn extensions(&self) -> &[&'static str] {
        self.extensions
    }
}

pub(super) type Reader = fn(&mut Source, &ReadOptions) -> Result<Raster>;

pub(super) type Writer = fn(&Path, &mut BufWriter<&mut File>, &Raster, &WriteOptions) -> Result<Stored>;

/// How a format stored the heights.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stored {
    /// Every value unchanged.
    AsTheyAre,
    /// Quantised to 16 bits: `low` to 0, `high` to 65535, linear between, rounded to the nearest.
    Mapped {
        /// The height stored as 0.
        low: f32,
        /// The height stored as 65535.
        high: f32,
        /// Whether the file records the range, so that reading it gives heights again.
        in_file: bool,
    },
}

impl Stored {
    pub(super) fn in_16_bits(range: Option<(f32, f32)>, in_file: bool) -> Self {
        range.map_or(Self::AsTheyAre, |(low, high)| Self::Mapped { low, high, in_file })
    }
}

/// Options for writing, where a format leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// The heights, in metres, that become 0 and 65535 in a 16-bit format. By default integers that fit are
    /// stored as they are, and other heights are mapped from their lowest and highest.
    pub range: Option<(f32, f32)>,
    /// Write a TIFF in the layout of a Cloud Optimized GeoTIFF, with overviews ([`cog`](super::cog)); no
    /// other format can.
    pub cog: bool,
}

impl Format {
    /// Whether it can be read.
    pub fn can_read(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether it can be written.
    pub fn can_write(&self) -> bool {
        self.writer.is_some()
    }
}
