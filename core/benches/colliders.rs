//! How fast a collider's tile is made, on one core: of every preset, at the finest level, and what a plan for
//! many bodies takes.
//!
//! `cargo bench -p upland_core --bench colliders`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec2;
use rayon::ThreadPoolBuilder;
use upland_core::colliders::{Body, ColliderPlace, ColliderSet, ColliderTile};
use upland_core::stream::{RecipeSource, TileSource};
use upland_core::{Cache, Preset, Work};

fn source(name: &str) -> RecipeSource {
    let recipe = Preset::find(name).and_then(|preset| preset.recipe().ok()).expect("a preset");
    RecipeSource::new(recipe, &Cache::default(), 0.25, Vec::new(), &Work::new()).expect("land")
}

fn bench(criterion: &mut Criterion) {
    let one = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let work = Work::new();
    for name in ["endless-highlands", "high-range", "downs", "canyon", "hoodoos"] {
        let source = source(name);
        let shape = source.shape();
        let middle = shape.extent().map_or(DVec2::new(3000.0, -2000.0), |extent| 0.4 * extent);
        let first = ColliderPlace::at(&shape, source.finest_ground(), middle.x, middle.y);
        let square = (0..100).map(|number| ColliderPlace {
            column: first.column + number % 10,
            row: first.row + number / 10,
            ..first
        });
        let places: Vec<ColliderPlace> = square.filter(|place| place.has_land(&shape)).collect();
        let mut number = 0;
        criterion.bench_function(&format!("collider tile of {name}, one core"), |bencher| {
            bencher.iter(|| {
                // No data of the previous tile are reused.
                number = (number + 1) % places.len();
                let place = places[number];
                one.install(|| ColliderTile::make(&source, black_box(place), &work).expect("a tile"))
            });
        });
    }
    let source = source("endless-highlands");
    let body = |number: usize| Body {
        place: DVec2::new((number % 25) as f64 * 7.0, (number / 25) as f64 * 11.0),
        velocity: DVec2::new(3.0, 1.0),
        radius: 8.0,
        spacing: 0.0,
        ahead: 1.0,
        until: 1.0 / 60.0,
    };
    let bodies: Vec<Body> = (0..500).map(body).collect();
    let mut set = ColliderSet::new(&source);
    for place in set.plan(&bodies).make {
        let order = set.order(place);
        set.arrive(ColliderTile::make(&source, place, &work).expect("a tile").into(), order);
    }
    criterion.bench_function(&format!("plan for 500 bodies on {} tiles", set.tiles().count()), |bencher| {
        bencher.iter(|| set.plan(black_box(&bodies)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = bench
}
criterion_main!(benches);
