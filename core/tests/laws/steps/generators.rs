//! Laws that every generator of the table keeps. A new one is found here by itself.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::questions::{Asked, threads, whole};
use proptest::prelude::*;
use upland_core::generate::{Fbm, Generate};
use upland_core::params::Value;
use upland_core::steps::{self, Ground, Kind, Operation};
use upland_core::{Error, Grid, Heightfield, Work};

/// Generators whose heights depend on more than their place, how near they are at two resolutions
/// in metres, and why. All others give every point of the land one height.
const GLOBAL: [(&str, f32, &str); 2] = [
    ("diamond_square", 0.0, "the same on 2ⁿ + 1 samples alone; other sizes are cut out of the next"),
    ("deposition", 1e-2, "grains have a lattice of their own; the cubics between its cells round"),
];

/// All generators that need no file.
fn generators() -> impl Iterator<Item = Generator> {
    steps::of_kind(Kind::Generator).filter(|generator| generator.name() != "import")
}

type Generator = Box<dyn Operation>;

fn make(generator: &Generator, width: usize, depth: usize) -> Heightfield {
    let grid = Grid::new(width, depth, 2.0).unwrap();
    generate(generator, grid, 1, &Work::new()).unwrap_or_else(|error| panic!("{}: {error}", generator.name()))
}

fn generate(generator: &Generator, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield, Error> {
    let mut ground = Ground::level(grid);
    generator.apply(&mut ground, seed, work)?;
    Ok(ground.heights)
}

/// Everything that is slow only in the number of grains, with fewer of them.
fn quick(mut generator: Generator) -> Generator {
    generator.visit(&mut |param, value| match (param.name, value) {
        ("drops", Value::Int(drops)) => *drops = (*drops).min(2000),
        ("series", Value::Int(series)) => *series = (*series).min(3),
        ("search", Value::Int(search)) => *search = (*search).min(100),
        ("detail", Value::Int(detail)) => *detail = (*detail).min(100),
        ("faults", Value::Int(faults)) => *faults = (*faults).min(500),
        _ => {}
    });
    generator
}

#[test]
fn the_land_is_the_same_at_every_resolution() {
    for generator in generators().map(quick) {
        let (coarse, fine) = (make(&generator, 513, 257), make(&generator, 1025, 513));
        let near =
            GLOBAL.iter().find(|(name, ..)| *name == generator.name()).map_or(0.0, |(_, near, _)| *near);
        for row in 0..257 {
            for column in 0..513 {
                let (coarse, fine) = (coarse.at(column, row), fine.at(2 * column, 2 * row));
                assert!((coarse - fine).abs() <= near, "{}: {coarse} {fine}", generator.name());
            }
        }
    }
}

#[test]
fn heights_do_not_depend_on_the_number_of_threads() {
    for generator in generators().map(quick) {
        let with = |count| threads(count).install(|| make(&generator, 331, 203));
        let one = with(1);
        assert!(one == with(2) && one == with(7), "{}", generator.name());
    }
}

#[test]
fn lands_of_any_shape_can_be_made() {
    for generator in generators().map(quick) {
        for (width, depth) in [(1, 1), (2, 1), (1, 2), (3, 1000), (1000, 3)] {
            let field = make(&generator, width, depth);
            assert!(field.heights().iter().all(|height| height.is_finite()), "{}", generator.name());
        }
    }
}

#[test]
fn other_seeds_are_other_lands() {
    let grid = Grid::new(65, 49, 2.0).unwrap();
    for generator in generators().map(quick).filter(|generator| generator.name() != "flat") {
        let make = |seed| generate(&generator, grid, seed, &Work::new()).unwrap();
        assert!(make(1) != make(2), "{}", generator.name());
        assert!(make(1) == make(1), "{}", generator.name());
    }
}

/// Cancelled beforehand, no generator begins. Cancelled on its way, each does no more than what its
/// threads have in hand: two blocks of 16 rows, or a level of diamond-square at the most.
#[test]
fn cancelled_work_stops() {
    let grid = Grid::new(1500, 1500, 2.0).unwrap();
    let pool = threads(2);
    for generator in generators().map(quick).filter(|generator| generator.name() != "flat") {
        let name = generator.name();
        let work = Work::new();
        work.cancel();
        let outcome = pool.install(|| generate(&generator, grid, 1, &work));
        assert!(matches!(outcome, Err(Error::Cancelled)), "{name}");
        assert!(work.progress().fraction < 0.1, "{name}: {:?}", work.progress());

        let Asked { outcome, questions } = whole(|work| generate(&generator, grid, 1, work));
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
        for chosen in [1, questions / 4, questions / 2, 3 * questions / 4] {
            // How far the work was, and in which stage, when one of its two threads was told to stop.
            let at = Arc::new(Mutex::new(None));
            let work = {
                let (at, asked) = (at.clone(), AtomicUsize::new(0));
                Work::watched(move |work| {
                    if asked.fetch_add(1, Ordering::Relaxed) + 1 == chosen {
                        work.cancel();
                        *at.lock().unwrap() = Some(work.progress());
                    }
                })
            };
            let outcome = pool.install(|| generate(&generator, grid, 1, &work));
            assert!(matches!(outcome, Err(Error::Cancelled)), "{name} at {chosen}: {outcome:?}");
            let (at, after) = (at.lock().unwrap().take().unwrap(), work.progress());
            assert_eq!(after.stage, at.stage, "{name} began another stage");
            assert!(after.fraction - at.fraction < 0.1, "{name}: went on from {at:?} to {after:?}");
        }
    }
}

/// Any generator with any parameters that it accepts, the ends of their ranges among them.
fn any_generator() -> impl Strategy<Value = Generator> {
    let all: Vec<Generator> = generators().collect();
    let shares = prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64], 16);
    (prop::sample::select(all), shares).prop_map(|(mut generator, shares)| {
        let mut shares = shares.into_iter().cycle();
        generator.visit(&mut |param, value| {
            let share = shares.next().unwrap();
            let (low, high) = (*param.range.start(), *param.range.end());
            let number = if param.logarithmic && low > 0.0 {
                low * (high / low).powf(share)
            } else {
                low + (high - low) * share
            };
            match value {
                Value::Float(value) => *value = (number as f32).clamp(low as f32, high as f32),
                Value::Int(value) => *value = (number as u32).clamp(low as u32, high as u32),
                // Wrapping land has sizes of its own.
                Value::Flag(value) => *value = share > 0.5 && param.name != "wrap",
                Value::Choice(choice) => {
                    let count = choice.names().len();
                    choice.set_index((share * count as f64) as usize % count);
                }
                _ => {}
            }
        });
        quick(generator)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn heights_are_finite_whatever_is_accepted(
        generator in any_generator(),
        width in 1usize..80,
        depth in 1usize..80,
        seed: u64,
    ) {
        let grid = Grid::new(width, depth, 3.0).unwrap();
        let field = generate(&generator, grid, seed, &Work::new()).unwrap();
        prop_assert!(field.heights().iter().all(|height| height.is_finite()), "{generator:?}");
    }
}

/// The variogram of fBm with exponent H, half the mean square of the height differences over a
/// distance r, grows as r^(2H); which is the spectral slope −(2H + 2) of a surface.
#[test]
fn the_roughness_of_fbm_is_its_hurst_exponent() {
    let side = 1025;
    let grid = Grid::new(side, side, 1.0).unwrap();
    // H near 1 would bend the line: a smooth surface differs as r², whatever lies above.
    for (hurst, tolerance) in [(0.3, 0.08), (0.5, 0.08), (0.8, 0.12)] {
        let fbm = Fbm { hurst, octaves: 12.0, frequency: 1.0, ..Fbm::default() };
        let fields: Vec<_> = (0..12).map(|seed| fbm.generate(grid, seed, &Work::new()).unwrap()).collect();
        let variogram = |distance: usize| {
            let square = |a: f32, b: f32| f64::from(a - b).powi(2);
            let of = |field: &Heightfield| -> f64 {
                let rows = (0..side).step_by(3).map(|row| {
                    let row = field.row(row);
                    row.iter().zip(&row[distance..]).map(|(a, b)| square(*a, *b)).sum::<f64>()
                        / (side - distance) as f64
                });
                rows.sum()
            };
            fields.iter().map(of).sum::<f64>()
        };
        // From 4 samples, two octaves above the finest, to 64, four below the coarsest, so that the
        // missing ends of the spectrum do not bend the line. Octaves ripple about it.
        let points: Vec<(f64, f64)> = (0..=16)
            .map(|step| 4.0 * 2f64.powf(f64::from(step) / 4.0))
            .map(|distance| ((distance.round()).ln(), variogram(distance.round() as usize).ln()))
            .collect();
        let slope = slope(&points);
        assert!((slope - 2.0 * f64::from(hurst)).abs() < tolerance, "H {hurst}: {slope}");
    }
}

/// The slope of the straight line through points by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (up, across) = points.iter().fold((0.0, 0.0), |(up, across), point| {
        (up + (point.0 - x) * (point.1 - y), across + (point.0 - x).powi(2))
    });
    up / across
}
