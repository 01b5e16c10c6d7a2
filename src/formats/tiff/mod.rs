//! TIFF and GeoTIFF: whole numbers of 8 to 64 bits, signed and unsigned, and floats of 16 to 64 bits,
//! in strips or tiles, in either byte order, compressed by deflate, LZW or PackBits, with predictors.
//! Written as deflated 32-bit floats. NaN and GDAL's NODATA value mark holes.

mod geo;
mod lzw;

use std::fs::File;
use std::io::{BufWriter, SeekFrom};
use std::path::Path;

use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind, colortype};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError, TiffFormatError};

use crate::error::{Error, Result};
use crate::formats::channel::{Channel, Layout, heights};
use crate::formats::source::{Input, Label, Source};
use crate::formats::{Format, ReadOptions, Stored, WriteOptions, pixels};
use crate::raster::Raster;
use lzw::LzwChunks;

pub(super) const FORMAT: Format = Format {
    name: "TIFF",
    extensions: &["tif", "tiff"],
    about: "GeoTIFF too, whole numbers and floats; written as 32-bit floats with cell size and place",
    reader: Some(read),
    writer: Some(write),
};

/// Beyond this many bytes of heights, the file's offsets need 64 bits.
const LARGEST_PLAIN: usize = 3 << 30;

type TiffDecoder<'a> = Decoder<&'a mut (dyn Input + 'a)>;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let failed = |error| damaged(label, error);
    if let Some((width, depth)) = claimed_size(&mut *source.input) {
        label.check_size(width, depth, 1)?;
    }
    source.input.rewind().map_err(|error| label.io_error(error))?;
    let mut decoder = Decoder::new(&mut *source.input as &mut dyn Input).map_err(failed)?;
    let (width, depth) = decoder.dimensions().map_err(failed)?;
    let (width, depth) = (width as usize, depth as usize);
    let colour = decoder.colortype().map_err(failed)?;
    let layout = layout(label, colour)?;
    let pixel_bytes = usize::from(colour.bit_depth()) / 8 * layout.channels();
    label.check_size(width, depth, pixel_bytes.max(4))?;
    let mut limits = Limits::default();
    // The tags, too, must fit into it.
    limits.decoding_buffer_size = (width * depth * pixel_bytes).max(16 << 20);
    // Tiles may reach beyond the image, but not by more than their own size.
    limits.intermediate_buffer_size = (4 * width * depth * pixel_bytes).max(16 << 20);
    let mut decoder = decoder.with_limits(limits);

    let mut values = decode(label, &mut decoder, width, depth, layout, options.channel)?;
    let unsigned = matches!(decoder.find_tag_unsigned(Tag::SampleFormat).map_err(failed)?, None | Some(1u16));
    if matches!(colour, ColorType::Gray(16)) && unsigned {
        pixels::map_to_range(&mut values, options.range)?;
    }
    if let Some(nodata) = geo::nodata(&mut decoder).map_err(|error| error.named(label))? {
        values.iter_mut().filter(|value| **value == nodata).for_each(|value| *value = f32::NAN);
    }
    let place = geo::read(&mut decoder, width, depth).map_err(|error| error.named(label))?;
    let raster = Raster::with_holes(width, depth, values, place.cell);
    label.named(raster.map(|raster| raster.with_origin(place.origin)))
}

/// The size that a TIFF claims, found before anything of it is believed; `None` where it makes no
/// sense, for the decoder to say what is wrong.
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
        return Err(label.error(format!("{bits} bits a sample are not supported; there is 8, 16, 32 and 64")));
    }
    Ok(layout)
}

/// Decodes strip by strip or tile by tile, so that the file's numbers and the heights are never in
/// memory both as a whole.
fn decode(
    label: Label,
    decoder: &mut TiffDecoder,
    width: usize,
    depth: usize,
    layout: Layout,
    channel: Channel,
) -> Result<Vec<f32>> {
    let failed = |error| damaged(label, error);
    let (chunk_width, chunk_depth) = decoder.chunk_dimensions();
    let (chunk_width, chunk_depth) = (chunk_width as usize, chunk_depth as usize);
    if chunk_width == 0 || chunk_depth == 0 {
        return Err(label.error("the TIFF is damaged (its strips or tiles are empty)"));
    }
    // The decoder keeps a whole row of a tile, however far that reaches beyond the image.
    label.check_size(chunk_width, 1, 8 * layout.channels())?;
    let (across, down) = (width.div_ceil(chunk_width), depth.div_ceil(chunk_depth));
    let planar = decoder.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed)? == Some(2);
    let planes = if planar { layout.channels() } else { 1 };
    let lzw = LzwChunks::find(decoder, planar).map_err(failed)?;
    if let Some(lzw) = &lzw {
        // Tiles are unpacked whole, also what of them lies outside the image.
        label.check_size(chunk_width, lzw.rows(chunk_depth, chunk_depth.min(depth)), 4)?;
    }

    let mut values = vec![0.0; width * depth];
    for chunk in 0..across * down {
        let (first_column, first_row) = (chunk % across * chunk_width, chunk / across * chunk_depth);
        let columns = chunk_width.min(width - first_column);
        let rows = chunk_depth.min(depth - first_row);
        let mut samples = Vec::with_capacity(planes);
        let mut row_length = columns;
        for plane in 0..planes {
            let index = plane * across * down + chunk;
            let decoded = match &lzw {
                Some(lzw) => {
                    row_length = chunk_width;
                    lzw.read(decoder, index, chunk_width, lzw.rows(chunk_depth, rows))
                }
                None => decoder.read_chunk(index as u32),
            };
            samples.push(numbers(decoded.map_err(failed)?));
        }
        let samples = if planar { interleaved(&samples) } else { samples.swap_remove(0) };
        let heights = heights(label, &samples, layout, channel, |sample| sample)?;
        if heights.len() < rows * row_length {
            return Err(label.error("the TIFF is cut short or damaged (a strip or tile is incomplete)"));
        }
        for (row, heights) in heights.chunks(row_length).take(rows).enumerate() {
            let start = (first_row + row) * width + first_column;
            values[start..start + columns].copy_from_slice(&heights[..columns]);
        }
    }
    Ok(values)
}

fn interleaved(planes: &[Vec<f32>]) -> Vec<f32> {
    let count = planes.iter().map(Vec::len).min().unwrap_or(0);
    (0..count).flat_map(|pixel| planes.iter().map(move |plane| plane[pixel])).collect()
}

fn numbers(samples: DecodingResult) -> Vec<f32> {
    match samples {
        DecodingResult::U8(samples) => samples.into_iter().map(f32::from).collect(),
        DecodingResult::U16(samples) => samples.into_iter().map(f32::from).collect(),
        DecodingResult::U32(samples) => samples.into_iter().map(|sample| sample as f32).collect(),
        DecodingResult::U64(samples) => samples.into_iter().map(|sample| sample as f32).collect(),
        DecodingResult::I8(samples) => samples.into_iter().map(f32::from).collect(),
        DecodingResult::I16(samples) => samples.into_iter().map(f32::from).collect(),
        DecodingResult::I32(samples) => samples.into_iter().map(|sample| sample as f32).collect(),
        DecodingResult::I64(samples) => samples.into_iter().map(|sample| sample as f32).collect(),
        DecodingResult::F16(samples) => samples.into_iter().map(|sample| sample.to_f32()).collect(),
        DecodingResult::F32(samples) => samples,
        DecodingResult::F64(samples) => samples.into_iter().map(|sample| sample as f32).collect(),
    }
}

fn damaged(label: Label, error: TiffError) -> Error {
    match error {
        TiffError::FormatError(
            TiffFormatError::TiffSignatureNotFound | TiffFormatError::TiffSignatureInvalid,
        ) => label.error("this is no TIFF, although its extension says so"),
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
    // Higher levels take three times as long for a few percent: noise hardly shrinks.
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let (width, depth) = (raster.width() as u32, raster.depth() as u32);
    let mut image = encoder.new_image::<colortype::Gray32Float>(width, depth)?;
    geo::write(image.encoder(), raster)?;
    image.write_data(raster.values())
}
