//! `upland generate`: a recipe's heights into an elevation file.

use super::frames::Frames;
use super::outputs::{self, Output};
use super::{Outcome, arguments, land, progress, report};
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::Raster;

pub(super) fn run(arguments: &arguments::Generate) -> Outcome {
    formats::check_writable(&arguments.output)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(&arguments.recipe, &recipe))?;
    let frames = Frames::begin(&arguments.frames, &recipe, &arguments.output)?;
    let make = |work: &Work| land::heights(&recipe, arguments.window, work);
    let field = progress::with_bar(|work| frames.during(work, make))?;
    let written = formats::write(&arguments.output, &Raster::from(field), &WriteOptions::default())?;
    if let Some(message) = written.message() {
        report(&format!("{}: {message}", arguments.output.display()));
    }
    Ok(())
}
