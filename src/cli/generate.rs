//! `upland generate`: a recipe's heights into an elevation file.

use super::{Outcome, arguments, land, progress, report};
use crate::formats::{self, WriteOptions};
use crate::raster::Raster;

pub(super) fn run(arguments: &arguments::Generate) -> Outcome {
    formats::check_writable(&arguments.output)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let field = progress::with_bar(|work| recipe.build_heightfield(work))?;
    let written = formats::write(&arguments.output, &Raster::from(field), &WriteOptions::default())?;
    if let Some(message) = written.message() {
        report(&format!("{}: {message}", arguments.output.display()));
    }
    Ok(())
}
