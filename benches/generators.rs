//! How fast land is made, each generator beside a yardstick of the same run.
//!
//! `cargo bench --no-default-features --bench generators -- --ratios` takes turns between the two,
//! so that a busy machine disturbs both alike, and prints the medians and their ratio. Without
//! `--ratios` criterion measures each alone. A word after it chooses the contests that contain it.

use std::hint::black_box;
use std::time::Instant;

use criterion::Criterion;
use noise::{MultiFractal, NoiseFn};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::{ThreadPool, ThreadPoolBuilder};
use upland::generate::{
    Deposition, DiamondSquare, Fault, FaultProfile, Fbm, Generate, Heterogeneous, Hybrid, Multifractal,
    Ridged, Turbulence,
};
use upland::{Grid, Heightfield, Step, Work};

/// Two ways to spend time, and what is wanted of their ratio.
struct Contest {
    name: String,
    reach: &'static str,
    yardstick: Box<dyn FnMut()>,
    /// The yardstick does this share of the work; its time is divided by it.
    share: f64,
    ours: Box<dyn FnMut()>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    let wanted = |contest: &Contest| only.is_none_or(|only| contest.name.contains(only.as_str()));
    let contests = contests().into_iter().filter(wanted);
    if arguments.iter().any(|argument| argument == "--ratios") {
        contests.for_each(|contest| contest.print());
    } else {
        let mut criterion = Criterion::default().sample_size(10).configure_from_args();
        contests.for_each(|contest| contest.measure(&mut criterion));
        criterion.final_summary();
    }
}

impl Contest {
    /// Takes turns, and prints the medians.
    fn print(mut self) {
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..9 {
            theirs.push(seconds(&mut self.yardstick) / self.share);
            ours.push(seconds(&mut self.ours));
        }
        let (theirs, ours) = (median(theirs), median(ours));
        let (times, name) = (theirs / ours, &self.name);
        println!(
            "{name:<40} yardstick {:9.2} ms, ours {:9.2} ms: {times:8.2} times as fast, one takes {:6.2} yardsticks; reach {}",
            theirs * 1e3,
            ours * 1e3,
            ours / theirs,
            self.reach
        );
    }

    fn measure(mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        group.bench_function("yardstick", |bencher| bencher.iter(&mut self.yardstick));
        group.bench_function("ours", |bencher| bencher.iter(&mut self.ours));
        group.finish();
    }
}

fn seconds(work: &mut dyn FnMut()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
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
        faults("step", grid, "100 times as fast", step),
        faults("sine", grid, "10 times as fast", sine),
        faults("cosine", grid, "10 times as fast", cosine),
        deposition(),
        on_land("river", 2049),
        on_land("erode", 1025),
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
fn make(pool: ThreadPool, generator: impl Generate + Sync + 'static, grid: Grid) -> Box<dyn FnMut()> {
    Box::new(move || {
        black_box(pool.install(|| generator.generate(grid, 1, &Work::new()))).expect("land");
    })
}

/// Eight octaves on one thread against the `noise` crate's fBm on every sixteenth row.
fn fractal(name: &str, side: usize, generator: impl Generate + Sync + 'static) -> Contest {
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
        black_box(heights);
    };
    Contest {
        name: format!("{name} {side}², noise crate's fBm"),
        reach: "40 times as fast",
        yardstick: Box::new(yardstick),
        share: 1.0 / EVERY as f64,
        ours: make(one_thread(), generator, square(side)),
    }
}

fn all_threads(name: &str, side: usize, generator: impl Generate + Sync + Clone + 'static) -> Contest {
    let all = ThreadPoolBuilder::new().build().expect("threads");
    Contest {
        name: format!("{name} {side}², {} threads, one", all.current_num_threads()),
        reach: "0.85 times as fast as there are cores",
        yardstick: make(one_thread(), generator.clone(), square(side)),
        share: 1.0,
        ours: make(all, generator, square(side)),
    }
}

/// Against a plain copy into a field of its own.
fn diamond_square(side: usize) -> Contest {
    let field = Heightfield::from_fn(square(side), |column, row| (column ^ row) as f32);
    Contest {
        name: format!("diamond-square {side}², copy"),
        reach: "12 yardsticks",
        yardstick: Box::new(move || drop(black_box(field.heights().to_vec()))),
        share: 1.0,
        ours: make(one_thread(), DiamondSquare::default(), square(side)),
    }
}

/// Against the direct loop over faults and samples, done for every 64th row. Its rows are plain sums over
/// neighbouring numbers, without a branch or a call.
fn faults(name: &str, grid: Grid, reach: &'static str, fault: Fault) -> Contest {
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
        black_box(heights);
    };
    Contest {
        name: format!("1000 {name} faults {}², direct loop", grid.width),
        reach,
        yardstick: Box::new(yardstick),
        share: grid.depth.div_ceil(EVERY) as f64 / grid.depth as f64,
        ours: make(one_thread(), fault, grid),
    }
}

/// sin(πt/2) for t in [−1, 1], its ends outside, by its series.
fn sine(t: f32) -> f32 {
    let turn = t.clamp(-1.0, 1.0) * std::f32::consts::FRAC_PI_2;
    let square = turn * turn;
    let series = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    turn * series.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient)
}

/// A step over land that is there, against a plain copy of it.
fn on_land(name: &str, side: usize) -> Contest {
    let grid = Grid::new(side, side, 20_000.0 / side as f32).expect("a size that is supported");
    let land = Fbm::default().generate(grid, 1, &Work::new()).expect("land");
    let (field, pool) = (land.clone(), one_thread());
    let step = Step::from_name(name).expect("a step that there is");
    Contest {
        name: format!("{name} {side}², copy"),
        reach: "nothing in particular",
        yardstick: Box::new(move || drop(black_box(field.heights().to_vec()))),
        share: 1.0,
        ours: Box::new(move || {
            let mut land = land.clone();
            pool.install(|| step.apply(&mut land, 1, &Work::new())).expect("land");
            black_box(land);
        }),
    }
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
        black_box(cells);
    };
    Contest {
        name: "deposition of 10⁶, drawing and touching".into(),
        reach: "20 yardsticks",
        yardstick: Box::new(yardstick),
        share: 1.0,
        ours: make(one_thread(), generator, square(513)),
    }
}
