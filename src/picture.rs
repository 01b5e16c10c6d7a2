//! Writing pictures as PNG or BMP, atomically.

use std::path::{Path, PathBuf};

use image::codecs::bmp::BmpEncoder;
use image::{ExtendedColorType, ImageError};
use png::{ColorType, Encoder};

use crate::elevation::formats;
use crate::error::{Error, Result};

/// The pixel format.
#[derive(Clone, Copy)]
pub(crate) enum Pixel {
    Grey,
    Rgb,
    Rgba,
}

impl Pixel {
    fn channels(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// The formats of pictures.
#[derive(Clone, Copy)]
enum Format {
    Png,
    Bmp,
}

/// The extensions and their formats.
const FORMATS: [(&str, Format); 2] = [("png", Format::Png), ("bmp", Format::Bmp)];

/// The format of a name's extension.
fn format_of(path: &Path) -> Result<Format> {
    let is_of = |name: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(name));
    let found = FORMATS.into_iter().find(|(name, _)| is_of(name));
    found.map(|(_, format)| format).ok_or_else(|| {
        Error::file(path, "a picture is written as .png or .bmp; give it one of these extensions")
    })
}

/// Refuses a name without the extension of a picture, and a path to which no file can be written, before the
/// work begins.
pub(crate) fn check(path: &Path) -> Result<()> {
    format_of(path)?;
    formats::check_replaceable(path)
}

/// Appends a suffix to the stem of a name: `land.png` and `-0` give `land-0.png`. The extension becomes lower
/// case, so that names that differ only in the case of their extension are recognised as the same on every
/// system.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().display();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    path.with_file_name(format!("{stem}{suffix}.{extension}"))
}

/// Writes a picture atomically.
pub(crate) fn write(path: &Path, size: (usize, usize), pixel: Pixel, bytes: &[u8]) -> Result<()> {
    match format_of(path)? {
        Format::Png => write_png(path, size, pixel, bytes.chunks(size.0 * pixel.channels())),
        Format::Bmp => write_bmp(path, size, pixel, bytes),
    }
}

/// Writes the colours of texels, ignoring alpha.
pub(crate) fn write_opaque(path: &Path, size: (usize, usize), texels: &[[u8; 4]]) -> Result<()> {
    let opaque = |row: &[[u8; 4]]| -> Vec<u8> {
        row.iter().flat_map(|&[red, green, blue, _]| [red, green, blue]).collect()
    };
    match format_of(path)? {
        // Row by row, so that the picture is never copied as a whole.
        Format::Png => write_png(path, size, Pixel::Rgb, texels.chunks(size.0).map(opaque)),
        Format::Bmp => write_bmp(path, size, Pixel::Rgb, &opaque(texels)),
    }
}

fn write_png<Row: AsRef<[u8]>>(
    path: &Path,
    (width, height): (usize, usize),
    pixel: Pixel,
    rows: impl Iterator<Item = Row>,
) -> Result<()> {
    let colour = match pixel {
        Pixel::Grey => ColorType::Grayscale,
        Pixel::Rgb => ColorType::Rgb,
        Pixel::Rgba => ColorType::Rgba,
    };
    formats::replace_file(path, |file| {
        let mut encoder = Encoder::new(file, width as u32, height as u32);
        encoder.set_color(colour);
        formats::write_png_rows(path, encoder, Vec::new(), rows)
    })
}

/// Writes a palette image as PNG, whatever its name, atomically; every index must be within the palette.
pub(crate) fn write_indexed(
    path: &Path,
    (width, height): (usize, usize),
    palette: &[[u8; 3]],
    indices: &[u8],
) -> Result<()> {
    formats::replace_file(path, |file| {
        let mut encoder = Encoder::new(file, width as u32, height as u32);
        encoder.set_color(ColorType::Indexed);
        encoder.set_palette(palette.as_flattened());
        formats::write_png_rows(path, encoder, Vec::new(), indices.chunks(width))
    })
}

/// The most bytes that a BMP's header can record, with room for the header.
const LARGEST_BMP: usize = u32::MAX as usize - (1 << 16);

fn write_bmp(path: &Path, (width, height): (usize, usize), pixel: Pixel, bytes: &[u8]) -> Result<()> {
    // A BMP's rows are padded to a multiple of four bytes.
    if (width * pixel.channels()).next_multiple_of(4).saturating_mul(height) > LARGEST_BMP {
        let reason = format!("{width} × {height} pixels are more than a BMP can hold (4 GB); write a PNG");
        return Err(Error::file(path, reason));
    }
    let colour = match pixel {
        Pixel::Grey => ExtendedColorType::L8,
        Pixel::Rgb => ExtendedColorType::Rgb8,
        Pixel::Rgba => ExtendedColorType::Rgba8,
    };
    formats::replace_file(path, |file| {
        let encoded = BmpEncoder::new(file).encode(bytes, width as u32, height as u32, colour);
        encoded.map_err(|error| match error {
            ImageError::IoError(error) => Error::io(path, "write", error),
            error => Error::file(path, error.to_string()),
        })
    })
}

/// Writes a rendered picture.
#[cfg(feature = "render")]
pub(crate) fn write_drawn(path: &Path, picture: &image::RgbaImage) -> Result<()> {
    let (texels, _) = picture.as_raw().as_chunks();
    write_opaque(path, (picture.width() as usize, picture.height() as usize), texels)
}
