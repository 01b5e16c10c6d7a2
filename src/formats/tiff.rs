//! TIFF and GeoTIFF: whole numbers of 8 to 64 bits, signed and unsigned, and floats of 16 to 64 bits,
//! in strips or tiles, in either byte order, compressed by deflate, LZW or PackBits, with predictors.
//! Written as deflated 32-bit floats. NaN and GDAL's NODATA value mark holes.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind, colortype};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError, TiffFormatError};

use crate::error::{Error, Result};
use crate::formats::channel::{Channel, Layout, heights, luma};
use crate::formats::source::{Input, Label, Source};
use crate::formats::{Format, ReadOptions, Stored, WriteOptions, geotiff, pixels};
use crate::raster::Raster;

pub(super) const FORMAT: Format = Format {
    name: "TIFF",
    extensions: &["tif", "tiff"],
    about: "GeoTIFF too, whole numbers and floats; written as 32-bit floats with cell size and place",
    reader: Some(read),
    writer: Some(write),
};

/// Beyond this many bytes of heights, the file's offsets need 64 bits.
const LARGEST_PLAIN: usize = 3 << 30;

pub(super) type TiffDecoder<'a> = Decoder<&'a mut (dyn Input + 'a)>;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let failed = |error| damaged(label, error);
    let mut decoder = Decoder::new(&mut *source.input as &mut dyn Input).map_err(failed)?;
    let (width, depth) = decoder.dimensions().map_err(failed)?;
    let (width, depth) = (width as usize, depth as usize);
    let colour = decoder.colortype().map_err(failed)?;
    let layout = layout(label, colour)?;
    let pixel_bytes = usize::from(colour.bit_depth()) / 8 * layout.channels();
    label.check_size(width, depth, pixel_bytes.max(4))?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = width * depth * pixel_bytes;
    // Tiles may reach beyond the image, but not by more than their own size.
    limits.intermediate_buffer_size = (4 * width * depth * pixel_bytes).max(16 << 20);
    let mut decoder = decoder.with_limits(limits);

    let palette = match colour {
        ColorType::Palette(_) => Some(grey_of_palette(label, &mut decoder)?),
        _ => None,
    };
    let mut values = decode(label, &mut decoder, width, depth, layout, options.channel)?;
    if let Some(palette) = palette {
        for value in &mut values {
            *value = *palette.get(*value as usize).ok_or_else(|| {
                label.error(format!("a pixel has the index {value}, which the palette lacks"))
            })?;
        }
    }
    if matches!(colour, ColorType::Gray(16)) && values.iter().all(|&value| value >= 0.0) {
        pixels::map_to_range(&mut values, options.range)?;
    }
    if let Some(nodata) = geotiff::nodata(&mut decoder).map_err(|error| error.named(label))? {
        values.iter_mut().filter(|value| **value == nodata).for_each(|value| *value = f32::NAN);
    }
    let place = geotiff::read(&mut decoder, width, depth).map_err(|error| error.named(label))?;
    let raster = Raster::with_holes(width, depth, values, place.cell);
    label.named(raster.map(|raster| raster.with_origin(place.origin)))
}

fn layout(label: Label, colour: ColorType) -> Result<Layout> {
    let layout = match colour {
        ColorType::Gray(_) | ColorType::Palette(_) => Layout::Grey,
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
    let (across, down) = (width.div_ceil(chunk_width), depth.div_ceil(chunk_depth));
    let planar = decoder.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed)? == Some(2);
    let planes = if planar { layout.channels() } else { 1 };

    let mut values = vec![0.0; width * depth];
    for chunk in 0..across * down {
        let (first_column, first_row) = (chunk % across * chunk_width, chunk / across * chunk_depth);
        let columns = chunk_width.min(width - first_column);
        let rows = chunk_depth.min(depth - first_row);
        let mut samples = Vec::with_capacity(planes);
        for plane in 0..planes {
            let index = (plane * across * down + chunk) as u32;
            samples.push(numbers(decoder.read_chunk(index).map_err(failed)?));
        }
        let samples = if planar { interleaved(&samples) } else { samples.swap_remove(0) };
        let heights = heights(label, &samples, layout, channel, |sample| sample)?;
        if heights.len() < rows * columns {
            return Err(label.error("the TIFF is cut short or damaged (a strip or tile is incomplete)"));
        }
        for (row, heights) in heights.chunks(columns).take(rows).enumerate() {
            let start = (first_row + row) * width + first_column;
            values[start..start + columns].copy_from_slice(heights);
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

/// The grey, 0 to 255, of every colour of a palette image.
fn grey_of_palette(label: Label, decoder: &mut TiffDecoder) -> Result<Vec<f32>> {
    let colours = decoder.get_tag_u16_vec(Tag::ColorMap).map_err(|error| damaged(label, error))?;
    let count = colours.len() / 3;
    let level = |index: usize| f32::from(colours[index] >> 8);
    Ok((0..count).map(|i| luma(level(i), level(count + i), level(2 * count + i))).collect())
}

pub(super) fn damaged(label: Label, error: TiffError) -> Error {
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
    geotiff::write(image.encoder(), raster)?;
    image.write_data(raster.values())
}
