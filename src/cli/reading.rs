//! Elevation files that commands read: the options from the arguments, windows, and notes on guesses.

use std::path::Path;

use super::arguments::{FieldSize, ReadingArguments};
use super::report::{Failure, note};
use crate::compute::work::Work;
use crate::elevation::formats::{self, HeightChannel, RawLayout, ReadOptions};
use crate::elevation::raster::Raster;
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::grid::{Domain, Grid, Window};

/// Opens a file to read windows of it.
pub(super) fn open(path: &Path, reading: &ReadOptions, work: &Work) -> crate::Result<ElevationFile> {
    let options = ElevationFileOptions { reading: *reading, ..Default::default() };
    let file = ElevationFile::open(path, &options, work)?;
    say_notes(&path.display().to_string(), file.notes());
    Ok(file)
}

/// The samples of a window that lies within the file.
pub(super) fn window_of(file: &ElevationFile, window: Window, work: &Work) -> crate::Result<Raster> {
    // Levels finer than the file's are refused below.
    if window.level >= 0 {
        Domain::of(Grid { width: file.width(), depth: file.depth(), cell: 1.0 }).region(window)?;
    }
    file.raster(window, work)
}

/// The options for reading a file, from the arguments. A size or a layout is refused for a file that records
/// its own.
pub(super) fn options(reading: &ReadingArguments, path: &Path) -> Result<ReadOptions, Failure> {
    let says_its_layout = formats::is_readable(path) && !formats::has_no_size(path);
    if reading.size.is_some() && says_its_layout {
        let reason =
            format!("--size is for files that don't say their size (.r16, .raw); {} does", path.display());
        return Err(Failure::Usage(reason));
    }
    let raw = reading.raw();
    if raw != RawLayout::default() && says_its_layout {
        let reason = format!(
            "--sample, --byte-order, --skip, --flip-rows and --flip-columns are for raw files (.r16, .raw, .flt, .bil); \
             {} says itself how it is to be read",
            path.display()
        );
        return Err(Failure::Usage(reason));
    }
    let is_exr = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exr"));
    if let Some(HeightChannel::Named(name)) = reading.channel
        && !is_exr
        // A number is a band, which many formats have.
        && name.as_str().parse::<u32>().is_err()
    {
        let reason = format!(
            "--channel: {} has no channel called `{}`; there are auto, luma, red, green, blue, alpha, mapbox, terrarium \
             and the number of a band",
            path.display(),
            name.as_str()
        );
        return Err(Failure::Usage(reason));
    }
    let size = reading.size.map(|size| match size {
        FieldSize::Longer(side) => (side as usize, side as usize),
        FieldSize::Both(width, depth) => (width as usize, depth as usize),
    });
    Ok(ReadOptions {
        channel: reading.channel.unwrap_or_default(),
        size,
        range: reading.range,
        raw,
        map_unit: reading.map_unit,
        height_unit: reading.height_unit,
        cell: reading.cell,
    })
}

/// Reports guesses that were made when a file was read.
pub(super) fn say_notes(name: &str, notes: &[String]) {
    notes.iter().for_each(|said| note(&format!("{name}: {said}")));
}

/// Reports guesses that were made when a file was read, and how many holes were filled, if any.
pub(super) fn say_filled(name: &str, raster: &Raster) {
    say_notes(name, raster.notes());
    if raster.filled() > 0 {
        let (filled, all) = (raster.filled(), raster.width() * raster.depth());
        note(&format!("{name}: {filled} of {all} cells without data were filled from their neighbours"));
    }
}
