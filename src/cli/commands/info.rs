//! `upland info`: statistics and a histogram of a land.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use crate::cli::reading;
use crate::cli::report::{Failure, Outcome, print};
use crate::cli::{arguments, land, progress};
use crate::compute::work::Work;
use crate::elevation::formats::{self, ReadOptions};
use crate::elevation::raster::{CellSize, MapPlace, Raster};
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::error::Error;
use crate::grid::{Grid, Heightfield, MAX_SAMPLES, Statistics, Window, memory};
use crate::recipe::Recipe;
use crate::steps::water::Lake;

/// Bars of the histogram.
const BARS: usize = 16;
/// The most samples that are read from a file that is too large to be loaded.
const SURVEYED: usize = 1 << 22;

pub(in crate::cli) fn run(arguments: &arguments::InfoArguments) -> Outcome {
    let path = Path::new(&arguments.file);
    if formats::is_readable(path) {
        return Ok(print(&of_file(arguments, path)?)?);
    }
    if let Some(option) = arguments.reading.of_files_alone() {
        return Err(Failure::Usage(format!("{option} is for elevation files; this is a recipe")));
    }
    let cell = arguments.reading.cell.map(|cell| cell as f32);
    let changes = arguments::Changes { seed: None, cell, set: Vec::new() };
    let recipe = land::recipe(&arguments.file, arguments.reading.size, &changes)?;
    let (report, left_out) = of_recipe(&recipe, arguments.window, arguments.limit)?;
    print(&report)?;
    left_out.map_or(Ok(()), |reason| Err(Error::parameter(&*arguments.file, reason).into()))
}

/// The land is not even started if its estimate exceeds the time limit by this factor, because estimates may
/// be wrong by that much.
const SURELY: f64 = 4.0;

/// The report on a recipe's land, and why its heights are left out, if they are: because they would take, or
/// have taken, more than `limit` seconds; 0 is no limit.
fn of_recipe(
    recipe: &Recipe,
    window: Option<Window>,
    limit: u32,
) -> Result<(String, Option<String>), Failure> {
    let domain = recipe.domain()?;
    let (width, depth) = recipe.size;
    let all = Grid { width: width as usize, depth: depth as usize, cell: recipe.cell };
    let grid = window.map_or(Ok(all), |window| Ok::<_, Error>(domain.region(window)?.grid()))?;
    let mut report = format!("name        {}\nseed        {}\n", recipe.name, recipe.seed);
    let _ = writeln!(report, "size        {} × {} samples", grid.width, grid.depth);
    let _ = writeln!(report, "cell        {} m", grid.cell);
    if let Some(part) = land::part(recipe, window)? {
        let _ = writeln!(report, "{}", part.replacen("window ", "window      ", 1));
    }
    let estimate = land::estimate(recipe, window)?;
    let longer = "give --limit 0 to wait for them, or fewer samples by --size";
    // Land that is too large is refused when it is made.
    let is_possible = window.is_some() || recipe.grid().is_ok();
    if limit > 0 {
        // The estimate is for one thread.
        let most = f64::from(limit) * rayon::current_num_threads() as f64 * SURELY;
        if is_possible && estimate.seconds() > most {
            let reason = format!("its heights are left out: they would take {estimate}; {longer}");
            return Ok((report, Some(reason)));
        }
    } else {
        land::announce(recipe, window);
    }
    let work = match limit {
        0 => Work::new(),
        _ => Work::within(Duration::from_secs(limit.into())),
    };
    match progress::with_bar_of(&work, |work| land::ground(recipe, window, work)) {
        Ok(ground) => {
            let heights = of_land(grid, &ground.heights.statistics(BARS));
            Ok((report + &heights + &of_lakes(&ground.lakes), None))
        }
        Err(Error::Cancelled) => {
            let reason = format!("its heights are left out: they were not ready within {limit} s; {longer}");
            Ok((report, Some(reason)))
        }
        Err(error) => Err(error.into()),
    }
}

fn of_file(arguments: &arguments::InfoArguments, path: &Path) -> Result<String, Failure> {
    let options = reading::options(&arguments.reading, path)?;
    if let Some(window) = arguments.window {
        return Ok(progress::with_bar(|work| of_window(path, &options, window, work))?);
    }
    if let Some(file) = progress::with_bar(|work| too_large(path, &options, work))? {
        reading::say_notes(&arguments.file, file.notes());
        return Ok(progress::with_bar(|work| of_large(&file, work))?);
    }
    let raster = formats::read(path, &options)?;
    reading::say_filled(&arguments.file, &raster);
    let size = format!("size        {} × {} samples\n", raster.width(), raster.depth());
    Ok(size + &cell_line(raster.cell(), 1.0) + &map_line(raster.place()) + &of_raster(raster, 1.0, None)?)
}

fn of_window(path: &Path, options: &ReadOptions, window: Window, work: &Work) -> crate::Result<String> {
    let file = reading::open(path, options, work)?;
    let part = reading::window_of(&file, window, work)?;
    let mut report = format!("size        {} × {} samples\n", part.width(), part.depth());
    let unknown = (1u32 << window.level) as f32;
    report += &cell_line(part.cell(), unknown);
    report += &map_line(part.place());
    let _ = writeln!(report, "window      {window} of {} × {} samples", file.width(), file.depth());
    Ok(report + &of_raster(part, unknown, None)?)
}

/// The file, if it can be read in parts and is too large to be loaded.
fn too_large(path: &Path, options: &ReadOptions, work: &Work) -> crate::Result<Option<ElevationFile>> {
    if !formats::reads_in_parts(path) {
        return Ok(None);
    }
    let options = ElevationFileOptions { reading: *options, ..Default::default() };
    let file = ElevationFile::open(path, &options, work)?;
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
    report += &map_line(file.place());
    let (step, [width, depth]) = (1u32 << window.level, window.size);
    let _ = writeln!(
        report,
        "read        one in {step} columns and rows, {width} × {depth} samples: all of them don't fit into memory"
    );
    Ok(report + &of_raster(part, step as f32, Some(file.grid()))?)
}

/// A line on the distance between samples; `unknown`, in metres, is used where the file doesn't give it.
fn cell_line(cell: CellSize, unknown: f32) -> String {
    let text = match cell {
        CellSize::Unknown => format!("not in the file; {unknown} m is assumed for slopes"),
        CellSize::Metres { x, z } if x == z => format!("{x} m"),
        CellSize::Metres { x, z } => format!("{x} m east, {z} m south"),
        CellSize::Degrees { x, z, latitude } => {
            let (east, south) = cell.in_metres().unwrap_or((f64::NAN, f64::NAN));
            format!("{x:.8}° east, {z:.8}° south; at latitude {latitude:.3}° {east:.1} m × {south:.1} m")
        }
    };
    format!("cell        {text}\n")
}

/// A line on the coordinate system of a file's map, if it is known.
fn map_line(place: Option<&MapPlace>) -> String {
    let system = place.and_then(MapPlace::system_name);
    system.map(|system| format!("map         {system}\n")).unwrap_or_default()
}

/// Extent, range, slope and histogram of a raster, with cells of `unknown` metres if it doesn't give their
/// size; with the extent of `land` if it is a survey of that.
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
    // Enough decimals to distinguish the bars of the histogram. In f64, since heights may be near the end of
    // f32.
    let bar_height = (f64::from(statistics.high) - f64::from(statistics.low)) / BARS as f64;
    let decimals =
        if bar_height > 0.0 { (1.0 - bar_height.log10()).ceil().clamp(1.0, 9.0) as usize } else { 1 };
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
        let from = f64::from(statistics.low) + bar_height * index as f64;
        let _ = writeln!(report, "{from:10.decimals$} m  {share:5.1} %  {blocks}");
    }
    report
}

/// Lakes that are listed one by one, the largest first.
const LISTED_LAKES: usize = 10;

/// Lines on the lakes of a land; none if it has no lakes.
fn of_lakes(lakes: &[Lake]) -> String {
    if lakes.is_empty() {
        return String::new();
    }
    let area = |lake: &Lake| lake.area() / 1e6;
    let all: f64 = lakes.iter().map(area).sum();
    let mut report = format!("lakes       {}, {all:.2} km² in all\n", lakes.len());
    let mut largest: Vec<&Lake> = lakes.iter().collect();
    // Of equal ones the first.
    largest.sort_by(|one, other| other.area().total_cmp(&one.area()));
    for lake in largest.into_iter().take(LISTED_LAKES) {
        let flows = match lake.outlet() {
            Some((column, row)) => format!("flows out at sample {column}, {row}"),
            None => format!("no outflow, {:.1} m below its sill", lake.sill() - lake.level()),
        };
        let (area, level, depth) = (area(lake), lake.level(), lake.depth());
        let _ = writeln!(report, "{area:9.3} km²  at {level:.1} m, {depth:.1} m deep, {flows}");
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Step;

    #[test]
    fn lakes_are_listed_with_their_levels() {
        let text = r#"(version: 1, name: "Lakes", seed: 4, size: (65, 65), cell: 30,
            steps: [fbm(height: 900), lakes(sea: -12000, smallest: 0, shallowest: 0)])"#;
        let recipe = Recipe::from_ron(text, "lakes.ron").unwrap();
        let Ok((report, _)) = of_recipe(&recipe, None, 0) else { panic!("there is no report") };
        let lakes: Vec<&str> = report.lines().skip_while(|line| !line.starts_with("lakes ")).collect();
        assert!(lakes.len() > 3 && lakes.len() <= 1 + LISTED_LAKES, "{report}");
        assert!(lakes[1..].iter().all(|line| line.contains(" m deep, flows out at sample ")), "{report}");
        assert_eq!(of_lakes(&[]), "");
    }

    fn hills() -> Recipe {
        let mut recipe = Recipe::new("Hills", (33, 33), 30.0);
        recipe.steps.extend(Step::from_name("fbm"));
        recipe
    }

    fn reported(recipe: &Recipe, limit: u32) -> (String, Option<String>) {
        of_recipe(recipe, None, limit).ok().expect("a report")
    }

    #[test]
    fn heights_that_would_take_hours_are_left_out_with_the_reason() {
        let mut slow = hills();
        slow.steps.extend(Step::from_name("deposition"));
        for (path, value) in
            [("steps.1.drops", "10000000"), ("steps.1.series", "1000"), ("steps.1.search", "10")]
        {
            slow.set(path, value).unwrap();
        }
        let (report, left_out) = reported(&slow, 1);
        assert!(report.starts_with("name        Hills\n") && !report.contains("mean"), "{report}");
        let left_out = left_out.unwrap();
        assert!(left_out.starts_with("its heights are left out: they would take about "), "{left_out}");
        assert!(
            left_out.contains("most of it for step 2 (Particle deposition); give --limit 0"),
            "{left_out}"
        );
    }

    #[test]
    fn heights_near_the_end_of_f32_are_reported_in_finite_numbers() {
        let grid = Grid::new(9, 9, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, _| if column % 2 == 0 { 3e38 } else { -3e38 });
        let report = of_land(grid, &field.statistics(BARS));
        assert!(!report.contains("inf") && !report.contains("NaN"), "{report}");
    }

    #[test]
    fn a_limit_does_not_change_a_report_that_is_ready_in_time() {
        let [with, without] = [3600, 0].map(|limit| reported(&hills(), limit));
        assert_eq!(with, without);
        assert!(with.0.contains("mean slope") && with.1.is_none(), "{}", with.0);
    }
}
