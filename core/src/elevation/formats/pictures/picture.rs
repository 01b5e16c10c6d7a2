//! Checks and decodes a picture in memory; shared by the readers of colours and indices.

use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageFormat, ImageReader};

use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::label::Label;
use crate::elevation::formats::pictures::{bmp, png};
use crate::error::Result;

/// The format of a picture.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::elevation::formats) enum PictureFormat {
    Png,
    Bmp,
}

/// The format of a picture by its first bytes, with its columns and rows; `None` when it is neither PNG nor
/// BMP.
///
/// # Errors
/// When the header is impossible for a file of this length, or would crash the decoder.
pub(in crate::elevation::formats) fn check(
    label: Label,
    bytes: &[u8],
) -> Result<Option<(PictureFormat, (usize, usize))>> {
    if bytes.starts_with(&png::SIGNATURE) {
        let header = png::Header::read(label, &mut Cursor::new(bytes))?;
        header.check(label)?;
        Ok(Some((PictureFormat::Png, (header.width, header.depth))))
    } else if bytes.starts_with(b"BM") {
        Ok(Some((PictureFormat::Bmp, bmp::check(label, &mut Cursor::new(bytes))?)))
    } else {
        Ok(None)
    }
}

/// Decodes a PNG or BMP; `None` when it is neither. `allowed` checks its columns and rows.
///
/// # Errors
/// Those of `allowed`, and when the picture is damaged or memory is short.
pub(crate) fn decode(
    path: &Path,
    bytes: &[u8],
    allowed: impl FnOnce(usize, usize) -> Result<()>,
) -> Result<Option<DynamicImage>> {
    let label = Label { path, len: bytes.len() as u64 };
    let Some((kind, (width, depth))) = check(label, bytes)? else { return Ok(None) };
    allowed(width, depth)?;
    // A copy is made in addition to the picture, and each may have four channels of 16 bits.
    label.require(width, depth, 16 * width as u64 * depth as u64)?;
    let format = match kind {
        PictureFormat::Png => ImageFormat::Png,
        PictureFormat::Bmp => ImageFormat::Bmp,
    };
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let damaged = |error| label.error(format!("the picture is cut short or damaged ({error})"));
    guarded(path, || reader.decode().map_err(damaged)).map(Some)
}
