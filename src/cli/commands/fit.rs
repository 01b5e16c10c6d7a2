//! `upland fit`: writes a recipe whose land is like a real one, and prints how near it came.

use std::io::Write;

use crate::analysis::likeness::{check_page, write_page};
use crate::cli::arguments::{Changes, FitArguments};
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, print};
use crate::cli::{land, progress};
use crate::elevation::formats;
use crate::error::Error;
use crate::files::replace_file;
use crate::fit::{FitOptions, fit};

pub(in crate::cli) fn run(arguments: &FitArguments) -> Outcome {
    let path = &arguments.output;
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron")) {
        let reason = "a recipe is written as .ron; give it this extension";
        return Err(Error::file(path, reason).into());
    }
    formats::check_replaceable(path)?;
    arguments.page.as_deref().map_or(Ok(()), check_page)?;
    let real = land::recipe(&arguments.dem, None, &Changes::default())?;
    let mut written = vec![Output::new("--output", path)];
    written.extend(arguments.page.iter().map(|page| Output::new("--page", page)));
    outputs::check(&written, &outputs::inputs(&arguments.dem, &real))?;

    land::announce(&real, None);
    let FitArguments { samples, rounds, seed, .. } = *arguments;
    let options = FitOptions { samples: samples.into(), rounds: rounds.into(), seed };
    let fitted = progress::with_bar(|work| {
        let heights = real.build_heightfield(work)?;
        fit((&real.name, &heights), real.sea_level(), &options, work)
    })?;
    let recipe = fitted.recipe.to_ron()?;
    let text = if arguments.json {
        fitted.comparison.to_json()?
    } else {
        let (first, last) = (fitted.first_cost(), fitted.cost());
        format!(
            "{}\nAll distances, as multiples of `within`: {first:.2} at first, {last:.2} at last; lands tried: {}.\n",
            fitted.comparison, fitted.trials
        )
    };
    let ((), written) = outputs::together(|| {
        replace_file(path, |file| {
            file.write_all(recipe.as_bytes()).map_err(|error| Error::io(path, "write", error))
        })?;
        if let Some(page) = &arguments.page {
            write_page(page, &fitted.comparison)?;
        }
        print(&text)?;
        Ok::<_, Failure>(())
    })?;
    written.report("");
    Ok(())
}
