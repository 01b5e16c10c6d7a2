//! BMP: 1- to 32-bit images, read only.

use image::codecs::bmp::BmpDecoder;

use crate::elevation::formats::companions::StatedPlace;
use crate::elevation::formats::format::Format;
use crate::elevation::formats::label::Label;
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::pictures::pixels;
use crate::elevation::formats::source::{Input, ReaderOutput, Source};
use crate::elevation::raster::Raster;
use crate::error::Result;

pub(in crate::elevation::formats) const FORMAT: Format = Format {
    name: "BMP",
    extensions: &["bmp"],
    about: "8-bit, palette and colour images; read only",
    reader: Some(read),
    writer: None,
};

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let (width, depth) = check(label, &mut *source.input)?;
    source.input.rewind().map_err(|error| label.io_error(error))?;
    let input = &mut *source.input;
    let pixels = pixels::decode(label, move || BmpDecoder::new(input), options.channel)?;
    source.companions.notes.extend(pixels.note);
    let found = ReaderOutput::new([width, depth], pixels.values, StatedPlace::Nothing);
    source.raster(ReaderOutput { are_heights: pixels.are_heights, ..found }, options)
}

/// Columns and rows, if a file of this length can have them.
pub(in crate::elevation::formats) fn check(label: Label, input: &mut dyn Input) -> Result<(usize, usize)> {
    let mut start = [0; 26];
    input.read_exact(&mut start).map_err(|error| label.io_error(error))?;
    let (width, depth) = size(label, &start)?;
    // In RLE, two bytes may encode 255 pixels, and an image may end before its last row.
    label.check_size(width, depth, 32)?;
    Ok((width, depth))
}

/// Columns and rows from the first bytes of a BMP.
fn size(label: Label, start: &[u8; 26]) -> Result<(usize, usize)> {
    if &start[..2] != b"BM" {
        return Err(label.error("this is not a BMP, although its extension says so"));
    }
    let short = |at: usize| usize::from(u16::from_le_bytes([start[at], start[at + 1]]));
    let long = |at: usize| i32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
    // The oldest header, 12 bytes long, has 16-bit sizes. A negative height means that rows run top-down.
    let old = long(14) == 12;
    let (width, depth) = if old {
        (short(18), short(20))
    } else {
        (long(18).max(0) as usize, long(22).unsigned_abs() as usize)
    };
    Ok((width, depth))
}
