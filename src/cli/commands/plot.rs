//! `upland plot`: draws a land's heights, slopes, spectrum and so on, or writes them as tables, and prints
//! their numbers.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use glam::Vec2;

use crate::analysis::plots::{self, Plot, PlotFormat, PlotKind, PlotOptions};
use crate::cli::arguments::PlotChoice;
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, note, print};
use crate::cli::{arguments, land, progress};
use crate::elevation::formats;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::recipe::Recipe;

pub(in crate::cli) fn run(arguments: &arguments::PlotArguments) -> Outcome {
    check_use(arguments)?;
    let files = files(arguments)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    let outputs: Vec<Output> = files.iter().map(|(kind, path)| Output::new(kind.name(), path)).collect();
    outputs::check(&outputs, &outputs::inputs(&arguments.recipe, &recipe))?;
    let (width, depth) = recipe.size;
    let options = options(arguments, &recipe, Grid::new(width as usize, depth as usize, recipe.cell)?)?;

    land::announce(&recipe, None);
    let made = progress::with_bar(|work| -> Result<Vec<_>> {
        let field = recipe.build_heightfield(work)?;
        let plot = |kind: PlotKind| match recipe.line() {
            Some((heights, length)) if kind == PlotKind::Profile && options.line.is_none() => {
                plots::line_profile(&heights, length)
            }
            _ => kind.plot(&field, &options, work),
        };
        Ok(files.iter().map(|(kind, path)| (*kind, path, plot(*kind))).collect())
    })?;
    let all = made.len();
    let mut drawn = Vec::new();
    for (kind, path, plot) in made {
        match plot {
            Ok(plot) => drawn.push((path, plot)),
            // Some of several plots may be meaningless for a land, such as the spectrum of level ground.
            Err(error @ (Error::Parameter { .. } | Error::Size { .. })) if all > 1 => {
                note(&format!("without {kind}: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if drawn.is_empty() {
        let reason = "no plot can be made of this land; see above";
        return Err(Error::file(&arguments.output, reason).into());
    }
    let ((), written) = outputs::together(|| {
        make_folder(arguments)?;
        let mut results = String::new();
        for (path, mut plot) in drawn {
            let title = std::mem::take(&mut plot.title);
            plot.title = format!("{title}: {}", recipe.name);
            plots::write(path, &plot)?;
            if all > 1 {
                let gap = if results.is_empty() { "" } else { "\n" };
                let _ = writeln!(results, "{gap}{title}");
            }
            results += &numbers(&plot);
        }
        Ok(print(&results)?)
    })?;
    written.report("");
    Ok(())
}

/// Refuses options without effect, and a profile without places.
fn check_use(arguments: &arguments::PlotArguments) -> Outcome {
    let is_of = |kind| [PlotChoice::All, PlotChoice::One(kind)].contains(&arguments.what);
    let refused = |option: &str, only: &str| {
        let reason = format!("{option}: only --what {only} and --what all take this; leave it out");
        Err(Failure::Usage(reason))
    };
    if arguments.from.is_some() && !is_of(PlotKind::Profile) {
        return refused("--from and --to", "profile");
    }
    if arguments.bearings.is_some() && !is_of(PlotKind::Aspects) && !is_of(PlotKind::SlopeRose) {
        return refused("--bearings", "aspects, --what slope-rose");
    }
    if arguments.concavity.is_some() && !is_of(PlotKind::Chi) && !is_of(PlotKind::Ksn) {
        return refused("--concavity", "chi, --what ksn");
    }
    if arguments.format.is_some() && arguments.what != PlotChoice::All {
        let reason = "--format is for --what all; for a single plot the extension of --output decides";
        return Err(Failure::Usage(reason.to_owned()));
    }
    Ok(())
}

/// The plots and their files.
fn files(arguments: &arguments::PlotArguments) -> Result<Vec<(PlotKind, PathBuf)>, Failure> {
    let path = &arguments.output;
    let PlotChoice::All = arguments.what else {
        PlotFormat::of(path)?;
        formats::check_replaceable(path)?;
        let PlotChoice::One(kind) = arguments.what else { return Ok(Vec::new()) };
        return Ok(vec![(kind, path.clone())]);
    };
    if path.exists() && !path.is_dir() {
        let reason = "is a file; --what all writes one for each plot into a folder, so give a folder's name";
        return Err(Error::file(path, reason).into());
    }
    if !path.exists() {
        // The folder itself is created when there is something to put into it.
        formats::check_folder(path)?;
    }
    let extension = arguments.format.unwrap_or(PlotFormat::Svg).extension();
    let name = |kind: PlotKind| (kind, path.join(format!("{kind}.{extension}")));
    Ok(PlotKind::ALL.map(name).into())
}

fn make_folder(arguments: &arguments::PlotArguments) -> Result<()> {
    let path: &Path = &arguments.output;
    if arguments.what == PlotChoice::All { formats::create_folder(path) } else { Ok(()) }
}

fn options(
    arguments: &arguments::PlotArguments,
    recipe: &Recipe,
    grid: Grid,
) -> Result<PlotOptions, Failure> {
    let place = |option, place: Option<[f32; 2]>| -> Result<Option<Vec2>, Failure> {
        place
            .map(|[x, z]| land::place_on(grid, option, &format!("{x},{z}: the place lies"), [x, z]))
            .transpose()
    };
    let line =
        place("--from", arguments.from)?.zip(place("--to", arguments.to)?).map(|(from, to)| [from, to]);
    match line {
        Some([from, to]) if from == to => {
            let reason = "--from and --to are one place; a profile needs two";
            return Err(Failure::Usage(reason.to_owned()));
        }
        // A line of samples is a profile itself, and so is land that was made from one.
        None if arguments.what == PlotChoice::One(PlotKind::Profile)
            && grid.width.min(grid.depth) > 1
            && recipe.line().is_none() =>
        {
            let reason = "--what profile needs two places; give --from X,Z and --to X,Z, in metres east and south of \
                          the middle of the land";
            return Err(Failure::Usage(reason.to_owned()));
        }
        _ => {}
    }
    let bearings = arguments.bearings.unwrap_or(PlotOptions::default().bearings);
    let concavity = arguments.concavity.unwrap_or(PlotOptions::default().concavity);
    let (hurst, sea_level) = (recipe.hurst_in_theory(), recipe.sea_level());
    Ok(PlotOptions { bearings, hurst, sea_level, line, concavity, ..PlotOptions::default() })
}

/// The numbers of a plot, a line each, and its remarks.
fn numbers(plot: &Plot) -> String {
    let longest = plot.notes.iter().map(|note| note.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for note in &plot.notes {
        let _ = writeln!(text, "{:longest$}  {note}", note.name);
    }
    for remark in &plot.remarks {
        let _ = writeln!(text, "{remark}");
    }
    text
}
