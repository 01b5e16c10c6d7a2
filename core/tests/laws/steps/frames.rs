//! Frames: what steps hand out on their way to whoever watches.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::questions::threads;
use upland_core::generate::{Fault, FaultProfile, Fbm, Generate};
use upland_core::params::{Params, Value};
use upland_core::steps::{self, Ground};
use upland_core::{Error, FilePath, Frame, Grid, Heightfield, Moment, Observer, Recipe, Step, Work};

/// Steps that work in rounds, what these are called, and how many there are at their own parameters on the
/// land of these tests. Steps that are not listed show none, or rounds whose names and numbers are not
/// pinned.
const ROUNDS: &[(&str, &str, usize)] = &[
    ("flat", "pass", 1),
    ("fbm", "octave", 9),
    ("turbulence", "octave", 9),
    ("multifractal", "octave", 9),
    ("heterogeneous", "octave", 9),
    ("hybrid", "octave", 9),
    ("ridged", "octave", 9),
    ("spectral", "pass", 8),
    ("midpoint", "level", 10),
    ("diamond_square", "level", 8),
    ("fault", "fault", 50),
    // Five series of 2000 grains, 256 in a burst.
    ("deposition", "burst of grains", 40),
    ("import", "file", 1),
    ("mean", "pass", 2),
    ("gaussian", "pass", 2),
    ("binomial", "pass", 2),
    ("low_pass", "pass", 2),
    ("gullies", "octave", 5),
    // 65 samples, then the full grid of 130.
    ("erode", "iteration", 64),
    ("talus", "round", 8),
    ("snow", "part", 3),
    ("glacier", "round", 30),
    ("drainage", "hollows", 1),
    ("dunes", "step", 12),
    ("coast", "round", 8),
];

type Seen = Arc<Mutex<Vec<(Moment, Heightfield)>>>;

/// Work whose frames are kept.
fn kept() -> (Work, Seen) {
    let seen = Seen::default();
    let observer = {
        let seen = seen.clone();
        move |frame: &Frame| seen.lock().unwrap().push((frame.moment, frame.to_heightfield()))
    };
    (Work::new().observed_by(observer), seen)
}

/// Every step, with less to do where there is much.
fn steps() -> impl Iterator<Item = Step> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/world_height_64.png");
    let strokes = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strokes/hills.strokes.ron");
    steps::names().into_iter().map(move |name| {
        let mut step = Step::from_name(name).unwrap();
        step.visit(&mut |param, value| match (param.name, value) {
            ("file", Value::File(path)) if name == "strokes" => *path = FilePath::new(strokes),
            ("file", Value::File(path)) => *path = FilePath::new(file),
            ("drops", Value::Int(drops)) => *drops = 2000,
            ("faults", Value::Int(faults)) => *faults = 50,
            // Elsewhere all of it would have melted.
            ("temperature", Value::Float(temperature)) => *temperature = -5.0,
            // Or would do so in mild times, in which a round then changes nothing.
            ("line", Value::Float(line)) => *line = 0.0,
            ("swing", Value::Float(swing)) if name == "glacier" => *swing = 50.0,
            ("steps", Value::Int(steps)) => *steps = 12,
            _ => {}
        });
        step
    })
}

fn land() -> Heightfield {
    let grid = Grid::new(130, 70, 20.0).unwrap();
    Fbm { height: 400.0, ..Fbm::default() }.generate(grid, 3, &Work::new()).unwrap()
}

fn applied(step: &Step, work: &Work) -> Result<Heightfield, Error> {
    let mut ground = Ground::new(land());
    step.apply(&mut ground, 1, work)?;
    Ok(ground.heights)
}

fn bits(field: &Heightfield) -> Vec<u32> {
    field.heights().iter().map(|height| height.to_bits()).collect()
}

#[test]
fn every_step_shows_its_rounds_in_order_and_makes_the_same_land() {
    for step in steps() {
        let name = step.name();
        let (work, seen) = kept();
        let made = applied(&step, &work).unwrap();
        assert_eq!(bits(&made), bits(&applied(&step, &Work::new()).unwrap()), "{name}: watching changes it");
        let seen = seen.lock().unwrap();
        let listed = ROUNDS.iter().find(|rounds| rounds.0 == name).map(|(_, what, of)| (*what, *of));
        let shown = seen.first().map(|(first, _)| (first.what, first.of));
        let Some((what, of)) = listed.or(shown) else { continue };
        let moments: Vec<Moment> = seen.iter().map(|(moment, _)| *moment).collect();
        let expected: Vec<Moment> = (1..=of).map(|number| Moment::new(what, number, of)).collect();
        assert_eq!(moments, expected, "{name}");
        let (_, last) = seen.last().unwrap();
        assert_eq!(last.grid(), made.grid(), "{name}");
        assert_eq!(bits(last), bits(&made), "{name}: the last frame is the result");
        assert!(seen.iter().all(|(_, field)| field.heights().iter().all(|height| height.is_finite())));
    }
}

/// What a round leaves differs from what the one before left, or it was not worth a frame.
#[test]
fn frames_differ_from_each_other() {
    for step in steps() {
        let (work, seen) = kept();
        applied(&step, &work).unwrap();
        for pair in seen.lock().unwrap().windows(2) {
            assert!(pair[0].1 != pair[1].1, "{}: {}", step.name(), pair[1].0);
        }
    }
}

/// Coarse lattices lie over the same land: as large, but for what their cells reach beyond it.
#[test]
fn frames_span_the_land() {
    let extent = land().grid().extent();
    for step in steps() {
        let (work, seen) = kept();
        applied(&step, &work).unwrap();
        for (moment, field) in seen.lock().unwrap().iter() {
            let Grid { cell, .. } = field.grid();
            let beyond = (field.grid().extent() - extent).abs() - glam::Vec2::splat(0.01);
            // Diamond-square cuts its land out of a square.
            let most = if step.name() == "diamond_square" { 2.0 * cell } else { 0.5 * cell };
            assert!(beyond.max_element() <= most, "{} {moment}: {:?}", step.name(), field.grid());
        }
    }
}

#[test]
fn wrapped_diamond_squares_end_as_the_land() {
    for size in [(128, 64), (100, 70), (33, 90)] {
        let text = format!(
            "(version: 1, name: \"w\", size: {size:?}, cell: 10, steps: [diamond_square(wrap: true, hurst: 1)])"
        );
        let recipe = Recipe::from_ron(&text, "w.ron").unwrap();
        let (work, seen) = kept();
        let land = recipe.build_heightfield(&work).unwrap();
        assert!(land == recipe.build_heightfield(&Work::new()).unwrap());
        let seen = seen.lock().unwrap();
        let levels: Vec<_> = seen.iter().filter(|(moment, _)| moment.what == "level").collect();
        assert_eq!(levels.len(), levels[0].0.of);
        assert!(levels.last().unwrap().1 == land);
    }
}

/// All profiles, straight and rough: kept sums of jumps and drawn bands come to the same bits.
#[test]
fn faults_one_by_one_are_the_faults_together() {
    let grid = Grid::new(61, 47, 10.0).unwrap();
    for profile in [FaultProfile::Step, FaultProfile::Sine, FaultProfile::Cosine] {
        for roughen in [0.0, 0.07] {
            let fault = Fault { faults: 9, profile, roughen, ..Fault::default() };
            let (work, seen) = kept();
            let land = fault.generate(grid, 4, &work).unwrap();
            assert_eq!(bits(&land), bits(&fault.generate(grid, 4, &Work::new()).unwrap()));
            // A frame after n of many faults with equal throws is the land of n faults.
            let even = Fault { start: 50.0, end: 50.0, ..fault.clone() };
            let (work, fewer) = kept();
            even.generate(grid, 4, &work).unwrap();
            let four = Fault { faults: 4, ..even }.generate(grid, 4, &Work::new()).unwrap();
            assert_eq!(bits(&fewer.lock().unwrap()[3].1), bits(&four), "{profile:?} {roughen}");
            assert_eq!(seen.lock().unwrap().len(), 9);
        }
    }
}

/// Counts what it is asked and shown; wants some of it.
#[derive(Default)]
struct Counting {
    wanted: usize,
    asked: Arc<AtomicUsize>,
    shown: Arc<Mutex<Vec<Moment>>>,
}

impl Observer for Counting {
    fn wants(&self, moment: &Moment) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        moment.is_one_of(self.wanted)
    }

    fn see(&self, frame: &Frame<'_>) {
        self.shown.lock().unwrap().push(frame.moment);
    }
}

#[test]
fn who_wants_no_frames_is_asked_and_shown_none() {
    for step in steps() {
        let observer = Counting::default();
        let (asked, shown) = (observer.asked.clone(), observer.shown.clone());
        let land = applied(&step, &Work::new().observed_by(observer)).unwrap();
        assert_eq!(bits(&land), bits(&applied(&step, &Work::new()).unwrap()), "{}", step.name());
        let has_rounds = ROUNDS.iter().any(|rounds| rounds.0 == step.name());
        assert_eq!(asked.load(Ordering::Relaxed) > 0, has_rounds, "{}", step.name());
        assert_eq!(*shown.lock().unwrap(), []);
    }
}

#[test]
fn a_few_frames_are_spread_over_all_rounds() {
    for step in steps() {
        let observer = Counting { wanted: 3, ..Counting::default() };
        let shown = observer.shown.clone();
        let land = applied(&step, &Work::new().observed_by(observer)).unwrap();
        assert_eq!(bits(&land), bits(&applied(&step, &Work::new()).unwrap()), "{}", step.name());
        let Some((_, _, of)) = ROUNDS.iter().find(|rounds| rounds.0 == step.name()) else { continue };
        let numbers: Vec<usize> = shown.lock().unwrap().iter().map(|moment| moment.number).collect();
        assert_eq!(numbers.len(), 3.min(*of), "{}: {numbers:?}", step.name());
        assert_eq!(numbers.last(), Some(of), "{}", step.name());
    }
}

/// What a frame is made of is asked for once if it is wanted, and never if it isn't or nobody watches.
#[test]
fn what_nobody_wants_is_not_made() {
    let made = AtomicUsize::new(0);
    let field = land();
    let ten = |work: &Work| {
        for number in 1..=10 {
            let make = || {
                made.fetch_add(1, Ordering::Relaxed);
                Ok(&field)
            };
            work.frame("pass", number, 10, make).unwrap();
        }
        made.swap(0, Ordering::Relaxed)
    };
    assert_eq!(ten(&Work::new()), 0);
    assert_eq!(ten(&Work::new().observed_by(Counting::default())), 0);
    assert_eq!(ten(&Work::new().observed_by(Counting { wanted: 4, ..Counting::default() })), 4);
    let (work, seen) = kept();
    assert_eq!(ten(&work.unobserved()), 0);
    assert_eq!(ten(&work), 10);
    assert_eq!(seen.lock().unwrap().len(), 10);
    assert!(Work::new().pauses("pass", 10).eq([10]));
    assert!(work.pauses("pass", 4).eq(1..=4));
    assert!(work.pauses("pass", 0).eq([0]));
}

#[test]
fn frames_are_the_same_at_any_number_of_threads() {
    for step in steps() {
        let frames = |count: usize| {
            let (work, seen) = kept();
            threads(count).install(|| applied(&step, &work)).unwrap();
            let seen = seen.lock().unwrap();
            seen.iter().map(|(moment, field)| (*moment, bits(field))).collect::<Vec<_>>()
        };
        assert!(frames(1) == frames(3), "{}", step.name());
    }
}

/// A recipe's frames tell the step, and end with what it leaves: masked, blended, taken in part. Noise that
/// a mask is made of, and rock, are no rounds of a step.
#[test]
fn a_recipe_shows_what_each_step_leaves() {
    let text = r#"(version: 1, name: "Watched", size: (90, 70), cell: 20, steps: [
        fbm(octaves: 3),
        terrace(amount: 0.5, mask: noise),
        mean(on: false),
        erode(age: 1),
        warp(),
    ])"#;
    let recipe = Recipe::from_ron(text, "watched.ron").unwrap();
    let (work, seen) = kept();
    let land = recipe.build_heightfield(&work).unwrap();
    assert!(land == recipe.build_heightfield(&Work::new()).unwrap());
    let seen = seen.lock().unwrap();
    let mut told: Vec<String> = Vec::new();
    for (moment, _) in seen.iter() {
        let (number, name) = moment.step.unwrap();
        let line = format!("{number} {name}: {}", moment.what);
        if told.last() != Some(&line) {
            told.push(line);
        }
    }
    assert_eq!(
        told,
        [
            "0 fbm: octave",
            "0 fbm: result",
            "1 terrace: result",
            "3 erode: iteration",
            "3 erode: result",
            "4 warp: result",
        ]
    );
    for (moment, left) in seen.iter().filter(|(moment, _)| moment.what == Moment::RESULT) {
        let (number, name) = moment.step.unwrap();
        let mut first = recipe.clone();
        first.steps.truncate(number + 1);
        assert!(*left == first.build_heightfield(&Work::new()).unwrap(), "steps.{number} ({name})");
    }
    assert_eq!(seen.last().unwrap().0.to_string(), "result");
}

#[test]
fn an_observer_that_panics_costs_its_work_and_is_named() {
    let recipe = Recipe::from_ron(
        r#"(version: 1, name: "Hills", size: (9, 9), cell: 20, steps: [flat(), fbm(octaves: 3)])"#,
        "hills.ron",
    )
    .unwrap();
    let work = Work::new().observed_by(|frame: &Frame| assert!(frame.moment.number < 2, "seen enough"));
    let said = recipe.build_heightfield(&work).unwrap_err().to_string();
    assert!(said.starts_with("steps.1 (fbm): observer: failed at octave 2 of 3"), "{said}");
    assert!(said.ends_with("seen enough"), "{said}");
    assert!(recipe.build_heightfield(&Work::new()).is_ok());

    struct Asks;
    impl Observer for Asks {
        fn wants(&self, _: &Moment) -> bool {
            panic!("asked")
        }
        fn see(&self, _: &Frame<'_>) {}
    }
    for step in steps().filter(|step| ROUNDS.iter().any(|rounds| rounds.0 == step.name())) {
        let outcome = applied(&step, &Work::new().observed_by(Asks));
        assert!(
            matches!(outcome, Err(Error::Parameter { name, .. }) if name == "observer"),
            "{}",
            step.name()
        );
    }
}

/// Whoever has seen enough cancels: no further frame is made.
#[test]
fn work_ends_with_the_frame_at_which_it_is_cancelled() {
    for step in steps() {
        let Some((_, _, of)) = ROUNDS.iter().find(|rounds| rounds.0 == step.name()) else { continue };
        let shown = Arc::new(AtomicUsize::new(0));
        let work = Work::new();
        let handle = work.clone();
        let at = of.div_ceil(2);
        let work = {
            let shown = shown.clone();
            work.observed_by(move |_: &Frame| {
                if shown.fetch_add(1, Ordering::Relaxed) + 1 == at {
                    handle.cancel();
                }
            })
        };
        assert!(matches!(applied(&step, &work), Err(Error::Cancelled)), "{}", step.name());
        assert_eq!(shown.load(Ordering::Relaxed), at, "{}", step.name());
    }
}

/// Also on the way to a frame somebody who waits may lose patience: work asks whether to go on as often as it
/// does unwatched, and more often.
#[test]
fn watched_work_asks_as_often_as_any() {
    for step in steps() {
        let asked = |watched: bool| {
            let count = Arc::new(AtomicUsize::new(0));
            let work = {
                let count = count.clone();
                Work::watched(move |_| {
                    count.fetch_add(1, Ordering::Relaxed);
                })
            };
            let work = if watched { work.observed_by(|_: &Frame| {}) } else { work };
            threads(1).install(|| applied(&step, &work)).unwrap();
            count.load(Ordering::Relaxed)
        };
        assert!(asked(true) >= asked(false), "{}", step.name());
    }
}
