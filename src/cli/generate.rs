//! `upland generate`: a recipe's heights, or one of its layers, into an elevation file.

use super::outputs::{self, Output};
use super::{Outcome, arguments, land, progress, report};
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::Raster;
use crate::error::Result;
use crate::grid::{Heightfield, LayerInfo};
use crate::recipe::{Cache, Recipe};

pub(super) fn run(arguments: &arguments::Generate) -> Outcome {
    formats::check_writable(&arguments.output)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(&arguments.recipe, &recipe))?;
    let layer = arguments.layer.as_deref();
    let field = progress::with_bar(|work| match layer {
        Some(name) => layer_of(&recipe, name, work),
        None => recipe.build_heightfield(work),
    })?;
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

/// The layer called `name` of the finished land.
fn layer_of(recipe: &Recipe, name: &str, work: &Work) -> Result<Heightfield> {
    // Nothing is asked for a second time.
    let ground = recipe.build_layers(&[name], &Cache::new(0), work)?;
    ground.layer(name).cloned()
}
