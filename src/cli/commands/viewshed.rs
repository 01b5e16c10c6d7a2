//! `upland viewshed`: draws the ground that towers see, and prints its share.

use std::fmt::Write;

use crate::analysis::viewshed::{Curvature, Method, Tower, Viewshed, ViewshedOptions, viewshed};
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, print};
use crate::cli::{arguments, land, progress};
use crate::grid::Grid;
use crate::picture::{self, Pixel};

pub(in crate::cli) fn run(arguments: &arguments::ViewshedArguments) -> Outcome {
    picture::check(&arguments.output)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let output = Output::new("--output", &arguments.output);
    outputs::check(&[output], &outputs::inputs(&arguments.recipe, &recipe))?;
    let (width, depth) = recipe.size;
    let grid = Grid::new(width as usize, depth as usize, recipe.cell)?;
    let towers = arguments.from.iter().map(|&from| tower(grid, from)).collect::<Result<Vec<_>, _>>()?;
    land::announce(&recipe, None);
    let seen = progress::with_bar(|work| {
        let field = recipe.build_heightfield(work)?;
        viewshed(&field, &towers, &options(&arguments.sight), work)
    })?;
    let white: Vec<u8> = seen.counts().iter().map(|&count| if count > 0 { 255 } else { 0 }).collect();
    let ((), written) = outputs::together(|| {
        picture::write(&arguments.output, (grid.width, grid.depth), Pixel::Grey, &white)?;
        Ok(print(&report(&arguments.from, &seen))?)
    })?;
    written.report(&outputs::samples(grid));
    Ok(())
}

pub(super) fn options(arguments: &arguments::SightArguments) -> ViewshedOptions {
    let curvature = arguments.curvature.map(|radius| Curvature { radius, refraction: arguments.refraction });
    let method = arguments.method.map(|method| match method {
        arguments::ViewshedMethod::Exact => Method::Exact,
        arguments::ViewshedMethod::Fast => Method::Fast,
    });
    ViewshedOptions { target_height: arguments.to, radius: arguments.radius, curvature, method }
}

/// The tower at x and z from the middle of the land.
fn tower(grid: Grid, [x, z, height]: [f32; 3]) -> Result<Tower, Failure> {
    let position = land::place_on(grid, "--from", &format!("{x},{z},{height}: the tower stands"), [x, z])?;
    Ok(Tower { position, height })
}

/// The share of the land that each tower sees, and that all see together.
fn report(from: &[[f32; 3]], seen: &Viewshed) -> String {
    let grid = seen.grid();
    let land = grid.extent().as_dvec2() / 1000.0;
    let line = |name: &str, samples: usize| {
        let share = samples as f64 / grid.count() as f64;
        format!("{name}  {:6.2} %  {} km²\n", 100.0 * share, outputs::digits(share * land.x * land.y))
    };
    let mut names: Vec<String> = from.iter().map(|[x, z, height]| format!("{x},{z},{height}")).collect();
    names.push("together".to_owned());
    let longest = names.iter().map(String::len).max().unwrap_or(0);
    let counts = seen.seen_by_tower().iter().copied().chain([seen.seen_together()]);
    let mut report = String::new();
    for (name, samples) in names.iter().zip(counts) {
        let _ = write!(report, "{}", line(&format!("{name:longest$}"), samples));
    }
    report
}
