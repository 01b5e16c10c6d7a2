//! What can be wrong with a TIFF, and the limits beyond which it is refused.

use tiff::TiffError;

use crate::elevation::formats::label::Label;
use crate::error::Error;

/// How many times over a file's bytes may be read: identical strips or tiles may be stored once.
pub(super) const MOST_SHARED: u64 = 256;

/// The most bytes that one byte of a file can unpack to: deflate reaches 1032, a full LZW table about 2600.
pub(super) const MOST_COMPRESSED: u64 = 4096;

pub(super) fn incomplete(label: Label) -> Error {
    label.error("the TIFF is cut short or damaged (a strip or tile is incomplete)")
}

pub(super) fn cut_short(label: Label, why: &str) -> Error {
    label.error(format!("the TIFF is cut short or damaged ({why})"))
}

/// An error of the decoder of a strip or tile.
pub(super) fn damaged(label: Label, error: TiffError) -> Error {
    match error {
        TiffError::UnsupportedError(error) => {
            label.error(format!("this kind of TIFF is not supported: {error}; convert it: {CONVERT}"))
        }
        error => cut_short(label, &error.to_string()),
    }
}

/// The command that converts any TIFF to one that can be read.
pub(super) const CONVERT: &str = "gdal_translate -co COMPRESS=DEFLATE in.tif out.tif";
