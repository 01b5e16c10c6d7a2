//! TIFF and GeoTIFF: reads integers of 8 to 64 bits, signed and unsigned, and floats of 16 to 64 bits, in
//! strips or tiles, in either byte order, compressed by deflate, LZW, ZSTD, PackBits or JPEG, with
//! predictors. Writes deflated 32-bit floats. NaN, GDAL's NODATA value, masks and alpha channels mark holes.
//!
//! Whole files are read block by block, as windows of them are. The header is read here (`directory.rs`); of
//! the crate `tiff` only the decoders of single strips and tiles are used (`small.rs`).

mod band;
pub(in crate::elevation) mod blocks;
mod chunks;
mod directory;
mod geo;
mod jpeg;
mod lzw;
mod mask;
mod small;
mod zstd;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use tiff::TiffError;
use tiff::decoder::DecodingResult;
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind, colortype};

use crate::elevation::formats::channel::Layout;
use crate::elevation::formats::source::{Label, Source};
use crate::elevation::formats::{Format, ReadOptions, Stored, WriteOptions};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::{FileAt, FileKind, ReadAt};
use blocks::TiffBlocks;
use chunks::{CONVERT, tag};
use directory::Directory;
use small::PixelKind;

pub(super) const FORMAT: Format = Format {
    name: "TIFF",
    extensions: &["tif", "tiff"],
    about: "GeoTIFF too, whole numbers and floats; written as 32-bit floats with cell size and place",
    reader: Some(read),
    writer: Some(write),
};

/// Beyond this many bytes of heights, offsets need 64 bits (BigTIFF).
const LARGEST_PLAIN: usize = 3 << 30;

/// How many times over a file's bytes may be read: identical strips or tiles may be stored once.
const MOST_SHARED: u64 = 256;
/// The most bytes that one byte of a file can unpack to: deflate reaches 1032, a full LZW table about 2600.
const MOST_COMPRESSED: u64 = 4096;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let bytes: Box<dyn ReadAt + '_> = match source.memory {
        Some(bytes) => Box::new(bytes),
        None => Box::new(FileAt::open(label.path, FileKind::Elevation)?),
    };
    let label = Label { len: bytes.len(), ..label };
    let companions = std::mem::take(&mut source.companions);
    let blocks = TiffBlocks::open_whole(label, &*bytes, companions, options)?;
    let values = blocks.read_all(label, &*bytes)?;
    let [width, depth] = blocks.land_size();
    let raster = label.named(Raster::with_holes(width, depth, values, blocks.ground.cell))?;
    Ok(raster.with_place(blocks.ground.place).with_notes(blocks.notes))
}

/// What a note on the height of a coloured picture begins with.
const BRIGHTNESS: &str = "the brightness of its colours";

/// What the samples of a TIFF are.
struct Kind {
    layout: Layout,
    pixels: PixelKind,
    /// Whether each channel has strips or tiles of its own (planar configuration 2).
    planar: bool,
    /// The channel that is 0 where there is nothing.
    alpha: Option<usize>,
    /// Whether they are unsigned 16-bit grey, the only kind that is mapped to a range.
    is_grey_16: bool,
    /// Whether they are red, green and blue of 8 bits, whose colours may stand for heights.
    is_rgb_8: bool,
    notes: Vec<String>,
}

impl Kind {
    /// # Errors
    /// When samples of this kind aren't read.
    fn find(label: Label, directory: &Directory) -> Result<Self> {
        let refused = |what: String| label.error(format!("{what}; convert it: {CONVERT}"));
        let samples = directory.first(tag::SAMPLES)?.unwrap_or(1);
        if !(1..=65_535).contains(&samples) {
            return Err(cut_short(label, &format!("{samples} samples a pixel")));
        }
        let samples = samples as usize;
        // One number for each channel, all equal; the first stands for all.
        let alike = |tag: u16, usual: u64, what: &str| -> Result<u64> {
            let all = directory.numbers(tag)?.unwrap_or_default();
            let first = all.first().copied().unwrap_or(usual);
            match all.iter().take(samples).all(|&other| other == first) {
                true => Ok(first),
                false => {
                    Err(refused(format!("its channels differ in their {what}, {all:?}, which isn't read")))
                }
            }
        };
        let bits = alike(tag::BITS, 1, "bits")?;
        let format = match alike(tag::SAMPLE_FORMAT, 1, "types")? {
            // What is of no known type is taken for whole numbers, as by others.
            1 | 4 => 1,
            format @ (2 | 3) => format,
            5 | 6 => return Err(refused("complex numbers are not heights".to_owned())),
            format => return Err(refused(format!("samples of the unknown type {format} are not read"))),
        };
        let fits = if format == 3 { matches!(bits, 16 | 32 | 64) } else { matches!(bits, 8 | 16 | 32 | 64) };
        if !fits {
            let remedy = "gdal_translate -ot Float32 in.tif out.tif";
            let reason = format!("{bits} bits a sample are not supported; use 8, 16, 32 or 64");
            return Err(label.error(format!("{reason}, as {remedy} does")));
        }
        let predictor = directory.first(tag::PREDICTOR)?.unwrap_or(1);
        if !(1..=3).contains(&predictor) {
            return Err(refused(format!("its predictor {predictor} isn't known")));
        }
        let extra = directory.numbers(tag::EXTRA_SAMPLES)?.unwrap_or_default();
        let extra = if extra.len() < samples { extra } else { Vec::new() };
        let colours = samples - extra.len();
        let alpha = extra.iter().position(|kind| matches!(kind, 1 | 2)).map(|place| colours + place);
        let layout = match directory.first(tag::PHOTOMETRIC)?.unwrap_or(1) {
            2 if samples >= 3 => match (alpha, samples) {
                (Some(3), _) => Layout::Rgba,
                (None, 4) if extra.is_empty() => Layout::Rgba,
                _ => Layout::Rgb,
            },
            3 => {
                let reason = "its numbers are places in a palette of colours, not heights";
                let remedy = "gdal_translate -expand gray in.tif out.tif";
                return Err(label.error(format!("{reason}; if they are, convert it: {remedy}")));
            }
            photometric @ (5 | 6 | 8 | 9 | 10) => {
                let name = match photometric {
                    5 => "CMYK",
                    6 => "YCbCr",
                    _ => "Lab",
                };
                return Err(label
                    .error(format!("pixels of the kind {name} are not supported; save it as grey or RGB")));
            }
            _ => match (samples, alpha) {
                (1, _) => Layout::Grey,
                (2, Some(1)) => Layout::GreyAlpha,
                _ => Layout::Bands(samples),
            },
        };
        let planar = samples > 1 && directory.first(tag::PLANAR)? == Some(2);
        let pixels = PixelKind {
            little: directory.little,
            bits: bits as u16,
            samples: if planar { 1 } else { samples as u16 },
            format: format as u16,
            predictor: predictor as u16,
        };
        let is_grey_16 = layout == Layout::Grey && (bits, format) == (16, 1);
        let is_rgb_8 = layout.channels() >= 3 && (bits, format) == (8, 1);
        let mut notes = Vec::new();
        if let Layout::Bands(count) = layout
            && alpha.is_none_or(|_| count > 2)
        {
            notes.push(format!(
                "the first of its {count} bands is read as height; give the channel by its number to read another"
            ));
        }
        if matches!(layout, Layout::Rgb | Layout::Rgba) {
            notes.push(format!(
                "{BRIGHTNESS} is read as height; where colours stand for heights, give the channel mapbox or terrarium"
            ));
        }
        if let Ok(Some(orientation @ 2..=8)) = directory.first(tag::ORIENTATION) {
            notes.push(format!("its tag for the orientation, {orientation}, is ignored, as GDAL does"));
        }
        Ok(Self { layout, pixels, planar, alpha, is_grey_16, is_rgb_8, notes })
    }
}

fn incomplete(label: Label) -> Error {
    label.error("the TIFF is cut short or damaged (a strip or tile is incomplete)")
}

fn cut_short(label: Label, why: &str) -> Error {
    label.error(format!("the TIFF is cut short or damaged ({why})"))
}

/// Fills a row with every `stride`-th sample, starting at `first`; `None` when there are too few.
fn take_row(samples: &DecodingResult, first: usize, stride: usize, out: &mut [f64]) -> Option<()> {
    fn take<T: Copy>(
        samples: &[T],
        first: usize,
        stride: usize,
        out: &mut [f64],
        number: impl Fn(T) -> f64,
    ) -> Option<()> {
        let samples = samples.get(first..)?;
        if samples.len() <= (out.len() - 1) * stride {
            return None;
        }
        let samples = samples.iter().step_by(stride);
        out.iter_mut().zip(samples).for_each(|(out, &sample)| *out = number(sample));
        Some(())
    }
    match samples {
        DecodingResult::U8(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::U16(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::U32(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::U64(samples) => take(samples, first, stride, out, |sample| sample as f64),
        DecodingResult::I8(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::I16(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::I32(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::I64(samples) => take(samples, first, stride, out, |sample| sample as f64),
        DecodingResult::F16(samples) => take(samples, first, stride, out, |sample| sample.to_f64()),
        DecodingResult::F32(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::F64(samples) => take(samples, first, stride, out, |sample| sample),
    }
}

/// An error of the decoder of a strip or tile.
fn damaged(label: Label, error: TiffError) -> Error {
    match error {
        TiffError::UnsupportedError(error) => {
            label.error(format!("this kind of TIFF is not supported: {error}; convert it: {CONVERT}"))
        }
        error => cut_short(label, &error.to_string()),
    }
}

fn write(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    raster: &Raster,
    _options: &WriteOptions,
) -> Result<Stored> {
    let result = if raster.values().len() * 4 < LARGEST_PLAIN {
        TiffEncoder::new(file).and_then(|encoder| encode(encoder, raster))
    } else {
        TiffEncoder::new_big(file).and_then(|encoder| encode(encoder, raster))
    };
    result.map_err(|error| match error {
        TiffError::IoError(error) => Error::io(path, "write", error),
        error => Error::file(path, format!("cannot be written as TIFF ({error})")),
    })?;
    Ok(Stored::AsTheyAre)
}

fn encode<W: std::io::Write + std::io::Seek, K: TiffKind>(
    encoder: TiffEncoder<W, K>,
    raster: &Raster,
) -> Result<(), TiffError> {
    // Higher levels take three times as long for a few percent: noise hardly compresses.
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let (width, depth) = (raster.width() as u32, raster.depth() as u32);
    let mut image = encoder.new_image::<colortype::Gray32Float>(width, depth)?;
    geo::write(image.encoder(), raster)?;
    image.write_data(raster.values())
}
