//! Elevation files: one file of code per format, chosen by the file's extension.
//!
//! [`read`] and [`write`](write()) look the extension up in the table below. To add a format, write a file with
//! a `FORMAT` constant beside the others and add its line to the table.
//!
//! Every reader takes its file for a stranger's: sizes are checked before memory is asked for, what is
//! asked for must be free, decoders that are not ours are called through a guard, and no content leads
//! to more than an error that says what is wrong.

mod asc;
mod bmp;
mod channel;
mod coloured;
mod exr;
mod geographic;
mod guard;
mod indexed;
mod notes;
pub(crate) mod picture;
mod pixels;
mod png;
mod r16;
mod replace;
mod sixteen_bit;
mod source;
mod tiff;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::elevation::raster::Raster;
use crate::error::{Error, Result};

pub(crate) use self::png::chunk as png_chunk;
#[cfg(feature = "cli")]
pub(crate) use self::png::write_rows as write_png_rows;
pub use channel::Channel;
pub use coloured::{Coloured, read_colours, read_colours_from_bytes};
pub(crate) use guard::guarded;
pub use indexed::{Indexed, read_indices, read_indices_from_bytes};
#[cfg(feature = "cli")]
pub(crate) use replace::target_of;
pub use replace::{check_folder, remove_unfinished, replace_file};

use source::Source;

/// Every format there is, in the order in which `--help` lists them.
static TABLE: [Format; 6] = [png::FORMAT, tiff::FORMAT, exr::FORMAT, asc::FORMAT, r16::FORMAT, bmp::FORMAT];

/// A file format for elevation.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, for people.
    pub name: &'static str,
    /// The extensions that mean it, in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// One line on what it holds.
    pub about: &'static str,
    reader: Option<Reader>,
    writer: Option<Writer>,
}

type Reader = fn(&mut Source, &ReadOptions) -> Result<Raster>;
type Writer = fn(&Path, &mut BufWriter<&mut File>, &Raster, &WriteOptions) -> Result<Stored>;

/// How a file is read where its format leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// What counts as height in an image with several channels; luma by default.
    pub channel: Channel,
    /// Columns and rows of a file that does not say, such as `.r16`; square by default.
    pub size: Option<(usize, usize)>,
    /// The heights that 0 and 65535 of a 16-bit grey image or a `.r16` stand for. By default what the
    /// file itself says, or else the numbers as they are.
    pub range: Option<(f32, f32)>,
}

/// How a file is written where its format leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// The heights that 0 and 65535 stand for in a 16-bit format. By default whole numbers that fit
    /// are stored as they are, and others are mapped from the lowest and the highest height.
    pub range: Option<(f32, f32)>,
}

/// What a format made of the heights it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stored {
    /// Every value as it was.
    AsTheyAre,
    /// In 16 bits: `low` as 0, `high` as 65535, and the rest between, to the nearest step.
    Mapped {
        /// The height stored as 0.
        low: f32,
        /// The height stored as 65535.
        high: f32,
        /// Whether the file says so itself, so that reading it gives heights again.
        in_file: bool,
    },
}

impl Stored {
    fn in_16_bits(range: Option<(f32, f32)>, in_file: bool) -> Self {
        range.map_or(Self::AsTheyAre, |(low, high)| Self::Mapped { low, high, in_file })
    }
}

/// What [`write`](write()) did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// The format's name.
    pub format: &'static str,
    /// What became of the heights.
    pub stored: Stored,
}

impl Written {
    /// A line for the user about what was lost or must be remembered; `None` when all was kept.
    pub fn message(&self) -> Option<String> {
        self.message_about("heights", "m")
    }

    /// As [`message`](Self::message), where the numbers are others than heights in metres.
    pub(crate) fn message_about(&self, what: &str, unit: &str) -> Option<String> {
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

/// A number above 0 with three digits that matter, for people.
fn three_digits(number: f64) -> String {
    let before_point = if number > 0.0 { libm::log10(number).floor() as i32 } else { 0 };
    format!("{number:.*}", (2 - before_point).max(0) as usize)
}

impl Format {
    /// Whether elevation can be read from it.
    pub fn can_read(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether elevation can be written to it.
    pub fn can_write(&self) -> bool {
        self.writer.is_some()
    }
}

/// Every format there is.
pub fn formats() -> &'static [Format] {
    &TABLE
}

/// Reads an elevation file; its extension says which format it is in.
///
/// # Errors
/// When the file cannot be opened, when its extension is none of [`formats`], or when it does not
/// hold what its format and its header promise. The message names the file.
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Raster> {
    let path = path.as_ref();
    let reader = reader_for(path)?;
    reader(&mut Source::open(path)?, options)
}

/// Reads elevation from bytes in memory. `name` stands in messages, and its extension says which
/// format they are in.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: impl AsRef<Path>, bytes: &[u8], options: &ReadOptions) -> Result<Raster> {
    let name = name.as_ref();
    reader_for(name)?(&mut Source::from_bytes(name, bytes), options)
}

/// Writes an elevation file in the format that its extension says. The file appears whole or not at
/// all: on failure what was there before stays.
///
/// # Errors
/// When the extension is none of [`formats`] or only readable, when the folder does not exist or
/// cannot be written to, or when the format cannot hold the raster.
pub fn write(path: impl AsRef<Path>, raster: &Raster, options: &WriteOptions) -> Result<Written> {
    let path = path.as_ref();
    let format = format_of(path, Format::can_write, "written")?;
    let Some(writer) = format.writer else { return Err(no_format(path, Format::can_write, "written")) };
    if let Some((low, high)) = options.range {
        sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
    }
    let stored = replace_file(path, |file| writer(path, file, raster, options))?;
    Ok(Written { format: format.name, stored })
}

/// Whether [`write`](write()) knows the extension of `path` and its folder is there: asked before
/// long work begins.
///
/// # Errors
/// When one of the two is not so.
pub fn check_writable(path: impl AsRef<Path>) -> Result<()> {
    format_of(path.as_ref(), Format::can_write, "written")?;
    check_folder(path)
}

/// Whether `path` has an extension that [`read`] knows.
pub fn is_readable(path: impl AsRef<Path>) -> bool {
    format_of(path.as_ref(), Format::can_read, "read").is_ok()
}

fn reader_for(path: &Path) -> Result<Reader> {
    let format = format_of(path, Format::can_read, "read")?;
    format.reader.ok_or_else(|| no_format(path, Format::can_read, "read"))
}

fn format_of(path: &Path, can: fn(&Format) -> bool, done: &str) -> Result<&'static Format> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = TABLE.iter().find(|format| format.extensions.contains(&extension.as_str()));
    known.filter(|format| can(format)).ok_or_else(|| no_format(path, can, done))
}

fn no_format(path: &Path, can: fn(&Format) -> bool, done: &str) -> Error {
    let there_is: Vec<String> = TABLE
        .iter()
        .filter(|format| can(format))
        .flat_map(|format| format.extensions.iter().map(|extension| format!(".{extension}")))
        .collect();
    let there_is = there_is.join(", ");
    let fact = match path.extension() {
        Some(extension) => format!("elevation cannot be {done} as `.{}`", extension.to_string_lossy()),
        None => "the name has no extension to say its format".into(),
    };
    Error::file(path, format!("{fact}; there is {there_is}"))
}
