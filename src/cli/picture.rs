//! Writing pictures as PNG, atomically.

use std::path::{Path, PathBuf};

use png::{ColorType, Encoder};

use super::Outcome;
use crate::elevation::formats;
use crate::error::{Error, Result};

/// The pixel format.
#[derive(Clone, Copy)]
pub(super) enum Pixel {
    Grey,
    Rgb,
    Rgba,
}

/// Refuses a name without the extension `.png`, before the work begins.
pub(super) fn check(path: &Path) -> Outcome {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(formats::check_folder(path)?);
    }
    Err(Error::file(path, "a picture is written as .png; give it that extension").into())
}

/// Appends a suffix to the stem of a name: `land.png` and `-0` give `land-0.png`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{suffix}.png"))
}

/// Writes a picture atomically.
pub(super) fn write(path: &Path, (width, height): (usize, usize), pixel: Pixel, bytes: &[u8]) -> Result<()> {
    let (colour, channels) = match pixel {
        Pixel::Grey => (ColorType::Grayscale, 1),
        Pixel::Rgb => (ColorType::Rgb, 3),
        Pixel::Rgba => (ColorType::Rgba, 4),
    };
    write_rows(path, (width, height), colour, bytes.chunks(width * channels))
}

/// Writes the colours of texels, ignoring alpha. Row by row, so that no copy is needed.
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

/// Writes a rendered picture.
#[cfg(feature = "viewer")]
pub(super) fn write_drawn(path: &Path, picture: &image::RgbaImage) -> Outcome {
    let (texels, _) = picture.as_raw().as_chunks();
    Ok(write_opaque(path, (picture.width() as usize, picture.height() as usize), texels)?)
}
