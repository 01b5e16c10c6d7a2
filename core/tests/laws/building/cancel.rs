//! Work that is cancelled stops soon, in every step. Nothing here looks at a clock: questions whether to
//! go on are counted, and what is done between them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use crate::questions::{Asked, cancelled_at, spread, threads};
use upland_core::generate::{Fbm, Generate};
use upland_core::params::{Params, Value};
use upland_core::steps::{self, Ground, Kind};
use upland_core::{Error, FilePath, Grid, Heightfield, Step, Work};

/// Rows of a field that no step should get through without a question: [`ROWS`] at once are enough.
const DEPTH: usize = 700;
const WIDTH: usize = 40;

/// Rows that may be done between two questions. One row of the largest field that is supported has
/// 32768 samples: 16 of them are under 50 ms as long as a sample takes less than 95 ns.
const ROWS: usize = 16;

/// Filters that put a field in the place of another, once, or lay back what they have made in a strip of
/// 128 columns, which is all of this field: its heights change all at once, though nobody walks over them.
const SWAPPING: [&str; 6] = ["warp", "erode", "low_pass", "talus", "coast", "glacier"];

/// Samples that erosion floods between two questions, however wide the field is.
const FLOODED: usize = 4096;

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

/// The progress when it was last seen to have moved, and the questions since.
#[derive(Default)]
struct Tally {
    stage: String,
    fraction: f32,
    /// Questions since then.
    asked: usize,
    /// How often progress moved.
    moves: usize,
    /// The most rows that progress moved by for each question, and where.
    most: f32,
    place: String,
}

/// Progress moves by what at most [`ROWS`] rows are for every question that was asked since it last moved,
/// whether it is told row by row or, as in erosion, step by step.
#[test]
fn progress_moves_by_a_few_rows_for_every_question() {
    for step in steps() {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let work = {
            let tally = tally.clone();
            Work::watched(move |work| {
                let mut tally = tally.lock().unwrap();
                let now = work.progress();
                if now.stage != tally.stage {
                    (tally.stage, tally.fraction, tally.asked) = (now.stage, 0.0, 0);
                }
                if now.fraction > tally.fraction {
                    let rows = (now.fraction - tally.fraction) * DEPTH as f32 / tally.asked.max(1) as f32;
                    if rows > tally.most {
                        (tally.most, tally.place) = (rows, format!("{}, {}", tally.stage, now.fraction));
                    }
                    (tally.fraction, tally.asked) = (now.fraction, 0);
                    tally.moves += 1;
                }
                tally.asked += 1;
            })
        };
        let mut ground = Ground::new(land());
        threads(1).install(|| step.apply(&mut ground, 1, &work)).unwrap();
        let Tally { most, place, moves, .. } = &*tally.lock().unwrap();
        // A deposition's grains are none of a row, and a river digs only a few samples of each.
        let rows = if ["river", "streams"].contains(&step.name()) { 4 * ROWS } else { 2 * ROWS };
        assert!(*most <= rows as f32, "{}: {most} rows at {place}", step.name());
        assert!(*moves > 0, "{}: progress never moved", step.name());
    }
}

/// The field as it was left when work was cancelled at one question, and at the next: they differ where
/// heights were written between the two. Looks at some of all questions, and at those between which the most
/// was written, as far as halving finds them.
#[test]
fn between_two_questions_a_few_rows_are_written() {
    for step in steps() {
        let (asked, name) = (questions(&step), step.name());
        let mut left = BTreeMap::new();
        let mut written = |from: usize, to: usize| {
            for question in [from, to] {
                left.entry(question).or_insert_with(|| run(&step, question).1);
            }
            let pairs = left[&from].heights().iter().zip(left[&to].heights());
            pairs.filter(|(first, later)| first != later).count()
        };
        // A generator's new land takes the place of the old one after the last question, and nothing before.
        // Paint, lakes and beds are no heights, and holes and undercutting move none up or down.
        if step.operation.kind() == Kind::Generator
            || ["hole", "paint", "undercut", "lakes", "strata"].contains(&name)
        {
            assert_eq!(written(1, asked), 0, "{name}");
            continue;
        }
        let few = match name {
            "erode" => FLOODED,
            // The bed in the end: a sample or two of every row.
            "river" | "streams" => 2 * DEPTH,
            _ => ROWS * WIDTH,
        };
        let mut chosen: Vec<usize> = spread(asked - 1, 8).collect();
        let (mut from, mut to) = (1, asked);
        assert!(written(from, to) > 0, "{name} writes nothing");
        while to - from > 1 {
            let middle = (from + to) / 2;
            (from, to) =
                if written(from, middle) < written(middle, to) { (middle, to) } else { (from, middle) };
        }
        chosen.push(from);
        chosen.sort_unstable();
        chosen.dedup();
        let at_once: Vec<(usize, usize)> = chosen
            .into_iter()
            .map(|question| (question, written(question, question + 1)))
            .filter(|(_, written)| *written > few)
            .collect();
        let swaps = usize::from(SWAPPING.contains(&name));
        assert!(at_once.len() <= swaps, "{name}, of {asked}: {at_once:?}");
    }
}

/// Every step with its own parameters.
fn steps() -> impl Iterator<Item = Step> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/world_height_64.png");
    let strokes = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strokes/hills.strokes.ron");
    // The ends of groups have nothing to do.
    let all = steps::all().into_iter().filter(|step| step.kind() != Kind::Group);
    all.map(|step| step.name()).map(move |name| {
        let mut step = Step::from_name(name).unwrap();
        step.visit(&mut |param, value| match (param.name, value) {
            ("file", Value::File(path)) if name == "strokes" => *path = FilePath::new(strokes),
            ("file", Value::File(path)) => *path = FilePath::new(file),
            ("drops", Value::Int(drops)) => *drops = 2000,
            ("faults", Value::Int(faults)) => *faults = 50,
            ("steps", Value::Int(steps)) => *steps = 12,
            // As it comes it changes nothing.
            ("factor", Value::Float(factor)) => *factor = 2.0,
            // As they come they are too small for these samples.
            ("thickness" | "length", Value::Float(length)) => *length = 300.0,
            ("size", Value::Float(size)) if name == "stones" => *size = 200.0,
            ("slope_min", Value::Float(slope)) => *slope = 0.0,
            ("from", Value::Float(discharge)) if name == "streams" => *discharge = 0.001,
            // Elsewhere no ice would form, and all snow would have melted.
            ("line", Value::Float(line)) => *line = 0.0,
            ("temperature", Value::Float(temperature)) => *temperature = -5.0,
            _ => {}
        });
        step
    })
}

/// Does a step on new land, on one thread, and cancels it at a question, counted from 1.
fn run(step: &Step, cancel_at: usize) -> (Asked<Result<(), Error>>, Heightfield) {
    let mut land = land();
    // With all heights distinct there is no majority.
    if step.name() == "majority" {
        land.heights_mut().iter_mut().for_each(|height| *height = (*height / 50.0).round());
    }
    let mut ground = Ground::new(land);
    let asked = cancelled_at(cancel_at, |work| step.apply(&mut ground, 1, work));
    (asked, ground.heights)
}

/// How often a step asks whether to go on, once it remembers what it measures of the land: that takes
/// questions too.
fn questions(step: &Step) -> usize {
    let _ = run(step, usize::MAX);
    let (Asked { outcome, questions }, _) = run(step, usize::MAX);
    assert!(outcome.is_ok(), "{}: {outcome:?}", step.name());
    questions
}

fn land() -> Heightfield {
    static LAND: LazyLock<Heightfield> = LazyLock::new(|| {
        let grid = Grid::new(WIDTH, DEPTH, 20.0).unwrap();
        Fbm { height: 400.0, ..Fbm::default() }.generate(grid, 3, &Work::new()).unwrap()
    });
    LAND.clone()
}
