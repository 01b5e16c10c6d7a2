//! Measures how long steps take on one thread and compares it with their estimates, with default parameters
//! and with parameters that make them slow.
//!
//! `cargo bench -p upland_core --bench estimates` prints both for each step; an extra word selects the lines
//! that contain it. An estimate within a factor of about three is good enough for its uses.

use std::time::Instant;

use rayon::ThreadPoolBuilder;
use upland_core::generate::{Fbm, Generate};
use upland_core::steps::{self, Ground};
use upland_core::{Grid, Recipe, Step, Work};

/// Steps with parameters that make them slow.
const SLOW: [&str; 27] = [
    "fbm(octaves: 16, frequency: 1024)",
    "fbm(basis: simplex)",
    "fbm(basis: cellular)",
    "ridged(basis: value, octaves: 16)",
    "spectral(passes: 12, knots: 64)",
    "diamond_square(wrap: true)",
    "fault(faults: 10000)",
    "fault(profile: sine, width: 0.3)",
    "fault(roughen: 0.2)",
    "deposition(search: 10000, repose: 0)",
    "deposition(detail: 2049, drops: 1000000, search: 1000, repose: 1)",
    "deposition(detail: 17, drops: 1000000, search: 0)",
    "gaussian(sigma: 40)",
    "mean(size: 1023)",
    "majority(size: 255)",
    "convolve(coefficients: \"1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1, \
     1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1, 1 1 1 1 1 1 1 1 1\")",
    "warp(octaves: 12)",
    "erode(smoothing: 2000, outlets: slopes)",
    "gullies(octaves: 12, size: 100000)",
    "ledges(octaves: 10, slope_min: 0, thickness: 1000)",
    "stones(octaves: 10, size: 200)",
    "ripples(octaves: 10, length: 5000, slope_max: 90)",
    "talus(slope_min: 0, repose: 20)",
    "snow(temperature: 5, snowfall: 50)",
    "glacier(line: 0, swing: 0)",
    "undercut(reach: 500, above: foot)",
    "platform(radius: 10000, shape: disc)",
];

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let lines = steps::names().into_iter().map(|name| format!("{name}()")).chain(SLOW.map(str::to_owned));
    let needs_file = ["import", "sculpt_vector", "strokes", "stamp"];
    let is_wanted = |line: &String| {
        only.as_ref().is_none_or(|only| line.contains(only))
            && !needs_file.iter().any(|name| line.starts_with(&format!("{name}(")))
    };
    for line in lines.filter(is_wanted) {
        let mut shown = line.clone();
        shown.truncate(60);
        print!("{shown:<60}");
        for side in [65, 257, 1025] {
            let [measured, estimated] = seconds(&line, side);
            print!("  {side}²: {measured:9.5} s, {:5.2} times as estimated", measured / estimated);
        }
        println!();
    }
}

/// Seconds that a step takes on one thread, and its estimate.
fn seconds(line: &str, side: usize) -> [f64; 2] {
    let text = format!(r#"(version: 1, name: "x", size: ({side}, {side}), cell: 10, steps: [{line}])"#);
    let recipe = Recipe::from_ron(&text, "x.ron").expect("a recipe");
    let grid = Grid::new(side, side, 10.0).expect("a possible size");
    let land = Fbm::default().generate(grid, 1, &Work::new()).expect("land");
    let step: &Step = &recipe.steps[0];
    let layers = step.operation.writes();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let once = || {
        // As in a recipe that needs all layers that the step writes.
        let mut ground = Ground::new(land.clone()).keeping(&layers);
        let begun = Instant::now();
        step.apply(&mut ground, 1, &Work::new()).expect("land");
        begun.elapsed().as_secs_f64()
    };
    // The first run also computes what is computed only once.
    let measured = pool.install(|| (0..2).map(|_| once()).fold(f64::INFINITY, f64::min));
    [measured, recipe.estimate().seconds()]
}
