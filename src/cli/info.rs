//! `upland info`: statistics and a histogram of a land.

use std::fmt::Write;
use std::path::Path;

use super::{Failure, Outcome, arguments, convert, land, print, progress};
use crate::elevation::formats;
use crate::elevation::raster::{CellSize, Raster};
use crate::grid::{Grid, Heightfield, Statistics};

/// Bars of the histogram.
const BARS: usize = 16;

pub(super) fn run(arguments: &arguments::InfoArguments) -> Outcome {
    let path = Path::new(&arguments.file);
    let report = if formats::is_readable(path) {
        if arguments.window.is_some() {
            let reason = "--window is for recipes, whose land can be asked for at any level; this is a file";
            return Err(Failure::Usage(reason.to_owned()));
        }
        let raster = formats::read(path, &convert::options(&arguments.reading, path)?)?;
        convert::say_filled(&arguments.file, &raster);
        of_file(raster)?
    } else {
        if arguments.reading.channel.is_some() || arguments.reading.range.is_some() {
            let reason = "--channel and --range are for elevation files; this is a recipe";
            return Err(Failure::Usage(reason.to_owned()));
        }
        let changes = arguments::Changes { seed: None, cell: None, set: Vec::new() };
        let recipe = land::recipe(&arguments.file, arguments.reading.size, &changes)?;
        let field = progress::with_bar(|work| land::heights(&recipe, arguments.window, work))?;
        let grid = field.grid();
        let mut report = format!("name        {}\nseed        {}\n", recipe.name, recipe.seed);
        let _ = writeln!(report, "size        {} × {} samples", grid.width, grid.depth);
        let _ = writeln!(report, "cell        {} m", grid.cell);
        match (recipe.domain()?.is_endless(), arguments.window) {
            (is_endless, Some(window)) => {
                let of = if is_endless { "endless land" } else { "the land" };
                let _ = writeln!(report, "window      {window} of {of}");
            }
            (true, None) => report += "window      around the origin of endless land\n",
            (false, None) => {}
        }
        report + &of_land(grid, &field.statistics(BARS))
    };
    Ok(print(&report)?)
}

fn of_file(raster: Raster) -> crate::Result<String> {
    let mut report = format!("size        {} × {} samples\n", raster.width(), raster.depth());
    let cell = match raster.cell() {
        CellSize::Unknown => "not in the file; 1 m is taken for slopes".to_owned(),
        CellSize::Metres { x, z } if x == z => format!("{x} m"),
        CellSize::Metres { x, z } => format!("{x} m east, {z} m south"),
        CellSize::Degrees { x, z, latitude } => {
            let (east, south) = raster.cell().in_metres().unwrap_or((f64::NAN, f64::NAN));
            format!("{x:.8}° east, {z:.8}° south; at latitude {latitude:.3}° {east:.1} m × {south:.1} m")
        }
    };
    let _ = writeln!(report, "cell        {cell}");
    // Slopes need square cells; the heights are reported as in the file.
    let land = raster.to_heightfield(1.0)?;
    let (grid, mean_slope) = (land.grid(), land.statistics(1).mean_slope);
    drop(land);
    let values = Grid::new(raster.width(), raster.depth(), 1.0)?;
    let values = Heightfield::new(values, raster.into_values())?;
    let statistics = Statistics { mean_slope, ..values.statistics(BARS) };
    Ok(report + &of_land(grid, &statistics))
}

/// Extent, range, slope and histogram.
fn of_land(grid: Grid, statistics: &Statistics) -> String {
    let extent = grid.extent();
    let mut report = String::new();
    let _ = match extent.max_element() {
        1000.0.. => {
            writeln!(report, "extent      {:.2} km × {:.2} km", extent.x / 1000.0, extent.y / 1000.0)
        }
        _ => writeln!(report, "extent      {} m × {} m", extent.x, extent.y),
    };
    let _ = writeln!(report, "heights     {} to {} m", statistics.low, statistics.high);
    // As many decimals as tell the bars of the histogram apart.
    let bar = f64::from(statistics.high - statistics.low) / BARS as f64;
    let decimals = if bar > 0.0 { (1.0 - bar.log10()).ceil().clamp(1.0, 9.0) as usize } else { 1 };
    let _ = writeln!(
        report,
        "mean        {:.decimals$} m, standard deviation {:.decimals$} m",
        statistics.mean, statistics.deviation
    );
    let _ = writeln!(report, "mean slope  {:.1}°", statistics.mean_slope);
    let most = statistics.histogram.iter().copied().max().unwrap_or(1).max(1);
    let step = (statistics.high - statistics.low) / BARS as f32;
    let all: usize = statistics.histogram.iter().sum();
    for (index, &count) in statistics.histogram.iter().enumerate().rev() {
        let share = 100.0 * count as f32 / all as f32;
        let bar = "█".repeat((40 * count).div_ceil(most));
        let from = statistics.low + step * index as f32;
        let _ = writeln!(report, "{from:10.decimals$} m  {share:5.1} %  {bar}");
    }
    report
}
