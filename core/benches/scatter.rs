//! How fast objects are placed: a tile of dense forest on one core, and the points under it.
//!
//! `cargo bench -p upland_core --bench scatter`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rayon::ThreadPoolBuilder;
use upland_core::scatter::{Rectangle, Rule, Scatter};
use upland_core::texture::Limits;
use upland_core::{Cache, Recipe, Work};

/// Metres along a side of a tile.
const TILE: f64 = 128.0;

/// Hills, a kilometre wide, wooded all over.
fn land(rules: Vec<Rule>) -> Recipe {
    let text = "(version: 1, name: \"Wood\", seed: 5, size: (257, 257), cell: 4, steps: [fbm(height: 60)])";
    let mut land = Recipe::from_ron(text, "wood.ron").expect("a recipe");
    land.scatter = rules;
    land
}

/// A dense wood: 1000 spruces to a hectare, more trees, bushes, stones and dead wood between them.
fn forest() -> Vec<Rule> {
    let slope = Limits::new(0.0, 60.0, 10.0);
    vec![
        Rule { radius: 0.8, slope, ..Rule::new("spruce", 1000.0, 2.3) },
        Rule { radius: 0.9, slope, ..Rule::new("birch", 120.0, 3.0) },
        Rule { radius: 1.2, lean: 0.7, tilt: 20.0, ..Rule::new("boulder", 20.0, 5.0) },
        Rule { radius: 0.6, clumping: 0.7, ..Rule::new("hazel", 300.0, 2.0) },
        Rule { radius: 0.5, lean: 1.0, ..Rule::new("dead-wood", 60.0, 4.0) },
    ]
}

fn meadow() -> Vec<Rule> {
    vec![Rule { lean: 0.5, ..Rule::new("grass", 10_000.0, 0.5) }]
}

fn bench(criterion: &mut Criterion) {
    let one = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for (name, rules) in [("dense forest", forest()), ("meadow", meadow())] {
        let (cache, work) = (Cache::default(), Work::new());
        let scatter = Scatter::new(&land(rules), 0, &cache, &work).expect("land");
        let tile = Rectangle { low: [3.0 * TILE; 2], high: [4.0 * TILE; 2] };
        let count = scatter.within(tile, &work).expect("objects").len();
        criterion.bench_function(
            &format!("scatter {name}, {count} objects on 128² m, one core"),
            |bencher| {
                bencher.iter(|| one.install(|| scatter.within(black_box(tile), &work).expect("objects")));
            },
        );
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = bench
}
criterion_main!(benches);
