//! What rivers that meet promise: any order of them makes the same land, water joins, and no bed of any
//! rises.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::questions::{cancelled_at, spread, threads, whole};
use glam::{Vec2, vec2};
use proptest::prelude::*;
use upland_core::water::{
    Carve, Channel, Course, Flow, River, RiverCourse, RiverSheet, WaterBuffer, carve_together, dig,
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

/// Lands that rivers find hard, and the last one that they find easy.
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
            4 => -300.0 * (row as f32 * 0.13).sin() * (column as f32 * 0.07).cos() + 5.0 * noise,
            _ => 200.0 - row as f32 * 1.5 + 20.0 * (column as f32 * 0.1).sin(),
        }
    })
}

/// Digs rivers in one recipe's run, each with the seed of its place in `rivers`.
fn dug(rivers: &[(River, u64)], land: &Heightfield) -> (Heightfield, Vec<Course>) {
    let waterways: Vec<_> = rivers.iter().map(|(river, seed)| (river as &dyn Carve, *seed)).collect();
    let mut field = land.clone();
    let courses = dig(&mut field, &waterways, &mut [], &Work::new()).unwrap();
    (field, courses)
}

/// The bits of heights or depths.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// To what height every sample has to be filled so that water runs off it to the land's border or to where
/// a river ends within the land.
fn filled(field: &Heightfield, courses: &[Course]) -> Vec<f32> {
    let Grid { width, depth, .. } = field.grid();
    let height = |index: usize| field.heights()[index];
    // As whole numbers that compare as the heights do.
    let key = |height: f32| {
        let bits = height.to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    };
    let mut level = vec![f32::INFINITY; field.grid().count()];
    let mut shore = BinaryHeap::new();
    let border = (0..field.grid().count()).filter(|index| {
        [0, width - 1].contains(&(index % width)) || [0, depth - 1].contains(&(index / width))
    });
    // Where a river ends in another is no outlet, unless that one ends there, too. Valleys take up nothing.
    let bed = |course: &Course| course.bed().map(|(column, row)| row * width + column).collect::<Vec<_>>();
    let is_wet = |course: &&Course| course.channel().fill * course.channel().depth > 0.0;
    let on_the_way = |courses: Vec<&Course>| -> HashSet<usize> {
        courses.iter().flat_map(|course| bed(course).into_iter().rev().skip(1)).collect()
    };
    let rivers = on_the_way(courses.iter().filter(is_wet).collect());
    let all = on_the_way(courses.iter().collect());
    let mouths = courses.iter().filter_map(|course| {
        let mouth = bed(course).last().copied()?;
        let others = if is_wet(&course) { &rivers } else { &all };
        (!others.contains(&mouth)).then_some(mouth)
    });
    for outlet in border.chain(mouths) {
        if level[outlet].is_infinite() {
            level[outlet] = height(outlet);
            shore.push(Reverse((key(height(outlet)), outlet)));
        }
    }
    while let Some(Reverse((_, index))) = shore.pop() {
        let (column, row) = (index % width, index / width);
        for (across, down) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)] {
            let (c, r) = (column as isize + across, row as isize + down);
            if c < 0 || r < 0 || c >= width as isize || r >= depth as isize {
                continue;
            }
            let next = r as usize * width + c as usize;
            if level[next].is_infinite() {
                level[next] = height(next).max(level[index]);
                shore.push(Reverse((key(level[next]), next)));
            }
        }
    }
    level
}

/// Beds descend, each ends in another or on its own, and water runs off every sample of them.
fn assert_drains(field: &Heightfield, courses: &[Course]) {
    let level = filled(field, courses);
    for course in courses {
        let bed: Vec<_> = course.bed().collect();
        for pair in bed.windows(2) {
            let [before, here] = [pair[0], pair[1]].map(|(column, row)| field.at(column, row));
            assert!(here <= before, "a bed rises from {before} to {here} at {:?}", pair[1]);
        }
        for (column, row) in bed {
            let deep = level[row * field.grid().width + column] - field.at(column, row);
            assert!(deep <= 1e-3, "{deep} m of water can't run off {column}, {row}");
        }
    }
}

/// A place on the land, beside it, or far away.
fn any_point() -> impl Strategy<Value = Vec2> {
    let number = || prop_oneof![6 => 0.0..=1.0f32, 1 => -1.0..=2.0f32, 1 => Just(0.5), 1 => Just(0.25)];
    (number(), number()).prop_map(Vec2::from)
}

/// Any river: half of them drawn by hand, loops and crossings of their own among them.
fn any_river() -> impl Strategy<Value = River> {
    let drawn = prop_oneof![Just(Vec::new()), prop::collection::vec(any_point(), 2..7)];
    let size = (
        prop_oneof![Just(0.0), Just(60.0), 5.0..200.0f32],
        prop_oneof![Just(8.0), 0.0..60.0f32],
        prop_oneof![Just(0.0), Just(0.7), Just(1.0), 0.0..=1.0f32],
        prop_oneof![Just(0.0), Just(60.0), 0.0..300.0f32],
        prop_oneof![Just(0.0), 0.0..=0.5f32],
    );
    let way = (0.0..360.0f32, any::<bool>(), prop_oneof![Just(0.0), -1.0..=1.0f32], 0.0..400.0f32, 0u32..9);
    let down = (prop::bool::weighted(0.3), 1u32..4);
    (drawn, size, way, down).prop_map(|(points, (width, depth, fill, bank, roughness), way, down)| {
        let (bearing, downhill, offset, meander, bends) = way;
        let flow = if downhill { Flow::Downhill } else { Flow::Bearing };
        let (course, sea, rank) =
            (if down.0 { RiverCourse::Valleys } else { RiverCourse::Across }, 0.0, down.1);
        River {
            width,
            depth,
            fill,
            bank,
            roughness,
            points,
            course,
            sea,
            rank,
            bearing,
            flow,
            offset,
            meander,
            bends,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_makes_the_same_land_and_no_bed_rises(
        rivers in prop::collection::vec((any_river(), 0u64..3), 1..6),
        order in prop::collection::vec(any::<u32>(), 6),
        kind in 0usize..6,
        (width, depth) in prop_oneof![Just((1, 1)), Just((3, 200)), (2usize..90, 2usize..90)],
        seed: u32,
    ) {
        let before = land(kind, grid(width, depth), seed);
        let (after, courses) = dug(&rivers, &before);
        assert_drains(&after, &courses);
        for (before, after) in before.heights().iter().zip(after.heights()) {
            prop_assert!(after <= before, "{before} rose to {after}");
        }
        let mut places: Vec<usize> = (0..rivers.len()).collect();
        places.sort_by_key(|place| order[*place]);
        let permuted: Vec<_> = places.iter().map(|place| rivers[*place].clone()).collect();
        let (again, others) = dug(&permuted, &before);
        prop_assert!(bits(after.heights()) == bits(again.heights()), "{places:?} is other land");
        let sea = Some(50.0);
        let water = |field, courses: &[Course]| WaterBuffer::new(field, sea, courses, &Work::new()).unwrap();
        let (one, other) = (water(&after, &courses), water(&again, &others));
        prop_assert!(one == other, "{places:?} is other water");
        let sheet = |field, courses: &[Course]| RiverSheet::new(field, courses, sea, &Work::new()).unwrap();
        prop_assert!(sheet(&after, &courses) == sheet(&again, &others), "{places:?} is another surface");
    }
}

/// A river along a line of places in metres, whose width and depth say which one is the larger.
fn course(width: f32, depth: f32, points: &[(f32, f32)], grid: Grid) -> Course {
    let points: Vec<Vec2> = points.iter().copied().map(Vec2::from).collect();
    let channel = Channel { width, depth, bank: 40.0, fill: 0.7 };
    Course::through(&points, channel, grid, &Work::new()).unwrap()
}

fn together(land: &Heightfield, rivers: &[Course]) -> (Heightfield, Vec<Course>) {
    let mut field = land.clone();
    let rivers = carve_together(&mut field, rivers.to_vec(), &Work::new()).unwrap();
    (field, rivers)
}

/// The water of rivers that meet is one: none is cut off from the rest, and from sample to sample it falls
/// by no more than `fall` metres. The surface that is drawn is as high.
fn assert_one_water(field: &Heightfield, rivers: &[Course], fall: f32) {
    let Grid { width, depth, .. } = field.grid();
    let water = WaterBuffer::new(field, None, rivers, &Work::new()).unwrap();
    let is_wet = |index: &usize| water.depths()[*index] > 0.0;
    let level = |index: usize| field.heights()[index] + water.depths()[index];
    let first = (0..field.grid().count()).find(is_wet).unwrap();
    let (mut seen, mut next) = (HashSet::from([first]), vec![first]);
    while let Some(index) = next.pop() {
        let (column, row) = (index % width, index / width);
        let sides = [
            (column > 0, -1),
            (column + 1 < width, 1),
            (row > 0, -(width as isize)),
            (row + 1 < depth, width as isize),
        ];
        for neighbour in sides.iter().filter(|side| side.0).map(|side| index.wrapping_add_signed(side.1)) {
            if is_wet(&neighbour) {
                let falls = (level(index) - level(neighbour)).abs();
                assert!(
                    falls <= fall,
                    "{falls} m from {column}, {row} at {} ({} m deep) to {} ({} m)",
                    level(index),
                    water.depths()[index],
                    level(neighbour),
                    water.depths()[neighbour],
                );
                if seen.insert(neighbour) {
                    next.push(neighbour);
                }
            }
        }
    }
    let wet = (0..field.grid().count()).filter(is_wet).count();
    assert!(wet * 1000 <= seen.len() * 1005, "{} of {wet} wet samples hang together", seen.len());
    for course in rivers {
        for (column, row) in course.bed() {
            assert!(is_wet(&(row * width + column)), "{column}, {row} is dry");
        }
    }
    let sheet = RiverSheet::new(field, rivers, None, &Work::new()).unwrap();
    let half = field.grid().extent() / 2.0;
    for [x, height, z] in &sheet.positions {
        let index = ((z + half.y) / 10.0).round() as usize * width + ((x + half.x) / 10.0).round() as usize;
        if is_wet(&index) {
            assert!((level(index) - height).abs() < fall, "{height} is drawn for {}", level(index));
        }
    }
}

/// Falls gently to the south, with hills.
fn slope() -> Heightfield {
    Heightfield::from_fn(grid(121, 101), |column, row| {
        200.0 - 0.4 * row as f32 + 3.0 * (column as f32 * 0.2).sin() * (row as f32 * 0.15).cos()
    })
}

#[test]
fn a_smaller_river_ends_in_a_larger_one_at_its_level() {
    let land = slope();
    for (from, to) in
        [((0.0, 0.0), (1200.0, 900.0)), ((0.0, 500.0), (1200.0, 520.0)), ((900.0, 0.0), (100.0, 1000.0))]
    {
        for width in [10.0, 40.0, 70.0] {
            let main = course(80.0, 9.0, &[(600.0, 0.0), (560.0, 500.0), (620.0, 1000.0)], land.grid());
            let smaller = course(width, 5.0, &[from, to], land.grid());
            let (after, rivers) = together(&land, &[smaller.clone(), main.clone()]);
            assert_drains(&after, &rivers);
            assert_one_water(&after, &rivers, 1.5);
            let mouth = rivers[0].bed().last().unwrap();
            assert!(rivers[1].bed().any(|sample| sample == mouth), "{mouth:?} is not on the main river");
            assert_eq!(rivers[1].bed().count(), main.bed().count());
            // Behind the main river the land is whole.
            let (alone, _) = together(&land, &[main]);
            let beyond = smaller.bed().skip_while(|sample| *sample != mouth).skip(15);
            for (column, row) in beyond {
                assert_eq!(after.at(column, row), alone.at(column, row), "{column}, {row} is dug");
            }
        }
    }
}

#[test]
fn the_lower_of_two_waters_rules() {
    // The smaller one comes through a hollow 60 m lower than the main river, and that one through a ridge.
    let land = Heightfield::from_fn(
        grid(101, 101),
        |column, row| {
            if column < 40 && row > 30 { 40.0 } else { 100.0 }
        },
    );
    let main = course(60.0, 8.0, &[(700.0, 0.0), (700.0, 1000.0)], land.grid());
    let low = course(30.0, 5.0, &[(0.0, 600.0), (690.0, 600.0)], land.grid());
    let (after, rivers) = together(&land, &[main, low]);
    assert_drains(&after, &rivers);
    assert_one_water(&after, &rivers, 30.0);
    // Above the confluence the main river comes down to it; below it is as low.
    let [above, there, below] = [5, 66, 100].map(|row| after.at(70, row));
    assert!(above > 80.0 && there < 40.0 && below < 40.0, "{above}, {there}, {below}");
}

#[test]
fn a_river_twice_is_once() {
    let land = slope();
    let river = course(60.0, 7.0, &[(0.0, 100.0), (500.0, 400.0), (1200.0, 900.0)], land.grid());
    let back: Vec<(f32, f32)> = vec![(1200.0, 900.0), (500.0, 400.0), (0.0, 100.0)];
    let (once, _) = together(&land, std::slice::from_ref(&river));
    let (twice, rivers) = together(&land, &[river.clone(), river.clone(), river.clone()]);
    assert_eq!(bits(once.heights()), bits(twice.heights()));
    assert_eq!(rivers.iter().filter(|river| river.bed().count() > 0).count(), 1);
    // Up the same valley: one of the two flows.
    let (both, rivers) = together(&land, &[course(30.0, 3.0, &back, land.grid()), river]);
    assert_eq!(bits(once.heights()), bits(both.heights()));
    assert_drains(&both, &rivers);
}

#[test]
fn rivers_side_by_side_join() {
    let land = slope();
    for beside in [10.0, 30.0, 55.0] {
        let main = course(70.0, 8.0, &[(400.0, 0.0), (400.0, 1000.0)], land.grid());
        let other = course(
            50.0,
            6.0,
            &[(900.0, 0.0), (400.0 + beside, 500.0), (400.0 + beside, 1000.0)],
            land.grid(),
        );
        let (after, rivers) = together(&land, &[other, main]);
        assert_drains(&after, &rivers);
        assert_one_water(&after, &rivers, 1.5);
        assert!(rivers[0].bed().last().unwrap().1 < 70, "the smaller one goes on beside the other");
    }
}

#[test]
fn three_rivers_through_one_point_join() {
    let land = slope();
    let through = |from, to| course(40.0, 6.0, &[from, (600.0, 500.0), to], land.grid());
    let rivers = [
        through((0.0, 0.0), (1200.0, 1000.0)),
        through((1200.0, 0.0), (0.0, 1000.0)),
        through((600.0, 0.0), (600.0, 1000.0)),
    ];
    let (after, joined) = together(&land, &rivers);
    assert_drains(&after, &joined);
    assert_one_water(&after, &joined, 1.5);
    let at_the_border = joined.iter().filter(|river| river.bed().last().unwrap().1 == 100).count();
    assert_eq!(at_the_border, 1, "one goes on");
}

#[test]
fn an_arm_leaves_a_river_at_its_level() {
    let land = Heightfield::from_fn(grid(121, 101), |_, row| 200.0 - 0.4 * row as f32);
    let main = course(80.0, 9.0, &[(600.0, 0.0), (600.0, 1000.0)], land.grid());
    let arm = course(40.0, 6.0, &[(600.0, 400.0), (800.0, 600.0), (900.0, 1000.0)], land.grid());
    let (after, rivers) = together(&land, &[arm, main]);
    assert_drains(&after, &rivers);
    assert_one_water(&after, &rivers, 1.0);
    assert_eq!(rivers[0].bed().last().unwrap(), (90, 100));
}

#[test]
fn a_loop_is_filled_to_the_level_where_it_closes() {
    let land = slope();
    let points =
        [(0.0, 300.0), (700.0, 350.0), (800.0, 700.0), (400.0, 700.0), (420.0, 200.0), (1200.0, 900.0)];
    let (after, rivers) = together(&land, &[course(40.0, 6.0, &points, land.grid())]);
    assert_drains(&after, &rivers);
    assert_one_water(&after, &rivers, 2.0);
    let water = WaterBuffer::new(&after, None, &rivers, &Work::new()).unwrap();
    let on_loop = rivers[0]
        .points()
        .map(|point| (point / 10.0).round().as_usizevec2())
        .filter(|p| p.y > 68 && p.x < 82);
    let levels: Vec<f32> = on_loop.map(|p| after.at(p.x, p.y) + water.depth(p.x, p.y)).collect();
    assert!(levels.len() > 20 && levels.iter().all(|level| (level - levels[0]).abs() < 1e-3), "{levels:?}");
}

#[test]
fn steps_that_follow_each_other_are_one_network() {
    let build = |steps: &str| {
        let text = format!(
            "(version: 1, name: \"Two\", seed: 4, size: (129, 129), cell: 10, steps: [fbm(height: 100), {steps}])"
        );
        Recipe::from_ron(&text, "two.ron").unwrap().build_ground(&Work::new()).unwrap()
    };
    let across = "river(bearing: 90, width: 40, variant: 1)";
    let (land, rivers) = build(&format!("river(), {across}"));
    let (other, turned) = build(&format!("{across}, river()"));
    assert_eq!(bits(land.heights()), bits(other.heights()));
    assert!(rivers[0] == turned[1] && rivers[1] == turned[0]);
    assert_drains(&land, &rivers);
    // What isn't done lies between nothing.
    let (same, _) = build(&format!("river(), fbm(on: false), gaussian(amount: 0.0), {across}"));
    assert_eq!(bits(land.heights()), bits(same.heights()));
    // A later one ends in what was there.
    let (later, rivers) = build(&format!("river(width: 20), fbm(height: 0.5, blend: add), {across}"));
    assert_drains(&later, &rivers[1..]);
    let mouth = rivers[1].bed().last().unwrap();
    assert!(rivers[0].bed().any(|sample| sample == mouth), "{mouth:?}");
}

#[test]
fn an_earlier_river_ends_in_a_later_lower_one() {
    let mut field = Heightfield::flat(grid(101, 101), 100.0);
    let high = River { points: vec![vec2(0.0, 0.5), vec2(1.0, 0.5)], width: 40.0, ..River::default() };
    let mut earlier = dig(&mut field, &[(&high as &dyn Carve, 0)], &mut [], &Work::new()).unwrap();
    for row in 0..30 {
        for column in 40..60 {
            field.heights_mut()[row * 101 + column] = 20.0;
        }
    }
    let low = River { points: vec![vec2(0.5, 0.0), vec2(0.5, 1.0)], flow: Flow::Bearing, ..River::default() };
    let later = dig(&mut field, &[(&low as &dyn Carve, 0)], &mut earlier, &Work::new()).unwrap();
    let mouth = earlier[0].bed().last().unwrap();
    assert!(later[0].bed().any(|sample| sample == mouth));
    assert_eq!(later[0].bed().last().unwrap(), (50, 100));
    assert_drains(&field, &[earlier[0].clone(), later[0].clone()]);
}

/// An arm is less deep than the river it leaves. Where a later river cuts it, its bed still begins outside of
/// that one: otherwise it would be dug down to that one's bed.
#[test]
fn an_arm_that_is_cut_keeps_its_bed() {
    let mut field = Heightfield::from_fn(grid(121, 101), |_, row| 200.0 - 0.4 * row as f32);
    let drawn = |width: f32, depth: f32, points: &[(f32, f32)]| River {
        width,
        depth,
        roughness: 0.0,
        points: points.iter().copied().map(Vec2::from).collect(),
        flow: Flow::Bearing,
        ..River::default()
    };
    let main = drawn(200.0, 25.0, &[(0.5, 0.0), (0.5, 1.0)]);
    let arm = drawn(40.0, 3.0, &[(0.5, 0.4), (0.75, 0.6), (0.9, 1.0)]);
    let both = [(&main as &dyn Carve, 0), (&arm as &dyn Carve, 0)];
    let mut earlier = dig(&mut field, &both, &mut [], &Work::new()).unwrap();
    let bed: Vec<_> = earlier[1].bed().collect();
    assert!(earlier[0].bed().all(|sample| !bed.contains(&sample)));
    for row in 75..101 {
        for column in 85..121 {
            field.heights_mut()[row * 121 + column] = 60.0;
        }
    }
    let before = field.clone();
    let low = drawn(30.0, 6.0, &[(1.0, 0.8), (0.72, 1.0)]);
    let later = dig(&mut field, &[(&low as &dyn Carve, 0)], &mut earlier, &Work::new()).unwrap();
    let mouth = earlier[1].bed().last().unwrap();
    assert!(later[0].bed().any(|sample| sample == mouth), "{mouth:?} is not on the later river");
    let left: Vec<_> = earlier[1].bed().collect();
    assert_eq!(left, bed[..left.len()]);
    for (column, row) in left.into_iter().filter(|(_, row)| *row < 70) {
        assert_eq!(field.at(column, row), before.at(column, row), "{column}, {row} is dug again");
    }
    assert_drains(&field, &[earlier.clone(), later].concat());
}

#[test]
fn valleys_hold_the_rivers_that_run_in_them() {
    let build = |steps: &str| {
        let text = format!(
            "(version: 1, name: \"Valley\", seed: 4, size: (129, 129), cell: 10, steps: [fbm(height: 100), {steps}])"
        );
        Recipe::from_ron(&text, "valley.ron").unwrap().build_ground(&Work::new()).unwrap()
    };
    let valley = "river(width: 500, depth: 40, fill: 0)";
    let (land, rivers) = build(&format!("{valley}, river()"));
    let (other, _) = build(&format!("river(), {valley}"));
    assert_eq!(bits(land.heights()), bits(other.heights()));
    assert_drains(&land, &rivers);
    let (valley, _) = build(valley);
    // Under the valley's bed, and not only under the land.
    let deepest = rivers[1].bed().map(|(column, row)| valley.at(column, row) - land.at(column, row));
    assert!(deepest.fold(f32::NEG_INFINITY, f32::max) >= 8.0);
    assert!(rivers[1].bed().all(|(column, row)| land.at(column, row) < valley.at(column, row)));
}

/// FNV-1a over the bits of the heights, in order.
fn hash(field: &Heightfield) -> u64 {
    let bytes = field.heights().iter().flat_map(|height| height.to_bits().to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Rivers that meet no other, and valleys within each other, are what they were when each was dug alone.
#[test]
fn no_preset_with_rivers_has_moved() {
    let hashes = ["river-valley", "goosenecks"].map(|name| {
        let recipe = Preset::find(name).unwrap().recipe().unwrap().with_longer_side(257);
        format!("{:016x}", hash(&recipe.build_heightfield(&Work::new()).unwrap()))
    });
    assert_eq!(hashes, ["5d6343379b28c4de", "4293bc9c8e396e87"]);
}

#[test]
fn networks_are_the_same_on_any_number_of_threads_and_can_be_cancelled() {
    let land = land(4, grid(150, 97), 3);
    let bearings = [0.0, 70.0, 100.0, 200.0];
    let rivers = bearings.map(|bearing| River { bearing, ..River::default() });
    let rivers: Vec<_> = rivers.iter().map(|river| (river as &dyn Carve, 5)).collect();
    let made = |count| {
        threads(count).install(|| {
            let mut field = land.clone();
            let courses = dig(&mut field, &rivers, &mut [], &Work::new()).unwrap();
            (bits(field.heights()), WaterBuffer::new(&field, None, &courses, &Work::new()).unwrap(), courses)
        })
    };
    let alone = made(1);
    assert!(alone == made(2) && alone == made(7));
    let make = |work: &Work| dig(&mut land.clone(), &rivers, &mut [], work).map(|_| ());
    let asked = whole(make).questions;
    assert!(asked > 4 * 97 / 16, "{asked} questions");
    for chosen in spread(asked, 12) {
        let cut = cancelled_at(chosen, make);
        assert!(matches!(cut.outcome, Err(Error::Cancelled)), "at {chosen}");
        assert_eq!(cut.questions, chosen, "went on after it was told to stop");
    }
}

#[test]
fn rivers_of_another_land_are_refused() {
    let river = course(40.0, 5.0, &[(0.0, 0.0), (300.0, 200.0)], grid(20, 20));
    let mut land = Heightfield::flat(grid(30, 20), 0.0);
    let error = carve_together(&mut land, vec![river], &Work::new()).unwrap_err().to_string();
    assert!(error.contains("made for 20×20 samples") && error.contains("make it again"), "{error}");
}

/// A wide valley begins where a narrow one, dug in it, ends: neither can take up the other's water.
#[test]
fn valleys_that_would_run_in_a_circle_drain() {
    let drawn = |width: f32, flow, points: &[(f32, f32)]| River {
        width,
        depth: 8.0,
        fill: 0.0,
        bank: 0.0,
        roughness: 0.0,
        points: points.iter().copied().map(Vec2::from).collect(),
        bearing: 0.0,
        flow,
        offset: 0.0,
        meander: 0.0,
        bends: 0,
        ..River::default()
    };
    let rivers = [
        (drawn(0.0, Flow::Downhill, &[(0.8677988, 0.84027356), (0.0, 0.25)]), 0),
        (drawn(60.0, Flow::Bearing, &[(0.84885406, 0.83868), (0.0, 0.0), (0.38630587, 0.5), (0.0, 0.0)]), 0),
    ];
    let before = land(2, grid(8, 8), 185086056);
    let (after, courses) = dug(&rivers, &before);
    assert_drains(&after, &courses);
}
