//! Pictures read as colours: maps of terrain types painted in agreed colours.

use std::io::Cursor;
use std::path::Path;

use image::codecs::bmp::BmpDecoder;
use image::codecs::png::PngDecoder;
use image::{ColorType, ImageDecoder, ImageResult};

use crate::elevation::formats::label::Label;
use crate::elevation::formats::pictures::picture::{self, PictureFormat};
use crate::elevation::formats::pictures::pixels::{self, DecodedPicture};
use crate::elevation::formats::pictures::png;
use crate::error::Result;
use crate::files::{self, FileKind};

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

/// Reads the colours of a PNG or BMP picture with 8 bits a channel or a palette. Alpha is ignored.
///
/// # Errors
/// When the file cannot be read, is neither PNG nor BMP, or has 16 bits a channel.
pub fn read_colours(path: impl AsRef<Path>) -> Result<Coloured> {
    let path = path.as_ref();
    read_colours_from_bytes(path, &files::read(path, FileKind::Picture)?)
}

/// Reads the colours of a picture in memory; `name` is used in messages.
///
/// # Errors
/// As [`read_colours`].
pub fn read_colours_from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Coloured> {
    let label = Label { path: name.as_ref(), len: bytes.len() as u64 };
    let input = || Cursor::new(bytes);
    match picture::check(label, bytes)? {
        Some((PictureFormat::Png, (width, _))) => {
            decode(label, || PngDecoder::with_limits(input(), png::limits(width)))
        }
        Some((PictureFormat::Bmp, _)) => decode(label, || BmpDecoder::new(input())),
        None => Err(label.error("this is not a picture of terrain types; use PNG or BMP")),
    }
}

fn decode<D: ImageDecoder>(label: Label, open: impl FnOnce() -> ImageResult<D>) -> Result<Coloured> {
    let DecodedPicture { width, depth, colour, bytes } = pixels::decode_bytes(label, open)?;
    let channels = usize::from(colour.channel_count());
    if !matches!(colour, ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8) {
        return Err(label.error("this picture has more than 8 bits a channel; save it with 8"));
    }
    let colours = bytes.chunks_exact(channels).map(|pixel| match *pixel {
        [red, green, blue, ..] => [red, green, blue],
        [grey, ..] => [grey; 3],
        [] => [0; 3],
    });
    Ok(Coloured { width, depth, colours: colours.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elevation::formats::read_indices;

    #[test]
    fn a_palette_image_has_the_colours_of_its_indices() {
        for extension in ["png", "bmp"] {
            let path = format!("{}/tests/data/world_types_64.{extension}", env!("CARGO_MANIFEST_DIR"));
            let (coloured, indexed) = (read_colours(&path).unwrap(), read_indices(&path).unwrap());
            assert_eq!((coloured.width, coloured.depth), (indexed.width, indexed.depth));
            let colours: Vec<_> = indexed.ids.iter().map(|&id| indexed.palette[usize::from(id)]).collect();
            assert_eq!(coloured.colours, colours);
        }
    }
}
