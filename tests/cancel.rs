//! Work that is cancelled stops soon, in every step. Nothing here looks at a clock: questions whether to
//! go on are counted, and what is done between them.

mod questions;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use questions::{Asked, cancelled_at, spread, threads};
use upland::generate::{Fbm, Generate};
use upland::params::{Params, Value};
use upland::{Error, FilePath, Grid, Heightfield, Step, Work};

/// Rows of a field that no step should get through without a question: [`ROWS`] at once are enough.
const DEPTH: usize = 700;
const WIDTH: usize = 40;

/// Rows that may be done between two questions. One row of the largest field that is supported has
/// 32768 samples: 16 of them are under 50 ms as long as a sample takes less than 95 ns.
const ROWS: usize = 16;

/// Filters that put a field in the place of another: its heights change all at once, though nobody
/// walks over them.
const SWAPPING: [&str; 2] = ["warp", "erode"];

#[test]
fn who_is_told_to_stop_stops_at_once() {
    for step in steps() {
        for chosen in spread(questions(&step), 12) {
            let (cut, _) = run(&step, chosen);
            assert!(matches!(cut.outcome, Err(Error::Cancelled)), "{} at {chosen}", step.name());
            assert_eq!(cut.questions, chosen, "{} went on after it was told to stop", step.name());
        }
    }
}

#[test]
fn every_step_asks_once_for_sixteen_rows() {
    for step in steps() {
        let asked = questions(&step);
        assert!(asked >= DEPTH / ROWS, "{} asks {asked} times", step.name());
    }
}

/// What progress tells between two questions is what at most [`ROWS`] rows are.
#[test]
fn progress_between_two_questions_is_a_few_rows() {
    for step in steps() {
        let furthest = Arc::new(AtomicUsize::new(0));
        let before = AtomicUsize::new(0);
        let work = {
            let furthest = furthest.clone();
            Work::watched(move |work| {
                let now = (work.progress().fraction * DEPTH as f32) as usize;
                let step = now.saturating_sub(before.swap(now, Ordering::Relaxed));
                furthest.fetch_max(step, Ordering::Relaxed);
            })
        };
        threads(1).install(|| step.apply(&mut land(), 1, &work)).unwrap();
        let rows = furthest.load(Ordering::Relaxed);
        // A step of erosion is many rows, and a river has two parts. The range of multifractals is
        // measured on 257 rows.
        let parts = ["erode", "river", "import"].contains(&step.name());
        assert!(rows <= ROWS * DEPTH / 250 || parts, "{}: {rows} rows", step.name());
    }
}

/// The field as it was left when work was cancelled at one question, and at the next: they differ where
/// heights were written between the two.
#[test]
fn between_two_questions_a_few_rows_are_written() {
    for step in steps().filter(|step| !SWAPPING.contains(&step.name())) {
        let asked = questions(&step);
        for chosen in spread(asked, 24) {
            let ((_, first), (second, later)) = (run(&step, chosen), run(&step, chosen + 1));
            let pairs = first.heights().iter().zip(later.heights());
            let written = pairs.filter(|(first, later)| first != later).count();
            // The last question of a generator or a masked step: the new field takes the place of the old.
            if second.outcome.is_err() {
                assert!(written <= ROWS * WIDTH, "{} at {chosen}: {written}", step.name());
            }
        }
    }
}

/// Every step with its own parameters.
fn steps() -> impl Iterator<Item = Step> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/world_height_64.png");
    Step::names().iter().map(move |name| {
        let mut step = Step::from_name(name).unwrap();
        step.visit(&mut |param, value| match (param.name, value) {
            ("file", Value::File(path)) => *path = FilePath::new(file),
            ("drops", Value::Int(drops)) => *drops = 2000,
            ("faults", Value::Int(faults)) => *faults = 50,
            _ => {}
        });
        step
    })
}

/// Does a step on new land, on one thread, and cancels it at a question, counted from 1.
fn run(step: &Step, cancel_at: usize) -> (Asked<Result<(), Error>>, Heightfield) {
    let mut field = land();
    let asked = cancelled_at(cancel_at, |work| step.apply(&mut field, 1, work).map(|_| ()));
    (asked, field)
}

/// How often a step asks whether to go on.
fn questions(step: &Step) -> usize {
    let (Asked { outcome, questions }, _) = run(step, usize::MAX);
    assert!(outcome.is_ok(), "{}: {outcome:?}", step.name());
    questions
}

fn land() -> Heightfield {
    let grid = Grid::new(WIDTH, DEPTH, 20.0).unwrap();
    Fbm { height: 400.0, ..Fbm::default() }.generate(grid, 3, &Work::new()).unwrap()
}
