//! `upland costs`: the cost of a metre of the ground for an agent, ground that is off-limits, and the path
//! that costs least.

mod map;

use std::fmt::Write;
use std::path::Path as FilePlace;

use glam::DVec2;

use crate::agents::{CostMap, CostRules, MaskCost, OffLimits, Path};
use crate::analysis::Picture;
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, note, print};
use crate::cli::{arguments, land, progress};
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::{self, FileKind, FilePath};
use crate::params;
use crate::picture::{self, Pixel};
use crate::{Cache, Recipe};

/// The prefix of the rules' values in `--set`.
const RULES: &str = "costs.";

pub(in crate::cli) fn run(arguments: &arguments::CostsArguments) -> Outcome {
    let path = arguments.output.as_path();
    if is_picture(path) {
        picture::check(path)?
    } else {
        formats::check_writable(path)?
    }
    arguments.map.as_ref().map_or(Ok(()), |map| picture::check(map))?;
    arguments.path.as_ref().map_or(Ok(()), formats::check_replaceable)?;
    let (of_rules, mut of_land) = (arguments.changes.clone(), arguments.changes.clone());
    // The recipe would refuse the paths of rules.
    of_land.set.retain(|(name, _)| !name.starts_with(RULES));
    let recipe = land::recipe(&arguments.recipe, arguments.size, &of_land)?;
    let rules = rules(arguments, &of_rules.set)?;
    check_outputs(arguments, &recipe)?;
    let window = arguments.window.map_or_else(|| Ok(recipe.shown()?.window()), Ok::<_, Error>)?;
    let domain = recipe.domain()?;
    let middle = middle(&recipe)?;
    let place = |[x, z]: [f32; 2]| middle + DVec2::new(x.into(), z.into());
    let ends = arguments.from.map(place).zip(arguments.to.map(place));
    // Refused before the land is made.
    domain.region(window)?;
    land::announce(&recipe, Some(window));
    let ((costs, way, stored), written) = outputs::together(|| {
        let (costs, way) = progress::with_bar(|work| {
            let cache = Cache::default();
            let costs = CostMap::of_recipe(&recipe, window, &rules, &cache, work)?;
            let way = match ends {
                Some((from, to)) => {
                    let found = costs.path(from, to, work);
                    Some(found.map_err(|error| Error::parameter("--from, --to", error.to_string()))?)
                }
                None => None,
            };
            if let Some(picture) = &arguments.map {
                map::write(picture, &recipe, &costs, way.as_ref(), arguments.pixels, &cache, work)?;
            }
            Ok::<_, Error>((costs, way))
        })?;
        let stored = write(path, &costs)?;
        if let (Some(path), Some(way)) = (&arguments.path, &way) {
            write_way(path, way, middle)?;
        }
        print(&summary(&costs, way.as_ref()))?;
        Ok((costs, way, stored))
    })?;
    let [output, others] = written.split(|written| written == path);
    let [path, map] = others.split(|written| arguments.path.as_deref() == Some(written));
    output.report(&outputs::samples(costs.grid()));
    map.report("a map");
    path.report(&format!("{} places", way.map_or(0, |way| way.points.len())));
    if let Some(message) = stored.and_then(|stored| stored.message_about("costs from", "")) {
        note(&format!("{}: {message}", arguments.output.display()));
    }
    Ok(())
}

fn is_picture(path: &FilePlace) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["png", "bmp"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn rules(arguments: &arguments::CostsArguments, set: &[(String, String)]) -> Result<CostRules, Failure> {
    let mut rules = match &arguments.rules {
        None => CostRules::default(),
        Some(path) => {
            let text = String::from_utf8(files::read(path, FileKind::Recipe)?)
                .map_err(|_| Error::file(path, "is not text in UTF-8; rules are a RON file"))?;
            let mut rules = CostRules::default();
            params::set_whole_from_text(&mut rules, &text).map_err(|reason| Error::file(path, reason))?;
            rules
        }
    };
    for (name, text) in set {
        let Some(name) = name.strip_prefix(RULES) else { continue };
        params::set_in(&mut rules, "costs", name, text)
            .map_err(|reason| Failure::Usage(format!("--set {RULES}{name}: {reason}")))?;
    }
    for path in &arguments.off_limits {
        let picture = Picture::new(FilePath::new(path.to_string_lossy()));
        rules.masks.push(MaskCost { picture, ..MaskCost::default() });
    }
    params::check(&rules, "costs").map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(rules)
}

fn check_outputs(arguments: &arguments::CostsArguments, recipe: &Recipe) -> Outcome {
    let mut all = vec![Output::new("--output", &arguments.output)];
    all.extend(arguments.map.iter().map(|path| Output::new("--map", path)));
    all.extend(arguments.path.iter().map(|path| Output::new("--path", path)));
    let mut read = outputs::inputs(&arguments.recipe, recipe);
    read.extend(arguments.off_limits.iter().chain(&arguments.rules).cloned());
    outputs::check(&all, &read)
}

/// The middle of the land, metres from its sample (0, 0).
fn middle(recipe: &Recipe) -> Result<DVec2> {
    let domain = recipe.domain()?;
    let cell = f64::from(domain.cell());
    let side = |side: u32| f64::from(side - 1) * cell / 2.0;
    Ok(domain.size().map_or(DVec2::ZERO, |[width, depth]| DVec2::new(side(width), side(depth))))
}

/// Writes the costs; returns how they were stored if the file is an elevation format.
fn write(path: &FilePlace, costs: &CostMap) -> Result<Option<formats::Written>> {
    let grid = costs.grid();
    if is_picture(path) {
        picture::write(path, (grid.width, grid.depth), Pixel::Grey, &costs.to_grey())?;
        return Ok(None);
    }
    formats::write(path, &Raster::from(costs.to_field()?), &WriteOptions::default()).map(Some)
}

/// Writes the points of a path, metres east and south of the middle of the land and up.
fn write_way(path: &FilePlace, way: &Path, middle: DVec2) -> Result<()> {
    let mut text = String::from("x,z,height\n");
    for point in &way.points {
        // Millimetres: more digits than the samples have.
        let _ = writeln!(text, "{:.3},{:.3},{:.3}", point.x - middle.x, point.z - middle.y, point.y);
    }
    formats::replace_file(path, |file| {
        std::io::Write::write_all(file, text.as_bytes()).map_err(|error| Error::io(path, "write", error))
    })
}

/// How much of the land agents may walk on, the reasons for the rest, and the path.
fn summary(costs: &CostMap, way: Option<&Path>) -> String {
    let grid = costs.grid();
    let all = grid.count() as f64;
    let mut text = String::new();
    let mut line = |name: &str, count: usize| {
        let _ = writeln!(text, "{name:28} {:6.2} %", 100.0 * count as f64 / all);
    };
    let places = || (0..grid.count()).map(|index| costs.off_limits(index % grid.width, index / grid.width));
    line("may be walked on", places().filter(|reasons| reasons.is_none()).count());
    for (reason, name) in [
        (OffLimits::STEEP, "off-limits: too steep"),
        (OffLimits::DEEP, "off-limits: too deep"),
        (OffLimits::TYPE, "off-limits: terrain type"),
        (OffLimits::LAYER, "off-limits: layer"),
        (OffLimits::PAINTED, "off-limits: painted"),
        (OffLimits::HOLE, "off-limits: holes"),
    ] {
        let count = places().filter(|reasons| reasons.has(reason)).count();
        if count > 0 {
            line(name, count);
        }
    }
    let open: Vec<f64> =
        costs.costs().iter().filter(|cost| **cost >= 0.0).map(|cost| f64::from(*cost)).collect();
    if !open.is_empty() {
        let mean = open.iter().sum::<f64>() / open.len() as f64;
        let _ = writeln!(text, "{:28} {mean:6.2}", "a metre costs on average");
    }
    if let Some(way) = way {
        let climb: f64 = way.points.windows(2).map(|pair| (pair[1].y - pair[0].y).max(0.0)).sum();
        let _ = writeln!(
            text,
            "{:28} {:.0} m long, {climb:.0} m up, costs {:.0} m, {:.0} min",
            "the way",
            way.length,
            way.cost,
            way.seconds / 60.0
        );
    }
    text
}
