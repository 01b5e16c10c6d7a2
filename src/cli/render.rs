//! `upland render`: renders a landscape into a PNG.

use super::outputs::{self, Output};
use super::{Outcome, arguments, land, picture, progress};
use crate::recipe::preset::Preset;
use crate::viewer::{Shot, render};

pub(super) fn run(arguments: &arguments::RenderArguments) -> Outcome {
    picture::check(&arguments.output)?;
    let name = arguments.recipe.as_deref().unwrap_or(Preset::all()[0].name);
    let recipe = land::recipe(name, arguments.field_size, &arguments.changes)?;
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(name, &recipe))?;
    let arguments::RenderArguments { size, from, look, quality, .. } = *arguments;
    let shot = Shot { size, from, look, quality, ..Shot::default() };
    let drawn = progress::with_bar(|work| render(&recipe, &shot, work))?;
    picture::write_drawn(&arguments.output, &drawn)
}
