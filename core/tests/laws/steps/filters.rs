//! What filters and resizers promise: the known numbers, level land that stays level to the last bit,
//! borders that wrap or go on, any size, any accepted parameter, any number of threads.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use upland_core::filter::{
    Binomial, Border, Clamp, Gaussian, Invert, Island, LowPass, Mean, Normalize, Outline, Power, Scale, Warp,
    majority,
};
use upland_core::params::{Reading, Value};
use upland_core::resize::{Ends, Resize, Spline, bilinear, bspline, catmull_rom, duplicate, duplicate_ids};
use upland_core::steps::{self, Ground, Kind, Operation};
use upland_core::{Error, Grid, Heightfield, Work};

type Resizer = fn(&Heightfield, Grid, &Work) -> upland_core::Result<Heightfield>;

const INTERIOR: Spline = Spline { ends: Ends::Interior, through_points: false };
const THROUGH: Spline = Spline { ends: Ends::Clamped, through_points: true };

const RESIZERS: [(&str, Resizer); 5] = [
    ("duplicate", duplicate),
    ("bilinear", bilinear),
    ("catmull_rom", catmull_rom),
    ("bspline", |field, grid, work| bspline(field, grid, Spline::default(), work)),
    ("bspline through", |field, grid, work| bspline(field, grid, THROUGH, work)),
];

/// The filters whose every new height is a weighted mean of old ones, at several sizes.
fn smoothing(border: Border) -> Vec<AnyFilter> {
    let mut all = Vec::new();
    for size in [1, 3, 9, 25, 101] {
        all.push(AnyFilter::from(Mean { size, border }));
        all.push(AnyFilter::from(Gaussian { sigma: size as f32 / 6.0, size, border }));
        all.push(AnyFilter::from(Binomial { row: size - 1, border }));
        all.push(AnyFilter::from(LowPass { k: 1.0 - 1.0 / size as f32, border }));
    }
    all
}

fn grid(width: usize, depth: usize) -> Grid {
    Grid::new(width, depth, 10.0).unwrap()
}

/// Land of pseudorandom heights, up to 1000 m either way.
fn rough(width: usize, depth: usize, seed: u32) -> Heightfield {
    Heightfield::from_fn(grid(width, depth), |column, row| {
        let mut bits =
            (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77) ^ seed;
        for _ in 0..3 {
            bits = (bits ^ (bits >> 15)).wrapping_mul(0x2C1B_3C6D);
        }
        (bits >> 8) as f32 / (1 << 23) as f32 * 1000.0 - 1000.0
    })
}

/// The smoothing filters that change the land at all.
fn changing(land: &Heightfield) -> Vec<AnyFilter> {
    let mut all = smoothing(Border::Clamp);
    all.retain(|filter| filtered(filter, land) != *land);
    // Windows of one sample change nothing.
    assert_eq!(all.len(), 4 * 4);
    all
}

type AnyFilter = Box<dyn Operation>;

/// The filter, if it is a `T`.
fn of<T: Operation>(filter: &AnyFilter) -> Option<&T> {
    filter.as_any().downcast_ref()
}

/// All filters with their default parameters, but for those that need a file.
fn all() -> Vec<AnyFilter> {
    let names_file = |filter: &AnyFilter| {
        let mut names_file = false;
        filter.read(&mut |_, value| names_file |= matches!(value, Reading::File(_)));
        names_file
    };
    steps::of_kind(Kind::Filter).filter(|filter| !names_file(filter)).collect()
}

fn apply(filter: &AnyFilter, field: &Heightfield, seed: u64) -> Result<Heightfield, Error> {
    let mut ground = Ground::new(field.clone());
    filter.apply(&mut ground, seed, &Work::new())?;
    Ok(ground.heights)
}

fn filtered(filter: &AnyFilter, field: &Heightfield) -> Heightfield {
    apply(filter, field, 5).unwrap()
}

fn bits(field: &Heightfield) -> Vec<u32> {
    field.heights().iter().map(|height| height.to_bits()).collect()
}

fn worst_difference(a: &Heightfield, b: &Heightfield) -> f32 {
    a.heights().iter().zip(b.heights()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// One entry of the file of known numbers. RON's maps read JSON's objects.
fn known<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let text = include_str!("../../data/exact.json");
    let mut all: BTreeMap<String, ron::Value> = ron::from_str(text).unwrap();
    all.remove(name).unwrap().into_rust().unwrap()
}

fn known_field(name: &str) -> Heightfield {
    let rows: Vec<Vec<f64>> = known(name);
    Heightfield::from_fn(grid(rows[0].len(), rows.len()), |column, row| rows[row][column] as f32)
}

/// Equal to 1e-4 relative.
fn assert_known(found: &Heightfield, name: &str) {
    let rows: Vec<Vec<f64>> = known(name);
    assert_eq!((found.grid().width, found.grid().depth), (rows[0].len(), rows.len()), "{name}");
    for (row, heights) in rows.iter().enumerate() {
        for (column, &expected) in heights.iter().enumerate() {
            let found = f64::from(found.at(column, row));
            let error = (found - expected).abs();
            assert!(
                error <= 1e-4 * expected.abs(),
                "{name} at {column}, {row}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn filters_give_the_known_numbers() {
    let field = known_field("field_9x7");
    let mean = |border| AnyFilter::from(Mean { size: 3, border });
    assert_known(&filtered(&mean(Border::Clamp), &field), "mean_3_clamp");
    assert_known(&filtered(&mean(Border::Wrap), &field), "mean_3_wrap");
    let gaussian = AnyFilter::from(Gaussian { sigma: 1.0, size: 5, border: Border::Clamp });
    assert_known(&filtered(&gaussian, &field), "gaussian_sigma1_n5_clamp");
    let binomial = AnyFilter::from(Binomial { row: 4, border: Border::Clamp });
    assert_known(&filtered(&binomial, &field), "binomial_4_clamp");
}

#[test]
fn a_needle_under_a_gaussian_shows_the_known_mask() {
    let mask: Vec<Vec<u32>> = known("gaussian_sigma_sqrt2_n7_integer_mask");
    let sigma = std::f32::consts::SQRT_2;
    let gaussian = AnyFilter::from(Gaussian { sigma, size: 7, border: Border::Clamp });
    let mut needle = Heightfield::flat(grid(13, 13), 0.0);
    needle.heights_mut()[6 * 13 + 6] = 1.0;
    let bell = filtered(&gaussian, &needle);
    for (row, weights) in mask.iter().enumerate() {
        for (column, &weight) in weights.iter().enumerate() {
            let found = bell.at(column + 3, row + 3) / bell.at(3, 3);
            assert_eq!(found.round() as u32, weight, "{column}, {row}: {found}");
        }
    }
    let outside = bell.at(2, 6).abs().max(bell.at(6, 10).abs());
    assert!(outside < 1e-7, "{outside} outside of the window");
}

/// The share that a smoothing filter gives to a sample so many away, along one axis, from its definition.
fn share(filter: &AnyFilter, away: i32) -> f64 {
    let within = |size: u32, share: &dyn Fn(i32) -> f64| {
        let reach = size as i32 / 2;
        let sum: f64 = (-reach..=reach).map(share).sum();
        if away.abs() <= reach { share(away) / sum } else { 0.0 }
    };
    if let Some(Mean { size, .. }) = of(filter) {
        within(*size, &|_| 1.0)
    } else if let Some(Gaussian { sigma, size, .. }) = of(filter) {
        within(*size, &|away| (-f64::from(away * away) / (2.0 * f64::from(*sigma).powi(2))).exp())
    } else if let Some(Binomial { row, .. }) = of(filter) {
        // Numbers of Pascal's triangle, each from the one before it.
        within(row + 1, &|away| {
            let factor = |place: u32| f64::from(row - place + 1) / f64::from(place);
            (1..=(row / 2).saturating_add_signed(away)).map(factor).product()
        })
    } else {
        // There and back: each way gives (1 − k)·k^n.
        let LowPass { k, .. } = of(filter).unwrap();
        let k = f64::from(*k);
        k.powi(away.abs()) * (1.0 - k) / (1.0 + k)
    }
}

#[test]
fn a_needle_becomes_the_kernel_by_its_definition_along_both_axes() {
    let (width, depth) = (241, 163);
    let mut needle = Heightfield::flat(grid(width, depth), 0.0);
    needle.heights_mut()[81 * width + 120] = 1e6;
    // What a low-pass lets through from far away comes back from the border too.
    let is_near = |filter: &AnyFilter| !of::<LowPass>(filter).is_some_and(|filter| filter.k > 0.9);
    let filters: Vec<AnyFilter> = smoothing(Border::Clamp).into_iter().filter(is_near).collect();
    assert_eq!(filters.len(), 4 * 5 - 2);
    for filter in filters {
        let found = filtered(&filter, &needle);
        for row in 60..103 {
            for column in 99..142 {
                let shares = share(&filter, column as i32 - 120) * share(&filter, row as i32 - 81);
                let found = f64::from(found.at(column, row));
                let error = (found - 1e6 * shares).abs();
                assert!(error < 1e-4 * found + 1e-2, "{filter:?} at {column}, {row}: {found}");
            }
        }
    }
}

#[test]
fn each_height_becomes_what_the_shaping_filters_say() {
    let heights = [-200.0, -50.0, 0.0, 100.0, 300.0f32];
    let land = Heightfield::new(grid(5, 1), heights.to_vec()).unwrap();
    for (filter, expected) in [
        (AnyFilter::from(Normalize { low: 10.0, high: 20.0 }), [10.0, 13.0, 14.0, 16.0, 20.0]),
        (AnyFilter::from(Scale { factor: -2.0, bias: 7.0 }), [407.0, 107.0, 7.0, -193.0, -593.0]),
        (AnyFilter::from(Clamp { low: -60.0, high: 90.0 }), [-60.0, -50.0, 0.0, 90.0, 90.0]),
        (AnyFilter::from(Invert {}), [300.0, 150.0, 100.0, 0.0, -200.0]),
        // Shares 0, 0.3, 0.4, 0.6 and 1 of 500 m.
        (AnyFilter::from(Power { exponent: 2.0 }), [-200.0, -155.0, -120.0, -20.0, 300.0]),
    ] {
        let found = filtered(&filter, &land);
        for (found, expected) in found.heights().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{filter:?}: {found} instead of {expected}");
        }
    }
    let level = Heightfield::flat(grid(3, 2), 9.0);
    let low = AnyFilter::from(Normalize { low: 10.0, high: 20.0 });
    assert_eq!(filtered(&low, &level).range(), (10.0, 10.0));
}

#[test]
fn an_island_sinks_from_its_inner_part_to_its_border() {
    let land = Heightfield::flat(grid(101, 51), 0.0);
    let island = |outline| filtered(&AnyFilter::from(Island { depth: 800.0, inner: 0.5, outline }), &land);
    let (round, square) = (island(Outline::Round), island(Outline::Square));
    for island in [&round, &square] {
        // The middle, half way, three quarters of the way, where a smoothstep is half down, and the end.
        for (column, height) in [(50, 0.0), (75, 0.0), (25, 0.0), (100, -800.0), (0, -800.0)] {
            assert!((island.at(column, 25) - height).abs() < 1e-2, "{column}: {}", island.at(column, 25));
        }
        assert!((island.at(50, 0) + 800.0).abs() < 1e-2);
        let half = 0.5 * (island.at(87, 25) + island.at(88, 25));
        assert!((half + 400.0).abs() < 1.0, "{half}");
    }
    // Two thirds of the way out either way: 0.94 of the way to the ellipse, and 0.79 to the rounded corner.
    let drop = |t: f32| -800.0 * t * t * (3.0 - 2.0 * t);
    let (x, z) = (2.0 * 83.0 / 100.0 - 1.0f32, 2.0 * 42.0 / 50.0 - 1.0f32);
    let way = (x * x + z * z).sqrt();
    assert!((round.at(83, 42) - drop(((way - 0.5) / 0.5).min(1.0))).abs() < 1e-2);
    let way = (x.powi(4) + z.powi(4)).powf(0.25);
    assert!((square.at(83, 42) - drop((way - 0.5) / 0.5)).abs() < 1e-2);
    assert!(round.at(83, 42) < square.at(83, 42) - 100.0);
}

#[test]
fn a_warp_moves_the_land_sideways_by_no_more_than_its_reach() {
    // A slope towards the east: a height says which column it came from.
    let land = Heightfield::from_fn(grid(101, 61), |column, _| 10.0 * column as f32);
    let warp = |reach| filtered(&AnyFilter::from(Warp { reach, ..Warp::default() }), &land);
    assert_eq!(worst_difference(&warp(0.0), &land), 0.0);
    for reach in [0.05, 0.2] {
        let moved = worst_difference(&warp(reach), &land);
        let most = reach * 1000.0;
        assert!(moved <= most && moved > 0.3 * most, "{moved} m of {most} m");
    }
}

#[test]
fn splines_give_the_known_numbers() {
    let field = known_field("field_9x7");
    let to = grid(13, 17);
    let clamped = bspline(&field, to, Spline::default(), &Work::new()).unwrap();
    assert_known(&clamped, "bspline_clamped_to_rows17_cols13");
    assert_known(&bspline(&field, to, INTERIOR, &Work::new()).unwrap(), "bspline_interior_to_rows17_cols13");
}

#[derive(Deserialize)]
struct KnownCatmullRom {
    knots: Vec<f32>,
    cases: Vec<[f64; 2]>,
}

#[test]
fn catmull_rom_gives_the_known_numbers() {
    let KnownCatmullRom { knots, cases } = known("catmull_rom");
    let line = Heightfield::new(grid(4, 1), knots).unwrap();
    // Four samples a piece: the second of three pieces is the known one.
    let finer = catmull_rom(&line, grid(13, 1), &Work::new()).unwrap();
    for [u, expected] in cases {
        let found = f64::from(finer.at(4 + (4.0 * u) as usize, 0));
        assert!((found - expected).abs() <= 1e-4 * expected, "{found} instead of {expected} at {u}");
    }
}

#[test]
fn majority_gives_the_known_ids() {
    let (before, after): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (known("ids_8x8"), known("majority_3"));
    let found = majority(&before.concat(), 8, 8, 3, Border::Clamp, &Work::new()).unwrap();
    assert_eq!(found, after.concat());
}

/// What [`majority`] promises, said the slow way.
fn majority_by_counting(ids: &[u8], width: usize, depth: usize, size: u32, border: Border) -> Vec<u8> {
    let reach = size as i64 / 2;
    let beyond = |index: i64, count: usize| match border {
        Border::Clamp => index.clamp(0, count as i64 - 1) as usize,
        Border::Wrap => index.rem_euclid(count as i64) as usize,
    };
    let mut out = Vec::new();
    for (row, column) in (0..depth).flat_map(|row| (0..width).map(move |column| (row, column))) {
        let mut counts = [0; 256];
        for (z, x) in (-reach..=reach).flat_map(|z| (-reach..=reach).map(move |x| (z, x))) {
            let (x, z) = (beyond(column as i64 + x, width), beyond(row as i64 + z, depth));
            counts[usize::from(ids[z * width + x])] += 1;
        }
        let most = *counts.iter().max().unwrap();
        let centre = ids[row * width + column];
        let smallest = counts.iter().position(|&count| count == most).unwrap() as u8;
        out.push(if counts[usize::from(centre)] == most { centre } else { smallest });
    }
    out
}

#[test]
fn the_largest_window_holds_all_its_counts() {
    let ids: Vec<u8> = rough(12, 9, 4).heights().iter().map(|&height| u8::from(height > 200.0) * 9).collect();
    for border in [Border::Clamp, Border::Wrap] {
        for ids in [ids.clone(), vec![3; 108]] {
            let found = majority(&ids, 12, 9, 255, border, &Work::new()).unwrap();
            assert_eq!(found, majority_by_counting(&ids, 12, 9, 255, border));
        }
    }
}

fn border() -> impl Strategy<Value = Border> {
    prop_oneof![Just(Border::Clamp), Just(Border::Wrap)]
}

/// The sizes that break things, and any other small one.
fn size() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![
        Just((1, 1)),
        Just((2, 1)),
        Just((1, 2)),
        Just((3, 300)),
        (1..40usize, 1..40usize),
        Just((130, 5))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_majority_is_what_counting_says(
        (width, depth) in size(),
        kinds in prop_oneof![1..6u32, 6..40u32, Just(256u32)],
        reach in 0..8u32,
        border in border(),
        seed: u32,
    ) {
        let size = 2 * reach + 1;
        let field = rough(width, depth, seed);
        // Spread out, so that ids are not their own numbers; never 0, so that a made-up 0 shows.
        let id = |height: f32| ((height.abs() as u32 % kinds) * 37 % 255 + 1) as u8;
        let ids: Vec<u8> = field.heights().iter().map(|&height| id(height)).collect();
        let found = majority(&ids, width, depth, size, border, &Work::new()).unwrap();
        prop_assert_eq!(found, majority_by_counting(&ids, width, depth, size, border));
    }

    #[test]
    fn level_land_stays_level_to_the_last_bit(
        (width, depth) in size(),
        // Near 0 heights have finer digits.
        height in prop_oneof![-9000.0..9000f32, -1.0..1f32],
    ) {
        let level = Heightfield::flat(grid(width, depth), height);
        for filter in smoothing(Border::Clamp).into_iter().chain(smoothing(Border::Wrap)) {
            prop_assert_eq!(&filtered(&filter, &level), &level, "{:?}", filter);
        }
        for (name, resize) in RESIZERS {
            for to in [grid(1, 1), grid(7, 50), grid(width, depth), grid(2 * width + 1, 3 * depth)] {
                prop_assert_eq!(resize(&level, to, &Work::new()).unwrap(), Heightfield::flat(to, height), "{}", name);
            }
        }
    }

    #[test]
    fn level_land_far_from_a_cliff_stays_level_to_the_last_bit(height in -9000.0..9000f32, summit in -9000.0..9000f32) {
        let land = Heightfield::from_fn(grid(300, 300), |column, row| {
            if column < 10 && row < 10 { summit } else { height }
        });
        for size in [3, 25, 101] {
            let mean = filtered(&AnyFilter::from(Mean { size, border: Border::Clamp }), &land);
            prop_assert!((150..300).all(|row| mean.row(row).iter().all(|&found| found == height)));
            prop_assert!((0..300).all(|row| mean.row(row)[150..].iter().all(|&found| found == height)));
        }
    }

    #[test]
    fn weights_sum_to_one((width, depth) in size(), seed: u32) {
        // Wrapped round, every height is given away once in full: the mean of all stays.
        let land = rough(width, depth, seed);
        let mean = |field: &Heightfield| {
            field.heights().iter().map(|&height| f64::from(height)).sum::<f64>() / field.heights().len() as f64
        };
        for filter in smoothing(Border::Wrap) {
            let (before, after) = (mean(&land), mean(&filtered(&filter, &land)));
            // A few roundings of heights up to 1000 m.
            prop_assert!((before - after).abs() < 5e-4, "{filter:?}: {before} becomes {after}");
        }
    }

    #[test]
    fn means_stay_within_what_they_are_of((width, depth) in size(), seed: u32, border in border()) {
        let land = rough(width, depth, seed);
        let (low, high) = land.range();
        for filter in smoothing(border) {
            let (lowest, highest) = filtered(&filter, &land).range();
            prop_assert!(lowest >= low - 1e-3 && highest <= high + 1e-3, "{filter:?}: {lowest} to {highest}");
        }
    }

    #[test]
    fn wrapped_land_can_be_shifted_before_or_after(
        (width, depth) in size(),
        (east, south) in (0..200usize, 0..200usize),
        seed: u32,
    ) {
        let shift = |field: &Heightfield| {
            Heightfield::from_fn(field.grid(), |column, row| field.at((column + east) % width, (row + south) % depth))
        };
        let land = rough(width, depth, seed);
        for filter in smoothing(Border::Wrap) {
            let (before, after) = (filtered(&filter, &shift(&land)), shift(&filtered(&filter, &land)));
            if of::<LowPass>(&filter).is_some() {
                // The recursion begins elsewhere, so roundings differ.
                let worst = worst_difference(&before, &after);
                prop_assert!(worst < 5e-4, "{filter:?}: {worst}");
            } else {
                prop_assert_eq!(bits(&before), bits(&after), "{:?}", filter);
            }
        }
    }

    #[test]
    fn planes_survive_splines_and_curves(
        (width, depth) in (1..30usize, 1..30usize),
        (new_width, new_depth) in (2..60usize, 2..60usize),
        (rise_east, rise_south) in (-9.0..9f32, -9.0..9f32),
    ) {
        let plane = |column: f32, row: f32| 50.0 + rise_east * column + rise_south * row;
        let land = Heightfield::from_fn(grid(width, depth), |column, row| plane(column as f32, row as f32));
        let to = grid(new_width, new_depth);
        for (name, resize) in RESIZERS.into_iter().skip(1) {
            let resized = resize(&land, to, &Work::new()).unwrap();
            let expected = Heightfield::from_fn(to, |column, row| {
                let share = |index: usize, count: usize| index as f32 / (count - 1) as f32;
                plane(
                    share(column, new_width) * (width - 1) as f32,
                    share(row, new_depth) * (depth - 1) as f32,
                )
            });
            let worst = worst_difference(&resized, &expected);
            prop_assert!(worst < 1e-3, "{name}: {worst} m off");
        }
    }

    #[test]
    fn resizing_to_the_same_size_changes_nothing((width, depth) in size(), seed: u32) {
        let land = rough(width, depth, seed);
        // A spline that has the samples as control points passes beside them.
        for (name, resize) in RESIZERS.into_iter().filter(|(name, _)| *name != "bspline") {
            let worst = worst_difference(&resize(&land, land.grid(), &Work::new()).unwrap(), &land);
            let allowed = if name == "bspline through" { 1e-2 } else { 0.0 };
            prop_assert!(worst <= allowed, "{name}: {worst} m off");
        }
    }

    #[test]
    fn splines_stay_within_their_control_points((width, depth) in size(), to in (1..60usize, 1..60usize), seed: u32) {
        let land = rough(width, depth, seed);
        let (low, high) = land.range();
        for resize in [Resize::BSpline, Resize::Bilinear, Resize::Duplicate] {
            let (lowest, highest) = resize.apply(&land, grid(to.0, to.1), &Work::new()).unwrap().range();
            prop_assert!(lowest >= low - 1e-3 && highest <= high + 1e-3, "{resize:?}: {lowest} to {highest}");
        }
    }

    #[test]
    fn no_accepted_parameter_makes_a_height_that_is_no_number(
        mut filter in prop::sample::select(all()),
        (width, depth) in size(),
        shares in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64], 16),
        seed: u32,
    ) {
        let mut shares = shares.into_iter().cycle();
        filter.visit(&mut |param, value| {
            let share = shares.next().unwrap();
            let number = param.range.start() + share * (param.range.end() - param.range.start());
            match value {
                Value::Float(value) => *value = number as f32,
                Value::Int(value) => *value = number.round() as u32,
                Value::Flag(value) => *value = share < 0.5,
                Value::Choice(choice) => choice.set_index((share * choice.names().len() as f64) as usize),
                _ => {}
            }
        });
        match apply(&filter, &rough(width, depth, seed), u64::from(seed)) {
            Ok(land) => prop_assert!(land.heights().iter().all(|height| height.is_finite()), "{filter:?}"),
            Err(Error::Parameter { .. }) => {}
            Err(error) => prop_assert!(false, "{filter:?}: {error}"),
        }
    }
}

#[test]
fn windows_larger_than_the_field_see_all_of_it() {
    for (width, depth) in [(1, 1), (2, 1), (3, 1000), (5, 4)] {
        let land = rough(width, depth, 3);
        for border in [Border::Clamp, Border::Wrap] {
            for size in [1, 3, 31, 1023] {
                let found = filtered(&AnyFilter::from(Mean { size, border }), &land);
                for (column, row) in [(0, 0), (width - 1, depth - 1), (width / 2, depth / 2)] {
                    let expected = mean_by_summing(&land, column, row, size as i64 / 2, border);
                    let error = (f64::from(found.at(column, row)) - expected).abs();
                    assert!(error < 1e-3, "{width}×{depth}, {size}, {border:?}: {error}");
                }
            }
        }
    }
}

fn mean_by_summing(land: &Heightfield, column: usize, row: usize, reach: i64, border: Border) -> f64 {
    let beyond = |index: i64, count: usize| match border {
        Border::Clamp => index.clamp(0, count as i64 - 1) as usize,
        Border::Wrap => index.rem_euclid(count as i64) as usize,
    };
    let Grid { width, depth, .. } = land.grid();
    let mut sum = 0.0;
    for z in -reach..=reach {
        let row = land.row(beyond(row as i64 + z, depth));
        sum += (-reach..=reach).map(|x| f64::from(row[beyond(column as i64 + x, width)])).sum::<f64>();
    }
    sum / ((2 * reach + 1) * (2 * reach + 1)) as f64
}

/// Sizes that have hardly any neighbours.
const THIN: [(usize, usize); 5] = [(1, 1), (2, 1), (1, 2), (3, 1000), (1000, 3)];

#[test]
fn every_filter_and_resizer_takes_a_sample_a_pair_and_a_line_of_them() {
    for (width, depth) in THIN {
        let land = rough(width, depth, 11);
        for filter in all() {
            let changed = filtered(&filter, &land);
            assert!(changed.heights().iter().all(|height| height.is_finite()), "{filter:?}, {width}×{depth}");
        }
        let ids = vec![7; width * depth];
        for (to_width, to_depth) in THIN {
            for (name, resize) in RESIZERS {
                let resized = resize(&land, grid(to_width, to_depth), &Work::new()).unwrap();
                let sound = resized.heights().iter().all(|height| height.is_finite());
                assert!(sound, "{name}, {width}×{depth} to {to_width}×{to_depth}");
            }
            let to = [to_width, to_depth];
            assert!(duplicate_ids(&ids, [width, depth], to, &Work::new()).unwrap().iter().all(|&id| id == 7));
            // The inside of a spline is what its outermost samples enclose: they have to be there.
            let inside = bspline(&land, grid(to_width, to_depth), INTERIOR, &Work::new());
            let said = inside.unwrap_err().to_string();
            assert!(said.starts_with(&format!("{width}×{depth} samples are too few")), "{said}");
        }
        for (border, size) in [(Border::Clamp, 1), (Border::Clamp, 31), (Border::Wrap, 255)] {
            assert_eq!(majority(&ids, width, depth, size, border, &Work::new()).unwrap(), ids);
        }
    }
}

#[test]
fn an_odd_row_of_the_triangle_and_an_even_window_are_refused_with_a_remedy() {
    let said = |filter: AnyFilter| apply(&filter, &rough(9, 9, 1), 0).unwrap_err().to_string();
    let border = Border::Clamp;
    assert_eq!(
        said(AnyFilter::from(Binomial { row: 5, border })),
        "row: row 5 has no middle number; use 4 or 6"
    );
    let even = "size: a window of 4 samples has no middle one; use 3 or 5";
    assert_eq!(said(AnyFilter::from(Mean { size: 4, border })), even);
    assert_eq!(said(AnyFilter::from(Gaussian { sigma: 1.0, size: 4, border })), even);
    let refused = |size, ids: &[u8]| majority(ids, 2, 2, size, border, &Work::new()).unwrap_err().to_string();
    assert_eq!(refused(4, &[1; 4]), even);
    assert_eq!(refused(257, &[1; 4]), "size: 257 is outside 1 to 255 samples");
    assert_eq!(refused(3, &[1; 3]), "2×2 samples do not match the 3 ids given");
}

#[test]
fn curves_that_would_be_infinite_are_refused() {
    let spikes =
        Heightfield::from_fn(grid(4, 1), |column, _| if column % 2 == 0 { f32::MAX } else { f32::MIN });
    let said = catmull_rom(&spikes, grid(9, 1), &Work::new()).unwrap_err().to_string();
    assert_eq!(said, "heights: are too large to lay a curve through; scale them down");
}

#[test]
fn the_same_bits_come_from_any_number_of_threads() {
    let land = rough(333, 301, 8);
    let ids: Vec<u8> = land.heights().iter().map(|height| (height.abs() / 200.0) as u8).collect();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let filters = smoothing(Border::Clamp).into_iter().chain(smoothing(Border::Wrap));
            let mut all: Vec<Vec<u32>> = filters.map(|filter| bits(&filtered(&filter, &land))).collect();
            all.extend(
                RESIZERS.map(|(_, resize)| bits(&resize(&land, grid(700, 123), &Work::new()).unwrap())),
            );
            (all, majority(&ids, 333, 301, 9, Border::Wrap, &Work::new()).unwrap())
        })
    };
    let one = with_threads(1);
    assert!(one == with_threads(2) && one == with_threads(7));
}

#[test]
fn cancelled_work_stops() {
    let work = Work::new();
    work.cancel();
    let land = rough(40, 40, 1);
    for filter in changing(&land) {
        assert!(
            matches!(filter.apply(&mut Ground::new(land.clone()), 0, &work), Err(Error::Cancelled)),
            "{filter:?}"
        );
    }
    for (name, resize) in RESIZERS {
        assert!(matches!(resize(&land, grid(90, 90), &work), Err(Error::Cancelled)), "{name}");
    }
    assert!(matches!(majority(&[0; 1600], 40, 40, 3, Border::Clamp, &work), Err(Error::Cancelled)));
    assert!(matches!(duplicate_ids(&[0; 1600], [40, 40], [90, 90], &work), Err(Error::Cancelled)));
}

#[test]
fn finished_work_says_that_it_is_finished() {
    let land = rough(200, 130, 1);
    for filter in changing(&land) {
        let work = Work::new();
        filter.apply(&mut Ground::new(land.clone()), 0, &work).unwrap();
        assert_eq!(work.progress().fraction, 1.0, "{filter:?}");
    }
}
