//! Laws of batches of queries, of lines of sight and of shores.

use glam::{DVec2, DVec3, Vec2};

use super::ground::known;
use super::*;
use crate::grid::{Grid, Heightfield};
use crate::steps::water::{Carve, River, RiverSheet};

fn chance(number: usize, factor: usize) -> f64 {
    ((number * factor + 77) % 9973) as f64 / 9973.0
}

/// Places all over a rectangle and a little outside it: some in rows, some scattered, some invalid.
fn places(low: DVec2, high: DVec2) -> Vec<DVec2> {
    let around = (high - low) * 0.05;
    let (low, high) = (low - around, high + around);
    let mut places: Vec<DVec2> = (0..3000)
        .map(|number| low + (high - low) * DVec2::new(chance(number, 4001), chance(number, 2903)))
        .collect();
    places.extend((0..2000).map(|number| low.lerp(high, f64::from(number) / 2000.0)));
    places.extend((0..300).map(|number| DVec2::new(f64::from(number) * 8.0, f64::from(number % 30) * 64.0)));
    places.extend([
        DVec2::NAN,
        DVec2::new(f64::INFINITY, 1.0),
        DVec2::new(1.0, f64::NEG_INFINITY),
        DVec2::MAX,
    ]);
    places
}

fn check_many(ground: KnownGround, places: &[DVec2], least: usize) {
    let mut grounds = vec![None; places.len()];
    ground.all_of(places, &mut grounds).unwrap();
    let (mut heights, mut slopes) = (vec![7.0; places.len()], vec![7.0; places.len()]);
    ground.heights_of(places, &mut heights).unwrap();
    ground.slopes_of(places, &mut slopes).unwrap();
    for (index, place) in places.iter().enumerate() {
        let alone = ground.at(place.x, place.y);
        assert_eq!(grounds[index], alone, "{place}");
        let bits = |height: f32| height.to_bits();
        let [height, slope] = alone.map_or([f32::NAN; 2], |ground| [ground.height, ground.slope()]);
        assert_eq!([heights[index], slopes[index]].map(bits), [height, slope].map(bits), "{place}");
    }
    let there = grounds.iter().flatten().count();
    assert!(there >= least && there < places.len(), "{there} of {}", places.len());
}

#[test]
fn many_places_together_have_the_bits_of_each_alone() {
    let (_, bounded) = known(LandShape::bounded(8.0, [700, 300], -2), DVec3::new(2000.0, 90.0, 1000.0));
    check_many(KnownGround::new(&bounded), &places(DVec2::ZERO, DVec2::new(5592.0, 2392.0)), 3000);
    // Finer nearby than a field, and coarser far away.
    let field = Heightfield::from_fn(Grid::new(700, 300, 8.0).unwrap(), |column, row| {
        ((column * 7919 + row * 104_729) % 1000) as f32 * 0.1
    });
    let with_field = KnownGround::new(&bounded).with_field(&field, field.range());
    check_many(with_field, &places(DVec2::ZERO, DVec2::new(5592.0, 2392.0)), 3000);
    let empty = Residency::new(LandShape::bounded(8.0, [700, 300], -2), BUDGET);
    let field_alone = KnownGround::new(&empty).with_field(&field, field.range());
    check_many(field_alone, &places(DVec2::ZERO, DVec2::new(5592.0, 2392.0)), 3000);
    check_many(KnownGround::new(&empty), &places(DVec2::ZERO, DVec2::ONE), 0);
}

#[test]
fn many_places_in_and_beside_holes_together_have_the_bits_of_each_alone() {
    let field =
        Heightfield::from_fn(Grid::new(90, 60, 8.0).unwrap(), |column, row| (column * row % 37) as f32);
    let holes = Heightfield::from_fn(field.grid(), |column, row| ((column * 7 + row * 3) % 11) as f32 / 10.0);
    let no_tiles = Residency::without_tiles(&field);
    let ground = KnownGround::new(&no_tiles).with_field(&field, field.range());
    let pierced = ground.with_holes(Some(&holes));
    let places = places(DVec2::ZERO, DVec2::new(712.0, 472.0));
    check_many(pierced, &places, 1000);
    let count = |ground: KnownGround| {
        let mut heights = vec![0.0; places.len()];
        ground.heights_of(&places, &mut heights).unwrap();
        heights.iter().filter(|height| !height.is_nan()).count()
    };
    assert!(count(pierced) < count(ground) * 3 / 4);
}

#[test]
fn many_places_far_away_together_have_the_bits_of_each_alone() {
    let middle = DVec2::new(1e6 + 0.3, -1e6);
    let eye = DVec3::new(middle.x, 60.0, middle.y);
    let (_, residency) = known(LandShape::endless(8.0, -5, 40_000.0), eye);
    check_many(KnownGround::new(&residency), &places(middle - 3000.0, middle + 3000.0), 3000);
}

#[test]
fn sight_is_mutual_and_whatever_blocks_it_lies_between() {
    let (_, residency) = known(LandShape::endless(8.0, -3, 40_000.0), DVec3::new(-300.0, 60.0, 90.0));
    let ground = KnownGround::new(&residency);
    for drawn in [Drawn::TRUE, Drawn { scale: 2.0, bias: -5.0 }] {
        let (mut clear, mut hidden) = (0, 0);
        for number in 0..400 {
            let end = |factor: usize, above: f64| {
                let p = DVec2::new(chance(number, factor), chance(number, factor + 1234)) * 2400.0 - 1500.0;
                let height = f64::from(ground.at(p.x, p.y).unwrap().height) * drawn.scale + drawn.bias;
                DVec3::new(p.x, height + above, p.y)
            };
            let (from, to) = (end(61, 2.0), end(887, [0.0, 1.5, 120.0][number % 3]));
            let there = ground.hidden_at(from, to, drawn);
            let back = ground.hidden_at(to, from, drawn);
            assert_eq!(there.is_some(), back.is_some(), "{from} and {to}");
            let gap = |p: DVec3| {
                let height = f64::from(ground.at(p.x, p.z).unwrap().height);
                p.y - (height * drawn.scale + drawn.bias)
            };
            match there {
                None => {
                    clear += 1;
                    let between = (1..2000).map(|step| from.lerp(to, f64::from(step) / 2000.0));
                    let lowest = between.map(gap).fold(f64::INFINITY, f64::min);
                    assert!(lowest > -0.2 * drawn.scale, "{from} sees {to} through {lowest} m");
                }
                Some(met) => {
                    hidden += 1;
                    let way = to - from;
                    let share = (met - from).dot(way) / way.length_squared();
                    assert!((0.0..=1.0).contains(&share), "{met} is not between {from} and {to}");
                    // There the line leads into the ground, through its surface or the step between two
                    // tiles.
                    let a_little = way.normalize() * 1e-3;
                    let [before, after] = [met - a_little, met + a_little].map(gap);
                    let most = 0.02 * drawn.scale;
                    assert!(before > -most && after < most, "{met}: {before} and {after}");
                }
            }
        }
        assert!(clear > 60 && hidden > 60, "{clear} and {hidden}");
    }
    // Objects on the ground are visible although their positions are rounded, and objects in the ground are
    // not.
    let on_ground = DVec3::new(-300.0, f64::from(ground.at(-300.0, 90.0).unwrap().height), 90.0);
    let above = on_ground + DVec3::new(3.0, 500.0, 1.0);
    for (under, is_seen) in [(0.0, true), (0.04, true), (0.1, false)] {
        let end = on_ground - DVec3::Y * under;
        assert_eq!(
            ground.hidden_at(above, end, Drawn::TRUE).is_none(),
            is_seen,
            "{under} m under the ground"
        );
        assert_eq!(ground.hidden_at(end, above, Drawn::TRUE).is_none(), is_seen);
    }
    assert!(ground.hidden_at(DVec3::NAN, above, Drawn::TRUE).is_some());
    assert!(ground.hidden_at(above, DVec3::INFINITY, Drawn::TRUE).is_some());
}

/// Compares the nearest shore with the water all around a place. Returns whether there is one.
fn check_shore(ground: &KnownGround, water: &LandWater, place: DVec2, reach: f64) -> bool {
    let is_wet = |p: DVec2| Some(water.at(p, ground.at(p.x, p.y)?.height).is_some());
    let here = is_wet(place).unwrap();
    let shore = ground.nearest_shore(place, water, reach);
    let distance = shore.map_or(reach, |shore| shore.distance);
    // Everything nearer is as wet as the place itself.
    for number in 0..6000 {
        let (angle, away) = (chance(number, 31) * std::f64::consts::TAU, chance(number, 57).sqrt());
        let p = place + DVec2::from_angle(angle) * (away * (distance - 1e-3).max(0.0));
        let there = is_wet(p);
        assert!(
            there.is_none_or(|wet| wet == here),
            "{place}: {shore:?}, but {p} is {there:?} and not {here}"
        );
    }
    let Some(shore) = shore else { return false };
    assert!(shore.distance <= reach && (place.distance(shore.place) - shore.distance).abs() < 1e-9);
    // The ground there is as high as the water, or drops below it from one tile to the next.
    let around = (0..64).map(|number| DVec2::from_angle(f64::from(number) * 0.0982) * 0.02 + shore.place);
    let wet: Vec<bool> = around.filter_map(is_wet).collect();
    assert!(wet.contains(&true) && wet.contains(&false), "{place}: {shore:?} is no shore, {wet:?}");
    true
}

/// All tiles of one level of a land, so that there is no step between two of them.
fn even(shape: LandShape) -> Residency {
    let land = Hills(shape);
    let mut residency = Residency::new(shape, BUDGET);
    for level in (shape.finest..=shape.coarsest).rev() {
        let side = 1 << (shape.coarsest - level);
        for tile in
            (0..side * side).map(|number| LandTile { level, column: number % side, row: number / side })
        {
            if shape.has(tile) {
                residency.order(tile);
                let arrival = residency.arrive(land.make(tile, &Work::new()).unwrap(), 0, 0.0);
                assert!(matches!(arrival, Arrival::Shown { .. }));
            }
        }
    }
    residency
}

#[test]
fn the_nearest_shore_of_the_sea_is_nearer_than_all_other_water_or_dry_ground() {
    let residency = even(LandShape::bounded(8.0, [230, 170], -1));
    let ground = KnownGround::new(&residency);
    let water = LandWater::new(Some(20.0));
    let shores = (0..60).filter(|number| {
        let place = DVec2::new(chance(*number, 71), chance(*number, 1301)) * DVec2::new(1832.0, 1352.0);
        check_shore(&ground, &water, place, 260.0)
    });
    assert!(shores.count() > 20);
    // There is no shore where everything is dry or under water.
    for level in [-500.0, 500.0] {
        assert_eq!(ground.nearest_shore(DVec2::splat(99.0), &LandWater::new(Some(level)), 1e5), None);
    }
    let place = DVec2::splat(99.0);
    for (place, reach) in [(DVec2::NAN, 9.0), (place, f64::NAN), (place, -1.0), (place, f64::INFINITY)] {
        assert_eq!(ground.nearest_shore(place, &water, reach), None, "{place}, {reach}");
    }
    assert_eq!(ground.nearest_shore(place, &LandWater::new(None), 1e5), None);
    assert_eq!(ground.nearest_shore(-place, &water, 1e5), None, "beside the land");
    // Across tiles of several levels the shore found is still a shore, and about as near.
    let (_, uneven) = known(LandShape::endless(8.0, -2, 40_000.0), DVec3::new(-300.0, 60.0, 90.0));
    let ground = KnownGround::new(&uneven);
    let shore = ground.nearest_shore(DVec2::new(-300.0, 90.0), &water, 5e3).unwrap();
    let there = ground.at(shore.place.x, shore.place.y).unwrap();
    assert!((there.height - 20.0).abs() < 1e-2 && shore.level == 20.0, "{shore:?}: {there:?}");
}

#[test]
fn rivers_have_shores_too_and_flow_downhill() {
    // A valley that falls to the east, into the sea.
    let grid = Grid::new(120, 101, 10.0).unwrap();
    let mut field = Heightfield::from_fn(grid, |column, row| {
        60.0 - 0.4 * column as f32 + 0.02 * (row as f32 - 50.0).powi(2)
    });
    let river = River { bearing: 90.0, width: 50.0, meander: 0.0, ..River::default() };
    let course = river.carve(&mut field, 4, &Work::new()).unwrap();
    let sheet = RiverSheet::new(&field, &[course], Some(16.0), &Work::new()).unwrap();
    let no_tiles = Residency::without_tiles(&field);
    let ground = KnownGround::new(&no_tiles).with_field(&field, field.range());
    let water = LandWater::new(Some(16.0)).with_rivers(&sheet, &field);
    let mut rivers = 0;
    for number in 0..80 {
        let across = if number < 40 { 1000.0 } else { 60.0 };
        let place = DVec2::new(chance(number, 71) * 1190.0, 500.0 + (chance(number, 1301) - 0.5) * across);
        assert!(check_shore(&ground, &water, place, 900.0), "{place}");
        let there = water.at(place, ground.at(place.x, place.y).unwrap().height);
        if let Some(there) = there.filter(|there| there.velocity != Vec2::ZERO) {
            rivers += 1;
            assert!(there.velocity.x > 0.0 && (0.01..7.5).contains(&there.velocity.length()), "{there:?}");
            assert!(there.level >= 16.0 && there.depth > 0.0 && there.depth < 9.0, "{there:?}");
        }
    }
    assert!(rivers > 8, "{rivers}");
}
