//! Two ways to spend time, and how many times longer one takes than the other.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;

/// How often each side of a contest runs.
const RUNS: usize = 15;

/// Does a piece of work once, and tells how long it took without what had to be laid ready for it.
pub type Timed = Box<dyn FnMut() -> Duration>;

/// A piece of work beside its yardstick.
pub struct Contest {
    /// The work, and after a comma the yardstick.
    pub name: String,
    /// What is wanted of their ratio, if anything is.
    pub aim: &'static str,
    pub yardstick: Timed,
    pub ours: Timed,
    /// Samples that the work writes.
    pub samples: usize,
}

/// The time that `work` takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    let made = black_box(work());
    let taken = begin.elapsed();
    // Giving memory back is no part of making something.
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
    /// Takes turns, so that a busy machine disturbs both alike, and prints the medians.
    fn print(mut self) {
        let (mut theirs, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let (yardstick, work) = ((self.yardstick)().as_secs_f64(), (self.ours)().as_secs_f64());
            theirs.push(yardstick);
            ours.push(work);
            ratios.push(work / yardstick);
        }
        let (theirs, ours, ratio) = (median(theirs), median(ours), median(ratios));
        println!(
            "{:<52} {:8.2} ms, {:6.2} ns a sample: {ratio:6.2} yardsticks of {:8.2} ms, {:5.2} times as fast; {}",
            self.name,
            ours * 1e3,
            ours * 1e9 / self.samples as f64,
            theirs * 1e3,
            1.0 / ratio,
            self.aim
        );
    }

    fn measure(mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        for (name, side) in [("yardstick", &mut self.yardstick), ("ours", &mut self.ours)] {
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|times| (0..times).map(|_| side()).sum())
            });
        }
        group.finish();
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
