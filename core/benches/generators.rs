//! How fast land is made, each generator beside a yardstick of the same run.
//!
//! `cargo bench -p upland_core --bench generators -- --ratios` takes turns between the two and
//! prints the medians and their ratio. Without `--ratios` criterion measures each alone. A word after it
//! chooses the contests that contain it.

mod contest;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use contest::{Clock, Contest, Timed, on_processor, timed, wall};
use noise::{MultiFractal, NoiseFn};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::drainage::{Drainage, DrainageRules};
use upland_core::generate::{
    Deposition, DiamondSquare, Fault, FaultProfile, Fbm, Generate, Heterogeneous, Hybrid, Multifractal,
    Ridged, Turbulence,
};
use upland_core::grid::Window;
use upland_core::params::{Params, Value};
use upland_core::steps::Ground;
use upland_core::{Cache, Grid, Heightfield, Preset, Recipe, Step, Work};

fn main() {
    contest::run(contests().into_iter());
}

fn contests() -> Vec<Contest> {
    let mut contests = Vec::new();
    for side in [1024, 4096] {
        let octaves = 8.0;
        contests.extend([
            fractal("fbm", side, Fbm { octaves, ..Default::default() }),
            fractal("turbulence", side, Turbulence { octaves, ..Default::default() }),
            fractal("ridged", side, Ridged { octaves, ..Default::default() }),
            fractal("hybrid", side, Hybrid { octaves, ..Default::default() }),
            fractal("heterogeneous", side, Heterogeneous { octaves, ..Default::default() }),
            fractal("multifractal", side, Multifractal { octaves, ..Default::default() }),
            all_threads("fbm", side, Fbm { octaves, ..Default::default() }),
            all_threads("diamond-square", side + 1, DiamondSquare::default()),
        ]);
    }
    let grid = square(2049);
    let step = Fault { faults: 1000, ..Fault::default() };
    let sine = Fault { profile: FaultProfile::Sine, ..step.clone() };
    let cosine = Fault { profile: FaultProfile::Cosine, ..step.clone() };
    contests.extend([
        diamond_square(4097),
        faults("step", grid, "aim: 100 times as fast", step),
        faults("sine", grid, "aim: 10 times as fast", sine),
        faults("cosine", grid, "aim: 10 times as fast", cosine),
        deposition(),
        remembering("remembered", Cache::default),
        remembering("remembered in a full cache", || Cache::new(8 * 4 * 1025 * 1025)),
        muting(),
        unwatched_frames(),
        windows(0),
        windows(3),
        windows(-6),
        windows_on_two_threads(),
        on_land("river", 2049),
        on_land("lakes", 2049),
        on_land("streams", 2049),
        on_land("erode", 1025),
        on_two_threads("erode", 1025, ""),
        on_two_threads("erode", 2049, "aim: 1.6 times as fast"),
        sediment(1025),
        sediment(4097),
        in_beds(1025),
        drainage(1),
        drainage(2),
    ]);
    contests
}

fn square(side: usize) -> Grid {
    Grid::new(side, side, 1.0).expect("a size that is supported")
}

fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}

/// `generator` over `grid` in `pool`.
fn make(pool: ThreadPool, generator: impl Generate + 'static, grid: Grid) -> Timed {
    Box::new(move |clock| {
        pool.install(|| timed(clock, || generator.generate(grid, 1, &Work::new()).expect("land")))
    })
}

/// A yardstick that does one part in `parts` of the work.
fn one_in(parts: f64, mut work: impl FnMut() -> Vec<f32> + 'static) -> Timed {
    Box::new(move |clock| timed(clock, &mut work).mul_f64(parts))
}

/// A plain copy of a field into one of its own.
fn copy(field: Heightfield) -> Timed {
    Box::new(move |clock| timed(clock, || field.heights().to_vec()))
}

/// Eight octaves on one thread against the `noise` crate's fBm on every sixteenth row.
fn fractal(name: &str, side: usize, generator: impl Generate + 'static) -> Contest {
    const EVERY: usize = 16;
    let theirs = noise::Fbm::<noise::Perlin>::new(1).set_octaves(8).set_frequency(4.0);
    let yardstick = move || {
        let mut heights = vec![0.0; side * side / EVERY];
        for (index, row) in heights.chunks_mut(side).enumerate() {
            let z = (index * EVERY) as f64 / (side - 1) as f64;
            for (column, height) in row.iter_mut().enumerate() {
                *height = theirs.get([column as f64 / (side - 1) as f64, z]) as f32;
            }
        }
        heights
    };
    Contest {
        name: format!("{name} {side}², noise crate's fBm"),
        aim: "aim: 40 times as fast",
        prepare: Box::new(move || {
            [one_in(EVERY as f64, yardstick), make(one_thread(), generator, square(side))]
        }),
        clock: on_processor,
        samples: side * side,
    }
}

fn all_threads(name: &str, side: usize, generator: impl Generate + Clone + 'static) -> Contest {
    let all = ThreadPoolBuilder::new().build().expect("threads");
    Contest {
        name: format!("{name} {side}², {} threads, one", all.current_num_threads()),
        aim: "aim: 0.85 times as fast as there are cores",
        prepare: Box::new(move || {
            [make(one_thread(), generator.clone(), square(side)), make(all, generator, square(side))]
        }),
        clock: wall,
        samples: side * side,
    }
}

fn diamond_square(side: usize) -> Contest {
    Contest {
        name: format!("diamond-square {side}², copy"),
        aim: "aim: 12 yardsticks",
        prepare: Box::new(move || {
            let field = Heightfield::from_fn(square(side), |column, row| (column ^ row) as f32);
            [copy(field), make(one_thread(), DiamondSquare::default(), square(side))]
        }),
        clock: on_processor,
        samples: side * side,
    }
}

/// Against the direct loop over faults and samples, done for every 64th row. Its rows are plain sums over
/// neighbouring numbers, without a branch or a call.
fn faults(name: &str, grid: Grid, aim: &'static str, fault: Fault) -> Contest {
    const EVERY: usize = 64;
    let (profile, width) = (fault.profile, fault.width);
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut unit = move || (random.next_u64() >> 40) as f32 / (1 << 24) as f32;
    let lines: Vec<[f32; 4]> = (0..fault.faults)
        .map(|_| {
            let angle = unit() * std::f32::consts::TAU;
            [angle.cos(), angle.sin(), unit() * 1.4 - 0.7, 80.0 * unit()]
        })
        .collect();
    let place = move |index: usize| index as f32 / (grid.longer() - 1) as f32;
    let x: Vec<f32> = (0..grid.width).map(place).collect();
    let yardstick = move || {
        let mut heights = vec![0.0; grid.width * grid.depth.div_ceil(EVERY)];
        for (index, row) in heights.chunks_mut(grid.width).enumerate() {
            for &[x_part, z_part, offset, d] in &lines {
                let rest = place(index * EVERY) * z_part - offset;
                let samples = row.iter_mut().zip(&x).map(|(height, x)| (height, x * x_part + rest));
                match profile {
                    FaultProfile::Step => samples.for_each(|(height, t)| *height += d.copysign(t)),
                    FaultProfile::Sine => samples.for_each(|(height, t)| *height += d * sine(t / width)),
                    FaultProfile::Cosine => samples.for_each(|(height, t)| {
                        let sine = sine(t / width);
                        *height += d * (1.0 - sine * sine);
                    }),
                }
            }
        }
        heights
    };
    Contest {
        name: format!("1000 {name} faults {}², direct loop", grid.width),
        aim,
        prepare: Box::new(move || {
            let parts = grid.depth as f64 / grid.depth.div_ceil(EVERY) as f64;
            [one_in(parts, yardstick), make(one_thread(), fault, grid)]
        }),
        clock: on_processor,
        samples: grid.count(),
    }
}

/// sin(πt/2) for t in [−1, 1], its ends outside, by its series.
fn sine(t: f32) -> f32 {
    let turn = t.clamp(-1.0, 1.0) * std::f32::consts::FRAC_PI_2;
    let square = turn * turn;
    let series = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    turn * series.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient)
}

/// A step over existing land, against a plain copy of it.
fn on_land(name: &str, side: usize) -> Contest {
    let grid = Grid::new(side, side, 20_000.0 / side as f32).expect("a size that is supported");
    let land = Fbm::default().generate(grid, 1, &Work::new()).expect("land");
    let step = Step::from_name(name).expect("a step that there is");
    Contest {
        name: format!("{name} {side}², copy"),
        aim: "",
        prepare: Box::new(move || {
            let (field, pool) = (land.clone(), one_thread());
            let ours = move |clock: Clock| {
                let mut land = ground_of_its_own(&land);
                pool.install(|| timed(clock, || step.apply(&mut land, 1, &Work::new()).expect("land")))
            };
            [copy(field), Box::new(ours)]
        }),
        clock: on_processor,
        samples: grid.count(),
    }
}

/// Ground with its own heights, so that changing it needs no copy.
fn ground_of_its_own(field: &Heightfield) -> Ground {
    Ground::new(Heightfield::new(field.grid(), field.heights().to_vec()).expect("heights"))
}

/// A change of the last of five steps, with everything before it cached, compared with that step alone. In a
/// full cache, the result gets the memory of an evicted one; otherwise the system has to provide fresh
/// memory, which takes as long as a sixth of the step.
fn remembering(kept: &str, cache: impl Fn() -> Cache + 'static) -> Contest {
    let recipe = || Preset::find("high-range").expect("a preset").recipe().expect("a recipe");
    let last = recipe().steps.len() - 1;
    let before = {
        let mut recipe = recipe();
        recipe.steps.truncate(last);
        recipe.build_heightfield(&Work::new()).expect("land")
    };
    let change = move |recipe: &mut Recipe, times: u32| recipe.steps[last].mixing.variant = times;
    Contest {
        name: format!("high-range's last step of five, {kept}; alone"),
        aim: "aim: 1.1 times",
        prepare: Box::new(move || {
            let (mut alone, pool) = (recipe(), one_thread());
            let (before, mut times) = (before.clone(), 0);
            let yardstick = move |clock: Clock| {
                times += 1;
                change(&mut alone, times);
                let mut ground = ground_of_its_own(&before);
                let step = &alone.steps[last];
                pool.install(|| {
                    timed(clock, || step.apply(&mut ground, alone.seed, &Work::new()).expect("land"))
                })
            };
            let (mut changed, pool, cache) = (recipe(), one_thread(), cache());
            let mut times = 0;
            changed.build_ground_with(&cache, &Work::new()).expect("land");
            let ours = move |clock: Clock| {
                times += 1;
                change(&mut changed, times);
                pool.install(|| {
                    timed(clock, || changed.build_ground_with(&cache, &Work::new()).expect("land"))
                })
            };
            [Box::new(yardstick), Box::new(ours)]
        }),
        clock: on_processor,
        samples: 1025 * 1025,
    }
}

/// Muting and unmuting the last of five steps, with everything cached, compared with a copy of the land.
fn muting() -> Contest {
    let mut recipe = Preset::find("high-range").expect("a preset").recipe().expect("a recipe");
    Contest {
        name: "high-range's last step muted or not, copy".into(),
        aim: "aim: 5 ms",
        prepare: Box::new(move || {
            let cache = Cache::default();
            let land = recipe.build_ground_with(&cache, &Work::new()).expect("land").0;
            let mute = move |recipe: &mut Recipe| {
                let on = &mut recipe.steps.last_mut().expect("a step").mixing.on;
                *on = !*on;
            };
            let ours = move |clock: Clock| {
                mute(&mut recipe);
                timed(clock, || recipe.build_ground_with(&cache, &Work::new()).expect("land"))
            };
            [copy(land), Box::new(ours)]
        }),
        clock: wall,
        samples: 1025 * 1025,
    }
}

/// The frames of an fBm of nine octaves without an observer, compared with making the smallest useful land.
fn unwatched_frames() -> Contest {
    Contest {
        name: "nine frames that nobody watches, fBm 257²".into(),
        aim: "aim: 0.005 times",
        prepare: Box::new(|| {
            let fbm = Fbm { octaves: 9.0, ..Fbm::default() };
            let field = fbm.generate(square(257), 1, &Work::new()).expect("land");
            const TIMES: u32 = 10_000;
            let frames = move |clock: Clock| {
                let work = Work::new();
                let nine = || (1..=9).try_for_each(|octave| work.frame("octave", octave, 9, || Ok(&field)));
                timed(clock, || (0..TIMES).try_for_each(|_| std::hint::black_box(nine()))) / TIMES
            };
            [make(one_thread(), fbm, square(257)), Box::new(frames)]
        }),
        clock: on_processor,
        samples: 257 * 257,
    }
}

/// Land of nine octaves, and 16 windows of 257² of it beside each other.
fn windowed(level: i32) -> (Recipe, Vec<Window>) {
    let mut recipe = Recipe::new("Land", (4096, 4096), 10.0);
    recipe.unit = (level != 0).then_some(40_950.0);
    recipe.steps.push(Step::new(Fbm { octaves: 9.0, ..Fbm::default() }));
    let window = |number: i64| Window { level, first: [number % 4 * 256, number / 4 * 256], size: [257; 2] };
    (recipe, (0..16).map(window).collect())
}

/// 16 windows against all of the land at level 0, by the sample.
fn windows(level: i32) -> Contest {
    let (recipe, windows) = windowed(level);
    let samples = 16 * 257 * 257;
    let share = f64::from(samples) / (4096.0 * 4096.0);
    Contest {
        name: format!("windows of 257² at level {level}, all of 4096²"),
        aim: "aim: 1.5 times",
        prepare: Box::new(move || {
            let fbm = Fbm { octaves: 9.0, ..Fbm::default() };
            let mut whole = make(one_thread(), fbm, square(4096));
            let pool = one_thread();
            let ours = move |clock: Clock| {
                let cache = Cache::default();
                let one = |window: &Window| recipe.build_window(*window, &cache, &Work::new()).expect("land");
                pool.install(|| timed(clock, || windows.iter().map(one).collect::<Vec<Ground>>()))
            };
            [Box::new(move |clock| whole(clock).mul_f64(share)), Box::new(ours)]
        }),
        clock: on_processor,
        samples: samples as usize,
    }
}

/// The same windows on two threads against one.
fn windows_on_two_threads() -> Contest {
    Contest {
        name: "16 windows of 257², 2 threads, one".into(),
        aim: "aim: 1.7 times as fast",
        prepare: Box::new(|| {
            [1, 2].map(|threads| -> Timed {
                let (recipe, windows) = windowed(0);
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                Box::new(move |clock| {
                    let cache = Cache::default();
                    let one =
                        |window: &Window| recipe.build_window(*window, &cache, &Work::new()).expect("land");
                    pool.install(|| timed(clock, || windows.par_iter().map(one).collect::<Vec<Ground>>()))
                })
            })
        }),
        clock: wall,
        samples: 16 * 257 * 257,
    }
}

/// A step over existing land, on two threads against one.
fn on_two_threads(name: &str, side: usize, aim: &'static str) -> Contest {
    let grid = Grid::new(side, side, 20_000.0 / side as f32).expect("a size that is supported");
    let land = Fbm::default().generate(grid, 1, &Work::new()).expect("land");
    let step = Step::from_name(name).expect("a step that there is");
    Contest {
        name: format!("{name} {side}², 2 threads, one"),
        aim,
        prepare: Box::new(move || {
            [1, 2].map(|threads| -> Timed {
                let (land, step) = (land.clone(), step.clone());
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                Box::new(move |clock| {
                    let mut land = ground_of_its_own(&land);
                    pool.install(|| timed(clock, || step.apply(&mut land, 1, &Work::new()).expect("land")))
                })
            })
        }),
        clock: wall,
        samples: grid.count(),
    }
}

/// Erosion by rivers that drop sediment, compared with erosion without.
fn sediment(side: usize) -> Contest {
    let grid = Grid::new(side, side, 20_000.0 / side as f32).expect("a size that is supported");
    let land = Fbm::default().generate(grid, 1, &Work::new()).expect("land");
    Contest {
        name: format!("erode {side}² with sediment, without"),
        aim: "aim: at most 1.6 times the time",
        prepare: Box::new(move || {
            [0.0, 1.0].map(|sediment| -> Timed {
                let (land, pool) = (land.clone(), one_thread());
                let mut step = Step::from_name("erode").expect("a step that there is");
                step.visit(&mut |param, value| {
                    if let (Value::Float(number), "sediment") = (value, param.name) {
                        *number = sediment;
                    }
                });
                Box::new(move |clock| {
                    let mut land = ground_of_its_own(&land);
                    pool.install(|| timed(clock, || step.apply(&mut land, 1, &Work::new()).expect("land")))
                })
            })
        }),
        clock: on_processor,
        samples: grid.count(),
    }
}

/// Erosion through beds of rock, compared with erosion of one rock.
fn in_beds(side: usize) -> Contest {
    let grid = Grid::new(side, side, 20_000.0 / side as f32).expect("a size that is supported");
    let land = Fbm::default().generate(grid, 1, &Work::new()).expect("land");
    Contest {
        name: format!("erode {side}² in beds, without"),
        aim: "",
        prepare: Box::new(move || {
            [false, true].map(|has_beds| -> Timed {
                let (land, pool) = (land.clone(), one_thread());
                let step = |name| Step::from_name(name).expect("a step that there is");
                let (strata, erode) = (step("strata"), step("erode"));
                Box::new(move |clock| {
                    let mut land = ground_of_its_own(&land);
                    if has_beds {
                        strata.apply(&mut land, 1, &Work::new()).expect("beds");
                    }
                    pool.install(|| timed(clock, || erode.apply(&mut land, 1, &Work::new()).expect("land")))
                })
            })
        }),
        clock: on_processor,
        samples: grid.count(),
    }
}

/// The drainage of a land with hollows: on one thread against a plain priority flood, on two against one.
fn drainage(threads: usize) -> Contest {
    let grid = Grid::new(4097, 4097, 10.0).expect("a size that is supported");
    let land = Fbm { octaves: 12.0, ..Fbm::default() }.generate(grid, 1, &Work::new()).expect("land");
    let of = |threads: usize, land: &Heightfield| -> Timed {
        let (land, rules) = (land.clone(), DrainageRules::default());
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Box::new(move |clock| {
            pool.install(|| timed(clock, || Drainage::of(&land, &rules, &Work::new()).expect("drainage")))
        })
    };
    let (yardstick, aim, clock) = match threads {
        1 => ("plain flood", "aim: 2 floods", on_processor as Clock),
        _ => ("one", "aim: 1.6 times as fast", wall as Clock),
    };
    Contest {
        name: format!("drainage 4097², {threads} threads, {yardstick}"),
        aim,
        prepare: Box::new(move || {
            let ours = of(threads, &land);
            if threads > 1 {
                return [of(1, &land), ours];
            }
            let land = land.clone();
            [Box::new(move |clock| timed(clock, || plain_flood(&land))), ours]
        }),
        clock,
        samples: grid.count(),
    }
}

/// The levels to which water rises, sample by sample: the priority flood of Barnes, Lehman and Mulla (2014).
fn plain_flood(land: &Heightfield) -> Vec<f32> {
    let Grid { width, depth, .. } = land.grid();
    // All heights are positive, so that their bits have their order.
    let key = |height: f32, sample: usize| Reverse(u64::from(height.to_bits()) << 32 | sample as u64);
    let mut levels = vec![f32::NAN; width * depth];
    let mut waiting = BinaryHeap::new();
    for (sample, &height) in land.heights().iter().enumerate() {
        let (column, row) = (sample % width, sample / width);
        if column == 0 || row == 0 || column + 1 == width || row + 1 == depth {
            levels[sample] = height;
            waiting.push(key(height, sample));
        }
    }
    while let Some(Reverse(first)) = waiting.pop() {
        let here = first as u32 as usize;
        let (column, row) = (here % width, here / width);
        for row in row.saturating_sub(1)..(row + 2).min(depth) {
            for there in row * width + column.saturating_sub(1)..row * width + (column + 2).min(width) {
                if levels[there].is_nan() {
                    levels[there] = land.heights()[there].max(levels[here]);
                    waiting.push(key(levels[there], there));
                }
            }
        }
    }
    levels
}

/// Against drawing as many random numbers and touching as many cells.
fn deposition() -> Contest {
    let generator = Deposition { series: 10, drops: 100_000, detail: 513, ..Deposition::default() };
    let yardstick = || {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut cells = vec![0u32; 513 * 513];
        for _ in 0..1_000_000 {
            let index = ((u128::from(random.next_u64()) * cells.len() as u128) >> 64) as usize;
            cells[index] += 1;
        }
        cells
    };
    Contest {
        name: "deposition of 10⁶, drawing and touching".into(),
        aim: "aim: 20 yardsticks",
        prepare: Box::new(move || {
            [Box::new(move |clock| timed(clock, yardstick)), make(one_thread(), generator, square(513))]
        }),
        clock: on_processor,
        samples: 1_000_000,
    }
}
