//! Pictures: names that a PNG can have, and writing one whole or not at all.

use std::path::{Path, PathBuf};

use png::{ColorType, Encoder};

use super::Outcome;
use crate::elevation::formats;
use crate::error::{Error, Result};

/// What a pixel of a picture is.
#[derive(Clone, Copy)]
pub(super) enum Pixel {
    Grey,
    Rgb,
    Rgba,
}

/// Refuses a picture's name that is no PNG's, before the work begins.
pub(super) fn check(path: &Path) -> Outcome {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(formats::check_folder(path)?);
    }
    Err(Error::file(path, "a picture is written as .png; give it that extension").into())
}

/// The name with something put to its stem: `land.png` and `-0` give `land-0.png`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{suffix}.png"))
}

/// Writes a picture, whole or not at all.
pub(super) fn write(path: &Path, (width, height): (usize, usize), pixel: Pixel, bytes: &[u8]) -> Result<()> {
    let (colour, channels) = match pixel {
        Pixel::Grey => (ColorType::Grayscale, 1),
        Pixel::Rgb => (ColorType::Rgb, 3),
        Pixel::Rgba => (ColorType::Rgba, 4),
    };
    write_rows(path, (width, height), colour, bytes.chunks(width * channels))
}

/// Writes the colours of texels; their alpha says nothing. Row by row, so that no copy stands beside them.
pub(super) fn write_opaque(path: &Path, (width, height): (usize, usize), texels: &[[u8; 4]]) -> Result<()> {
    let opaque = |row: &[[u8; 4]]| -> Vec<u8> {
        row.iter().flat_map(|&[red, green, blue, _]| [red, green, blue]).collect()
    };
    write_rows(path, (width, height), ColorType::Rgb, texels.chunks(width).map(opaque))
}

fn write_rows<Row: AsRef<[u8]>>(
    path: &Path,
    (width, height): (usize, usize),
    colour: ColorType,
    rows: impl Iterator<Item = Row>,
) -> Result<()> {
    formats::replace_file(path, |file| {
        let mut encoder = Encoder::new(file, width as u32, height as u32);
        encoder.set_color(colour);
        formats::write_png_rows(path, encoder, Vec::new(), rows)
    })
}

/// Writes a drawn picture.
#[cfg(feature = "viewer")]
pub(super) fn write_drawn(path: &Path, picture: &image::RgbaImage) -> Outcome {
    let (texels, _) = picture.as_raw().as_chunks();
    Ok(write_opaque(path, (picture.width() as usize, picture.height() as usize), texels)?)
}
