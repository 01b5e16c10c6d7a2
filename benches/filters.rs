//! How fast land is filtered and resized, each beside a yardstick of the same run.
//!
//! `cargo bench --no-default-features --bench filters -- --ratios` takes turns between the two and
//! prints the medians and their ratio. Without `--ratios` criterion measures each alone. A word after
//! it chooses the contests that contain it, such as `-- --ratios "mean"`.

mod contest;

use std::sync::Arc;

use contest::{Contest, Timed, timed};
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland::filter::{AnyFilter, Binomial, Border, Curve, Gaussian, LowPass, Mean, majority};
use upland::resize::{Spline, bilinear, bspline, catmull_rom, duplicate};
use upland::{Grid, Heightfield, Work};

type Resizer = fn(&Heightfield, Grid, &Work) -> upland::Result<Heightfield>;

const BORDER: Border = Border::Clamp;

fn main() {
    contest::run(filters().chain(resizers()).chain(majorities()));
}

/// Every filter of note: its name, what it may cost in copies at 4096², itself.
fn all_filters() -> Vec<(String, &'static str, AnyFilter)> {
    let gaussian = AnyFilter::Gaussian(Gaussian { sigma: 4.0, size: 25, border: BORDER });
    let binomial = AnyFilter::Binomial(Binomial { row: 24, border: BORDER });
    let mut all = vec![
        ("Gaussian 25".into(), "aim: 15 at 4096²", gaussian),
        ("binomial 25".into(), "aim: 15 at 4096²", binomial),
        ("low-pass".into(), "", AnyFilter::LowPass(LowPass::default())),
        ("curve".into(), "", AnyFilter::Curve(Curve::default())),
    ];
    let means = [3, 25, 255, 1023].map(|size| {
        (format!("mean {size}"), "aim: 6 at 4096²", AnyFilter::Mean(Mean { size, border: BORDER }))
    });
    all.extend(means);
    all
}

fn filters() -> impl Iterator<Item = Contest> {
    [1024, 4096].into_iter().flat_map(|side| {
        let source = Arc::new(land(side));
        all_filters().into_iter().flat_map(move |(name, aim, filter)| {
            let against_copy = Contest {
                name: format!("{name} {side}², copy"),
                aim,
                yardstick: copy(&source),
                ours: filtering(one_thread(), &filter, &source),
                samples: side * side,
            };
            let one = filtering(one_thread(), &filter, &source);
            let all = filtering(all_threads(), &filter, &source);
            [against_copy, threads(&format!("{name} {side}²"), side * side, one, all)]
        })
    })
}

fn resizers() -> impl Iterator<Item = Contest> {
    const ALL: [(&str, &str, Resizer); 5] = [
        ("duplicate", "", duplicate),
        ("bilinear", "", bilinear),
        ("Catmull-Rom", "", catmull_rom),
        ("B-spline", "aim: 5 at 4096²", |field, grid, work| bspline(field, grid, Spline::default(), work)),
        ("B-spline through", "", |field, grid, work| {
            bspline(field, grid, Spline { through_points: true, ..Spline::default() }, work)
        }),
    ];
    [1024, 4096].into_iter().flat_map(|side| {
        let (small, large) = (Arc::new(land(side / 8)), Arc::new(land(side)));
        ALL.into_iter().flat_map(move |(name, aim, resizer)| {
            let name = format!("{name} {}² to {side}²", side / 8);
            let resizing = |pool| resizing(pool, resizer, &small, large.grid());
            let against = |yardstick: &str, copy| Contest {
                name: format!("{name}, {yardstick}"),
                aim,
                yardstick: copy,
                ours: resizing(one_thread()),
                samples: side * side,
            };
            [
                against("copy", copy(&large)),
                against("copy into fresh memory", fresh_copy(&large)),
                threads(&name, side * side, resizing(one_thread()), resizing(all_threads())),
            ]
        })
    })
}

fn majorities() -> impl Iterator<Item = Contest> {
    [1024, 2048, 4096].into_iter().flat_map(|side| {
        [5, 8, 16, 30, 60].into_iter().flat_map(move |kinds| {
            let ids = Arc::new(ids(side, kinds));
            let voting = |pool: ThreadPool, size| -> Timed {
                let ids = ids.clone();
                Box::new(move || {
                    timed(|| pool.install(|| majority(&ids, side, side, size, BORDER, &Work::new())))
                })
            };
            let name = format!("majority {side}², {kinds} types");
            [
                Contest {
                    name: format!("{name}, N = 31, N = 9"),
                    aim: "aim: 3, the yardstick in 10 ns a sample",
                    yardstick: voting(one_thread(), 9),
                    ours: voting(one_thread(), 31),
                    samples: side * side,
                },
                threads(&name, side * side, voting(one_thread(), 9), voting(all_threads(), 9)),
            ]
        })
    })
}

/// Land with no two equal heights side by side.
fn land(side: usize) -> Heightfield {
    let grid = Grid::new(side, side, 1.0).expect("a size that is supported");
    Heightfield::from_fn(grid, |column, row| {
        let bits = (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77);
        (bits.wrapping_mul(0x2C1B_3C6D) >> 16) as f32 / 64.0
    })
}

/// Blobs of `kinds` terrain types.
fn ids(side: usize, kinds: u8) -> Vec<u8> {
    let mut field = land(side);
    let smooth = AnyFilter::Gaussian(Gaussian { sigma: 3.0, ..Gaussian::default() });
    smooth.apply(&mut field, 0, &Work::new()).expect("smooth land");
    let (low, high) = field.range();
    let kind = |height: f32| ((height - low) / (high - low) * f32::from(kinds)) as u8;
    field.heights().iter().map(|&height| kind(height).min(kinds - 1)).collect()
}

fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}

fn all_threads() -> ThreadPool {
    ThreadPoolBuilder::new().build().expect("threads")
}

/// All threads against one.
fn threads(name: &str, samples: usize, one: Timed, all: Timed) -> Contest {
    let count = all_threads().current_num_threads();
    Contest {
        name: format!("{name} on {count} threads, one"),
        aim: "aim: 0.85 times as fast as there are cores",
        yardstick: one,
        ours: all,
        samples,
    }
}

/// A plain copy into memory that is there already.
fn copy(field: &Arc<Heightfield>) -> Timed {
    let (field, mut copy) = (field.clone(), Heightfield::clone(field));
    Box::new(move || timed(|| copy.heights_mut().copy_from_slice(field.heights())))
}

/// A plain copy into memory that the system has to hand out first, as it has for a new field.
fn fresh_copy(field: &Arc<Heightfield>) -> Timed {
    let field = field.clone();
    Box::new(move || timed(|| Heightfield::clone(&field)))
}

/// `filter` in `pool` on a copy of `source`, made anew each time.
fn filtering(pool: ThreadPool, filter: &AnyFilter, source: &Arc<Heightfield>) -> Timed {
    let (filter, source, mut field) = (filter.clone(), source.clone(), Heightfield::clone(source));
    Box::new(move || {
        field.heights_mut().copy_from_slice(source.heights());
        timed(|| pool.install(|| filter.apply(&mut field, 0, &Work::new())))
    })
}

/// `resizer` in `pool` from `source` to the samples of `grid`.
fn resizing(pool: ThreadPool, resizer: Resizer, source: &Arc<Heightfield>, grid: Grid) -> Timed {
    let source = source.clone();
    Box::new(move || timed(|| pool.install(|| resizer(&source, grid, &Work::new()))))
}
