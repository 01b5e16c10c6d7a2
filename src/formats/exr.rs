//! OpenEXR: 16- and 32-bit float and 32-bit whole numbers; written as one channel `Y` of 32-bit
//! floats, bit for bit. NaN marks a hole.
//!
//! Cell size and place travel as text attributes (see the notes' table).

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use exr::block::reader::ChunksReader;
use exr::meta::attribute::{AttributeValue, ChannelList, SampleType};
use exr::prelude::{
    Encoding, Image, Layer, LayerAttributes, SpecificChannels, Text, Vec2, WritableImage, f16,
};

use crate::error::{Error, Result};
use crate::formats::channel::{Channel, luma};
use crate::formats::notes::Notes;
use crate::formats::source::{Label, Source};
use crate::formats::{Format, ReadOptions, Stored, WriteOptions};
use crate::raster::Raster;

pub(super) const FORMAT: Format = Format {
    name: "OpenEXR",
    extensions: &["exr"],
    about: "16- and 32-bit floats; written in 32 bits, compressed without loss",
    reader: Some(read),
    writer: Some(write),
};

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let damaged =
        |error: exr::error::Error| label.error(format!("the EXR is cut short or damaged ({error})"));
    let reader = exr::block::read(&mut *source.input, false).map_err(damaged)?;
    let Some(layer) = reader.headers().iter().position(|header| !header.deep) else {
        return Err(label.error("the EXR holds only deep data, which is no heightfield"));
    };
    let header = reader.headers()[layer].clone();
    let Vec2(width, depth) = header.layer_size;
    let wanted = wanted_channels(label, &header.channels, options.channel)?;
    label.check_size(width, depth, 4 * wanted.len())?;
    // A block is decoded whole, with all its channels.
    label.check_size(1, header.max_block_byte_size().max(1), 1)?;

    let mut planes = vec![vec![f32::NAN; width * depth]; wanted.len()];
    let mut found = 0;
    reader
        .filter_chunks(false, |_, _, block| block.layer == layer && block.level == Vec2(0, 0))
        .map_err(damaged)?
        .decompress_sequential(false, |_, block| {
            for line in block.lines(&header.channels) {
                let Some(plane) = wanted.iter().position(|&channel| channel == line.location.channel) else {
                    continue;
                };
                let Vec2(column, row) = line.location.position;
                let start = row.saturating_mul(width).saturating_add(column);
                let end = start.saturating_add(line.location.sample_count);
                let Some(out) = planes[plane].get_mut(start..end) else {
                    return Err(exr::error::Error::Invalid("a block lies outside the image".into()));
                };
                match header.channels.list[line.location.channel].sample_type {
                    SampleType::F32 => fill(out, line.read_samples::<f32>(), |sample| sample),
                    SampleType::F16 => fill(out, line.read_samples::<f16>(), f16::to_f32),
                    SampleType::U32 => fill(out, line.read_samples::<u32>(), |sample| sample as f32),
                }?;
                found += out.len();
            }
            Ok(())
        })
        .map_err(damaged)?;
    if found != wanted.len() * width * depth {
        return Err(label.error("the EXR is cut short or damaged (not all of its blocks are there)"));
    }

    let values = match planes.as_slice() {
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
    let raster = Raster::with_holes(width, depth, values, notes.cell);
    label.named(raster.map(|raster| raster.with_origin(notes.origin)))
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

/// Which channels, one or red, green and blue, make a height.
fn wanted_channels(label: Label, channels: &ChannelList, channel: Channel) -> Result<Vec<usize>> {
    let find = |name: &str| channels.list.iter().position(|channel| channel.name == *name);
    let rgb = [find("R"), find("G"), find("B")].into_iter().collect::<Option<Vec<_>>>();
    let first_but_alpha = || channels.list.iter().position(|channel| channel.name != *"A");
    let one = |index: Option<usize>| index.map(|index| vec![index]);
    let found = match channel {
        Channel::Luma => one(find("Y")).or(rgb).or(one(first_but_alpha())).or(one(Some(0))),
        Channel::Red => one(find("R")),
        Channel::Green => one(find("G")),
        Channel::Blue => one(find("B")),
        Channel::Alpha => one(find("A")),
    };
    let names: Vec<String> = channels.list.iter().map(|channel| channel.name.to_string()).collect();
    let Some(found) = found.filter(|_| !names.is_empty()) else {
        let wanted = format!("{channel:?}").to_lowercase();
        return Err(label.error(format!("the EXR has no {wanted} channel; it has {}", names.join(", "))));
    };
    if found.iter().any(|&index| channels.list[index].sampling != Vec2(1, 1)) {
        return Err(label.error("the EXR's channel is subsampled; save it at full resolution"));
    }
    Ok(found)
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
    let mut attributes = LayerAttributes::default();
    for (key, text) in Notes::of(raster, None).texts() {
        let (key, text) = (Text::new_or_none(&key), Text::new_or_none(&text));
        if let (Some(key), Some(text)) = (key, text) {
            attributes.other.insert(key, AttributeValue::Text(text));
        }
    }
    let layer = Layer::new((width, raster.depth()), attributes, Encoding::SMALL_LOSSLESS, heights);
    Image::from_layer(layer).write().to_buffered(file).map_err(|error| match error {
        exr::error::Error::Io(error) => Error::io(path, "write", error),
        error => Error::file(path, format!("cannot be written as EXR ({error})")),
    })?;
    Ok(Stored::AsTheyAre)
}
