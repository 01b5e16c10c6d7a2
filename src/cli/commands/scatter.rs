//! `upland scatter`: places the objects of a recipe's rules, and writes them as a list, as instances or as a
//! map.

pub(super) mod map;

use std::fmt::Write;

use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, print};
use crate::cli::{arguments, land, progress};
use crate::error::{Error, Result};
use crate::files::check_replaceable;
use crate::grid::Window;
use crate::picture;
use crate::scatter::formats::{self, Format, Placed};
use crate::scatter::{Object, Rectangle, Scatter};
use crate::{Cache, Recipe};

pub(in crate::cli) fn run(arguments: &arguments::ScatterArguments) -> Outcome {
    let path = arguments.output.as_path();
    let is_map = is_picture(path);
    if is_map {
        picture::check(path)?;
    } else {
        Format::of(path)?;
    }
    check_replaceable(path)?;
    let mut recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    recipe.bare |= arguments.bare;
    let wanted = wanted(&recipe, &arguments.only)?;
    if recipe.followed_rules().next().is_none() && !is_map && !recipe.bare {
        let reason = "the recipe has no rules that are on; add some as in docs/scatter.md, or choose a preset that \
                      has rules";
        return Err(Error::parameter("scatter", reason).into());
    }
    outputs::check(&[Output::new("--output", path)], &outputs::inputs(&arguments.recipe, &recipe))?;
    let window = part(&recipe, arguments)?;
    land::announce(&recipe, Some(window));
    let (count, written) = outputs::together(|| {
        let (objects, rectangle) = progress::with_bar(|work| {
            let cache = Cache::default();
            let scatter = Scatter::new(&recipe, window.level, &cache, work)?;
            let rectangle = scatter.rectangle_of(window);
            let mut objects =
                scatter.all_within(rectangle, arguments.limit as usize, work).map_err(remedy)?;
            // Only after all are placed: objects of one rule keep others away.
            objects.retain(|object| wanted[object.rule as usize]);
            if is_map {
                map::write(path, &recipe, window, rectangle, &objects, arguments.pixels, &cache, work)?;
            } else {
                let placed = Placed { objects: &objects, rules: &recipe.scatter, middle: middle(&recipe)? };
                formats::write(path, &placed, work)?;
            }
            Ok::<_, Error>((objects, rectangle))
        })?;
        print(&summary(&recipe, &wanted, &objects, rectangle))?;
        Ok(objects.len())
    })?;
    let what = if is_map { "a map of " } else { "" };
    written.report(&format!("{what}{count} objects on window {window}"));
    Ok(())
}

fn is_picture(path: &std::path::Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["png", "bmp"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// The rules whose objects are written.
fn wanted(recipe: &Recipe, only: &[String]) -> Result<Vec<bool>, Failure> {
    let names: Vec<&str> = recipe.scatter.iter().map(|rule| &*rule.name).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(&&***name)) {
        let there_are = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Failure::Usage(format!(
            "--only {unknown}: there is no such rule; there are {there_are}"
        )));
    }
    Ok(names.iter().map(|name| only.is_empty() || only.iter().any(|wanted| wanted == name)).collect())
}

/// The samples between which objects are placed.
fn part(recipe: &Recipe, arguments: &arguments::ScatterArguments) -> Result<Window> {
    let domain = recipe.domain()?;
    if let Some(window) = arguments.window {
        return Ok(domain.region(window)?.window());
    }
    let Some(tile) = arguments.tile else { return Ok(recipe.shown()?.window()) };
    let mut window = tile.window(0);
    // A tile's cells lie between one sample more.
    window.size = window.size.map(|side| side + 1);
    // A tile at the border has fewer cells.
    if let Some(land) = domain.size_at(tile.level) {
        for axis in [0, 1] {
            let left = (land[axis] as i64).saturating_sub(window.first[axis]).max(0);
            window.size[axis] = window.size[axis].min(u32::try_from(left).unwrap_or(u32::MAX));
        }
    }
    domain.region(window).map(|region| region.window()).map_err(|_| {
        let place = format!("{}:{},{}", tile.level, tile.column, tile.row);
        Error::parameter(
            "--tile",
            format!("{place} is not on the land; tiles are counted from its north-west corner"),
        )
    })
}

/// Names the option that allows more objects.
fn remedy(error: Error) -> Error {
    match error {
        Error::Parameter { name, reason } if name == "limit" => {
            let reason = reason.replace(
                "use less land, or allow more",
                "choose a part with --window or --tile, or raise --limit",
            );
            Error::parameter("--limit", reason)
        }
        error => error,
    }
}

/// The middle of the land, metres from its sample (0, 0).
fn middle(recipe: &Recipe) -> Result<[f64; 2]> {
    let domain = recipe.domain()?;
    let cell = f64::from(domain.cell());
    Ok(domain.size().map_or([0.0; 2], |size| size.map(|side| f64::from(side - 1) * cell / 2.0)))
}

/// The number of objects of each rule.
fn summary(recipe: &Recipe, wanted: &[bool], objects: &[Object], rectangle: Rectangle) -> String {
    let hectares = rectangle.area() / 10_000.0;
    let mut text = String::new();
    let mut line = |name: &str, what: &str, count: usize| {
        let density = if hectares > 0.0 { count as f64 / hectares } else { 0.0 };
        let _ = writeln!(text, "{name:20} {what:14} {count:>10}  {density:10.2}/ha");
    };
    for (number, rule) in recipe.followed_rules().filter(|(number, _)| wanted[*number]) {
        let count = objects.iter().filter(|object| object.rule as usize == number).count();
        line(&rule.name, &rule.object, count);
    }
    line("together", "", objects.len());
    text
}
