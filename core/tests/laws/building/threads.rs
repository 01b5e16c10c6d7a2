//! The same bits at any number of threads, for every landscape that comes with the program; and calls from
//! many threads at the same time come to an end.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use glam::{DVec2, vec2};
use rayon::prelude::*;
use upland_core::agents::{CostMap, CostRules};
use upland_core::analysis::{Land, factors, sky_view};
use upland_core::mesh::{Bound, Mesh, Method, Triangulation};
use upland_core::plots::{PlotKind, PlotOptions, spectrum, variogram};
use upland_core::scatter::{Rectangle, Scatter};
use upland_core::stream::{LandTile, RecipeSource, TileSource};
use upland_core::texture::ColourMap;
use upland_core::viewshed::{Tower, ViewshedOptions, viewshed};
use upland_core::water::WaterBuffer;
use upland_core::{
    Cache, Difference, ElevationFile, ElevationFileOptions, Heightfield, Landscape, Preset, Recipe,
    RecordingOptions, Window, Work, looks_of_steps,
};

/// One thread, as many as a small machine has, as many as don't divide the rows, and as many as a large
/// machine has.
const THREADS: [usize; 5] = [1, 2, 7, 32, 64];

fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Whether two colour maps are the same, and if not, the first texel that isn't.
fn colours(a: &ColourMap, b: &ColourMap) -> Option<String> {
    let differing = a.texels.iter().zip(&b.texels).position(|(a, b)| a != b);
    let place = differing.map(|index| (index % a.width, index / a.width));
    (a != b).then(|| format!("the colours, first at {place:?} of {}×{}", a.width, a.depth))
}

/// The first stage at which a landscape is another than the one made on one thread, with its water; None if
/// it is the same.
fn differing(recipe: &Recipe, (one, water): (&Landscape, &WaterBuffer), threads: usize) -> Option<String> {
    let other = on(threads, || recipe.build(&Work::new())).unwrap();
    let bits = |land: &Heightfield| land.heights().iter().map(|h| h.to_bits()).collect::<Vec<_>>();
    if bits(&one.heightfield) != bits(&other.heightfield) {
        // Which step it is is worth a closer look only now.
        let upto = |count: usize| {
            let mut recipe = recipe.clone();
            recipe.steps.truncate(count);
            recipe
        };
        let stage = (1..=recipe.steps.len()).find(|&count| {
            let land = |threads| bits(&on(threads, || upto(count).build_heightfield(&Work::new())).unwrap());
            land(1) != land(threads)
        });
        return Some(match stage {
            Some(count) => format!("step {} ({})", count - 1, recipe.steps[count - 1].name()),
            None => "the heights, now and then".to_owned(),
        });
    }
    if one.rivers != other.rivers {
        return Some("the courses of rivers".to_owned());
    }
    if let Some(place) = colours(&one.colour, &other.colour) {
        return Some(place);
    }
    let shares = |landscape: &Landscape| landscape.cover.as_ref().map(|cover| cover.weights.clone());
    if shares(one) != shares(&other) {
        return Some("the weights of terrain types".to_owned());
    }
    let of_other = on(threads, || other.water(&Work::new())).unwrap();
    (*water != of_other).then(|| "the water".to_owned())
}

/// Takes some seconds: every preset is built on five numbers of threads. Nothing else would notice a sum
/// whose order they decide.
#[test]
fn every_preset_has_the_same_bits_on_any_number_of_threads() {
    let mut wrong = Vec::new();
    for preset in Preset::all() {
        let recipe = preset.recipe().unwrap().preview(97);
        let one = on(1, || recipe.build(&Work::new())).unwrap();
        let water = on(1, || one.water(&Work::new())).unwrap();
        for threads in &THREADS[1..] {
            if let Some(stage) = differing(&recipe, (&one, &water), *threads) {
                wrong.push(format!("{}: {stage}, on {threads} threads", preset.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What statistics, plots, differences and viewsheds report about a land, by name, with all digits of every
/// number.
fn numbers(land: &Heightfield) -> Vec<(String, String)> {
    let work = Work::new;
    let mut numbers = vec![("statistics".to_owned(), format!("{:?}", land.statistics(64)))];
    for kind in PlotKind::ALL {
        let plot = kind.plot(land, &PlotOptions::default(), &work()).unwrap();
        numbers.push((kind.to_string(), format!("{plot:?}")));
    }
    let other = Heightfield::from_fn(land.grid(), |column, row| 0.9 * land.at(column, row));
    let difference = Difference::new(land, &other, &work()).unwrap();
    numbers.push(("difference".to_owned(), format!("{difference:?}")));
    let tower = Tower { position: vec2(160.0, 150.0), height: 10.0 };
    let seen = viewshed(land, &[tower], &ViewshedOptions::default(), &work()).unwrap();
    numbers.push(("viewshed".to_owned(), format!("{:?}", seen.counts())));
    numbers
}

/// The number of threads decides where parallel work is cut into parts. If results are joined in the order in
/// which threads finish, or sums in the order of the parts, the numbers differ, though not every time.
#[test]
fn every_number_about_a_land_is_the_same_on_any_number_of_threads() {
    let steps = "fbm(height: 900, octaves: 7), gaussian(sigma: 1.2)";
    let land = land("(301, 203)", steps).build_heightfield(&Work::new()).unwrap();
    let one = on(1, || numbers(&land));
    let mut wrong = Vec::new();
    for threads in THREADS.into_iter().skip(1).chain([32; 3]) {
        for ((name, expected), (_, found)) in one.iter().zip(on(threads, || numbers(&land))) {
            if *expected != found {
                wrong.push(format!("{name} on {threads} threads"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a game may call from any of its threads, by name. Calls share the objects that they ask.
type Call = (&'static str, Box<dyn Fn(usize) + Send + Sync>);

fn land(size: &str, steps: &str) -> Recipe {
    let text = format!(
        r##"(version: 1, name: "Land", seed: 4, size: {size}, cell: 10, steps: [{steps}], texture: custom(types: [
            (name: "meadow", colour: "#406030", slope: (max: 25, release: 10)), (name: "rock", colour: "#808080")]),
            scatter: [(name: "wood", object: "spruce", density: 200, spacing: 4, radius: 1, slope: (max: 40)),
                      (name: "stones", object: "stone", density: 20, spacing: 3, radius: 0.5,
                       types: [(name: "rock")])])"##
    );
    let mut recipe = Recipe::from_ron(&text, "land.ron").unwrap();
    recipe.set_folder(std::path::Path::new(env!("CARGO_MANIFEST_DIR")));
    recipe
}

fn calls() -> Vec<Call> {
    const LAND: &str = "fbm(height: 150, octaves: 5), gaussian(sigma: 1.2), warp(reach: 0.02)";
    const STROKES: &str = r#"strokes(file: "tests/data/strokes/hills.strokes.ron")"#;
    let work = Work::new;
    let presets: Vec<Recipe> =
        Preset::all().iter().map(|preset| preset.recipe().unwrap().preview(33)).collect();
    let bounded = land("(33, 33)", &format!("{LAND}, erode(), river(width: 20)"));
    let endless = land("endless, unit: 1000", LAND);
    let sculpted = land("(65, 65)", &format!("{LAND}, {STROKES}"));
    let field = bounded.build_heightfield(&work()).unwrap();
    let cache = Cache::default();
    let scatter = Arc::new(Scatter::new(&endless, 0, &cache, &work()).unwrap());
    let source = RecipeSource::new(endless.clone(), &cache, 10.0, vec![vec![0, 1]], &work()).unwrap();
    let place = |number: usize| [(number % 3) as i64, (number / 3 % 3) as i64];
    let mut calls: Vec<Call> = Vec::new();
    let shared = cache.clone();
    calls.push((
        "a build of presets",
        Box::new(move |number| {
            drop(presets[number % presets.len()].build_with(&shared, &Work::new()).unwrap())
        }),
    ));
    let objects = scatter.clone();
    calls.push((
        "objects of rules",
        Box::new(move |number| {
            let low = place(number).map(|place| place as f64 * 700.0);
            let part = Rectangle { low, high: low.map(|low| low + 60.0) };
            objects.of_rules(part, |_| true, &Work::new()).unwrap();
        }),
    ));
    calls.push((
        "all objects",
        Box::new(move |number| {
            let low = place(number).map(|place| place as f64 * 40.0);
            let part = Rectangle { low, high: low.map(|low| low + 50.0) };
            scatter.all_within(part, 100_000, &Work::new()).unwrap();
        }),
    ));
    let (recipe, shared) = (bounded.clone(), cache.clone());
    calls.push((
        "costs and a path",
        Box::new(move |_| {
            let window = recipe.shown().unwrap().window();
            let map =
                CostMap::of_recipe(&recipe, window, &CostRules::default(), &shared, &Work::new()).unwrap();
            _ = map.path(DVec2::splat(20.0), DVec2::splat(290.0), &Work::new());
        }),
    ));
    let (recipe, shared) = (bounded.clone(), cache.clone());
    calls.push((
        "a probe",
        Box::new(move |number| drop(recipe.probe(place(number), &shared, &Work::new()).unwrap())),
    ));
    let (recipe, shared) = (sculpted, cache.clone());
    calls.push((
        "strokes in a window",
        Box::new(move |number| {
            let first = place(number).map(|place| place * 16);
            let window = Window { level: -1, first, size: [17, 17] };
            recipe.build_window(window, &shared, &Work::new()).unwrap();
        }),
    ));
    calls.push((
        "tiles of a source",
        Box::new(move |number| {
            // A tile takes longer than all else here.
            if number >= 8 {
                return;
            }
            let [column, row] = place(number % 2).map(|place| place as i32);
            source.make(LandTile { level: 0, column, row }, &Work::new()).unwrap();
        }),
    ));
    let recipe = bounded.clone();
    calls.push((
        "a thumbnail",
        Box::new(move |_| drop(upland_core::thumbnail(&recipe, (24, 16), &Work::new()).unwrap())),
    ));
    let recipe = bounded.clone();
    calls.push((
        "looks of steps and a recording",
        Box::new(move |number| match number % 2 {
            0 => drop(looks_of_steps(&recipe, (16, 10), &Work::new()).unwrap()),
            _ => drop(recipe.record(&RecordingOptions::default(), &Work::new()).unwrap()),
        }),
    ));
    let (recipe, shared) = (bounded.clone(), cache.clone());
    calls.push((
        "the bake of a window",
        Box::new(move |number| {
            let window = Window { level: 0, first: place(number).map(|place| place * 8), size: [9, 9] };
            drop(recipe.prepare_window(window, 1, true, &shared, &Work::new()).unwrap());
        }),
    ));
    let ground = field.clone();
    calls.push((
        "factors, the sky and a difference",
        Box::new(move |number| match number % 3 {
            0 => {
                let all = factors::all();
                let factor = all[number / 3 % all.len()];
                drop(factor.measure(Land::dry(&ground), &Work::new()).unwrap());
            }
            1 => drop(sky_view(&ground, &Work::new()).unwrap()),
            _ => drop(Difference::new(&ground, &ground, &Work::new()).unwrap()),
        }),
    ));
    let options = ElevationFileOptions::default();
    let file = ElevationFile::from_bytes("land.r16", vec![7; 2 * 64 * 64], &options, &work()).unwrap();
    calls.push((
        "windows of a file",
        Box::new(move |number| {
            let level = (number % 3) as i32;
            let window = Window { level, first: place(number), size: [9, 9] };
            drop(file.read(window, &Work::new()).unwrap());
        }),
    ));
    calls.push((
        "plots, a viewshed and a mesh",
        Box::new(move |number| match number % 4 {
            0 => drop(spectrum(&field, None, &Work::new())),
            1 => drop(variogram(&field, None, &Work::new())),
            2 => {
                let tower = Tower { position: vec2(160.0, 150.0), height: 10.0 };
                viewshed(&field, &[tower], &ViewshedOptions::default(), &Work::new()).unwrap();
            }
            _ => {
                let work = Work::new();
                Mesh::new(
                    &field,
                    &Triangulation::new(&field, Method::Tin, Bound::Error(1.0), &work).unwrap(),
                );
            }
        }),
    ));
    calls
}

/// A thread of rayon that waits for others may take up any other job meanwhile. If that one waits for a lock
/// or a lazy static that the thread holds itself, nothing goes on any more.
#[test]
fn calls_from_many_jobs_at_once_do_not_wait_for_each_other() {
    let calls = Arc::new(calls());
    for threads in [8, 12, 32] {
        let now = Arc::new(Mutex::new(""));
        let (done, is_done) = mpsc::channel();
        let (calls, running) = (calls.clone(), now.clone());
        let worker = std::thread::spawn(move || {
            for (name, call) in calls.iter() {
                *running.lock().unwrap() = name;
                on(threads, || (0..threads).into_par_iter().for_each(call));
            }
            done.send(()).unwrap();
        });
        match is_done.recv_timeout(Duration::from_secs(300)) {
            Err(RecvTimeoutError::Timeout) => {
                panic!("{} on {threads} threads does not end: calls wait for each other", now.lock().unwrap())
            }
            _ => worker.join().unwrap(),
        }
    }
}
