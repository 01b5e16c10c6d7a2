//! How fast land is filtered and resized, each beside a yardstick of the same run.
//!
//! `cargo bench -p upland_core --bench filters -- --ratios` takes turns between the two and prints the
//! medians and their ratio. On one thread it measures processor time, so that a busy machine matters little;
//! with several threads it measures wall-clock time, which needs a quiet machine. Without `--ratios`
//! criterion measures each alone. A word after it chooses the contests that contain it, such as `-- --ratios
//! mean`.

mod contest;

use std::time::Duration;

use contest::{Clock, Contest, Timed, on_processor, timed, wall};
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::filter::{
    Binomial, Border, Coast, Curve, Dunes, Gaussian, Glacier, Gullies, LowPass, Mean, Snow, Talus, majority,
};
use upland_core::generate::{Fbm, Generate};
use upland_core::resize::{Spline, bilinear, bspline, bspline_into, catmull_rom, duplicate};
use upland_core::steps::{Ground, Operation};
use upland_core::{Grid, Heightfield, Work};

type Resizer = fn(&Heightfield, Grid, &Work) -> upland_core::Result<Heightfield>;

const BORDER: Border = Border::Clamp;

fn main() {
    contest::run(
        filters()
            .chain(gullies())
            .chain(loose())
            .chain(dunes())
            .chain(coasts())
            .chain(glaciers())
            .chain(resizers())
            .chain(splines_into())
            .chain(majorities()),
    );
}

type AnyFilter = Box<dyn Operation>;

/// The filters to measure: name, permitted cost in copies at 4096², and the filter itself.
fn all_filters() -> Vec<(String, &'static str, AnyFilter)> {
    let gaussian = AnyFilter::from(Gaussian { sigma: 4.0, size: 25, border: BORDER });
    let binomial = AnyFilter::from(Binomial { row: 24, border: BORDER });
    let mut all = vec![
        ("Gaussian 25".into(), "aim: 15 at 4096²", gaussian),
        ("binomial 25".into(), "aim: 15 at 4096²", binomial),
        ("low-pass".into(), "", AnyFilter::from(LowPass::default())),
        ("curve".into(), "", AnyFilter::from(Curve::default())),
    ];
    let means = [3, 25, 255, 1023].map(|size| {
        (format!("mean {size}"), "aim: 6 at 4096²", AnyFilter::from(Mean { size, border: BORDER }))
    });
    all.extend(means);
    all
}

fn filters() -> impl Iterator<Item = Contest> {
    [1024, 4096].into_iter().flat_map(|side| {
        all_filters().into_iter().flat_map(move |(name, aim, filter)| {
            let name = format!("{name} {side}²");
            let filtering = move |pool| filtering(pool, &filter, side);
            [
                Contest {
                    name: format!("{name}, copy"),
                    aim,
                    prepare: {
                        let filtering = filtering.clone();
                        Box::new(move || [copy(side), filtering(one_thread())])
                    },
                    clock: on_processor,
                    samples: side * side,
                },
                threads(&name, side * side, filtering),
            ]
        })
    })
}

/// Gullies against the noise that the land under them is made of.
fn gullies() -> impl Iterator<Item = Contest> {
    [1024, 4096].into_iter().flat_map(|side| {
        let filter = AnyFilter::from(Gullies { size: 100.0, depth: 30.0, ..Gullies::default() });
        let name = format!("gullies {side}²");
        let filtering = move |pool| filtering(pool, &filter, side);
        [
            Contest {
                name: format!("{name}, fBm of nine octaves"),
                aim: "aim: 4",
                prepare: {
                    let filtering = filtering.clone();
                    Box::new(move || [noise(side), filtering(one_thread())])
                },
                clock: on_processor,
                samples: side * side,
            },
            threads(&name, side * side, filtering),
        ]
    })
}

/// Talus on mountains where debris slides nearly everywhere, and snow on them where much of it slides. Talus
/// slides until it rests: the larger the land, the longer for each sample. At 513² a run takes 16 s.
fn loose() -> impl Iterator<Item = Contest> {
    let all = [("talus", 129), ("talus", 257), ("snow", 513), ("snow", 1025)];
    all.into_iter().flat_map(|(name, side)| {
        let filter = match name {
            "talus" => AnyFilter::from(Talus { slope_min: 25.0, repose: 30.0, ..Talus::default() }),
            _ => AnyFilter::from(Snow { temperature: 2.0, ..Snow::default() }),
        };
        let name = format!("{name} {side}²");
        let sliding = move |pool| changing(pool, &filter, mountains(side));
        [
            Contest {
                name: format!("{name}, fBm of nine octaves"),
                aim: "",
                prepare: {
                    let sliding = sliding.clone();
                    Box::new(move || [noise(side), sliding(one_thread())])
                },
                clock: on_processor,
                samples: side * side,
            },
            threads(&name, side * side, sliding),
        ]
    })
}

/// Coasts of an archipelago.
fn coasts() -> impl Iterator<Item = Contest> {
    [513, 1025].into_iter().map(|side| {
        let filter = AnyFilter::from(Coast::default());
        threads(&format!("coast {side}²"), side * side, move |pool| changing(pool, &filter, mountains(side)))
    })
}

/// Glaciers that cover the upper half of the mountains.
fn glaciers() -> impl Iterator<Item = Contest> {
    [257, 513].into_iter().map(|side| {
        let filter = AnyFilter::from(Glacier { line: 0.0, ..Glacier::default() });
        let land = move || {
            let grid = Grid::new(side, side, 60.0).expect("a size that is supported");
            let noise = Fbm { height: 1500.0, ..Fbm::default() };
            noise.generate(grid, 3, &Work::new()).expect("land")
        };
        threads(&format!("glacier {side}²"), side * side, move |pool| changing(pool, &filter, land()))
    })
}

/// Dunes of 200 steps against the noise that the land under them is made of.
fn dunes() -> impl Iterator<Item = Contest> {
    let filter = AnyFilter::from(Dunes { steps: 200, ..Dunes::default() });
    let filtering = move |pool| filtering(pool, &filter, 1024);
    [
        Contest {
            name: "dunes 1024², fBm of nine octaves".into(),
            aim: "aim: 10 s",
            prepare: {
                let filtering = filtering.clone();
                Box::new(move || [noise(1024), filtering(one_thread())])
            },
            clock: on_processor,
            samples: 1024 * 1024,
        },
        threads("dunes 1024²", 1024 * 1024, filtering),
    ]
    .into_iter()
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
        ALL.into_iter().flat_map(move |(name, aim, resizer)| {
            let name = format!("{name} {}² to {side}²", side / 8);
            let resizing = move |pool| resizing(pool, resizer, side);
            let against = |yardstick: &str, copy: fn(usize) -> Timed| Contest {
                name: format!("{name}, {yardstick}"),
                aim,
                prepare: Box::new(move || [copy(side), resizing(one_thread())]),
                clock: on_processor,
                samples: side * side,
            };
            [
                against("copy", copy),
                against("copy into fresh memory", fresh_copy),
                threads(&name, side * side, resizing),
            ]
        })
    })
}

/// The B-spline into an existing field, like the copy, so that the system's clearing of memory isn't
/// measured.
fn splines_into() -> impl Iterator<Item = Contest> {
    [1024, 4096].into_iter().map(|side| Contest {
        name: format!("B-spline {}² into {side}² that are there, copy", side / 8),
        aim: "aim: 5 at 4096²",
        prepare: Box::new(move || {
            let (field, mut into) = (land(side / 8), land(side));
            let ours = on(one_thread(), move |clock| {
                timed(clock, || {
                    bspline_into(&field, &mut into, Spline::default(), &Work::new()).expect("land")
                })
            });
            [copy(side), ours]
        }),
        clock: on_processor,
        samples: side * side,
    })
}

fn majorities() -> impl Iterator<Item = Contest> {
    [1024, 2048, 4096].into_iter().flat_map(|side| {
        [5, 8, 16, 30, 60].into_iter().flat_map(move |kinds| {
            let name = format!("majority {side}², {kinds} types");
            [
                Contest {
                    name: format!("{name}, N = 31, N = 9"),
                    aim: "aim: 3, and 30 ns; N = 9 in 10 ns",
                    prepare: Box::new(move || [9, 31].map(|size| voting(one_thread(), side, kinds, size))),
                    clock: on_processor,
                    samples: side * side,
                },
                threads(&name, side * side, move |pool| voting(pool, side, kinds, 9)),
            ]
        })
    })
}

/// All threads against one.
fn threads(name: &str, samples: usize, work: impl Fn(ThreadPool) -> Timed + 'static) -> Contest {
    Contest {
        name: format!("{name} on {} threads, one", rayon::current_num_threads()),
        aim: "aim: 0.85 times as fast as there are cores",
        prepare: Box::new(move || [one_thread(), all_threads()].map(work)),
        clock: wall,
        samples,
    }
}

/// A plain copy into existing memory.
fn copy(side: usize) -> Timed {
    let (field, mut copy) = (land(side), land(side));
    on(one_thread(), move |clock| timed(clock, || copy.heights_mut().copy_from_slice(field.heights())))
}

/// A plain copy into memory that the system first has to provide, as for a new field.
fn fresh_copy(side: usize) -> Timed {
    let field = land(side);
    on(one_thread(), move |clock| timed(clock, || field.heights().to_vec()))
}

/// A field of noise.
fn noise(side: usize) -> Timed {
    let noise = AnyFilter::from(Fbm { octaves: 9.0, ..Fbm::default() });
    let mut ground = Ground::new(land(side));
    on(one_thread(), move |clock| timed(clock, || noise.apply(&mut ground, 0, &Work::new())))
}

/// `filter` on the same land each time.
fn filtering(pool: ThreadPool, filter: &AnyFilter, side: usize) -> Timed {
    changing(pool, filter, land(side))
}

/// As [`filtering`], on a given land.
fn changing(pool: ThreadPool, filter: &AnyFilter, source: Heightfield) -> Timed {
    let (filter, mut ground) = (filter.clone(), Ground::new(source.clone()));
    on(pool, move |clock| {
        ground.heights.heights_mut().copy_from_slice(source.heights());
        timed(clock, || filter.apply(&mut ground, 0, &Work::new()))
    })
}

/// `resizer` to `side` samples a side from an eighth of them.
fn resizing(pool: ThreadPool, resizer: Resizer, side: usize) -> Timed {
    let (source, grid) = (land(side / 8), square(side));
    on(pool, move |clock| timed(clock, || resizer(&source, grid, &Work::new())))
}

/// The majority filter with a window of `size`, over blobs of `kinds` terrain types.
fn voting(pool: ThreadPool, side: usize, kinds: u8, size: u32) -> Timed {
    let ids = ids(side, kinds);
    on(pool, move |clock| timed(clock, || majority(&ids, side, side, size, BORDER, &Work::new())))
}

/// `work` on the threads of `pool`.
fn on(pool: ThreadPool, mut work: impl FnMut(Clock) -> Duration + Send + 'static) -> Timed {
    Box::new(move |clock| pool.install(|| work(clock)))
}

/// Land with no two equal heights side by side.
fn land(side: usize) -> Heightfield {
    Heightfield::from_fn(square(side), |column, row| {
        let bits = (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77);
        (bits.wrapping_mul(0x2C1B_3C6D) >> 16) as f32 / 64.0
    })
}

/// Mountains of fBm.
fn mountains(side: usize) -> Heightfield {
    let grid = Grid::new(side, side, 8.0).expect("a size that is supported");
    let noise = Fbm { height: 1500.0, ..Fbm::default() };
    noise.generate(grid, 3, &Work::new()).expect("land")
}

fn square(side: usize) -> Grid {
    Grid::new(side, side, 1.0).expect("a size that is supported")
}

/// Blobs of `kinds` terrain types.
fn ids(side: usize, kinds: u8) -> Vec<u8> {
    let mut field = land(side);
    let smooth = Gaussian { sigma: 3.0, ..Gaussian::default() };
    smooth.apply_to(&mut field, 0, &Work::new()).expect("smooth land");
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
