//! `upland generate`: writes a recipe's heights, or one of its layers, to an elevation file.

use super::frames::Frames;
use super::outputs::{self, Output};
use super::{Outcome, arguments, land, progress, report};
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::Raster;
use crate::grid::LayerInfo;

pub(super) fn run(arguments: &arguments::GenerateArguments) -> Outcome {
    formats::check_writable(&arguments.output)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(&arguments.recipe, &recipe))?;
    let frames = Frames::begin(&arguments.frames, &recipe, &arguments.output)?;
    let layer = arguments.layer.as_deref();
    let make = |work: &Work| match layer {
        Some(name) => land::layer(&recipe, name, arguments.window, work),
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
