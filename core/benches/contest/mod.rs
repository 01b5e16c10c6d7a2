//! Two ways to do a piece of work, and the ratio of their times.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use criterion::Criterion;

/// How often each side of a contest runs.
const RUNS: usize = 15;

/// Does a piece of work once, and returns its time by the given clock, without the time for preparing its
/// input.
pub type Timed = Box<dyn FnMut(Clock) -> Duration>;

/// Returns the time since some moment.
pub type Clock = fn() -> Duration;

/// Wall-clock time.
pub fn wall() -> Duration {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed()
}

/// The processor time of this thread: waiting for a busy machine does not count. Wall-clock time where the
/// system does not report it.
pub fn on_processor() -> Duration {
    // Linux updates its account of a thread when it lets another one run.
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = account.and_then(|account| account.split(' ').next()?.parse().ok());
    spent.map_or_else(wall, Duration::from_nanos)
}

/// A piece of work beside its yardstick.
pub struct Contest {
    /// The work, and after a comma the yardstick.
    pub name: String,
    /// The intended ratio, if there is one.
    pub aim: &'static str,
    /// Prepares the yardstick, and the work.
    pub prepare: Box<dyn FnOnce() -> [Timed; 2]>,
    /// Processor time for work on one thread, otherwise wall-clock time.
    pub clock: Clock,
    /// Samples that the work writes.
    pub samples: usize,
}

/// The time that `work` takes.
pub fn timed<T>(clock: Clock, work: impl FnOnce() -> T) -> Duration {
    let begin = clock();
    let made = black_box(work());
    let taken = clock() - begin;
    // Freeing memory is not counted.
    drop(made);
    taken
}

/// Runs the contests as the command line says: with `--ratios` in turns, otherwise by criterion. A
/// word chooses those that contain it.
pub fn run(contests: impl Iterator<Item = Contest>) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    let contests = contests.filter(|contest| only.is_none_or(|only| contest.name.contains(only.as_str())));
    if arguments.iter().any(|argument| argument == "--ratios") {
        contests.for_each(Contest::print);
    } else {
        let mut criterion = Criterion::default().sample_size(10).configure_from_args();
        contests.for_each(|contest| contest.measure(&mut criterion));
        criterion.final_summary();
    }
}

impl Contest {
    /// Takes turns, so that a busy machine disturbs both alike, and prints the medians; and how the
    /// quickest runs compare, which a busy machine disturbs least.
    fn print(self) {
        let [mut yardstick, mut work] = (self.prepare)();
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            theirs.push(yardstick(self.clock).as_secs_f64());
            ours.push(work(self.clock).as_secs_f64());
        }
        let [theirs, ours] = [theirs, ours].map(|mut times| {
            times.sort_by(f64::total_cmp);
            [times[RUNS / 2], times[0]]
        });
        let ratio = ours[0] / theirs[0];
        println!(
            "{:<50} {:7.2} ms, {:5.2} ns a sample: {ratio:5.2} times the yardstick's {:7.2} ms (quickest {:5.2} times), {:4.2} times as fast; {}",
            self.name,
            ours[0] * 1e3,
            ours[0] * 1e9 / self.samples as f64,
            theirs[0] * 1e3,
            ours[1] / theirs[1],
            1.0 / ratio,
            self.aim
        );
    }

    fn measure(self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        for (name, mut side) in ["yardstick", "ours"].into_iter().zip((self.prepare)()) {
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|times| (0..times).map(|_| side(self.clock)).sum())
            });
        }
        group.finish();
    }
}
