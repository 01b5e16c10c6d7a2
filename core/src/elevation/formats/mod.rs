//! Elevation files: one module per format, chosen by the file's extension.
//!
//! [`read`] and [`write`](write()) look the extension up in the table below. A new format is a module with
//! a `FORMAT` constant and a line in the table.
//!
//! Readers don't trust their files. Sizes are checked before memory is allocated, and only as much is
//! allocated as is free. Third-party decoders are called through a guard. So a bad file leads to an error
//! that says what is wrong, and to nothing worse.

mod asc;
mod beside;
mod channel;
pub mod cog;
pub(in crate::elevation) mod companions;
mod esri;
mod exr;
mod exr_planes;
mod format;
mod guard;
mod label;
pub(in crate::elevation) mod meaning;
pub(in crate::elevation) mod nodata;
mod notes;
mod options;
pub(crate) mod pictures;
pub(in crate::elevation) mod raw;
pub(in crate::elevation) mod sixteen_bit;
mod source;
pub(in crate::elevation) mod tiff;
mod vectors;
mod xml;

use std::path::Path;

use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::FormatTable;

pub(crate) use self::pictures::png::chunk as png_chunk;
pub use crate::elevation::map::MapUnit;
pub use crate::files::{
    ReplacedFile, WritingProgram, check_folder, check_replaceable, create_folder, remove_unfinished,
    replace_by, replace_file, replace_together, target_of, write_png_rows,
};
pub use beside::write_place;
pub use channel::{ChannelName, HeightChannel};
pub use format::{Format, Stored, WriteOptions};
pub(crate) use guard::guarded;
pub use options::ReadOptions;
pub use pictures::coloured::{Coloured, read_colours, read_colours_from_bytes};
pub use pictures::indexed::{
    Indexed, Levels, read_indices, read_indices_from_bytes, read_levels, read_levels_from_bytes,
};
pub use raw::raw_layout::{ByteOrder, RawLayout, SampleType};
pub(crate) use vectors::VectorChannel;
pub use vectors::{UpChannel, check_vectors_writable, write_vectors};

use companions::Companions;
use format::Reader;
use pictures::{bmp, png};
use raw::{hgt, r16};
use source::Source;

/// Every format, in the order in which `--help` lists them.
static TABLE: FormatTable<Format> = FormatTable {
    what: "elevation",
    formats: &[
        png::FORMAT,
        tiff::FORMAT,
        exr::FORMAT,
        asc::FORMAT,
        hgt::FORMAT,
        r16::FORMAT,
        esri::FORMAT,
        bmp::FORMAT,
    ],
};

/// How files of a format can be read in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::elevation) enum InParts {
    /// TIFF.
    Tiff,
    /// Raw numbers.
    Raw,
    /// None: the file is read as a whole.
    No,
}

/// How a file of this name can be read in parts.
///
/// # Errors
/// When elevation cannot be read from a file of this extension.
pub(in crate::elevation) fn in_parts(path: &Path) -> Result<(&'static Format, InParts)> {
    let format = TABLE.of_those(path, Format::can_read, "read")?;
    let parts = match format.name {
        name if name == tiff::FORMAT.name => InParts::Tiff,
        name if is_raw(name) => InParts::Raw,
        _ => InParts::No,
    };
    Ok((format, parts))
}

/// Whether the format of this name is raw numbers.
fn is_raw(name: &str) -> bool {
    [r16::FORMAT.name, esri::FORMAT.name].contains(&name)
}

/// Whether files of this extension can be larger than memory.
pub(crate) fn is_read_in_parts(path: &Path) -> bool {
    in_parts(path).is_ok_and(|(_, parts)| !matches!(parts, InParts::No))
}

/// Metres in a unit of length by its name, such as `m`, `ft` or `us-ft`; `None` for an unknown one.
pub fn metres_in_unit(name: &str) -> Option<f64> {
    match MapUnit::of_name(name)? {
        MapUnit::Metres(metres) => Some(metres),
        MapUnit::Degrees => None,
    }
}

/// The result of [`write`](write()).
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The format's name.
    pub format: &'static str,
    /// How the heights were stored.
    pub stored: Stored,
    /// What happened to its place on the map, where the file itself cannot hold it: one line each, for
    /// people.
    pub notes: Vec<String>,
}

impl Written {
    /// A line for the user about what was lost or has to be remembered; `None` when nothing was.
    pub fn message(&self) -> Option<String> {
        self.message_about("heights", "m")
    }

    /// As [`message`](Self::message), for values that are not heights in metres.
    #[doc(hidden)]
    pub fn message_about(&self, what: &str, unit: &str) -> Option<String> {
        let lines: Vec<String> =
            self.mapping(what, unit).into_iter().chain(self.notes.iter().cloned()).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    fn mapping(&self, what: &str, unit: &str) -> Option<String> {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let Stored::Mapped { low, high, in_file } = self.stored else { return None };
        let step = (f64::from(high) - f64::from(low)) / 65535.0;
        let step = three_digits(step);
        let mut message =
            format!("{what} {low} to {high}{unit} were mapped to 0–65535; one step is {step}{unit}");
        if !in_file {
            message += "; this format cannot record the range, so give it again when reading";
        }
        Some(message)
    }
}

/// A number above 0 with three significant digits, for people.
fn three_digits(number: f64) -> String {
    let before_point = if number > 0.0 { libm::log10(number).floor() as i32 } else { 0 };
    format!("{number:.*}", (2 - before_point).max(0) as usize)
}

/// Every format there is.
pub fn formats() -> &'static [Format] {
    TABLE.formats
}

/// Reads an elevation file and the companion files next to it (`.prj`, world files, `.aux.xml`, `.hdr`); its
/// extension decides the format.
///
/// # Errors
/// When the file cannot be opened, when its extension is none of [`formats`], or when it is not a valid
/// file of its format. The message names the file.
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Raster> {
    let path = path.as_ref();
    options.check()?;
    let reader = reader_for(path)?;
    let mut source = Source::open(path)?;
    source.companions = companions_of(path)?;
    reader(&mut source, options)
}

/// What the files next to a file say of it.
///
/// # Errors
/// When elevation cannot be read from a file of this extension.
pub(in crate::elevation) fn companions_of(path: &Path) -> Result<Companions> {
    Ok(match in_parts(path)?.1 {
        InParts::Raw => Companions::beside_raw(path),
        InParts::Tiff | InParts::No => Companions::beside(path),
    })
}

/// Reads elevation from bytes in memory, without the files that may lie next to them. `name` is used in
/// messages, and its extension decides the format.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: impl AsRef<Path>, bytes: &[u8], options: &ReadOptions) -> Result<Raster> {
    let name = name.as_ref();
    options.check()?;
    reader_for(name)?(&mut Source::from_bytes(name, bytes), options)
}

/// Writes an elevation file; its extension decides the format. The file is replaced atomically: after a
/// failure the old file is unchanged.
///
/// # Errors
/// When the extension is none of [`formats`] or is read-only, when the folder does not exist or cannot be
/// written to, or when the format cannot hold the raster.
pub fn write(path: impl AsRef<Path>, raster: &Raster, options: &WriteOptions) -> Result<Written> {
    let path = path.as_ref();
    let format = TABLE.of_those(path, Format::can_write, "written")?;
    let Some(writer) = format.writer else {
        return Err(Error::file(path, format!("{} cannot be written", format.name)));
    };
    if options.cog {
        check_cog(path)?;
    }
    if let Some((low, high)) = options.range {
        sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
    }
    let stored = replace_file(path, |file| writer(path, file, raster, options))?;
    let notes = match format.name {
        name if name == asc::FORMAT.name => beside::write(path, raster.place())?,
        name if name == r16::FORMAT.name && raster.place().is_some() => {
            vec!["this format cannot record where it lies on its map; write a .tif for that".to_owned()]
        }
        _ => Vec::new(),
    };
    Ok(Written { format: format.name, stored, notes })
}

/// Whether a file at `path` would hold heights in 16 bits, stretched over a range.
pub fn is_in_16_bits(path: impl AsRef<Path>) -> bool {
    let format = TABLE.of_those(path.as_ref(), Format::can_write, "written");
    format.is_ok_and(|format| [png::FORMAT.name, r16::FORMAT.name].contains(&format.name))
}

/// The heights that 0 and 65535 stand for where heights are stored in 16 bits and no range is given: the
/// lowest and the highest. `None` where all heights are whole numbers that 16 bits can hold; these are stored
/// as they are.
///
/// ```
/// # use upland_core as upland;
/// assert_eq!(upland::formats::stretch(&[1.5, 12.0]), Some((1.5, 12.0)));
/// assert_eq!(upland::formats::stretch(&[1.0, 12.0]), None);
/// ```
pub fn stretch(heights: &[f32]) -> Option<(f32, f32)> {
    sixteen_bit::Stretch::of(heights).range().filter(|(low, high)| low <= high)
}

/// Checks that [`write`](write()) knows the extension of `path` and can write a file there. Call it before
/// long work begins.
///
/// # Errors
/// When it doesn't know the extension, and those of [`check_replaceable`].
pub fn check_writable(path: impl AsRef<Path>) -> Result<()> {
    TABLE.of_those(path.as_ref(), Format::can_write, "written")?;
    check_replaceable(path)
}

/// Checks that a file at `path` can be a Cloud Optimized GeoTIFF ([`WriteOptions::cog`]).
///
/// # Errors
/// When its extension is not that of a TIFF.
pub fn check_cog(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let format = TABLE.of_those(path, Format::can_write, "written")?;
    if format.name == tiff::FORMAT.name {
        return Ok(());
    }
    let reason = format!("{} cannot be a Cloud Optimized GeoTIFF; give the extension .tif", format.name);
    Err(Error::file(path, reason))
}

/// Whether `path` has an extension that [`read`] knows.
pub fn is_readable(path: impl AsRef<Path>) -> bool {
    TABLE.of_those(path.as_ref(), Format::can_read, "read").is_ok()
}

/// Whether a file at `path` doesn't record how many columns and rows it has.
pub fn has_no_size(path: impl AsRef<Path>) -> bool {
    TABLE.of_those(path.as_ref(), Format::can_read, "read").is_ok_and(|format| is_raw(format.name))
}

/// Whether windows of a file at `path` can be read without loading it.
pub fn reads_in_parts(path: impl AsRef<Path>) -> bool {
    in_parts(path.as_ref()).is_ok_and(|(_, parts)| parts != InParts::No)
}

fn reader_for(path: &Path) -> Result<Reader> {
    let format = TABLE.of_those(path, Format::can_read, "read")?;
    format.reader.ok_or_else(|| Error::file(path, format!("{} cannot be read", format.name)))
}

/// The extensions that [`read`] knows, for people.
pub(crate) fn readable_extensions() -> String {
    TABLE.extensions(Format::can_read)
}
