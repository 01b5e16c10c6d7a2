//! Shared by commands that draw: they show their progress, take the time that they need, and write a picture.

use std::path::Path;

use image::RgbaImage;

use super::report::Outcome;
use super::{outputs, progress};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::picture;

/// Draws, and shows the progress. If the time limit of a picture has passed, the error names the option for
/// it.
pub(super) fn draw<T>(draw: impl FnOnce(&Work) -> Result<T>) -> Result<T> {
    progress::with_bar_or_lines(draw).map_err(remedy)
}

/// Adds to the error the option that allows more time.
pub(super) fn remedy(error: Error) -> Error {
    match error {
        Error::Parameter { name, reason } if reason.ends_with(LATE) => {
            let reason = reason.replace(LATE, "give more with --time-limit, or leave that out");
            Error::parameter(name, reason)
        }
        error => error,
    }
}

/// The text in an error that a time limit has caused.
const LATE: &str = "allow more time";

/// Writes a picture and reports it.
pub(super) fn write(path: &Path, drawn: &RgbaImage) -> Outcome {
    let ((), written) = outputs::together(|| Ok(picture::write_drawn(path, drawn)?))?;
    written.report(&content(drawn));
    Ok(())
}

/// The content of a picture.
pub(super) fn content(drawn: &RgbaImage) -> String {
    format!("{} × {} pixels", drawn.width(), drawn.height())
}
