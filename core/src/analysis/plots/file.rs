//! Plots as files.

use std::io::Write;
use std::path::Path;

use super::plot::Plot;
use super::{csv, svg};
use crate::error::{Error, Result};
use crate::files::replace_file;

/// What a plot is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotFormat {
    /// Its points as a table: [`csv`](csv()).
    Csv,
    /// A picture of it: [`svg`](svg()).
    Svg,
}

impl PlotFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Svg];

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Svg => "svg",
        }
    }

    /// The format that a name's extension stands for, in letters of any case.
    ///
    /// # Errors
    /// [`Error::File`] for another extension.
    pub fn of(path: &Path) -> Result<Self> {
        let is_of =
            |format: &Self| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(format.extension()));
        let reason = "a plot is written as .csv or .svg; give it one of these extensions";
        Self::ALL.into_iter().find(is_of).ok_or_else(|| Error::file(path, reason))
    }
}

/// Writes a plot to a file, whose extension chooses the format. The file is replaced as a whole: until then,
/// and after a failure, what was there stays.
///
/// # Errors
/// When the extension is none of [`PlotFormat`]'s, or the file cannot be written.
pub fn write(path: impl AsRef<Path>, plot: &Plot) -> Result<()> {
    let path = path.as_ref();
    let text = match PlotFormat::of(path)? {
        PlotFormat::Csv => csv(plot),
        PlotFormat::Svg => svg(plot),
    };
    replace_file(path, |file| {
        file.write_all(text.as_bytes()).map_err(|error| Error::io(path, "write", error))
    })
}
