//! How long a stroke of 50 m radius takes: on all tiles in memory around an eye at the stroke, and for
//! remaking one of them with its colours. On one core, like the main thread of a game.
//!
//! `cargo bench -p upland_core --bench sculpt`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::DVec3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::sculpt::{Places, Sculpture, Stroke, Strokes, Tool};
use upland_core::stream::{Budget, Drawn, Eye, Ranges, RecipeSource, Residency, SculptedSource, TileSource};
use upland_core::{Cache, Recipe, Work};

/// The position of the eye and the stroke, metres.
const MIDDLE: [f64; 2] = [1280.0, 1280.0];

/// Hills, 2.56 km wide, 10 m between samples.
fn land() -> RecipeSource {
    let text = "(version: 1, name: \"Hills\", seed: 5, size: (257, 257), cell: 10, steps: [fbm(height: 300, octaves: 10)])";
    let recipe = Recipe::from_ron(text, "hills.ron").expect("a recipe");
    RecipeSource::new(recipe, &Cache::default(), 0.25, vec![vec![0], vec![1], vec![2], vec![3]], &Work::new())
        .expect("land")
}

/// All tiles that an eye two metres above the ground needs.
fn resident(source: &dyn TileSource) -> Residency {
    let mut residency = Residency::new(source.shape(), Budget { slots: 4096, jobs: 64, fade: 0.0 });
    let eye = Eye {
        position: DVec3::new(MIDDLE[0], 40.0, MIDDLE[1]),
        velocity: DVec3::ZERO,
        pixels: 900.0,
        is_orthographic: false,
        sides: Vec::new(),
        far: 1e6,
        texel_pixels: 4.0,
        ranges: Ranges::new(900.0, 1.5, 5.0, 40.0),
    };
    loop {
        let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 0.0);
        if plan.start.is_empty() {
            return residency;
        }
        for tile in plan.start {
            let made = source.make(tile, &Work::new()).expect("a tile");
            residency.arrive(made, residency.edits(), 0.0);
        }
        while let Some((made, edit)) = residency.take_early() {
            residency.arrive(made, edit, 0.0);
        }
    }
}

fn stroke(tool: Tool) -> Stroke {
    Stroke::at(tool, MIDDLE, 50.0)
}

fn tools() -> [Tool; 6] {
    [
        Tool::Raise { by: 5.0 },
        Tool::Flatten { to: 20.0 },
        Tool::Ramp { from: 0.0, to: 40.0 },
        Tool::Crater { depth: 10.0, rim: 2.0 },
        Tool::Smooth {},
        Tool::Erode { drops: 0.5 },
    ]
}

fn strokes(count: usize, stroke: &Stroke) -> Strokes {
    Strokes::of(vec![stroke.clone(); count]).expect("strokes")
}

fn one_core() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}

fn bench(criterion: &mut Criterion) {
    let one = one_core();
    let source = Arc::new(land());
    let (shape, work) = (source.shape(), Work::new());
    let fresh = || one.install(|| resident(&*source));
    let before = |window| source.heights(window, &work);
    let bounds = [MIDDLE[0] - 50.0, MIDDLE[1] - 50.0, MIDDLE[0] + 50.0, MIDDLE[1] + 50.0];
    for tool in tools() {
        let sculpture = Sculpture::new(shape.domain(), &strokes(1, &stroke(tool.clone())));
        one.install(|| sculpture.look(bounds, &before, &work)).expect("it looks around");
        let changed = fresh().sculpt(&sculpture, 1).len();
        criterion.bench_function(&format!("{} in {changed} resident tiles", tool.name()), |bencher| {
            let make = || fresh();
            bencher.iter_batched_ref(
                make,
                |residency| residency.sculpt(&sculpture, 1),
                BatchSize::PerIteration,
            );
        });
    }
    for tool in [Tool::Smooth {}, Tool::Erode { drops: 0.5 }] {
        criterion.bench_function(&format!("{} looks around", tool.name()), |bencher| {
            bencher.iter(|| {
                let sculpture = Sculpture::new(shape.domain(), &strokes(1, &stroke(tool.clone())));
                one.install(|| sculpture.look(bounds, &before, &work)).expect("it looks around");
            });
        });
    }
    for level in [shape.finest, 0] {
        let tile = shape.tile_at(level, MIDDLE[0], MIDDLE[1]);
        let make = |count: usize| {
            let sculpture =
                Arc::new(Sculpture::new(shape.domain(), &strokes(count, &stroke(Tool::Raise { by: 0.1 }))));
            SculptedSource::new(source.clone(), sculpture)
        };
        let metres = shape.cell_at(level);
        for count in [1, 100] {
            let sculpted = make(count);
            let name = format!("a tile of {metres} m cells made anew with {count} strokes on it");
            criterion.bench_function(&name, |bencher| {
                bencher.iter(|| one.install(|| sculpted.make(black_box(tile), &work)).expect("a tile"));
            });
        }
    }
    // A list as long as a year of playing.
    let far: Vec<Stroke> = (0..10_000)
        .map(|number| {
            let place = [f64::from(number % 100) * 25.0, f64::from(number / 100) * 25.0];
            Stroke::at(Tool::Raise { by: 1.0 }, place, 20.0)
        })
        .collect();
    let many = Sculpture::new(shape.domain(), &Strokes::of(far).expect("strokes"));
    criterion.bench_function("a height among 10000 strokes", |bencher| {
        bencher.iter(|| many.height(black_box(1277.0), black_box(1279.0), 3.0));
    });
    let x: Vec<f64> = (0..136).map(|index| 1200.0 + f64::from(index) * 0.5).collect();
    criterion.bench_function("a tile's heights among 10000 strokes", |bencher| {
        bencher.iter(|| {
            let mut heights = vec![0.0; 136 * 136];
            many.change(&mut heights, Places { x: &x, z: &x }, &before, &work).expect("heights");
            heights
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = bench
}
criterion_main!(benches);
