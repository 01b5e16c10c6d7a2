//! Viewsheds against a slow and simple reference, and the laws that they keep.

use glam::{Vec2, vec2};
use proptest::prelude::*;
use upland_core::generate::{Fbm, Generate};
use upland_core::viewshed::{Curvature, Method, Tower, Viewshed, ViewshedOptions, line_of_sight, viewshed};
use upland_core::{Error, Grid, Heightfield, Work};

const EXACT: ViewshedOptions =
    ViewshedOptions { target_height: 0.0, radius: None, curvature: None, method: Some(Method::Exact) };
const FAST: ViewshedOptions = ViewshedOptions { method: Some(Method::Fast), ..EXACT };

fn tower(grid: Grid, column: usize, row: usize, height: f32) -> Tower {
    Tower { position: vec2(column as f32, row as f32) * grid.cell, height }
}

fn see(field: &Heightfield, towers: &[Tower], options: ViewshedOptions) -> Viewshed {
    viewshed(field, towers, &options, &Work::new()).unwrap()
}

fn hills(side: usize, seed: u64) -> Heightfield {
    let grid = Grid::new(side, side, 25.0).unwrap();
    let fbm = Fbm { height: 900.0, frequency: 4.0, ..Fbm::default() };
    fbm.generate(grid, seed, &Work::new()).unwrap()
}

/// Whether a place sees another, by how far the ground reaches above the line between them where the line
/// crosses the grid's lines; `None` if that is too near to 0 to decide. Exactly 0 means that the line touches
/// the ground. That is decided on flat land only, and if no height is small enough to be lost in the rounding
/// of the others. On a round planet all heights are rounded, so the order of the arithmetic decides about
/// lines that touch the ground.
fn reference(
    field: &Heightfield,
    (from, from_height): ([usize; 2], f64),
    (to, to_height): ([usize; 2], f64),
    effective_radius: Option<f64>,
) -> Option<bool> {
    let height = |place: [usize; 2]| f64::from(field.at(place[0], place[1]));
    let ends = [height(from) + from_height, height(to) + to_height];
    let away = [0, 1].map(|axis| to[axis] as f64 - from[axis] as f64);
    let cell = f64::from(field.grid().cell);
    let lower = |x: f64, z: f64| {
        let squared = (x - from[0] as f64).powi(2) + (z - from[1] as f64).powi(2);
        effective_radius.map_or(0.0, |radius| squared * cell * cell / (2.0 * radius))
    };
    let last = ends[1] - lower(to[0] as f64, to[1] as f64);
    let mut highest = f64::NEG_INFINITY;
    for axis in 0..2 {
        let (first, end) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
        for line in first + 1..end {
            let share = (line as f64 - from[axis] as f64) / away[axis];
            let aside = from[1 - axis] as f64 + share * away[1 - axis];
            // Rounding may put a crossing a little beside a sample, where it changes next to nothing.
            let (low, high) = (aside.floor(), aside.ceil());
            let ground = |aside: f64| {
                let place = if axis == 0 { [line, aside as usize] } else { [aside as usize, line] };
                height(place) - lower(place[0] as f64, place[1] as f64)
            };
            let between = ground(low) + (aside - low) * (ground(high) - ground(low));
            highest = highest.max(between - (ends[0] + share * (last - ends[0])));
        }
    }
    let touches = || {
        let sizes = field.heights().iter().map(|&height| f64::from(height).abs());
        let sizes = sizes.chain([from_height, to_height]).filter(|size| *size > 0.0);
        let (least, most) =
            sizes.fold((f64::INFINITY, 0.0f64), |(least, most), size| (least.min(size), most.max(size)));
        highest == 0.0 && effective_radius.is_none() && least > 1e-9 * most
    };
    (highest.abs() > 1e-7 || touches()).then_some(highest <= 0.0)
}

/// Compares an exact viewshed with the reference and with the line of sight, sample by sample; returns how
/// many the reference could tell.
fn check_all(field: &Heightfield, from: [usize; 2], height: f32, options: ViewshedOptions) -> usize {
    let grid = field.grid();
    let eye = tower(grid, from[0], from[1], height);
    let seen = see(field, &[eye], options);
    let mut told = 0;
    for index in 0..grid.count() {
        let place = [index % grid.width, index / grid.width];
        let target = tower(grid, place[0], place[1], options.target_height);
        let clear = line_of_sight(field, eye, target, options.curvature).unwrap().is_clear();
        let back = line_of_sight(field, target, eye, options.curvature).unwrap().is_clear();
        assert_eq!(clear, back, "{from:?} and {place:?}");
        let squared = (0..2).map(|axis| from[axis].abs_diff(place[axis]).pow(2) as f64).sum::<f64>();
        let metres = squared.sqrt() * f64::from(grid.cell);
        let within = options.radius.is_none_or(|radius| metres <= f64::from(radius));
        assert_eq!(seen.counts()[index] == 1, clear && within, "{place:?} from {from:?}");
        let radius = options.curvature.map(|curvature| curvature.effective_radius());
        let ends = ((from, f64::from(height)), (place, f64::from(options.target_height)));
        if let Some(expected) = reference(field, ends.0, ends.1, radius) {
            assert_eq!(clear, expected, "{place:?} from {from:?}, against the reference");
            told += 1;
        }
    }
    assert_eq!(seen.seen_together(), seen.seen_by_tower()[0]);
    told
}

#[test]
fn the_exact_viewshed_is_the_line_of_sight_to_every_sample() {
    let land = hills(97, 3);
    let curved = Some(Curvature { radius: 200_000.0, refraction: 0.13 });
    for (from, height, target_height, radius, curvature) in [
        ([48, 48], 2.0, 0.0, None, None),
        ([0, 0], 30.0, 1.7, None, None),
        ([96, 40], 0.0, 0.0, None, curved),
        ([20, 77], 400.0, 0.0, Some(1000.0), None),
        ([60, 96], 10.0, 10.0, None, curved),
    ] {
        let options = ViewshedOptions { target_height, radius, curvature, ..EXACT };
        let told = check_all(&land, from, height, options);
        assert!(told > 97 * 96, "the reference tells {told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn rough_and_level_ground_of_any_shape_is_seen_as_by_lines_of_sight(
        (width, depth) in (1usize..24, 1usize..24),
        place in (0usize..24, 0usize..24),
        heights in prop::collection::vec(-3i8..4, 24 * 24),
        // Whole numbers bring lines that touch the ground, fractions bring roundings.
        scale in prop::sample::select(vec![1.0f32, 0.1, 1e4, 1e-30, 0.0]),
        // Beside high ground, steps as small as these are less than what rounding may do to the horizon.
        smallest in prop::sample::select(vec![1.0f32, 1e-12]),
        height in prop::sample::select(vec![0.0f32, 1.0, 0.3, 20.0]),
        target_height in prop::sample::select(vec![0.0f32, 1.0, 0.7]),
        radius in prop::option::of(0.0f32..200.0),
        curved in any::<bool>(),
    ) {
        let grid = Grid::new(width, depth, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| match heights[row * 24 + column] {
            -3 => scale * -3e3,
            height => scale * smallest * f32::from(height),
        });
        let curvature = curved.then_some(Curvature { radius: 1000.0, refraction: 0.0 });
        let options = ViewshedOptions { target_height, radius, curvature, ..EXACT };
        check_all(&field, [place.0 % width, place.1 % depth], height, options);
    }

    #[test]
    fn numbers_of_any_kind_are_seen_or_refused(
        (width, depth) in (1usize..6, 1usize..6),
        position in (any::<f32>(), any::<f32>()),
        on_land in any::<bool>(),
        height in any::<f32>(),
        target_height in any::<f32>(),
        radius in prop::option::of(any::<f32>()),
        curvature in prop::option::of((any::<f64>(), any::<f64>())),
        heights in prop::collection::vec(any::<f32>(), 36),
        fast in any::<bool>(),
    ) {
        let grid = Grid::new(width, depth, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| heights[row * 6 + column]);
        let position = if on_land { Vec2::ZERO } else { position.into() };
        let curvature = curvature.map(|(radius, refraction)| Curvature { radius, refraction });
        let method = Some(if fast { Method::Fast } else { Method::Exact });
        let options = ViewshedOptions { target_height, radius, curvature, method };
        let from = Tower { position, height };
        let _ = line_of_sight(&field, from, Tower { position: Vec2::ZERO, height: target_height }, curvature);
        if let Ok(seen) = viewshed(&field, &[from], &options, &Work::new()) {
            prop_assert!(seen.seen_together() >= 1, "a tower sees its own place");
        }
    }
}

/// The samples of a viewshed of one tower that differ between the two methods, as a share of all.
fn differing(field: &Heightfield, tower: Tower, options: ViewshedOptions) -> f64 {
    let exact = see(field, &[tower], ViewshedOptions { method: Some(Method::Exact), ..options });
    let fast = see(field, &[tower], ViewshedOptions { method: Some(Method::Fast), ..options });
    let differ = exact.counts().iter().zip(fast.counts()).filter(|(exact, fast)| exact != fast).count();
    differ as f64 / field.grid().count() as f64
}

#[test]
fn the_fast_viewshed_differs_from_the_exact_one_on_less_than_two_percent() {
    let land = hills(401, 11);
    let mut most = 0.0f64;
    for (column, row) in [(200, 200), (0, 0), (400, 130), (77, 301)] {
        for (height, curvature) in [(10.0, None), (150.0, None), (150.0, Some(Curvature::default()))] {
            let options = ViewshedOptions { curvature, ..EXACT };
            let share = differing(&land, tower(land.grid(), column, row, height), options);
            assert!(share < 0.02, "{share} from {column}, {row} at {height} m");
            most = most.max(share);
        }
    }
    assert!(most > 0.0, "the methods are two");
}

#[test]
fn larger_land_is_seen_by_the_fast_method_unless_another_is_chosen() {
    let eye = |land: &Heightfield| tower(land.grid(), 100, 100, 30.0);
    let default = ViewshedOptions { method: None, ..EXACT };
    let (small, large) = (hills(401, 2), {
        let grid = Grid::new(4001, 1001, 10.0).unwrap();
        Heightfield::from_fn(grid, |column, row| ((column * 7 + row * 13) % 101) as f32 * 0.3)
    });
    for (land, method) in [(&small, EXACT), (&large, FAST)] {
        assert!(see(land, &[eye(land)], default) == see(land, &[eye(land)], method));
    }
    assert!(see(&large, &[eye(&large)], EXACT) != see(&large, &[eye(&large)], FAST));
}

#[test]
fn a_sees_b_exactly_if_b_sees_a() {
    let land = hills(65, 5);
    let grid = land.grid();
    let options = ViewshedOptions { target_height: 12.5, curvature: Some(Curvature::default()), ..EXACT };
    let places: Vec<[usize; 2]> = (0..40).map(|index| [index * 37 % 65, index * 53 % 65]).collect();
    let seen: Vec<Viewshed> =
        places.iter().map(|place| see(&land, &[tower(grid, place[0], place[1], 12.5)], options)).collect();
    let mut hidden = 0;
    for (a, from) in places.iter().enumerate() {
        for (b, to) in places.iter().enumerate() {
            let there = seen[a].counts()[to[1] * 65 + to[0]];
            let back = seen[b].counts()[from[1] * 65 + from[0]];
            assert_eq!(there, back, "{from:?} and {to:?}");
            hidden += usize::from(there == 0);
        }
    }
    assert!((100..1500).contains(&hidden), "some pairs see each other, others do not: {hidden} hidden");
}

#[test]
fn on_level_ground_everything_is_seen() {
    for (width, depth) in [(1, 1), (1, 50), (50, 1), (2, 2), (130, 70)] {
        let grid = Grid::new(width, depth, 10.0).unwrap();
        for (level, height) in [(0.0, 0.0), (0.0, 2.0), (123.4, 0.0), (123.4, 2.0), (-7e9, 0.5)] {
            let field = Heightfield::flat(grid, level);
            for (column, row) in [(0, 0), (width - 1, depth / 2), (width / 2, depth / 3)] {
                for options in [EXACT, FAST] {
                    let seen = see(&field, &[tower(grid, column, row, height)], options);
                    assert_eq!(seen.seen_together(), grid.count(), "{width}×{depth} at {level} + {height}");
                }
            }
        }
    }
}

#[test]
fn a_wall_hides_exactly_its_shadow() {
    // A tower of 30 m at column 0, a wall of 20 m at column 10: level ground behind it is hidden up to column
    // 30, where the ray over the wall comes down, and what is 8 m high up to column 22.
    let grid = Grid::new(41, 21, 10.0).unwrap();
    let field = Heightfield::from_fn(grid, |column, _| if column == 10 { 20.0 } else { 0.0 });
    for (target_height, end) in [(0.0, 30), (8.0, 22)] {
        for method in [Method::Exact, Method::Fast] {
            let options = ViewshedOptions { target_height, method: Some(method), ..EXACT };
            let seen = see(&field, &[tower(grid, 0, 10, 30.0)], options);
            for row in 0..21 {
                for column in 0..41 {
                    // At the shadow's very end the ray touches the target, which only the exact method has to
                    // get right.
                    if column == end && method == Method::Fast {
                        continue;
                    }
                    let hidden = column > 10 && column < end;
                    assert_eq!(seen.counts()[row * 41 + column] == 0, hidden, "{column}, {row} {method:?}");
                }
            }
        }
    }
}

#[test]
fn the_other_side_of_a_cone_is_hidden() {
    // A side of a cone is seen if the eye lies in front of its tangent plane. From 50 cells away, at the
    // height of a base of 30 cells, these are the sides whose direction has a cosine above 30/50 to that of
    // the eye.
    let grid = Grid::new(101, 101, 10.0).unwrap();
    let away = |column: usize, row: usize| vec2(column as f32 - 50.0, row as f32 - 50.0);
    let field =
        Heightfield::from_fn(grid, |column, row| (300.0 - 10.0 * away(column, row).length()).max(0.0));
    for options in [EXACT, FAST] {
        let seen = see(&field, &[tower(grid, 0, 50, 0.0)], options);
        let (mut near, mut far) = (0, 0);
        for index in 0..101 * 101 {
            let away = away(index % 101, index / 101);
            // Straight edges between samples make no perfect cone.
            if !(5.0..29.0).contains(&away.length()) {
                continue;
            }
            let cosine = -away.x / away.length();
            if cosine > 0.66 {
                assert_eq!(seen.counts()[index], 1, "{away} faces the eye");
                near += 1;
            } else if cosine < 0.54 {
                assert_eq!(seen.counts()[index], 0, "{away} lies on the other side");
                far += 1;
            }
        }
        assert!(near > 500 && far > 1500, "{near} and {far}");
    }
    let from_top = see(&field, &[tower(grid, 50, 50, 2.0)], EXACT);
    assert!(from_top.seen_together() > 100 * 100, "from its top nearly all is seen");
}

#[test]
fn over_a_round_planet_the_horizon_is_as_far_as_geometry_says() {
    // Level ground is seen as far as √(2 R h), R being the planet's radius divided by 1 − refraction.
    let grid = Grid::new(1201, 3, 25.0).unwrap();
    let field = Heightfield::flat(grid, 40.0);
    for (height, refraction) in [(2.0f32, 0.0), (20.0, 1.0 / 7.0), (30.0, 0.25)] {
        let curvature = Curvature { refraction, ..Curvature::default() };
        let horizon = (2.0 * 6_371_000.0 / (1.0 - refraction) * f64::from(height)).sqrt();
        for method in [Method::Exact, Method::Fast] {
            let options = ViewshedOptions { curvature: Some(curvature), method: Some(method), ..EXACT };
            let seen = see(&field, &[tower(grid, 0, 1, height)], options);
            let last = (0..1201).rev().find(|column| seen.counts()[1201 + column] == 1).unwrap();
            let metres = last as f64 * 25.0;
            assert!((metres - horizon).abs() <= 30.0, "{metres} m instead of {horizon} by {method:?}");
        }
    }
}

#[test]
fn nothing_beyond_the_radius_is_seen_and_the_tower_always_is() {
    let grid = Grid::new(61, 61, 10.0).unwrap();
    let field = Heightfield::flat(grid, 5.0);
    for options in [EXACT, FAST] {
        for (radius, expected) in [(0.0, 1), (9.9, 1), (10.0, 5), (20.0, 13), (50.0, 81)] {
            let options = ViewshedOptions { radius: Some(radius), ..options };
            let seen = see(&field, &[tower(grid, 30, 30, 2.0)], options);
            assert_eq!(seen.seen_together(), expected, "lattice points within {radius} m");
        }
    }
}

#[test]
fn the_cover_of_several_towers_is_the_sum_of_theirs() {
    let land = hills(81, 9);
    let towers = [(10, 10, 5.0), (70, 20, 40.0), (40, 80, 0.0)];
    let towers = towers.map(|(column, row, height)| tower(land.grid(), column, row, height));
    for options in [EXACT, FAST] {
        let all = see(&land, &towers, options);
        let alone = towers.map(|tower| see(&land, &[tower], options));
        for (index, count) in all.counts().iter().enumerate() {
            assert_eq!(*count, alone.iter().map(|seen| seen.counts()[index]).sum::<u8>());
        }
        assert_eq!(all.seen_by_tower(), alone.map(|seen| seen.seen_together()));
    }
    let many = vec![towers[0]; 255];
    assert_eq!(see(&land, &many, FAST).counts()[10 * 81 + 10], 255);
}

#[test]
fn the_bits_are_the_same_on_any_number_of_threads() {
    let land = hills(257, 4);
    let towers = [(128, 128), (0, 256), (30, 200)].map(|(x, z)| tower(land.grid(), x, z, 60.0));
    for options in [EXACT, FAST] {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| see(&land, &towers, options))
        };
        let one = on(1);
        assert!(one.seen_together() > 1000);
        for threads in [2, 32] {
            assert!(on(threads) == one, "on {threads} threads");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_what_would_be_accepted() {
    let mut land = hills(9, 1);
    let grid = land.grid();
    let good = tower(grid, 4, 4, 2.0);
    let refused = |land: &Heightfield, towers: &[Tower], options: ViewshedOptions, said: &str| {
        let error = viewshed(land, towers, &options, &Work::new()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    };
    refused(&land, &[], EXACT, "there are 0; give 1 to 255");
    refused(&land, &vec![good; 256], EXACT, "there are 256; give 1 to 255");
    for position in [vec2(-13.0, 0.0), vec2(0.0, 213.0), vec2(f32::NAN, 0.0), vec2(0.0, f32::INFINITY)] {
        let outside = Tower { position, ..good };
        let said = "lies outside the land, which reaches 200 m east and 200 m south";
        refused(&land, &[good, outside], EXACT, said);
        let error = line_of_sight(&land, good, outside, None).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    for height in [-1.0, f32::NAN, f32::INFINITY] {
        refused(&land, &[Tower { height, ..good }], EXACT, "height: ");
        refused(&land, &[good], ViewshedOptions { target_height: height, ..EXACT }, "target_height: ");
        refused(&land, &[good], ViewshedOptions { radius: Some(height), ..EXACT }, "radius: ");
    }
    for (radius, refraction, said) in
        [(0.0, 0.0, "curvature"), (f64::NAN, 0.0, "curvature"), (1e6, 1.0, "refraction")]
    {
        let curvature = Some(Curvature { radius, refraction });
        refused(&land, &[good], ViewshedOptions { curvature, ..EXACT }, said);
    }
    land.heights_mut()[3] = f32::NAN;
    refused(&land, &[good], FAST, "heights: ");
}

#[test]
fn a_viewshed_that_is_cancelled_stops() {
    let land = hills(257, 4);
    for options in [EXACT, FAST] {
        for question in [1, 3, 9] {
            let asked = std::sync::atomic::AtomicUsize::new(0);
            let work = Work::watched(move |work| {
                if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1 == question {
                    work.cancel();
                }
            });
            let cut = viewshed(&land, &[tower(land.grid(), 128, 128, 9.0)], &options, &work);
            assert!(matches!(cut, Err(Error::Cancelled)), "at question {question}");
        }
    }
}
