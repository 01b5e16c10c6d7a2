//! OpenEXR: reads 16- and 32-bit floats and 32-bit integers; writes one channel `Y`, or red, green and blue,
//! of 32-bit floats, lossless. NaN marks a hole.
//!
//! Cell size and origin are stored as text attributes (see the table in `notes.rs`).

use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use exr::block::UncompressedBlock;
use exr::block::chunk::{Chunk, CompressedBlock};
use exr::block::reader::ChunksReader;
use exr::compression::Compression;
use exr::meta::attribute::{AttributeValue, ChannelList, SampleType};
use exr::meta::header::Header;
use exr::prelude::{
    Encoding, Image, Layer, LayerAttributes, SpecificChannels, Text, Vec2, WritableImage, f16,
};

use rayon::prelude::*;

use crate::elevation::formats::channel::HeightChannel;
use crate::elevation::formats::exr_planes::{self, Choice};
use crate::elevation::formats::format::{Format, Stored, WriteOptions};
use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::label::Label;
use crate::elevation::formats::nodata::Numbers;
use crate::elevation::formats::notes::Notes;
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::pictures::pixels::ALPHA_IGNORED;
use crate::elevation::formats::source::{Input, ReaderOutput, Source};
use crate::elevation::raster::{CellSize, Raster};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::math::luminance::luma;

pub(super) const FORMAT: Format = Format {
    name: "OpenEXR",
    extensions: &["exr"],
    about: "16- and 32-bit floats; written in 32 bits, compressed without loss",
    reader: Some(read),
    writer: Some(write),
};

/// Blocks of up to this many bytes are decoded even if the file is shorter.
const SMALL_BLOCK: usize = 64 << 20;

/// The most memory that decoding a block takes, as a multiple of its unpacked size.
fn unpacking(compression: Compression) -> u64 {
    match compression {
        // With three channels, the decoder keeps each half as a float before and after the inverse wavelet
        // transform.
        Compression::DWAA(_) | Compression::DWAB(_) => 24,
        _ => 4,
    }
}

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let Planes { header, mut planes, alpha, note } =
        guarded(label.path, || read_planes(label, &mut *source.input, options.channel))?;
    let Vec2(width, depth) = header.layer_size;
    let mut values = match planes.as_slice() {
        [red, green, blue] => {
            (red.iter().zip(green).zip(blue)).map(|((&red, &green), &blue)| luma(red, green, blue)).collect()
        }
        _ => planes.swap_remove(0),
    };
    let mut notes = Notes::default();
    for (key, value) in &header.own_attributes.other {
        if let AttributeValue::Text(text) = value {
            notes.take(&key.to_string(), &text.to_string()).map_err(|reason| label.error(reason))?;
        }
    }
    source.companions.notes.extend(note);
    if let Some(alpha) = alpha {
        // If nothing in a picture is opaque, its alpha was never written.
        if alpha.par_iter().all(|&alpha| alpha == 0.0) {
            source.companions.notes.push(ALPHA_IGNORED.to_owned());
        } else {
            let clear = values.par_iter_mut().zip(&alpha).filter(|(_, alpha)| **alpha == 0.0);
            clear.for_each(|(value, _)| *value = f32::NAN);
        }
    }
    let found = ReaderOutput::new([width, depth], values, notes.given());
    source.raster(ReaderOutput { numbers: Numbers::F32, ..found }, options)
}

/// What is decoded of a file.
struct Planes {
    header: Header,
    /// The planes that make a height: one, or red, green and blue.
    planes: Vec<Vec<f32>>,
    /// 0 where there is nothing.
    alpha: Option<Vec<f32>>,
    note: Option<String>,
}

/// Decodes the channels that make a height, and the alpha channel that goes with them.
fn read_planes(label: Label, input: &mut dyn Input, channel: HeightChannel) -> Result<Planes> {
    let damaged = |error: exr::error::Error| match error {
        exr::error::Error::NotSupported(what) => label
            .error(format!("this kind of EXR isn't read ({what}); save it as scan lines of 32-bit floats")),
        error => label.error(format!("the EXR is cut short or damaged ({error})")),
    };
    let reader = exr::block::read(input, false).map_err(damaged)?;
    let Choice { part: layer, channels: mut wanted, alpha, note } =
        exr_planes::choose(reader.headers(), channel).map_err(|reason| label.error(reason))?;
    wanted.extend(alpha);
    let header = reader.headers()[layer].clone();
    let Vec2(width, depth) = header.layer_size;
    label.check_size(width, depth, 32 * wanted.len())?;
    // A block may claim to belong to any layer, and is decoded with that layer's header.
    reader.headers().iter().try_for_each(|header| check_blocks(label, header))?;
    let field = 4 * width as u64 * depth as u64;
    // With three planes, their luma is a fourth.
    let fields = if wanted.len() > 1 { wanted.len() as u64 + 1 } else { 1 };
    let block = header.max_block_pixel_size();
    let block = block.0.min(width) * block.1.min(depth) * header.channels.bytes_per_pixel;
    label.require(width, depth, fields * field + unpacking(header.compression) * block as u64)?;

    let mut planes = vec![vec![f32::NAN; width * depth]; wanted.len()];
    let mut found = 0;
    let mut packed = 0;
    // First check the offsets of the blocks: each inside the file, and no two equal.
    let mut chunks = reader
        .filter_chunks(true, |_, _, block| block.layer == layer && block.level == Vec2(0, 0))
        .map_err(damaged)?;
    while let Some(chunk) = chunks.next() {
        let chunk = chunk.map_err(damaged)?;
        check_chunk(&chunk, layer, &header, &mut packed, label)?;
        let block = UncompressedBlock::decompress_chunk(chunk, chunks.meta_data(), false).map_err(damaged)?;
        if block.index.level != Vec2(0, 0) {
            return Err(label.error("the EXR is damaged (a block is of a smaller copy of the image)"));
        }
        for line in block.lines(&header.channels) {
            let Some(plane) = wanted.iter().position(|&channel| channel == line.location.channel) else {
                continue;
            };
            let Vec2(column, row) = line.location.position;
            let start = row.saturating_mul(width).saturating_add(column);
            let end = start.saturating_add(line.location.sample_count);
            let Some(out) = planes[plane].get_mut(start..end) else {
                return Err(label.error("the EXR is damaged (a block lies outside the image)"));
            };
            match header.channels.list[line.location.channel].sample_type {
                SampleType::F32 => fill(out, line.read_samples::<f32>(), |sample| sample),
                SampleType::F16 => fill(out, line.read_samples::<f16>(), f16::to_f32),
                SampleType::U32 => fill(out, line.read_samples::<u32>(), |sample| sample as f32),
            }
            .map_err(damaged)?;
            found += out.len();
        }
    }
    if found != wanted.len() * width * depth {
        return Err(label.error("the EXR is cut short or damaged (not all of its blocks are there)"));
    }
    let alpha = alpha.and_then(|_| planes.pop());
    Ok(Planes { header, planes, alpha, note })
}

/// Refuses a layer whose blocks are larger than such a file can have; they are decoded whole.
fn check_blocks(label: Label, header: &Header) -> Result<()> {
    let Vec2(width, depth) = header.max_block_pixel_size();
    let bytes = width.checked_mul(depth).and_then(|area| area.checked_mul(header.channels.bytes_per_pixel));
    match bytes {
        // A block of full rows may be larger than a small image.
        Some(..=SMALL_BLOCK) => Ok(()),
        Some(bytes) => label.check_size(1, bytes, 8),
        None => Err(label.error(format!("the EXR is damaged (its blocks have {width}×{depth} pixels)"))),
    }
}

/// Checks a block of layer `layer` before it is unpacked. `packed` is the sum of the bytes of the blocks so
/// far.
fn check_chunk(chunk: &Chunk, layer: usize, header: &Header, packed: &mut u64, label: Label) -> Result<()> {
    let damaged = |what: String| label.error(format!("the EXR is damaged ({what})"));
    let bytes = match &chunk.compressed_block {
        CompressedBlock::ScanLine(block) if chunk.layer_index == layer => &block.compressed_pixels_le,
        CompressedBlock::Tile(block) if chunk.layer_index == layer => &block.compressed_pixels_le,
        _ => return Err(damaged("a block is of another layer".into())),
    };
    *packed += bytes.len() as u64;
    if *packed > label.len {
        let reason = format!("its blocks overlap: they have more bytes than the file's {}", label.len);
        return Err(damaged(reason));
    }
    if matches!(header.compression, Compression::DWAA(_) | Compression::DWAB(_)) {
        let place = header.get_block_data_indices(&chunk.compressed_block);
        let place = place.and_then(|place| header.get_absolute_block_pixel_coordinates(place));
        let Vec2(width, depth) = place.map_err(|error| damaged(error.to_string()))?.size;
        return check_dwa(bytes, (width, depth), &header.channels).map_err(damaged);
    }
    Ok(())
}

/// A DWA block begins with the unpacked sizes of its parts, and the decoder allocates that much without a
/// check. So no part may be larger than the whole block.
fn check_dwa(bytes: &[u8], (width, depth): (usize, usize), channels: &ChannelList) -> Result<(), String> {
    let block = width * depth * channels.bytes_per_pixel;
    let counts = bytes.as_chunks::<8>().0.first_chunk::<11>();
    // A block that compression would enlarge is stored as is; a truncated one is left to the decoder's own
    // error.
    let Some(counts) = counts.filter(|_| bytes.len() != block) else { return Ok(()) };
    let [_, other, _, _, _, _, runs_packed, runs, waves, means, _] = counts.map(u64::from_le_bytes);
    // AC and DC coefficients come in blocks of 8 × 8, which are complete also at the border. Run-length
    // coding can enlarge data that doesn't repeat, but to less than twice its size.
    let squares = width.next_multiple_of(8) * depth.next_multiple_of(8) * channels.list.len();
    let (block, squares) = (block as u64, squares as u64);
    let limits =
        [(other, block), (runs_packed, 2 * block), (runs, block), (waves, squares), (means, squares)];
    match limits.iter().find(|(count, limit)| count > limit) {
        Some((count, limit)) => {
            Err(format!("a block promises {count} numbers where it has room for {limit}"))
        }
        None => Ok(()),
    }
}

fn fill<T>(
    out: &mut [f32],
    samples: impl Iterator<Item = exr::error::Result<T>>,
    number: impl Fn(T) -> f32,
) -> exr::error::UnitResult {
    for (out, sample) in out.iter_mut().zip(samples) {
        *out = number(sample?);
    }
    Ok(())
}

fn write(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    raster: &Raster,
    _options: &WriteOptions,
) -> Result<Stored> {
    let width = raster.width();
    let heights = SpecificChannels::build()
        .with_channel::<f32>("Y")
        .with_pixel_fn(|Vec2(column, row)| (raster.values()[row * width + column],));
    let size = (width, raster.depth());
    let (of_layer, of_image) = attributes(&Notes::of(raster, None));
    let mut image = Image::from_layer(Layer::new(size, of_layer, Encoding::SMALL_LOSSLESS, heights));
    image.attributes.other = of_image;
    image.write().to_buffered(file).map_err(|error| unwritten(path, error))?;
    Ok(Stored::AsTheyAre)
}

/// Writes red, green and blue of every sample, by its index, in 32-bit floats.
pub(super) fn write_rgb(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    grid: Grid,
    rgb: impl Fn(usize) -> [f32; 3] + Sync,
) -> Result<()> {
    let Grid { width, depth, cell } = grid;
    let cell = f64::from(cell);
    let notes = Notes::of_cell(CellSize::Metres { x: cell, z: cell });
    let channels = SpecificChannels::rgb(|Vec2(column, row)| {
        let [red, green, blue] = rgb(row * width + column);
        (red, green, blue)
    });
    let (of_layer, of_image) = attributes(&notes);
    let mut image =
        Image::from_layer(Layer::new((width, depth), of_layer, Encoding::SMALL_LOSSLESS, channels));
    image.attributes.other = of_image;
    image.write().to_buffered(file).map_err(|error| unwritten(path, error))
}

/// The notes as text attributes: the first belongs to the layer, the second to the image. They are in this
/// order in the file. If both were in one of the crate's hash tables, they would be written in a random
/// order, and the file would not be reproducible.
fn attributes(notes: &Notes) -> (LayerAttributes, HashMap<Text, AttributeValue>) {
    let texts = notes.texts();
    debug_assert!(texts.len() <= 2, "a table with two attributes has no order: {texts:?}");
    let (mut of_layer, mut of_image) = (LayerAttributes::default(), HashMap::new());
    for (number, (key, text)) in texts.iter().enumerate() {
        if let (Some(key), Some(text)) = (Text::new_or_none(key), Text::new_or_none(text)) {
            let table = if number == 0 { &mut of_layer.other } else { &mut of_image };
            table.insert(key, AttributeValue::Text(text));
        }
    }
    (of_layer, of_image)
}

fn unwritten(path: &Path, error: exr::error::Error) -> Error {
    match error {
        exr::error::Error::Io(error) => Error::io(path, "write", error),
        error => Error::file(path, format!("cannot be written as EXR ({error})")),
    }
}
