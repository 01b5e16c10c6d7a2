//! `upland generate`: writes a recipe's heights, one of its layers, or its vectors, to a file.

use crate::cli::arguments::GenerateArguments;
use crate::cli::frames::Frames;
use crate::cli::outputs::{self, Output, Written};
use crate::cli::report::{Failure, Outcome, note};
use crate::cli::{land, progress, stretch};
use crate::compute::work::Work;
use crate::elevation::formats::{self, UpChannel, WriteOptions};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, LayerInfo};
use crate::recipe::Recipe;

pub(in crate::cli) fn run(arguments: &GenerateArguments) -> Outcome {
    match arguments.vectors {
        None => formats::check_writable(&arguments.output)?,
        Some(_) => formats::check_vectors_writable(&arguments.output)?,
    }
    if arguments.cog {
        formats::check_cog(&arguments.output)?;
    }
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    if arguments.to_range.is_some() && !formats::is_in_16_bits(&arguments.output) {
        let reason = format!(
            "--to-range is for files of 16 bits (.png, .r16); {} holds heights as they are",
            arguments.output.display()
        );
        return Err(Failure::Usage(reason));
    }
    if arguments.vectors.is_some() && !recipe.is_shifted() {
        let reason = "--vectors: no step of this recipe moves ground sideways, as `undercut` does; its heights \
                      describe all of it, so leave --vectors out";
        return Err(Failure::Usage(reason.into()));
    }
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(&arguments.recipe, &recipe))?;
    land::tell_notes(&recipe);
    land::announce(&recipe, arguments.window);
    if let Some(up) = arguments.vectors {
        return write_vectors(arguments, &recipe, up);
    }
    let layer = arguments.layer.as_deref();
    let make = |work: &Work| match layer {
        Some(name) => land::layer(&recipe, name, arguments.window, work),
        None if arguments.window.is_none() => {
            let (field, rivers) = recipe.build_ground(work)?;
            land::tell_notes_on(&recipe, &field, &rivers);
            Ok(field)
        }
        None => land::heights(&recipe, arguments.window, work),
    };
    // All files of a command appear together or not at all.
    let ((content, stored), written) = outputs::together(|| {
        let frames = Frames::begin(&arguments.frames, &recipe, &arguments.output)?;
        let output = &arguments.output;
        let (field, place, range) = progress::with_bar(|work| {
            let field = frames.during(work, make)?;
            let part = (&recipe, layer, arguments.window);
            let range = stretch::of_land(output, arguments.to_range, part, work)?;
            let place = land::place(&recipe, arguments.window, work)?;
            Ok::<_, Error>((stretch::fitted(output, field, arguments.to_range, range)?, place, range))
        })?;
        let values = match layer {
            Some(name) => outputs::range(&format!("`{name}`"), field.range(), LayerInfo::unit_of(name)),
            None => outputs::range("heights", field.range(), "m"),
        };
        let content = content(arguments, &recipe, &field, &values)?;
        let raster = Raster::from(field).with_place(place);
        Ok((content, formats::write(output, &raster, &WriteOptions { range, cog: arguments.cog })?))
    })?;
    report(arguments, written, &content);
    let message = match layer {
        Some(name) => stored.message_about(&format!("`{name}` from"), LayerInfo::unit_of(name)),
        None => stored.message(),
    };
    if let Some(message) = message {
        note(&format!("{}: {message}", arguments.output.display()));
    }
    Ok(())
}

fn write_vectors(arguments: &GenerateArguments, recipe: &Recipe, up: UpChannel) -> Outcome {
    let make = |work: &Work| land::layers(recipe, &recipe.shifts(), arguments.window, work);
    let (content, written) = outputs::together(|| {
        let frames = Frames::begin(&arguments.frames, recipe, &arguments.output)?;
        let ground = progress::with_bar(|work| frames.during(work, make))?;
        formats::write_vectors(&arguments.output, &ground.heights, ground.layers(), up)?;
        let heights = outputs::range("heights", ground.heights.range(), "m");
        Ok(content(arguments, recipe, &ground.heights, &heights)?)
    })?;
    report(arguments, written, &content);
    Ok(())
}

/// The content of the file: the number of samples, the part of the land, and the range of values.
fn content(
    arguments: &GenerateArguments,
    recipe: &Recipe,
    field: &Heightfield,
    values: &str,
) -> Result<String> {
    let samples = outputs::samples(field.grid());
    Ok(match land::part(recipe, arguments.window)? {
        Some(part) => format!("{samples}, {part}, {values}"),
        None => format!("{samples}, {values}"),
    })
}

/// Reports the file, and the frames on another line.
fn report(arguments: &GenerateArguments, written: Written, content: &str) {
    let [output, frames] = written.split(|path| path == arguments.output);
    frames.report("frames");
    output.report(content);
}
