//! `upland info`: statistics and a histogram of a land.

use std::fmt::Write;
use std::path::Path;

use super::{Failure, Outcome, arguments, convert, land, print, progress};
use crate::compute::work::Work;
use crate::elevation::formats::{self, ReadOptions};
use crate::elevation::raster::{CellSize, Raster};
use crate::elevation::windows::ElevationFile;
use crate::grid::{Grid, Heightfield, MAX_SAMPLES, Statistics, Window, memory};

/// Bars of the histogram.
const BARS: usize = 16;
/// At most this many samples are read of a file that is too large to be loaded.
const SURVEYED: usize = 1 << 22;

pub(super) fn run(arguments: &arguments::InfoArguments) -> Outcome {
    let path = Path::new(&arguments.file);
    let report = if formats::is_readable(path) {
        of_file(arguments, path)?
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
        if let Some(part) = land::part(&recipe, arguments.window)? {
            let _ = writeln!(report, "{}", part.replacen("window ", "window      ", 1));
        }
        report + &of_land(grid, &field.statistics(BARS))
    };
    Ok(print(&report)?)
}

fn of_file(arguments: &arguments::InfoArguments, path: &Path) -> Result<String, Failure> {
    let options = convert::options(&arguments.reading, path)?;
    if let Some(window) = arguments.window {
        return Ok(progress::with_bar(|work| of_window(path, &options, window, work))?);
    }
    if let Some(file) = progress::with_bar(|work| too_large(path, &options, work))? {
        return Ok(progress::with_bar(|work| of_large(&file, work))?);
    }
    let raster = formats::read(path, &options)?;
    convert::say_filled(&arguments.file, &raster);
    let size = format!("size        {} × {} samples\n", raster.width(), raster.depth());
    Ok(size + &cell_line(raster.cell(), 1.0) + &of_raster(raster, 1.0, None)?)
}

fn of_window(path: &Path, options: &ReadOptions, window: Window, work: &Work) -> crate::Result<String> {
    let file = convert::open(path, options, work)?;
    let part = convert::window_of(&file, window, work)?;
    let mut report = format!("size        {} × {} samples\n", part.width(), part.depth());
    let unknown = (1u32 << window.level) as f32;
    report += &cell_line(part.cell(), unknown);
    let _ = writeln!(report, "window      {window} of {} × {} samples", file.width(), file.depth());
    Ok(report + &of_raster(part, unknown, None)?)
}

/// The file, if it can be read in parts and is too large to be loaded.
fn too_large(path: &Path, options: &ReadOptions, work: &Work) -> crate::Result<Option<ElevationFile>> {
    if !formats::reads_in_parts(path) {
        return Ok(None);
    }
    let file = convert::open(path, options, work)?;
    let Grid { width, depth, .. } = file.grid();
    let count = width.saturating_mul(depth).max(file.width().saturating_mul(file.depth()));
    // The file's samples and the land's are held at the same time.
    let needed = 12 * (count as u64).min(1 << 40);
    let fits = count <= MAX_SAMPLES && memory::require(file.grid(), needed).is_ok();
    Ok((!fits && !file.is_loaded() && count > SURVEYED).then_some(file))
}

/// Reports on a file of which only every n-th sample is read.
fn of_large(file: &ElevationFile, work: &Work) -> crate::Result<String> {
    let window = file.raster_overview(SURVEYED);
    let part = file.raster(window, work)?;
    let mut report = format!("size        {} × {} samples\n", file.width(), file.depth());
    report += &cell_line(file.cell(), 1.0);
    let (step, [width, depth]) = (1u32 << window.level, window.size);
    let _ = writeln!(
        report,
        "read        one in {step} columns and rows, {width} × {depth} samples: all of them don't fit into memory"
    );
    Ok(report + &of_raster(part, step as f32, Some(file.grid()))?)
}

/// A line on the distance between samples; `unknown`, in metres, is taken where the file doesn't say.
fn cell_line(cell: CellSize, unknown: f32) -> String {
    let text = match cell {
        CellSize::Unknown => format!("not in the file; {unknown} m is taken for slopes"),
        CellSize::Metres { x, z } if x == z => format!("{x} m"),
        CellSize::Metres { x, z } => format!("{x} m east, {z} m south"),
        CellSize::Degrees { x, z, latitude } => {
            let (east, south) = cell.in_metres().unwrap_or((f64::NAN, f64::NAN));
            format!("{x:.8}° east, {z:.8}° south; at latitude {latitude:.3}° {east:.1} m × {south:.1} m")
        }
    };
    format!("cell        {text}\n")
}

/// Extent, range, slope and histogram of a raster, with cells of `unknown` metres if it doesn't say; the
/// extent of `land` if it is a survey of that.
fn of_raster(raster: Raster, unknown: f32, land: Option<Grid>) -> crate::Result<String> {
    // Slopes need square cells; the heights are reported as in the file.
    let made = raster.to_heightfield(unknown)?;
    let (grid, mean_slope) = (land.unwrap_or(made.grid()), made.statistics(1).mean_slope);
    drop(made);
    let values = Grid::new(raster.width(), raster.depth(), 1.0)?;
    let values = Heightfield::new(values, raster.into_values())?;
    let statistics = Statistics { mean_slope, ..values.statistics(BARS) };
    Ok(of_land(grid, &statistics))
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
    // As many decimals as tell the bars of the histogram apart. In f64, as heights may be near the end of
    // f32.
    let bar = (f64::from(statistics.high) - f64::from(statistics.low)) / BARS as f64;
    let decimals = if bar > 0.0 { (1.0 - bar.log10()).ceil().clamp(1.0, 9.0) as usize } else { 1 };
    let _ = writeln!(
        report,
        "mean        {:.decimals$} m, standard deviation {:.decimals$} m",
        statistics.mean, statistics.deviation
    );
    let _ = writeln!(report, "mean slope  {:.1}°", statistics.mean_slope);
    let most = statistics.histogram.iter().copied().max().unwrap_or(1).max(1);
    let all: usize = statistics.histogram.iter().sum();
    for (index, &count) in statistics.histogram.iter().enumerate().rev() {
        let share = 100.0 * count as f32 / all as f32;
        let blocks = "█".repeat((40 * count).div_ceil(most));
        let from = f64::from(statistics.low) + bar * index as f64;
        let _ = writeln!(report, "{from:10.decimals$} m  {share:5.1} %  {blocks}");
    }
    report
}
