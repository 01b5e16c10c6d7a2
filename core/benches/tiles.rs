//! How fast a tile of land is made for streaming: 128 cells with 4 samples of border on each side, on one
//! thread, since several tiles are made in parallel.
//!
//! `cargo bench -p upland_core --bench tiles -- --ratios` takes turns between the work and a yardstick,
//! and prints the medians and their ratio. Without `--ratios` criterion measures each alone. A word after it
//! chooses the contests that contain it.

mod contest;

use contest::{Clock, Contest, Timed, on_processor, timed};
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::generate::{Fbm, Generate};
use upland_core::grid::Window;
use upland_core::stream::{LandTile, RecipeSource, TileSource};
use upland_core::{Cache, Grid, Preset, Recipe, Step, WindowBake, Work};

/// Cells of a tile along a side, and samples around them.
const CELLS: i64 = 128;
const BORDER: i64 = 4;

/// Samples of a tile along a side.
const SIDE: i64 = CELLS + 1 + 2 * BORDER;

/// Tiles side by side that are made in turn, along either side of the land that is streamed.
const TILES: i64 = 3;

/// Metres east and south of the origin where endless land is streamed.
const PLACE: [f64; 2] = [13_000.0, -7_000.0];

fn main() {
    contest::run(contests().into_iter());
}

fn contests() -> Vec<Contest> {
    let mut contests = Vec::new();
    for level in [-7, -4, -1, 0, 2, 5, 8] {
        for land in [highlands, plain] {
            contests.push(tile(land(), level, Part::Heights, true));
            contests.push(tile(land(), level, Part::Prepared, true));
            contests.push(tile(land(), level, Part::Painted, true));
            contests.push(tile(land(), level, Part::All, true));
            contests.push(tile(land(), level, Part::All, false));
            contests.push(tile(land(), level, Part::Streamed, true));
        }
    }
    for level in [-1, 0, 2] {
        contests.push(tile(preset("hoodoos"), level, Part::Streamed, true));
    }
    for level in [-7, -4, -1, 0, 2] {
        for name in ["high-range", "dune-sea", "painted-world"] {
            let land = || preset(name).resized(513).expect("a size that is supported");
            contests.push(tile(land(), level, Part::Heights, true));
            contests.push(tile(land(), level, Part::Prepared, true));
            contests.push(tile(land(), level, Part::Painted, true));
        }
    }
    contests
}

fn preset(name: &str) -> Recipe {
    Preset::find(name).expect("a preset").recipe().expect("a recipe")
}

/// Endless land with a warp and gullies.
fn highlands() -> Recipe {
    preset("endless-highlands")
}

/// Endless land of one fractal.
fn plain() -> Recipe {
    let mut recipe = Recipe::new("Plain", (1025, 1025), 10.0);
    recipe.unit = Some(20_000.0);
    recipe.steps.push(Step::new(Fbm { height: 1200.0, octaves: 12.0, ..Fbm::default() }));
    recipe
}

/// The measured part of a tile.
#[derive(Clone, Copy)]
enum Part {
    /// Its heights.
    Heights,
    /// Its heights and the preparation for painting.
    Prepared,
    /// Its painting, once it is prepared.
    Painted,
    /// All of it.
    All,
    /// All of it in the plugin's form, with the data for levels of detail.
    Streamed,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Heights => "heights",
            Self::Prepared => "prepared",
            Self::Painted => "painted",
            Self::All => "all",
            Self::Streamed => "streamed",
        }
    }
}

/// The tiles of a square of them, as far as there is land.
fn tiles(recipe: &Recipe, level: i32) -> Vec<Window> {
    let domain = recipe.domain().expect("a domain");
    let metres = f64::from(domain.cell_at(level)) * CELLS as f64;
    let land = domain.size_at(level).map(|size| size.map(|side| side as i64));
    let first = PLACE.map(|place| if land.is_some() { 0 } else { (place / metres).floor() as i64 });
    let numbers = (0..TILES * TILES).map(|number| [number % TILES, number / TILES]);
    let windows = numbers.filter_map(|number| {
        let along = |axis: usize| {
            let begin = (first[axis] + number[axis]) * CELLS - BORDER;
            let Some(land) = land else { return Some((begin, SIDE as u32)) };
            let (begin, end) = (begin.max(0), (begin + SIDE).min(land[axis]));
            (end - begin > BORDER).then_some((begin, (end - begin) as u32))
        };
        let ((x, width), (z, depth)) = (along(0)?, along(1)?);
        Some(Window { level, first: [x, z], size: [width, depth] })
    });
    windows.collect()
}

fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}

/// A tile, whose neighbours have been made (`known`) or not.
fn tile(recipe: Recipe, level: i32, part: Part, known: bool) -> Contest {
    let state = if known { "" } else { ", the first" };
    Contest {
        name: format!("{} level {level} {}{state}, fBm", recipe.name, part.name()),
        aim: if known { "aim: 40 ms" } else { "aim: 150 ms" },
        prepare: Box::new(move || {
            let grid = Grid::new(SIDE as usize, SIDE as usize, 1.0).expect("a size that is supported");
            let fbm = Fbm { octaves: 9.0, ..Fbm::default() };
            let pool = one_thread();
            let yardstick = move |clock: Clock| {
                pool.install(|| timed(clock, || fbm.generate(grid, 1, &Work::new()).expect("land")))
            };
            [Box::new(yardstick), making(recipe, level, part, known)]
        }),
        clock: on_processor,
        samples: (SIDE * SIDE) as usize,
    }
}

fn making(recipe: Recipe, level: i32, part: Part, known: bool) -> Timed {
    let (tiles, pool, work) = (tiles(&recipe, level), one_thread(), Work::new());
    let kept = Cache::default();
    let paint = |ready: &WindowBake, work: &Work| {
        ready.baker(true, work).and_then(|baker| baker.paint(ready.texels(), work)).expect("texels")
    };
    if known {
        for tile in &tiles {
            let ready = recipe.prepare_window(*tile, 1, false, &kept, &work).expect("a tile");
            paint(&ready, &work);
        }
    }
    // Without the whole of a bounded land, from which tiles would be cut.
    let finest = recipe.domain().expect("a domain").cell_at(level);
    let source = RecipeSource::of(recipe.clone(), &kept, finest, vec![vec![0, 1], vec![2, 3]], None);
    let source = source.expect("tiles");
    let mut number = 0;
    Box::new(move |clock| {
        number += 1;
        let tile = tiles[number % tiles.len()];
        let cache = if known { kept.clone() } else { Cache::default() };
        let prepare = || recipe.prepare_window(tile, 1, false, &cache, &work).expect("a tile");
        pool.install(|| match part {
            Part::Heights => timed(clock, || recipe.build_window(tile, &cache, &work).expect("heights")),
            Part::Prepared => timed(clock, prepare),
            Part::Painted => {
                let ready = prepare();
                timed(clock, || paint(&ready, &work))
            }
            Part::All => timed(clock, || paint(&prepare(), &work)),
            Part::Streamed => {
                let [column, row] = tile.first.map(|first| ((first + BORDER) / CELLS) as i32);
                timed(clock, || source.make(LandTile { level, column, row }, &work).expect("a tile"))
            }
        })
    })
}
