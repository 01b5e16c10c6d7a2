//! Pictures as the colours they are: maps of terrain types, painted in agreed colours.

use std::io::Cursor;
use std::path::Path;

use image::codecs::bmp::BmpDecoder;
use image::codecs::png::PngDecoder;
use image::{ColorType, ImageDecoder};

use crate::error::Result;
use crate::files::{self, Kind};
use crate::formats::source::Label;
use crate::formats::{bmp, indexed, pixels, png};

/// A picture in 24-bit colours.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Coloured {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub depth: usize,
    /// Red, green and blue of every pixel, row by row from the north-west.
    pub colours: Vec<[u8; 3]>,
}

/// Reads the colours of a picture, PNG or BMP, with 8 bits a channel or a palette. Opacity is left
/// out.
///
/// # Errors
/// When the file cannot be read, is neither PNG nor BMP, or has 16 bits a channel.
pub fn read_colours(path: impl AsRef<Path>) -> Result<Coloured> {
    let path = path.as_ref();
    let bytes = files::read(path, Kind::Picture)?;
    let label = Label { path, len: bytes.len() as u64 };
    colours(label, &bytes)
}

/// Reads the colours of a picture from bytes in memory; `name` stands in messages.
///
/// # Errors
/// As [`read_colours`].
pub fn read_colours_from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Coloured> {
    colours(Label { path: name.as_ref(), len: bytes.len() as u64 }, bytes)
}

fn colours(label: Label, bytes: &[u8]) -> Result<Coloured> {
    let input = Cursor::new(bytes);
    if bytes.starts_with(&png::SIGNATURE) {
        let damaged = |error| indexed::damaged(label, &error);
        decode(label, PngDecoder::with_limits(input, indexed::limits()).map_err(damaged)?)
    } else if bytes.starts_with(b"BM") {
        decode(label, BmpDecoder::new(input).map_err(|error| bmp::damaged(label, &error))?)
    } else {
        Err(label.error("this is no picture of terrain types; there is PNG and BMP"))
    }
}

fn decode(label: Label, decoder: impl ImageDecoder) -> Result<Coloured> {
    let (width, depth) = decoder.dimensions();
    let colour = decoder.color_type();
    let channels = usize::from(colour.channel_count());
    if !matches!(colour, ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8) {
        return Err(label.error("this picture has more than 8 bits a channel; save it with 8"));
    }
    let bytes = pixels::decode_bytes(label, decoder, |error| indexed::damaged(label, error))?;
    let colours = bytes.chunks_exact(channels).map(|pixel| match *pixel {
        [red, green, blue, ..] => [red, green, blue],
        [grey, ..] => [grey; 3],
        [] => [0; 3],
    });
    Ok(Coloured { width: width as usize, depth: depth as usize, colours: colours.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read_indices;

    #[test]
    fn a_palette_image_has_the_colours_that_its_indices_stand_for() {
        for extension in ["png", "bmp"] {
            let path = format!("{}/tests/data/world_types_64.{extension}", env!("CARGO_MANIFEST_DIR"));
            let (coloured, indexed) = (read_colours(&path).unwrap(), read_indices(&path).unwrap());
            assert_eq!((coloured.width, coloured.depth), (indexed.width, indexed.depth));
            let colours: Vec<_> = indexed.ids.iter().map(|&id| indexed.palette[usize::from(id)]).collect();
            assert_eq!(coloured.colours, colours);
        }
    }
}
