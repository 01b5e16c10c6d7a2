//! How long filters and resizers take, beside plain copies of the same field in the same run.
//!
//! `cargo bench --no-default-features --bench filters`; add a name to run only what contains it, such
//! as `-- "one thread"`. Ratios are what counts: divide a median by that of `copy` in its group.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland::filter::{AnyFilter, Binomial, Border, Curve, Gaussian, LowPass, Mean, majority};
use upland::resize::{Spline, bilinear, bspline, catmull_rom, duplicate};
use upland::{Grid, Heightfield, Work};

fn land(side: usize) -> Heightfield {
    Heightfield::from_fn(Grid::new(side, side, 1.0).unwrap(), |column, row| {
        let bits = (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77);
        (bits.wrapping_mul(0x2C1B_3C6D) >> 16) as f32 / 64.0
    })
}

/// Blobs of `kinds` terrain types.
fn ids(side: usize, kinds: u8) -> Vec<u8> {
    let mut field = land(side);
    let smooth = AnyFilter::Gaussian(Gaussian { sigma: 3.0, ..Gaussian::default() });
    smooth.apply(&mut field, 0, &Work::new()).unwrap();
    let (low, high) = field.range();
    let kind = |height: f32| ((height - low) / (high - low) * f32::from(kinds)) as u8;
    field.heights().iter().map(|&height| kind(height).min(kinds - 1)).collect()
}

/// One thread, and all of them.
fn pools() -> [(&'static str, ThreadPool); 2] {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    [("one thread", pool(1)), ("all threads", pool(0))]
}

fn few_samples<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group
}

fn copy(group: &mut BenchmarkGroup<'_, WallTime>, field: &Heightfield) {
    let mut copy = field.clone();
    group.bench_function("copy", |bencher| {
        bencher.iter(|| black_box(&mut copy).heights_mut().copy_from_slice(black_box(field).heights()));
    });
}

fn filters(criterion: &mut Criterion) {
    let border = Border::Clamp;
    let mut all = vec![
        ("gaussian 25", AnyFilter::Gaussian(Gaussian { sigma: 4.0, size: 25, border })),
        ("binomial 25", AnyFilter::Binomial(Binomial { row: 24, border })),
        ("low-pass", AnyFilter::LowPass(LowPass::default())),
        ("curve", AnyFilter::Curve(Curve::default())),
    ];
    for (name, size) in [("mean 3", 3), ("mean 25", 25), ("mean 255", 255), ("mean 1023", 1023)] {
        all.push((name, AnyFilter::Mean(Mean { size, border })));
    }
    for side in [1024, 4096] {
        let land = land(side);
        for (threads, pool) in pools() {
            let mut group = few_samples(criterion, &format!("filter {side}², {threads}"));
            copy(&mut group, &land);
            for (name, filter) in &all {
                group.bench_function(*name, |bencher| {
                    bencher.iter_batched_ref(
                        || land.clone(),
                        |field| pool.install(|| filter.apply(field, 0, &Work::new())),
                        BatchSize::PerIteration,
                    );
                });
            }
        }
    }
}

fn resizers(criterion: &mut Criterion) {
    type Resizer = fn(&Heightfield, Grid, &Work) -> upland::Result<Heightfield>;
    let all: [(&str, Resizer); 5] = [
        ("duplicate", duplicate),
        ("bilinear", bilinear),
        ("catmull-rom", catmull_rom),
        ("bspline", |field, grid, work| bspline(field, grid, Spline::default(), work)),
        ("bspline through", |field, grid, work| {
            bspline(field, grid, Spline { through_points: true, ..Spline::default() }, work)
        }),
    ];
    let (small, large) = (land(512), land(4096));
    for (threads, pool) in pools() {
        let mut group = few_samples(criterion, &format!("resize 512² to 4096², {threads}"));
        copy(&mut group, &large);
        group.bench_function("clone", |bencher| bencher.iter_with_large_drop(|| black_box(&large).clone()));
        for (name, resize) in all {
            group.bench_function(name, |bencher| {
                bencher.iter_with_large_drop(|| pool.install(|| resize(&small, large.grid(), &Work::new())));
            });
        }
    }
}

fn majorities(criterion: &mut Criterion) {
    let side = 2048;
    for (threads, pool) in pools() {
        let mut group = few_samples(criterion, &format!("majority {side}², {threads}"));
        group.throughput(criterion::Throughput::Elements((side * side) as u64));
        for kinds in [5, 16, 40] {
            let ids = ids(side, kinds);
            for size in [9, 31] {
                group.bench_function(format!("{kinds} types, {size}"), |bencher| {
                    bencher.iter_with_large_drop(|| {
                        pool.install(|| majority(&ids, side, side, size, Border::Clamp, &Work::new()))
                    });
                });
            }
        }
    }
}

criterion_group!(benches, filters, resizers, majorities);
criterion_main!(benches);
