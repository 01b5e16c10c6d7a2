//! TIFF and GeoTIFF: reads integers of 8 to 64 bits, signed and unsigned, and floats of 16 to 64 bits, in
//! strips or tiles, in either byte order, compressed by deflate, LZW, PackBits or JPEG, with predictors.
//! Writes deflated 32-bit floats. NaN and GDAL's NODATA value mark holes.

pub(in crate::elevation) mod blocks;
mod geo;
mod jpeg;
mod lzw;
mod small;

use std::fs::File;
use std::io::{BufWriter, SeekFrom};
use std::path::Path;

use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind, colortype};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError, TiffFormatError};

use crate::elevation::formats::channel::{HeightChannel, Layout, Wanted, wanted};
use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::source::{Input, Label, Source};
use crate::elevation::formats::{Format, ReadOptions, Stored, WriteOptions, sixteen_bit};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::math::luminance::luma;
use jpeg::Jpegs;
use lzw::LzwChunks;

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

type TiffDecoder<'a> = Decoder<&'a mut (dyn Input + 'a)>;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    if let Some((width, depth)) = claimed_size(&mut *source.input) {
        label.check_size(width, depth, 1)?;
    }
    source.input.rewind().map_err(|error| label.io_error(error))?;
    let TiffImage { width, depth, mut values, is_grey_16, nodata, place } =
        guarded(label.path, || read_all(label, &mut *source.input, options.channel))?;

    Meaning::new(nodata, is_grey_16, options, &place)?.apply(&mut values);
    let raster = Raster::with_holes(width, depth, values, place.cell);
    label.named(raster.map(|raster| raster.with_origin(place.origin)))
}

/// What the decoder tells of a TIFF.
struct TiffImage {
    width: usize,
    depth: usize,
    values: Vec<f32>,
    /// Whether the values are unsigned 16-bit grey, the only kind that is mapped to a range.
    is_grey_16: bool,
    /// The NODATA value.
    nodata: Option<f32>,
    place: geo::Georeference,
}

/// What the numbers of a TIFF mean.
struct Meaning {
    /// The number that marks a hole.
    nodata: Option<f32>,
    /// The heights of 0 and 65535.
    range: Option<(f32, f32)>,
    /// Metres in a unit of the heights, where there is no range.
    metres_up: f64,
}

impl Meaning {
    fn new(
        nodata: Option<f32>,
        is_grey_16: bool,
        options: &ReadOptions,
        place: &geo::Georeference,
    ) -> Result<Self> {
        let range = options.range.filter(|_| is_grey_16);
        if let Some((low, high)) = range {
            sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
        }
        Ok(Self { nodata, range, metres_up: place.metres_up })
    }

    /// Turns stored numbers into heights in metres, and into NaN where there is a hole.
    fn apply(&self, values: &mut [f32]) {
        if let Some(nodata) = self.nodata {
            values.iter_mut().filter(|value| **value == nodata).for_each(|value| *value = f32::NAN);
        }
        if let Some(range) = self.range {
            values.iter_mut().for_each(|value| *value = sixteen_bit::height_from_step(*value, range));
        } else if self.metres_up != 1.0 {
            let metres = |value: f32| (f64::from(value) * self.metres_up) as f32;
            values.iter_mut().for_each(|value| *value = metres(*value));
        }
    }
}

fn read_all(label: Label, input: &mut dyn Input, channel: HeightChannel) -> Result<TiffImage> {
    let failed = |error| damaged(label, error);
    let mut decoder = Decoder::new(input).map_err(failed)?;
    let (width, depth) = decoder.dimensions().map_err(failed)?;
    let (width, depth) = (width as usize, depth as usize);
    let colour = decoder.colortype().map_err(failed)?;
    let layout = layout(label, colour)?;
    let planar = decoder.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed)? == Some(2);
    let sample_bits = usize::from(colour.bit_depth());
    label.check_size(width, depth, if planar { sample_bits } else { sample_bits * layout.channels() })?;
    let pixel_bytes = sample_bits / 8 * layout.channels();
    let mut limits = Limits::default();
    // The tags must fit into the file, too.
    limits.decoding_buffer_size = (width * depth * pixel_bytes).max(16 << 20);
    // Tiles may extend beyond the image, but by less than their own size.
    limits.intermediate_buffer_size = (4 * width * depth * pixel_bytes).max(16 << 20);
    let mut decoder = decoder.with_limits(limits);

    let wanted = wanted(label, layout, channel)?;
    let pixels = PixelLayout { width, depth, layout, planar, sample_bytes: sample_bits / 8, wanted };
    let values = decode(label, &mut decoder, pixels)?;
    let is_grey_16 = is_grey_16(&mut decoder, colour).map_err(failed)?;
    let nodata = geo::nodata(&mut decoder).map_err(|error| error.named(label))?;
    let place = geo::read(&mut decoder, width, depth).map_err(|error| error.named(label))?;
    Ok(TiffImage { width, depth, values, is_grey_16, nodata, place })
}

/// Whether pixels are unsigned 16-bit grey.
fn is_grey_16(decoder: &mut TiffDecoder, colour: ColorType) -> Result<bool, TiffError> {
    // One number for each band, all equal.
    let formats = decoder.find_tag_unsigned_vec::<u16>(Tag::SampleFormat)?;
    let unsigned = matches!(formats.as_deref(), None | Some([] | [1, ..]));
    Ok(matches!(colour, ColorType::Gray(16)) && unsigned)
}

/// The size that a TIFF claims, found before anything in it is trusted; `None` if it is malformed, which is
/// then left to the decoder's own error.
fn claimed_size(input: &mut dyn Input) -> Option<(usize, usize)> {
    let mut head = [0; 16];
    input.read_exact(&mut head[..8]).ok()?;
    let little = head.starts_with(b"II");
    let number = |bytes: &[u8]| {
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) }
    };
    let big = number(&head[2..4]) == 43;
    let (count_bytes, entry_bytes, value_at) = if big { (8, 20, 12) } else { (2, 12, 8) };
    let directory = if big {
        input.read_exact(&mut head[8..]).ok()?;
        number(&head[8..16])
    } else {
        number(&head[4..8])
    };
    input.seek(SeekFrom::Start(directory)).ok()?;
    let mut count = [0; 8];
    input.read_exact(&mut count[..count_bytes]).ok()?;
    let (mut width, mut depth) = (None, None);
    for _ in 0..number(&count[..count_bytes]) {
        let mut entry = [0; 20];
        input.read_exact(&mut entry[..entry_bytes]).ok()?;
        let value_bytes = match number(&entry[2..4]) {
            3 => 2,
            4 => 4,
            _ => 8.min(entry_bytes - value_at),
        };
        let value = number(&entry[value_at..value_at + value_bytes]) as usize;
        match Tag::from_u16(number(&entry[..2]) as u16) {
            Some(Tag::ImageWidth) => width = Some(value),
            Some(Tag::ImageLength) => depth = Some(value),
            _ => {}
        }
    }
    width.zip(depth)
}

fn layout(label: Label, colour: ColorType) -> Result<Layout> {
    let layout = match colour {
        ColorType::Gray(_) => Layout::Grey,
        ColorType::GrayA(_) => Layout::GreyAlpha,
        ColorType::RGB(_) => Layout::Rgb,
        ColorType::RGBA(_) => Layout::Rgba,
        ColorType::Multiband { num_samples, .. } => Layout::Bands(usize::from(num_samples)),
        other => {
            let reason = format!("pixels of the kind {other:?} are not supported; save it as grey or RGB");
            return Err(label.error(reason));
        }
    };
    if !matches!(colour.bit_depth(), 8 | 16 | 32 | 64) || layout.channels() == 0 {
        let bits = colour.bit_depth();
        return Err(label.error(format!("{bits} bits a sample are not supported; use 8, 16, 32 or 64")));
    }
    Ok(layout)
}

/// How the pixels of a TIFF are stored, and what is wanted of them.
struct PixelLayout {
    width: usize,
    depth: usize,
    layout: Layout,
    /// Whether each channel has strips or tiles of its own (planar configuration 2).
    planar: bool,
    sample_bytes: usize,
    wanted: Wanted,
}

/// Decodes strip by strip or tile by tile, so that the file's values and the heights are never both in
/// memory as a whole.
fn decode(label: Label, decoder: &mut TiffDecoder, pixels: PixelLayout) -> Result<Vec<f32>> {
    let PixelLayout { width, depth, layout, planar, sample_bytes, wanted } = pixels;
    let failed = |error| damaged(label, error);
    let (chunk_width, chunk_depth) = decoder.chunk_dimensions();
    let (chunk_width, chunk_depth) = (chunk_width as usize, chunk_depth as usize);
    if chunk_width == 0 || chunk_depth == 0 {
        return Err(label.error("the TIFF is damaged (its strips or tiles are empty)"));
    }
    // The decoder keeps a whole row of a tile, however far it extends beyond the image.
    label.check_size(chunk_width, 1, 64 * layout.channels())?;
    let (across, down) = (width.div_ceil(chunk_width), depth.div_ceil(chunk_depth));
    let planes = planes(planar, wanted);
    let tiled = decoder.get_chunk_type() == ChunkType::Tile;
    let lengths = if tiled { Tag::TileByteCounts } else { Tag::StripByteCounts };
    let lengths = decoder.get_tag_u64_vec(lengths).map_err(failed)?;
    check_shared(label, &lengths, &planes, across * down)?;
    let jpegs = Jpegs::find(decoder, (chunk_width, chunk_depth.min(depth)), lengths).map_err(failed)?;
    let lzw = LzwChunks::find(decoder, planar).map_err(failed)?;
    if let Some(lzw) = &lzw {
        // Tiles are decompressed whole, including what lies outside the image.
        label.check_size(chunk_width, lzw.rows(chunk_depth, chunk_depth.min(depth)), 32)?;
    }
    let stride = match (&lzw, planar) {
        (_, true) => 1,
        // Samples that belong to no colour are kept.
        (Some(lzw), false) => lzw.samples(),
        (None, false) => layout.channels(),
    };
    let picking = Picking::new(planar, wanted, stride);
    let chunk_bytes = (sample_bytes * stride) as u64 * chunk_width as u64 * chunk_depth.min(depth) as u64;
    // LZW decompresses outside the decoder, which then makes a copy.
    let copies = if lzw.is_some() { 3 } else { planes.len() as u64 };
    label.require(width, depth, 4 * width as u64 * depth as u64 + copies.saturating_mul(chunk_bytes))?;

    let mut values = vec![0.0; width * depth];
    let mut scratch = Scratch::default();
    for chunk in 0..across * down {
        let (first_column, first_row) = (chunk % across * chunk_width, chunk / across * chunk_depth);
        let columns = chunk_width.min(width - first_column);
        let rows = chunk_depth.min(depth - first_row);
        let mut row_length = columns;
        let mut decoded = Vec::with_capacity(planes.len());
        for plane in &planes {
            let index = plane * across * down + chunk;
            if let Some(jpegs) = &jpegs {
                jpegs.check(label, decoder, index)?;
            }
            let samples = match &lzw {
                Some(lzw) => {
                    row_length = chunk_width;
                    lzw.read(decoder, index, chunk_width, lzw.rows(chunk_depth, rows))
                }
                None => decoder.read_chunk(index as u32),
            };
            decoded.push(samples.map_err(failed)?);
        }
        for row in 0..rows {
            let start = (first_row + row) * width + first_column;
            let out = &mut values[start..start + columns];
            let picked = picking.row(&decoded, row * row_length, &mut scratch, out);
            picked.ok_or_else(|| incomplete(label))?;
        }
    }
    Ok(values)
}

fn incomplete(label: Label) -> Error {
    label.error("the TIFF is cut short or damaged (a strip or tile is incomplete)")
}

/// The planes that are decoded.
fn planes(planar: bool, wanted: Wanted) -> Vec<usize> {
    match (planar, wanted) {
        (true, Wanted::One(channel)) => vec![channel],
        (true, Wanted::Luma) => vec![0, 1, 2],
        (false, _) => vec![0],
    }
}

/// Refuses a file whose strips or tiles share their bytes too often. Each plane has `chunks` of them.
fn check_shared(label: Label, lengths: &[u64], planes: &[usize], chunks: usize) -> Result<()> {
    let of_planes = planes.iter().filter_map(|plane| lengths.get(plane * chunks..)?.get(..chunks));
    let read = of_planes.flatten().fold(0u64, |sum, &length| sum.saturating_add(length.min(label.len)));
    if read / MOST_SHARED > label.len {
        let reason = format!("the TIFF is damaged (its strips or tiles have {read} bytes in all");
        return Err(label.error(format!("{reason}; the file has {})", label.len)));
    }
    Ok(())
}

/// Picks heights from decoded strips or tiles.
struct Picking {
    wanted: Wanted,
    /// The samples from one pixel to the next.
    stride: usize,
    /// The channels that are taken from each decoded plane.
    channels: Vec<usize>,
}

/// A row of each colour.
type Scratch = [Vec<f32>; 3];

impl Picking {
    fn new(planar: bool, wanted: Wanted, stride: usize) -> Self {
        let channels = match (planar, wanted) {
            (true, _) => vec![0],
            (false, Wanted::One(channel)) => vec![channel],
            (false, Wanted::Luma) => vec![0, 1, 2],
        };
        Self { wanted, stride, channels }
    }

    /// Fills a row from the pixel `first` on of the decoded planes; `None` when there are too few.
    fn row(
        &self,
        decoded: &[DecodingResult],
        first: usize,
        scratch: &mut Scratch,
        out: &mut [f32],
    ) -> Option<()> {
        let stride = self.stride;
        let mut sources =
            decoded.iter().flat_map(|plane| self.channels.iter().map(move |&channel| (plane, channel)));
        let heights_of = |(plane, channel): (&DecodingResult, usize), out: &mut [f32]| {
            take_row(plane, first * stride + channel, stride, out)
        };
        match self.wanted {
            Wanted::One(_) => sources.try_for_each(|source| heights_of(source, out)),
            Wanted::Luma => {
                for (source, row) in sources.zip(scratch.iter_mut()) {
                    row.resize(out.len(), 0.0);
                    heights_of(source, row)?;
                }
                let [red, green, blue] = scratch;
                let colours = red.iter().zip(green).zip(blue);
                for (out, ((&red, &mut green), &mut blue)) in out.iter_mut().zip(colours) {
                    *out = luma(red, green, blue);
                }
                Some(())
            }
        }
    }
}

/// Fills a row with every `stride`-th sample, starting at `first`; `None` when there are too few.
fn take_row(samples: &DecodingResult, first: usize, stride: usize, out: &mut [f32]) -> Option<()> {
    fn take<T: Copy>(
        samples: &[T],
        first: usize,
        stride: usize,
        out: &mut [f32],
        number: impl Fn(T) -> f32,
    ) -> Option<()> {
        let samples = samples.get(first..)?;
        if samples.len() <= (out.len() - 1) * stride {
            return None;
        }
        if stride == 1 {
            out.iter_mut().zip(samples).for_each(|(out, &sample)| *out = number(sample));
        } else {
            out.iter_mut()
                .zip(samples.iter().step_by(stride))
                .for_each(|(out, &sample)| *out = number(sample));
        }
        Some(())
    }
    match samples {
        DecodingResult::U8(samples) => take(samples, first, stride, out, f32::from),
        DecodingResult::U16(samples) => take(samples, first, stride, out, f32::from),
        DecodingResult::U32(samples) => take(samples, first, stride, out, |sample| sample as f32),
        DecodingResult::U64(samples) => take(samples, first, stride, out, |sample| sample as f32),
        DecodingResult::I8(samples) => take(samples, first, stride, out, f32::from),
        DecodingResult::I16(samples) => take(samples, first, stride, out, f32::from),
        DecodingResult::I32(samples) => take(samples, first, stride, out, |sample| sample as f32),
        DecodingResult::I64(samples) => take(samples, first, stride, out, |sample| sample as f32),
        DecodingResult::F16(samples) => take(samples, first, stride, out, |sample| sample.to_f32()),
        DecodingResult::F32(samples) => take(samples, first, stride, out, |sample| sample),
        DecodingResult::F64(samples) => take(samples, first, stride, out, |sample| sample as f32),
    }
}

fn damaged(label: Label, error: TiffError) -> Error {
    match error {
        TiffError::FormatError(
            TiffFormatError::TiffSignatureNotFound | TiffFormatError::TiffSignatureInvalid,
        ) => label.error("this is not a TIFF, although its extension says so"),
        TiffError::FormatError(TiffFormatError::InvalidDimensions(width, depth)) => {
            label.error(format!("{width}×{depth} samples hold nothing; each side needs at least 1"))
        }
        TiffError::UnsupportedError(error) => {
            label.error(format!("this kind of TIFF is not supported: {error}"))
        }
        error => label.error(format!("the TIFF is cut short or damaged ({error})")),
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
