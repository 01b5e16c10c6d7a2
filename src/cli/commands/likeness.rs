//! `upland compare LAND --with DEM`: how much a land is like real land, in numbers and as a page of plots.

use crate::analysis::likeness::{check_page, compare, write_page};
use crate::cli::arguments::{Changes, CompareArguments};
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, print};
use crate::cli::{land, progress};
use crate::recipe::Recipe;

pub(super) fn run(arguments: &CompareArguments, with: &str) -> Outcome {
    let [name] = &arguments.recipes[..] else {
        let count = arguments.recipes.len();
        let reason = format!("--with {with}: one landscape is compared with it, not {count}; give one");
        return Err(Failure::Usage(reason));
    };
    arguments.output.as_deref().map_or(Ok(()), check_page)?;
    let recipe = land::recipe(name, arguments.field_size, &arguments.changes)?;
    // As it is: --set and the like are for the land that is to become like it.
    let real = land::recipe(with, None, &Changes::default())?;
    let inputs = [outputs::inputs(name, &recipe), outputs::inputs(with, &real)].concat();
    let output = arguments.output.iter().map(|path| Output::new("--output", path));
    outputs::check(&output.collect::<Vec<_>>(), &inputs)?;

    land::announce(&recipe, None);
    let comparison = progress::with_bar(|work| {
        let heights = |recipe: &Recipe| recipe.build_heightfield(work);
        let (one, other) = (heights(&recipe)?, heights(&real)?);
        // Land that is compared with itself at other settings has one name.
        let names =
            if recipe.name == real.name { [name.as_str(), with] } else { [&*recipe.name, &*real.name] };
        compare([(names[0], &one), (names[1], &other)], [recipe.sea_level(), real.sea_level()], work)
    })?;
    let text = if arguments.json { comparison.to_json()? } else { format!("{comparison}\n") };
    let ((), written) = outputs::together(|| {
        if let Some(path) = &arguments.output {
            write_page(path, &comparison)?;
        }
        Ok(print(&text)?)
    })?;
    written.report("");
    Ok(())
}
