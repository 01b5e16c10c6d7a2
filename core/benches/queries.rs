//! How many heights one core returns per second: from a field, and from the known ground that games query; in
//! rows and at random places; on land that fits into the nearest caches, and on land that doesn't.
//!
//! `cargo bench -p upland_core --bench queries` prints millions of answers a second: the median of 15 runs,
//! by the time on the processor. A word after `--` chooses those whose name contains it.

use std::hint::black_box;
use std::time::Duration;

use glam::{DVec2, Vec2, Vec3};
use upland_core::stream::{KnownGround, Residency};
use upland_core::{Grid, Heightfield};

/// Questions in each run.
const COUNT: usize = 1 << 20;

/// How often each is run.
const RUNS: usize = 15;

/// The intended rate, millions a second.
const AIM: f64 = 50.0;

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!("{:<58} {:>9}", "one core", "million/s");
    for side in [513, 1025, 4097] {
        let field = land(side);
        let empty = Residency::without_tiles(&field);
        let known = KnownGround::new(&empty).with_field(&field, field.range());
        for (order, points) in [("in rows", rows(&field)), ("random", random(&field))] {
            let precise: Vec<DVec2> = points.iter().map(|point| point.as_dvec2()).collect();
            let (mut heights, mut normals) = (vec![0.0; COUNT], vec![Vec3::ZERO; COUNT]);
            let run = |what: &str, ask: &mut dyn FnMut()| {
                let name = format!("{what}, {order}, {side}² samples");
                if only.as_ref().is_none_or(|only| name.contains(only.as_str())) {
                    measure(&name, ask);
                }
            };
            run("field: heights one by one", &mut || {
                for (height, point) in heights.iter_mut().zip(&points) {
                    *height = field.sample_surface(*point);
                }
                black_box(&heights);
            });
            run("field: heights", &mut || {
                field.sample_surfaces(&points, &mut heights).expect("as many");
                black_box(&heights);
            });
            run("field: normals", &mut || {
                field.surface_normals(&points, &mut normals).expect("as many");
                black_box(&normals);
            });
            run("field: slopes", &mut || {
                field.surface_slopes(&points, &mut heights).expect("as many");
                black_box(&heights);
            });
            run("ground: heights one by one", &mut || {
                for (height, place) in heights.iter_mut().zip(&precise) {
                    *height = known.at(place.x, place.y).map_or(f32::NAN, |ground| ground.height);
                }
                black_box(&heights);
            });
            run("ground: heights", &mut || {
                known.heights_of(&precise, &mut heights).expect("as many");
                black_box(&heights);
            });
            run("ground: slopes", &mut || {
                known.slopes_of(&precise, &mut heights).expect("as many");
                black_box(&heights);
            });
        }
    }
    println!("aim: heights at {AIM} million/s");
}

fn land(side: usize) -> Heightfield {
    let grid = Grid::new(side, side, 4.0).expect("a size that is supported");
    Heightfield::from_fn(grid, |column, row| ((column * 7919 + row * 104_729) % 1000) as f32 * 0.3)
}

/// Points as queried by an agent, a road or a picture: along lines, a third of a cell apart.
fn rows(field: &Heightfield) -> Vec<Vec2> {
    let extent = field.grid().extent();
    let step = field.grid().cell / 3.0;
    let along = ((extent.x - 1.0) / step) as usize;
    (0..COUNT)
        .map(|number| Vec2::new((number % along) as f32 * step, (number / along) as f32 * 1.7 % extent.y))
        .collect()
}

fn random(field: &Heightfield) -> Vec<Vec2> {
    let extent = field.grid().extent();
    let mut state = 1u64;
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..COUNT).map(|_| Vec2::new(share(), share()) * extent).collect()
}

fn measure(name: &str, ask: &mut dyn FnMut()) {
    // The first run pays for memory that the system provides.
    ask();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begin = on_processor();
            ask();
            (on_processor() - begin).as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:<58} {:>9.1}", COUNT as f64 / times[RUNS / 2] / 1e6);
}

/// The processor time of this thread; wall-clock time where the system does not report it.
fn on_processor() -> Duration {
    static BEGIN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    // Linux updates its account of a thread when it lets another one run.
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = account.and_then(|account| account.split(' ').next()?.parse().ok());
    spent.map_or_else(|| BEGIN.elapsed(), Duration::from_nanos)
}
