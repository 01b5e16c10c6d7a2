//! `upland convert`: converts an elevation file, or a window of one, to another format.

use std::path::Path;

use super::arguments::{self, FieldSize, ReadingArguments};
use super::outputs::{self, Output};
use super::{Failure, Outcome, note, progress, stretch};
use crate::compute::work::Work;
use crate::elevation::formats::{self, HeightChannel, Indexed, RawLayout, ReadOptions, WriteOptions};
use crate::elevation::raster::{CellSize, Raster};
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::grid::{Domain, Grid, Heightfield, Window};
use crate::picture;
use crate::steps::filter::{Border, Filter, Majority, majority};

pub(super) fn run(arguments: &arguments::ConvertArguments) -> Outcome {
    formats::check_writable(&arguments.output)?;
    let output = Output::new("the converted file", &arguments.output);
    outputs::check(&[output], std::slice::from_ref(&arguments.input))?;
    let options = options(&arguments.reading, &arguments.input)?;
    let mut write = WriteOptions { range: arguments.to_range };
    if let Some(size) = arguments.majority {
        if size % 2 == 0 {
            let (below, above) = (size - 1, size + 1);
            let reason =
                format!("--majority: a window of {size} cells has no middle cell; give {below} or {above}");
            return Err(Failure::Usage(reason));
        }
        if convert_types(arguments, size)? {
            return Ok(());
        }
    }
    let ((content, stored), written) = outputs::together(|| {
        Ok(progress::with_bar(|work| {
            let raster = match arguments.window {
                Some(window) => {
                    let file = open(&arguments.input, &options, work)?;
                    write.range = stretch::of_file(&arguments.output, arguments.to_range, &file, work)?;
                    window_of(&file, window, work)?
                }
                None => {
                    work.stage("convert", 1);
                    let raster = formats::read(&arguments.input, &options)?;
                    say_filled(&arguments.input.display().to_string(), &raster);
                    match arguments.majority {
                        Some(size) => majority_of(raster, size, work)?,
                        None => raster,
                    }
                }
            };
            let heights = outputs::range("heights", raster.range(), "m");
            let content = format!("{} × {} samples, {heights}", raster.width(), raster.depth());
            formats::write(&arguments.output, &raster, &write).map(|stored| (content, stored))
        })?)
    })?;
    written.report(&content);
    if let Some(message) = stored.message() {
        note(&format!("{}: {message}", arguments.output.display()));
    }
    Ok(())
}

/// Filters a map of types that is a palette image; returns whether the input is one.
fn convert_types(arguments: &arguments::ConvertArguments, size: u32) -> Result<bool, Failure> {
    let is_of = |path: &Path, extensions: &[&str]| {
        path.extension()
            .is_some_and(|own| extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension)))
    };
    if !is_of(&arguments.input, &["png", "bmp"]) {
        return Ok(false);
    }
    // What is wrong with it is reported where it is read as heights.
    let Ok(Indexed { width, depth, ids, palette }) = formats::read_indices(&arguments.input) else {
        return Ok(false);
    };
    let ((), written) = outputs::together(|| {
        Ok(progress::with_bar(|work| {
            let ids = majority(&ids, width, depth, size, Border::Clamp, work)?;
            if is_of(&arguments.output, &["png"]) {
                return picture::write_indexed(&arguments.output, (width, depth), &palette, &ids);
            }
            let values = ids.into_iter().map(f32::from).collect();
            let raster = Raster::new(width, depth, values, CellSize::Unknown)?;
            formats::write(&arguments.output, &raster, &WriteOptions { range: arguments.to_range })
                .map(|_| ())
        })?)
    })?;
    written.report(&format!("{width} × {depth} cells"));
    Ok(true)
}

/// The commonest value around each; equal values are one type.
fn majority_of(raster: Raster, size: u32, work: &Work) -> crate::Result<Raster> {
    let (width, depth, cell, place) =
        (raster.width(), raster.depth(), raster.cell(), raster.place().cloned());
    let mut field = Heightfield::new(Grid::new(width, depth, 1.0)?, raster.into_values())?;
    Majority { size, ..Majority::default() }.apply(&mut field, 0, work)?;
    Ok(Raster::new(width, depth, field.into_heights(), cell)?.with_place(place))
}

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

/// The options for reading a file, from the arguments. A size is refused for a file that says its own.
pub(super) fn options(reading: &ReadingArguments, path: &Path) -> Result<ReadOptions, Failure> {
    if reading.size.is_some() && formats::is_readable(path) && !formats::has_no_size(path) {
        let reason =
            format!("--size is for files that don't say their size (.r16, .raw); {} does", path.display());
        return Err(Failure::Usage(reason));
    }
    let raw = reading.raw();
    if raw != RawLayout::default() && formats::is_readable(path) && !formats::has_no_size(path) {
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

/// Reports what was guessed when a file was read.
pub(super) fn say_notes(name: &str, notes: &[String]) {
    notes.iter().for_each(|said| note(&format!("{name}: {said}")));
}

/// Reports what was guessed when a file was read, and how many holes were filled, if any.
pub(super) fn say_filled(name: &str, raster: &Raster) {
    say_notes(name, raster.notes());
    if raster.filled() > 0 {
        let (filled, all) = (raster.filled(), raster.width() * raster.depth());
        note(&format!("{name}: {filled} of {all} cells without data were filled from their neighbours"));
    }
}
