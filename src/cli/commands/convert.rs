//! `upland convert`: converts an elevation file, or a window of one, to another format.

use std::path::Path;

use crate::cli::arguments;
use crate::cli::outputs::{self, Output};
use crate::cli::reading::{open, options, say_filled, window_of};
use crate::cli::report::{Failure, Outcome, note};
use crate::cli::{progress, stretch};
use crate::compute::work::Work;
use crate::elevation::formats::{self, Indexed, WriteOptions};
use crate::elevation::raster::{CellSize, Raster};
use crate::grid::{Grid, Heightfield};
use crate::picture;
use crate::steps::Operation;
use crate::steps::filter::{Border, Majority, majority};

pub(in crate::cli) fn run(arguments: &arguments::ConvertArguments) -> Outcome {
    formats::check_writable(&arguments.output)?;
    let output = Output::new("the converted file", &arguments.output);
    outputs::check(&[output], std::slice::from_ref(&arguments.input))?;
    let options = options(&arguments.reading, &arguments.input)?;
    if arguments.cog {
        formats::check_cog(&arguments.output)?;
    }
    let mut write = WriteOptions { range: arguments.to_range, cog: arguments.cog };
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
    // An error here is reported where the file is read as heights.
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
            let options = WriteOptions { range: arguments.to_range, cog: arguments.cog };
            formats::write(&arguments.output, &raster, &options).map(|_| ())
        })?)
    })?;
    written.report(&format!("{width} × {depth} cells"));
    Ok(true)
}

/// The most frequent value around each; equal values are one type.
fn majority_of(raster: Raster, size: u32, work: &Work) -> crate::Result<Raster> {
    let (width, depth, cell, place) =
        (raster.width(), raster.depth(), raster.cell(), raster.place().cloned());
    // With cells of 1 m: the filter counts cells, whatever their size.
    let mut field = Heightfield::new(Grid::new(width, depth, 1.0)?, raster.into_values())?;
    Majority { size, ..Majority::default() }.apply_to(&mut field, 0, work)?;
    Ok(Raster::new(width, depth, field.into_heights(), cell)?.with_place(place))
}
