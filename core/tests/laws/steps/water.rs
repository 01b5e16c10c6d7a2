//! What water promises: beds descend on any land, no land rises, what is far away stays, and plants
//! get the less water the farther and the higher they stand from it.

use crate::questions::{cancelled_at, spread, threads, whole};
use glam::{Vec2, Vec3, vec2};
use proptest::prelude::*;
use upland_core::params::{Params, Value};
use upland_core::water::{
    Carve, Channel, Course, Flow, River, RiverCourse, RiverSheet, WATER_REACH, WaterBuffer,
};
use upland_core::{Error, Grid, Heightfield, Preset, Recipe, Work};

fn grid(width: usize, depth: usize) -> Grid {
    Grid::new(width, depth, 10.0).unwrap()
}

fn noise(column: usize, row: usize, seed: u32) -> f32 {
    let mut bits = (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77) ^ seed;
    for _ in 0..3 {
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x2C1B_3C6D);
    }
    (bits >> 8) as f32 / (1 << 23) as f32 - 1.0
}

/// Lands that rivers find hard.
fn land(kind: usize, grid: Grid, seed: u32) -> Heightfield {
    Heightfield::from_fn(grid, |column, row| {
        let noise = noise(column, row, seed);
        match kind {
            0 => 100.0,
            1 => 1000.0 * noise,
            // A ridge across.
            2 => 20.0 * noise + if row % 37 < 5 { 900.0 } else { 100.0 },
            // Cliffs, up as well as down.
            3 => (row / 9 * 7919 % 13) as f32 * 80.0 + noise,
            // A slope, and steps along the course.
            4 => row as f32 * 15.0 + (column / 8) as f32 * 40.0,
            _ => -300.0 * (row as f32 * 0.13).sin() * (column as f32 * 0.07).cos() + 5.0 * noise,
        }
    })
}

fn carved(river: &River, land: &Heightfield, seed: u64) -> (Heightfield, Course) {
    let mut field = land.clone();
    let course = river.carve(&mut field, seed, &Work::new()).unwrap();
    (field, course)
}

/// Metres from a point to the course's nearest point.
fn away(course: &Course, p_in_metres: Vec2) -> f32 {
    course.points().map(|point| point.distance(p_in_metres)).fold(f32::INFINITY, f32::min)
}

fn assert_descends(field: &Heightfield, course: &Course) {
    let heights: Vec<f32> = course.bed().map(|(column, row)| field.at(column, row)).collect();
    for pair in heights.windows(2) {
        assert!(pair[1] <= pair[0], "from {} up to {}", pair[0], pair[1]);
    }
    let mut samples: Vec<_> = course.bed().collect();
    samples.sort_unstable();
    samples.dedup();
    assert_eq!(samples.len(), heights.len(), "the bed comes twice to a sample");
}

/// A place on the land, beside it, or far away.
fn any_point() -> impl Strategy<Value = Vec2> {
    let number = || prop_oneof![4 => 0.0..=1.0f32, 1 => -1.0..=2.0f32, 1 => Just(0.5), 1 => Just(2.0)];
    (number(), number()).prop_map(Vec2::from)
}

/// Any river that the recipe accepts, the ends of the ranges among them; half of them drawn by hand.
fn any_river() -> impl Strategy<Value = River> {
    let share = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64, 0.0..=0.05f64];
    let drawn = prop_oneof![Just(Vec::new()), prop::collection::vec(any_point(), 0..9)];
    (prop::collection::vec(share, 13), drawn).prop_map(|(shares, drawn)| {
        let (mut river, mut shares, mut drawn) = (River::default(), shares.into_iter(), Some(drawn));
        river.visit(&mut |param, value| {
            if let Value::Points(points) = value {
                *points = drawn.take().unwrap();
                return;
            }
            let share = shares.next().unwrap();
            let number = param.range.start() + (param.range.end() - param.range.start()) * share;
            match value {
                Value::Float(value) => *value = number as f32,
                Value::Int(value) => *value = number as u32,
                Value::Choice(choice) => choice.set_index((share * 1.99) as usize),
                _ => {}
            }
        });
        river
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn beds_descend_and_no_land_rises_whatever_is_accepted(
        river in any_river(),
        kind in 0usize..6,
        (width, depth) in prop_oneof![
            Just((1, 1)), Just((2, 1)), Just((3, 1000)), Just((1000, 3)), (1usize..90, 1usize..90),
        ],
        seed: u32,
    ) {
        let before = land(kind, grid(width, depth), seed);
        let (after, course) = carved(&river, &before, u64::from(seed));
        assert_descends(&after, &course);
        for (before, after) in before.heights().iter().zip(after.heights()) {
            prop_assert!(after <= before, "{before} rose to {after}");
        }
        let water = WaterBuffer::new(&after, None, &[course], &Work::new()).unwrap();
        for row in 0..depth {
            for column in 0..width {
                let (depth, available) = (water.depth(column, row), water.available(column, row));
                prop_assert!(depth >= 0.0 && depth.is_finite());
                prop_assert!((0.0..=1.0).contains(&available), "{available}");
                prop_assert_eq!(depth > 0.0, available == 1.0, "{} m, {}", depth, available);
            }
        }
    }

    #[test]
    fn beds_drawn_by_hand_descend_through_loops_and_crossings(
        nodes in prop::collection::vec((-300.0..900.0f32, -300.0..900.0f32), 0..12),
        kind in 0usize..6,
        width in 0.0..200.0f32,
        seed: u32,
    ) {
        let mut field = land(kind, grid(64, 50), seed);
        let nodes: Vec<Vec2> = nodes.into_iter().map(Vec2::from).collect();
        let channel = Channel { width, depth: 12.0, bank: 35.0, fill: 0.5 };
        let course = Course::through(&nodes, channel, field.grid(), &Work::new()).unwrap();
        course.carve(&mut field, &Work::new()).unwrap();
        assert_descends(&field, &course);
    }

    #[test]
    fn nothing_changes_out_of_reach(
        kind in 0usize..6,
        seed: u32,
        bearing in 0.0..360.0f32,
        roughness in prop_oneof![Just(0.0), 0.0..=0.5f32],
    ) {
        let river = River { bearing, width: 70.0, bank: 40.0, roughness, ..River::default() };
        let before = land(kind, grid(70, 60), seed);
        let (after, course) = carved(&river, &before, u64::from(seed));
        // A bed narrower than a sample takes one.
        let reach = river.width * (0.5 + roughness) + river.bank + 10.0;
        for row in 0..60 {
            for column in 0..70 {
                if after.at(column, row) != before.at(column, row) {
                    let place = vec2(column as f32, row as f32) * 10.0;
                    prop_assert!(away(&course, place) < reach, "{column}, {row}");
                }
            }
        }
    }
}

/// FNV-1a over the bits of the heights, in order.
fn hash(field: &Heightfield) -> u64 {
    let bytes = field.heights().iter().flat_map(|height| height.to_bits().to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Rivers that are not drawn by hand and have smooth banks, to the bit.
#[test]
fn no_river_has_moved() {
    let land = land(5, grid(90, 70), 1);
    let bent = River { bearing: 75.0, offset: 0.3, bends: 9, meander: 400.0, ..River::default() };
    let hashes = [River::default(), bent].map(|river| hash(&carved(&river, &land, 4).0));
    assert_eq!(hashes.map(|hash| format!("{hash:016x}")), ["23fb3448171a5f92", "838e6b309fe50397"]);
}

#[test]
fn the_bed_goes_from_neighbour_to_neighbour() {
    let field = land(0, grid(80, 80), 0);
    let river = River { bearing: 30.0, meander: 20.0, ..River::default() };
    let (_, course) = carved(&river, &field, 5);
    let bed: Vec<_> = course.bed().collect();
    assert!(bed.len() > 80);
    for pair in bed.windows(2) {
        let ((c0, r0), (c1, r1)) = (pair[0], pair[1]);
        assert_eq!(c0.abs_diff(c1) + r0.abs_diff(r1), 1);
    }
}

#[test]
fn level_land_has_the_full_depth_in_the_middle_and_a_smooth_side() {
    let field = land(0, grid(101, 101), 0);
    let river = River { width: 200.0, depth: 9.0, meander: 0.0, ..River::default() };
    let (after, _) = carved(&river, &field, 0);
    for row in 0..101 {
        assert_eq!(after.at(50, row), 91.0);
        // Half-way between middle and edge a smoothstep is at one half.
        assert!((after.at(55, row) - 95.5).abs() < 1e-3);
        for column in 50..60 {
            assert!(after.at(column, row) < after.at(column + 1, row));
            assert!((after.at(column, row) - after.at(100 - column, row)).abs() < 1e-3);
        }
        assert!((after.at(60, row) - 100.0).abs() < 1e-3);
        assert_eq!(after.at(75, row), 100.0);
    }
}

#[test]
fn a_ridge_is_cut_down_to_the_bed_with_sloping_banks() {
    let field = Heightfield::from_fn(grid(101, 101), |_, row| if row == 50 { 500.0 } else { 100.0 });
    let river = River { meander: 0.0, width: 40.0, depth: 5.0, bank: 200.0, ..River::default() };
    let (after, _) = carved(&river, &field, 0);
    assert_eq!(after.at(50, 50), 95.0);
    for column in 50..71 {
        assert!(after.at(column, 50) <= after.at(column + 1, 50));
    }
    assert!(after.at(62, 50) > 200.0 && after.at(62, 50) < 400.0);
    assert_eq!(after.at(73, 50), 500.0);
}

#[test]
fn a_river_flows_downhill_or_where_its_bearing_says() {
    let north_is_low = Heightfield::from_fn(grid(50, 50), |_, row| row as f32);
    let mouth = |flow| {
        let river = River { bearing: 180.0, flow, ..River::default() };
        carved(&river, &north_is_low, 0).1.bed().last().unwrap().1
    };
    assert_eq!(mouth(Flow::Downhill), 0);
    assert_eq!(mouth(Flow::Bearing), 49);
    let east = River { bearing: 90.0, flow: Flow::Bearing, ..River::default() };
    assert_eq!(carved(&east, &north_is_low, 0).1.bed().last().unwrap().0, 49);
}

#[test]
fn a_river_drawn_by_hand_goes_where_it_is_drawn() {
    let points = vec![vec2(0.1, 0.0), vec2(0.2, 0.5), vec2(0.25, 0.55), vec2(0.9, 0.6), vec2(0.9, 1.2)];
    for flow in [Flow::Bearing, Flow::Downhill] {
        let river = River { points: points.clone(), flow, ..River::default() };
        let field = Heightfield::from_fn(grid(101, 81), |_, row| 500.0 + row as f32);
        let (after, course) = carved(&river, &field, 1);
        for point in &points[..4] {
            assert!(away(&course, *point * field.grid().extent()) < 5.0, "{point} is missed");
        }
        assert_descends(&after, &course);
        // The land is lowest in the north.
        let mouth = course.bed().last().unwrap();
        let expected = if flow == Flow::Bearing { (90usize, 80) } else { (10, 0) };
        assert!(mouth.0.abs_diff(expected.0) < 5 && mouth.1 == expected.1, "{mouth:?}");
    }
}

/// An island whose ridge runs north to south, in a sea.
fn island(side: usize, cell: f32) -> Heightfield {
    Heightfield::from_fn(Grid::new(side, side, cell).unwrap(), |column, row| {
        let at = |index: usize| index as f32 / (side - 1) as f32 * 2.0 - 1.0;
        let (x, z) = (at(column), at(row));
        600.0 - 900.0 * x.hypot(z) + 60.0 * libm::sinf(5.0 * z) * libm::cosf(4.0 * x)
    })
}

#[test]
fn a_river_down_the_valleys_of_an_island_comes_from_high_ground_and_reaches_the_sea() {
    for (side, cell) in [(65, 80.0), (129, 40.0), (257, 20.0)] {
        let before = island(side, cell);
        let river = River { course: RiverCourse::Valleys, width: 3.0 * cell, ..River::default() };
        let (after, course) = carved(&river, &before, 0);
        assert_descends(&after, &course);
        let bed: Vec<f32> = course.bed().map(|(column, row)| after.at(column, row)).collect();
        assert!(bed[0] > 300.0 && *bed.last().unwrap() <= 0.0, "{} to {}", bed[0], bed[bed.len() - 1]);
        let water = WaterBuffer::new(&after, Some(0.0), std::slice::from_ref(&course), &Work::new()).unwrap();
        let is_seen = |(column, row)| after.at(column, row) > 0.0 && water.depth(column, row) > 0.0;
        assert!(course.bed().filter(|sample| is_seen(*sample)).count() > 15, "{side}");
        // The same again, whatever the seed: it is the land that decides.
        assert_eq!(carved(&river, &before, 7), (after, course));
    }
}

#[test]
fn a_river_across_an_island_begins_on_the_floor_of_the_sea_and_stays_there() {
    let (after, course) = carved(&River::default(), &island(129, 20.0), 0);
    assert!(course.bed().all(|(column, row)| after.at(column, row) < 0.0));
}

#[test]
fn places_far_and_near_in_turn_make_no_loops() {
    let points = vec![vec2(0.0, 0.5), vec2(0.5, 0.5), vec2(0.51, 0.52), vec2(0.52, 0.5), vec2(1.0, 0.5)];
    let river = River { points, ..River::default() };
    let (_, course) = carved(&river, &land(0, grid(201, 201), 0), 0);
    let columns: Vec<_> = course.bed().map(|(column, _)| column).collect();
    assert!(columns.is_sorted(), "the course turns back");
    assert!(course.bed().all(|(_, row)| (95..110).contains(&row)), "the course swings out");
}

#[test]
fn one_place_is_no_river() {
    let before = land(1, grid(40, 30), 0);
    for points in [vec![vec2(0.5, 0.5)], vec![vec2(0.2, 0.9); 7]] {
        let (after, course) = carved(&River { points, ..River::default() }, &before, 0);
        assert_eq!(after, before);
        assert_eq!(course.bed().count(), 0);
        WaterBuffer::new(&after, None, &[course], &Work::new()).unwrap();
    }
}

#[test]
fn a_river_drawn_by_hand_is_the_same_at_every_resolution() {
    let points = vec![vec2(-0.6, 0.2), vec2(0.3, 0.3), vec2(0.6, 0.8), vec2(1.3, 0.7)];
    let river = River { points, width: 400.0, roughness: 0.3, ..River::default() };
    let level = |width, depth, cell| Heightfield::flat(Grid::new(width, depth, cell).unwrap(), 100.0);
    let (small, course) = carved(&river, &level(101, 81, 20.0), 2);
    let large = carved(&river, &level(401, 321, 5.0), 2).0;
    // Half the width less what the banks stray, on a smoothstep.
    let steepest = 1.5 * 8.0 / 80.0;
    let mut compared = 0;
    for row in 0..81 {
        for column in 0..101 {
            // The samples that a river passes are dug to its bed.
            if away(&course, vec2(column as f32, row as f32) * 20.0) > 20.0 {
                let (small, large) = (small.at(column, row), large.at(4 * column, 4 * row));
                // The curve is drawn by chords of half a sample: a metre or two beside itself in a bend.
                assert!((small - large).abs() < 2.0 * steepest, "{column}, {row}: {small} and {large}");
                compared += usize::from(small < 100.0);
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn rough_banks_wander_no_farther_than_they_say() {
    let field = Heightfield::flat(Grid::new(401, 401, 5.0).unwrap(), 100.0);
    let width_at = |after: &Heightfield, row: usize, columns: &mut dyn Iterator<Item = usize>| {
        columns.take_while(|column| after.at(*column, row) < 99.99).count() as f32 * 5.0
    };
    let river = River { width: 400.0, bank: 0.0, meander: 0.0, ..River::default() };
    for roughness in [0.0, 0.1, 0.5] {
        let (after, course) = carved(&River { roughness, ..river.clone() }, &field, 7);
        assert_descends(&after, &course);
        let (mut least, mut most) = (f32::INFINITY, 0.0f32);
        for row in 0..401 {
            assert_eq!(after.at(200, row), 92.0);
            for half in [width_at(&after, row, &mut (201..401)), width_at(&after, row, &mut (0..200).rev())] {
                (least, most) = (least.min(half), most.max(half));
            }
        }
        // A smoothstep ends levelly: its last metres can't be told from the land.
        assert!(least >= 200.0 - 400.0 * roughness - 20.0, "{roughness}: {least}");
        assert!(most <= 200.0 + 400.0 * roughness + 5.0, "{roughness}: {most}");
        assert!(most - least >= 400.0 * roughness * 0.4, "{roughness}: {least} to {most}");
        if roughness == 0.0 {
            assert_eq!(least, most);
        }
    }
}

#[test]
fn a_river_stands_within_its_rough_banks() {
    let river = River { width: 200.0, bank: 0.0, roughness: 0.5, fill: 0.9, ..River::default() };
    // Level ground below the water: only the edges keep it in.
    let mut field = land(0, grid(101, 101), 0);
    let course = river.carve(&mut field, 3, &Work::new()).unwrap();
    let low = Heightfield::flat(field.grid(), 92.0);
    let water = WaterBuffer::new(&low, None, std::slice::from_ref(&course), &Work::new()).unwrap();
    for row in 0..101 {
        for column in 0..101 {
            if water.depth(column, row) > 0.0 {
                // At the very edge nothing is dug.
                let dug = [column - 1, column, column + 1].iter().any(|near| field.at(*near, row) < 100.0);
                assert!(dug, "{column}, {row} is beyond the edge");
            }
        }
    }
}

#[test]
fn several_rivers_have_courses_of_their_own() {
    let text = r#"(version: 1, name: "Two", size: (129, 129), cell: 10, steps: [
        fbm(height: 200), river(), river(variant: 1), river(bearing: 90),
    ])"#;
    let landscape = Recipe::from_ron(text, "two.ron").unwrap().build(&Work::new()).unwrap();
    let [first, second, third] = &landscape.rivers[..] else { panic!("{}", landscape.rivers.len()) };
    assert_ne!(first, second);
    assert_ne!(first, third);
    // The last one dug was not changed by another.
    assert_descends(&landscape.heightfield, third);
    let water = landscape.water(&Work::new()).unwrap();
    for (column, row) in third.bed() {
        assert!(water.depth(column, row) > 0.0, "{column}, {row} is dry");
    }
}

#[test]
fn water_is_no_step_that_is_taken_by_half() {
    let text = r#"(version: 1, name: "Half", size: (9, 9), cell: 10, steps: [river(amount: 0.5)])"#;
    let error = Recipe::from_ron(text, "half.ron").unwrap_err().to_string();
    assert!(error.contains("unknown field `amount`; there are width, depth"), "{error}");
}

#[test]
fn rivers_and_water_are_the_same_on_any_number_of_threads() {
    let before = land(5, grid(150, 97), 3);
    let made = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (field, course) = carved(&River::default(), &before, 9);
            let water = WaterBuffer::new(&field, Some(-200.0), std::slice::from_ref(&course), &Work::new());
            (field, course, water.unwrap())
        })
    };
    let alone = made(1);
    assert_eq!(made(2), alone);
    assert_eq!(made(7), alone);
}

#[test]
fn who_cancels_beforehand_waits_for_nobody() {
    let field = land(0, grid(2049, 2049), 0);
    let carve = |work: &Work| River::default().carve(&mut field.clone(), 0, work).map(|_| ());
    let fill = |work: &Work| WaterBuffer::new(&field, Some(200.0), &[], work).map(|_| ());
    for asked in [cancelled_at(1, carve), cancelled_at(1, fill)] {
        assert!(matches!(asked.outcome, Err(Error::Cancelled)));
        assert_eq!(asked.questions, 1);
    }
}

#[test]
fn rivers_that_say_too_much_are_refused_with_the_range() {
    let text = r#"(version: 1, name: "Wide", size: (9, 9), cell: 10, steps: [river(width: 9e9)])"#;
    let error = Recipe::from_ron(text, "wide.ron").unwrap_err().to_string();
    assert!(error.contains("`width`") && error.contains("is outside 0 to 5000 m"), "{error}");
}

/// A river that crosses the land a thousand times asks at every crossing at the least, and stops there.
#[test]
fn who_cancels_a_river_of_many_bends_waits_for_nobody() {
    let points =
        (0..1000).map(|number| vec2((number * 7 % 3) as f32 - 0.5, (number * 5 % 2) as f32)).collect();
    let river = River { points, ..River::default() };
    let dig = |work: &Work| river.carve(&mut land(0, grid(513, 513), 0), 0, work).map(|_| ());
    let asked = whole(dig);
    assert!(asked.outcome.is_ok(), "{:?}", asked.outcome);
    assert!(asked.questions > 1000, "{} questions", asked.questions);
    for chosen in spread(asked.questions, 8) {
        let cut = cancelled_at(chosen, dig);
        assert!(matches!(cut.outcome, Err(Error::Cancelled)), "at {chosen}");
        assert_eq!(cut.questions, chosen, "went on after it was told to stop");
    }
}

#[test]
fn a_river_of_another_land_is_refused() {
    let (_, course) = carved(&River::default(), &land(0, grid(20, 20), 0), 0);
    let error = WaterBuffer::new(&land(0, grid(30, 20), 0), None, &[course], &Work::new()).unwrap_err();
    assert!(error.to_string().contains("made for 20×20 samples"), "{error}");
}

#[test]
fn the_sea_is_as_deep_as_the_ground_lies_below_it() {
    let field = land(5, grid(60, 40), 0);
    let water = WaterBuffer::new(&field, Some(12.0), &[], &Work::new()).unwrap();
    for (depth, height) in water.depths().iter().zip(field.heights()) {
        assert_eq!(*depth, (12.0 - height).max(0.0));
    }
    let dry = WaterBuffer::new(&field, None, &[], &Work::new()).unwrap();
    assert!(dry.depths().iter().all(|depth| *depth == 0.0));
    assert_eq!(dry.available(3, 3), 0.0);
}

#[test]
fn water_reaches_less_far_and_less_high() {
    let shore = Heightfield::from_fn(grid(81, 9), |column, _| if column == 0 { -1.0 } else { 0.0 });
    let water = WaterBuffer::new(&shore, Some(0.0), &[], &Work::new()).unwrap();
    for column in 1..81 {
        let (near, far) = (water.available(column - 1, 4), water.available(column, 4));
        assert!(near > far || (near == 0.0 && far == 0.0), "{near} then {far}");
        let even = (1.0 - column as f32 * 10.0 / WATER_REACH).max(0.0);
        assert!((far - even).abs() < 1e-5, "{far} instead of {even}");
    }
    let cliff = Heightfield::from_fn(grid(5, 1), |column, _| column as f32 * 12.0 - 1.0);
    let water = WaterBuffer::new(&cliff, Some(0.0), &[], &Work::new()).unwrap();
    assert!(water.available(1, 0) > 0.5 && water.available(2, 0) < 0.2);
    assert_eq!(water.available(4, 0), 0.0);
}

#[test]
fn a_river_on_level_land_stands_as_deep_as_it_is_filled() {
    let river = River { width: 100.0, depth: 10.0, fill: 0.5, meander: 0.0, ..River::default() };
    let (field, course) = carved(&river, &land(0, grid(61, 61), 0), 0);
    let water = WaterBuffer::new(&field, None, &[course], &Work::new()).unwrap();
    assert_eq!(water.depth(30, 30), 5.0);
    // Half full is where the smoothstep is half up.
    assert!(water.depth(32, 30) > 0.0);
    assert_eq!(water.depth(33, 30), 0.0);
    assert!(water.available(33, 30) > 0.8);
    assert_eq!(water.available(0, 0), 0.0);
}

#[test]
fn the_river_of_the_preset_reaches_the_sea() {
    let recipe = Preset::find("river-valley").unwrap().recipe().unwrap().with_longer_side(257);
    let landscape = recipe.build(&Work::new()).unwrap();
    let water = landscape.water(&Work::new()).unwrap();
    assert!(!landscape.rivers.is_empty());
    let last = landscape.rivers.last().unwrap();
    assert_descends(&landscape.heightfield, last);
    let mouth = last.bed().last().unwrap();
    assert!(landscape.heightfield.at(mouth.0, mouth.1) < landscape.sea_level.unwrap());
    let wet = water.depths().iter().filter(|depth| **depth > 0.0).count() as f32;
    assert!((0.01..0.5).contains(&(wet / water.depths().len() as f32)), "{wet} samples");
}

#[test]
fn a_rivers_surface_is_the_water_that_stands_in_it() {
    let river = River { width: 50.0, depth: 9.0, bends: 4, meander: 90.0, ..River::default() };
    let (field, course) = carved(&river, &land(5, grid(120, 90), 7), 3);
    let sheet = RiverSheet::new(&field, std::slice::from_ref(&course), None, &Work::new()).unwrap();
    let water = WaterBuffer::new(&field, None, &[course], &Work::new()).unwrap();
    let half = field.grid().extent() / 2.0;
    let (mut wet, mut same) = (0, 0);
    for ([x, height, z], [east, south]) in sheet.positions.iter().zip(&sheet.velocities) {
        let (column, row) = (((x + half.x) / 10.0) as usize, ((z + half.y) / 10.0) as usize);
        let depth = water.depth(column, row);
        if depth > 0.0 {
            // The buffer has the highest water that passes a sample, this that of the nearest place: they
            // differ at falls.
            let lower = field.at(column, row) + depth - height;
            assert!(lower > -1e-3, "{lower} at {column}, {row}");
            same += usize::from(lower < 1e-3);
            wet += 1;
        }
        assert!((0.0..=7.0).contains(&east.hypot(*south)));
    }
    // All samples that are wet belong to it, but for the last row and column, which begin no square.
    let all = water.depths().iter().filter(|depth| **depth > 0.0).count();
    assert!(wet > 100 && wet * 100 >= all * 95, "{wet} of {all}");
    assert!(same * 10 >= wet * 9, "{same} of {wet}");

    // Every triangle faces up, and water falls the way it flows.
    let point = |index: &u32| Vec3::from(sheet.positions[*index as usize]);
    let velocity = |index: &u32| Vec2::from(sheet.velocities[*index as usize]);
    let (mut downhill, mut uphill) = (0, 0);
    for [a, b, c] in sheet.indices.as_chunks().0 {
        let normal = (point(b) - point(a)).cross(point(c) - point(a));
        assert!(normal.y > 0.0);
        let fall = vec2(normal.x, normal.z).dot(velocity(a));
        downhill += usize::from(fall > 0.0);
        uphill += usize::from(fall < 0.0);
    }
    assert!(downhill > 20 * uphill.max(1), "{downhill} squares fall, {uphill} rise");
}

#[test]
fn a_rivers_surface_can_be_asked_for_at_any_place() {
    let river = River { width: 50.0, depth: 9.0, bends: 4, meander: 90.0, ..River::default() };
    let (field, course) = carved(&river, &land(5, grid(120, 90), 7), 3);
    let sheet = RiverSheet::new(&field, &[course], None, &Work::new()).unwrap();
    let at = |x: f32, z: f32| sheet.surface_at(field.grid(), vec2(x, z));
    for [a, b, c] in sheet.indices.as_chunks().0 {
        let corners = [a, b, c].map(|index| Vec3::from(sheet.positions[*index as usize]));
        let middle = corners.iter().sum::<Vec3>() / 3.0;
        let height = at(middle.x, middle.z).unwrap();
        assert!((height - middle.y).abs() < 1e-2, "{height} at {middle}");
    }
    let half = field.grid().extent() / 2.0;
    let places = (0..90).flat_map(|row| (0..120).map(move |column| vec2(column as f32, row as f32)));
    let wet =
        places.filter(|place| at(place.x * 10.0 - half.x + 5.0, place.y * 10.0 - half.y + 5.0).is_some());
    assert_eq!(wet.count(), sheet.indices.len() / 6, "beside it there is none");
    for nowhere in [vec2(f32::NAN, 0.0), vec2(0.0, f32::INFINITY), vec2(-half.x - 1.0, 0.0), half + 0.1] {
        assert_eq!(at(nowhere.x, nowhere.y), None, "{nowhere}");
    }
}

#[test]
fn dry_rivers_and_those_under_the_sea_have_no_surface() {
    let before = land(0, grid(60, 60), 0);
    let surface = |river: River, sea_level| {
        let (field, course) = carved(&river, &before, 1);
        RiverSheet::new(&field, &[course], sea_level, &Work::new()).unwrap()
    };
    assert!(surface(River { fill: 0.0, ..River::default() }, None).is_empty());
    assert!(surface(River::default(), Some(100.0)).is_empty());
    assert!(!surface(River::default(), Some(0.0)).is_empty());
    assert!(RiverSheet::new(&before, &[], None, &Work::new()).unwrap().is_empty());
}

#[test]
fn a_rivers_surface_goes_on_below_the_sea_in_its_mouth() {
    let mut field = Heightfield::flat(grid(60, 120), 0.0);
    for (index, height) in field.heights_mut().iter_mut().enumerate() {
        *height = 80.0 - (index / 60) as f32;
    }
    let (field, course) = carved(&River { bearing: 180.0, ..River::default() }, &field, 1);
    let sheet = RiverSheet::new(&field, &[course], Some(0.0), &Work::new()).unwrap();
    let mouth = sheet.mouths.as_ref().expect("it runs into the sea");
    assert!(mouth.mouths.is_none() && mouth.cell == 10.0 && sheet.cell == 10.0);
    let half = field.grid().extent() / 2.0;
    for part in [&sheet, mouth] {
        for ([x, level, z], depth) in part.positions.iter().zip(&part.depths) {
            let at = [x + half.x, z + half.y].map(|metres| (metres / 10.0).round() as usize);
            assert_eq!(*depth, level - field.at(at[0], at[1]));
        }
    }
    // Most of it lies less than 25 m below the sea; single corners of its quads do not.
    let levels = |part: &RiverSheet| part.positions.iter().map(|[_, level, _]| *level).collect::<Vec<_>>();
    let (above, below) = (levels(&sheet), levels(mouth));
    assert!(above.iter().filter(|level| **level > 0.0).count() * 10 > above.len() * 9);
    assert!(below.iter().all(|level| (-40.0..1.0).contains(level)), "{below:?}");
    assert!(below.iter().any(|level| *level < -20.0), "{below:?}");
}

#[test]
fn where_rivers_meet_the_deepest_is_drawn() {
    let mut field = land(0, grid(80, 80), 0);
    let straight = |bearing: f32, depth: f32| River { bearing, depth, meander: 0.0, ..River::default() };
    let high = straight(90.0, 4.0).carve(&mut field, 0, &Work::new()).unwrap();
    let low = straight(180.0, 30.0).carve(&mut field, 0, &Work::new()).unwrap();
    let sheet = RiverSheet::new(&field, &[high, low], None, &Work::new()).unwrap();
    let in_the_middle = sheet.positions.iter().filter(|[x, _, z]| x.abs() < 20.0 && z.abs() < 20.0);
    assert!(in_the_middle.clone().count() > 4);
    // 0.7 of 30 m above a bed at 70 m, and 4 m less where the other river had dug before.
    assert!(in_the_middle.clone().all(|[_, height, _]| (86.9..91.1).contains(height)));
}

#[test]
fn a_surface_is_the_same_on_any_number_of_threads_and_can_be_cancelled() {
    let river = River { roughness: 0.3, ..River::default() };
    let (field, course) = carved(&river, &land(5, grid(150, 97), 3), 9);
    let rivers = std::slice::from_ref(&course);
    let made =
        |count| threads(count).install(|| RiverSheet::new(&field, rivers, None, &Work::new()).unwrap());
    let alone = made(1);
    assert!(alone == made(2) && alone == made(7));
    let make = |work: &Work| RiverSheet::new(&field, rivers, None, work).map(|_| ());
    for chosen in spread(whole(make).questions, 6) {
        let cut = cancelled_at(chosen, make);
        assert!(matches!(cut.outcome, Err(Error::Cancelled)));
        assert_eq!(cut.questions, chosen);
    }
    let error = RiverSheet::new(&land(0, grid(30, 20), 0), rivers, None, &Work::new()).unwrap_err();
    assert!(error.to_string().contains("made for 150×97 samples"), "{error}");
}
