//! Pictures: names that a PNG can have, and writing one whole or not at all.

use std::path::{Path, PathBuf};

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::Outcome;
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
        return Ok(crate::formats::check_folder(path)?);
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
    let colour = match pixel {
        Pixel::Grey => ExtendedColorType::L8,
        Pixel::Rgb => ExtendedColorType::Rgb8,
        Pixel::Rgba => ExtendedColorType::Rgba8,
    };
    crate::formats::replace_file(path, |file| {
        PngEncoder::new(file)
            .write_image(bytes, width as u32, height as u32, colour)
            .map_err(|error| Error::file(path, format!("cannot be written: {error}")))
    })
}

/// Writes a drawn picture; its alpha says nothing.
#[cfg(feature = "viewer")]
pub(super) fn write_drawn(path: &Path, picture: &image::RgbaImage) -> Outcome {
    let rgb: Vec<u8> = picture.pixels().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    Ok(write(path, (picture.width() as usize, picture.height() as usize), Pixel::Rgb, &rgb)?)
}
