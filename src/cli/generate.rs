//! `upland generate`: writes a recipe's heights, one of its layers, or its vectors, to a file.

use super::arguments::GenerateArguments;
use super::frames::Frames;
use super::outputs::{self, Output};
use super::{Failure, Outcome, land, progress, report};
use crate::compute::work::Work;
use crate::elevation::formats::{self, UpChannel, WriteOptions};
use crate::elevation::raster::Raster;
use crate::grid::LayerInfo;
use crate::recipe::Recipe;

pub(super) fn run(arguments: &GenerateArguments) -> Outcome {
    match arguments.vectors {
        None => formats::check_writable(&arguments.output)?,
        Some(_) => formats::check_vectors_writable(&arguments.output)?,
    }
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    if arguments.vectors.is_some() && !recipe.is_shifted() {
        let reason = "--vectors: no step of this recipe moves ground sideways, as `undercut` does; its heights say \
                      all of it: leave --vectors out";
        return Err(Failure::Usage(reason.into()));
    }
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(&arguments.recipe, &recipe))?;
    let frames = Frames::begin(&arguments.frames, &recipe, &arguments.output)?;
    land::tell_notes(&recipe);
    if let Some(up) = arguments.vectors {
        return write_vectors(arguments, &recipe, up, &frames);
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
    let field = progress::with_bar(|work| frames.during(work, make))?;
    let written = formats::write(&arguments.output, &Raster::from(field), &WriteOptions::default())?;
    let message = match layer {
        Some(name) => written.message_about(&format!("`{name}` from"), LayerInfo::unit_of(name)),
        None => written.message(),
    };
    if let Some(message) = message {
        report(&format!("{}: {message}", arguments.output.display()));
    }
    Ok(())
}

fn write_vectors(arguments: &GenerateArguments, recipe: &Recipe, up: UpChannel, frames: &Frames) -> Outcome {
    let make = |work: &Work| land::layers(recipe, &recipe.shifts(), arguments.window, work);
    let ground = progress::with_bar(|work| frames.during(work, make))?;
    Ok(formats::write_vectors(&arguments.output, &ground.heights, ground.layers(), up)?)
}
