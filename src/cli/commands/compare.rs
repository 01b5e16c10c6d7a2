//! `upland compare`: landscapes side by side in one picture.

use std::path::{Path, PathBuf};

use super::likeness;
use crate::cli::arguments::{Changes, CompareArguments, FieldSize};
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, print, report_error};
use crate::cli::{drawing, land};
use crate::picture;
use crate::recipe::preset::Preset;
use crate::recipe::{Recipe, Values, Variant};
use crate::render::{CompareShot, Compared, ComparedPicture, MOST_COMPARED, render_compared};

/// Samples along the longer side of the land on which generators are compared, if no recipe is given: 2^n +
/// 1, which suits all.
const SAMPLES: u32 = 513;
/// Its side, metres.
const EXTENT: f32 = 10_000.0;

pub(in crate::cli) fn run(arguments: &CompareArguments) -> Outcome {
    if let Some(with) = &arguments.with {
        return likeness::run(arguments, with);
    }
    let Some(output) = &arguments.output else {
        return Err(Failure::Usage("the picture has no name; give --output OUT.png".to_owned()));
    };
    picture::check(output)?;
    let (given, inputs) = given(arguments)?;
    outputs::check(&[Output::new("--output", output)], &inputs)?;
    let compared = compared(arguments, given)?;
    let CompareArguments { size, from, look, difference, quality, .. } = *arguments;
    // Generators make land of very different heights, which no one view suits.
    let own_views = arguments.own_views || arguments.generators;
    let time_limit = arguments.time_limit.duration();
    let shot = CompareShot { size, from, look, own_views, difference, quality, time_limit };
    let drawn = draw(&compared, &shot)?;
    let ((), written) = outputs::together(|| write(&drawn, output))?;
    written.report(&drawing::content(&drawn.picture));
    Ok(())
}

/// The landscapes that were given by name, and the files from which they are made. If several cannot be read,
/// all of these are reported.
fn given(arguments: &CompareArguments) -> Result<(Vec<Compared>, Vec<PathBuf>), Failure> {
    let (mut given, mut inputs, mut failed) = (Vec::new(), Vec::new(), false);
    let names = &arguments.recipes;
    let found = land::recipes(names, arguments.field_size, &arguments.changes)?;
    for (name, found) in names.iter().zip(found) {
        match found {
            Ok(recipe) => {
                inputs.extend(outputs::inputs(name, &recipe));
                let file = Some(PathBuf::from(name)).filter(|path| path.exists());
                given.push(Compared { file, ..Compared::new(recipe.name.clone(), recipe) });
            }
            Err(error) => {
                report_error(&error.to_string());
                failed = true;
            }
        }
    }
    if failed { Err(Failure::Quiet) } else { Ok((given, inputs)) }
}

/// Draws landscapes side by side. If some of them fail, all of these are reported and there is no picture.
pub(super) fn draw(compared: &[Compared], shot: &CompareShot) -> Result<ComparedPicture, Failure> {
    let mut drawn = drawing::draw(|work| render_compared(compared, shot, work))?;
    if drawn.failures.is_empty() {
        return Ok(drawn);
    }
    for (title, error) in drawn.failures.drain(..) {
        report_error(&format!("{title}: {}", drawing::remedy(error)));
    }
    Err(Failure::Quiet)
}

/// Writes the picture, and prints the time of each landscape.
pub(super) fn write(drawn: &ComparedPicture, output: &Path) -> Outcome {
    picture::write_drawn(output, &drawn.picture)?;
    let times: String = drawn.times.iter().map(|(title, took)| format!("{title}: {took}\n")).collect();
    Ok(print(&times)?)
}

/// The landscapes to draw: the given ones, or variants of the given one.
fn compared(arguments: &CompareArguments, given: Vec<Compared>) -> Result<Vec<Compared>, Failure> {
    let usage = |reason: String| Err(Failure::Usage(reason));
    let of_variants = |variants: Vec<Variant>| {
        let compared = |Variant { title, short, recipe }| {
            let short = Some(short);
            Compared { short, ..Compared::new(title, recipe) }
        };
        variants.into_iter().map(compared).collect()
    };
    match (&arguments.vary, arguments.generators, given.len()) {
        (_, true, 0 | 1) => {
            let base = match given.into_iter().find_map(|of| of.recipe.ok()) {
                Some(recipe) => recipe,
                None => plain(arguments)?,
            };
            Ok(of_variants(base.of_each_generator()))
        }
        (Some((name, values)), _, 1) if let Ok(recipe) = &given[0].recipe => {
            let values = Values::read(values, arguments.values.into())
                .map_err(|reason| Failure::Usage(format!("--vary {name}: {reason}")))?;
            let variants = recipe.varied(name, &values).map_err(|error| Failure::Usage(error.to_string()))?;
            match variants.len() {
                0..=MOST_COMPARED => Ok(of_variants(variants)),
                count => {
                    usage(format!("--vary {name}: {count} values are too many; give up to {MOST_COMPARED}"))
                }
            }
        }
        (_, true, count) => usage(format!("--generators takes one recipe or none, not {count}")),
        (Some(_), _, count) => usage(format!("--vary takes one recipe, not {count}")),
        (None, false, 2..=4) => Ok(given),
        (None, false, count) => usage(format!(
            "2 to 4 landscapes are compared, not {count}; give their recipes, or one with --vary, or --generators"
        )),
    }
}

/// The land on which generators are compared if no recipe is given: dry, with the texture of the first
/// preset.
fn plain(arguments: &CompareArguments) -> Result<Recipe, Failure> {
    let size = arguments.field_size.unwrap_or(FieldSize::Longer(SAMPLES));
    let (FieldSize::Longer(longer) | FieldSize::Both(longer, _)) = size;
    let cell = arguments.changes.cell.unwrap_or(EXTENT / longer.saturating_sub(1).max(1) as f32);
    let changes = Changes { cell: Some(cell), ..arguments.changes.clone() };
    let mut recipe = land::recipe(Preset::all()[0].name, Some(size), &changes)?;
    // Dry: generators differ most in what would lie under the sea.
    recipe.water.sea = false;
    Ok(recipe)
}
