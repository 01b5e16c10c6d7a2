//! The longest time that a cancelled step goes on: the longest time between two of its checks for
//! cancellation, on one thread, without help from others.
//!
//! `cargo bench -p upland_core --bench patience` prints it for every step on a large field.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::ThreadPoolBuilder;
use upland_core::generate::{Fbm, Generate};
use upland_core::steps::{self, Ground};
use upland_core::{Grid, Step, Work};

const SIDE: usize = 4096;

thread_local! {
    /// When this thread last checked.
    static ASKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &&str| *name != "import" && only.as_ref().is_none_or(|only| name.contains(only));
    for name in steps::names().into_iter().filter(wanted) {
        // The shortest of a few: a busy machine makes pauses of its own.
        let longest = (0..3).map(|_| longest_silence(name)).min().unwrap_or(0);
        println!("{name:<16} {:7.2} ms of 50", longest as f64 / 1e6);
    }
}

/// The most nanoseconds between two checks of a step.
fn longest_silence(name: &str) -> u64 {
    let grid = Grid::new(SIDE, SIDE, 5.0).expect("a size that is supported");
    let mut land = Ground::new(Fbm::default().generate(grid, 1, &Work::new()).expect("land"));
    let step = Step::from_name(name).expect("a step that there is");
    let longest = Arc::new(AtomicU64::new(0));
    let ask = {
        let longest = longest.clone();
        move || {
            let now = Instant::now();
            if let Some(before) = ASKED.replace(Some(now)) {
                longest.fetch_max((now - before).as_nanos() as u64, Ordering::Relaxed);
            }
        }
    };
    let work = Work::watched({
        let ask = ask.clone();
        move |_| ask()
    });
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        ASKED.set(None);
        ask();
        step.apply(&mut land, 1, &work).expect("land");
        ask();
    });
    longest.load(Ordering::Relaxed)
}
