//! Laws of the known ground: under a place, and along a line.

use glam::{DVec2, DVec3, Vec3Swizzles};

use super::*;
use crate::grid::{Grid, Heightfield};

#[test]
fn the_known_ground_is_that_of_the_finest_tile_there() {
    let land = Hills(LandShape::bounded(8.0, [700, 300], -2));
    let mut residency = Residency::new(land.0, BUDGET);
    assert_eq!(residency.ground_at(10.0, 10.0), None, "nothing has arrived");
    let eye = eye_at(DVec3::new(2000.0, 90.0, 1000.0));
    fly(&land, &mut residency, &eye, 400, usize::MAX);
    let under = residency.ground_at(2000.0, 1000.0).unwrap();
    assert_eq!((under.level, under.height), (-2, land.height(-2, [1000, 500])));
    // Between two samples, and on the other triangle's side of the diagonal.
    let [a, b] = [[1000, 501], [1001, 500]].map(|index| land.height(-2, index));
    let between = residency.ground_at(2001.0, 1001.0).unwrap();
    assert!((between.height - 0.5 * (a + b)).abs() < 1e-3);
    let (here, east) =
        (residency.ground_at(2000.1, 1000.0).unwrap(), residency.ground_at(2000.3, 1000.0).unwrap());
    assert!((east.height - here.height - 0.2 * here.rise()[0]).abs() < 1e-3);
    let corner = residency.ground_at(699.0 * 8.0, 299.0 * 8.0).unwrap();
    assert!(corner.level > -2 && (corner.height - land.height(0, [699, 299])).abs() < 1e-3);
    assert_eq!(residency.ground_at(699.0 * 8.0 + 0.1, 9.0), None, "the land ends there");
    assert_eq!(residency.ground_at(f64::NAN, 9.0), None);
}

/// Land of which tiles of several levels are resident.
pub(super) fn known(shape: LandShape, eye: DVec3) -> (Hills, Residency) {
    let land = Hills(shape);
    let mut residency = Residency::new(shape, BUDGET);
    // Coarse tiles far away, fine ones at the eye, and some that have failed between them.
    let eye = Eye { far: 2e4, ..eye_at(eye) };
    fly(&land, &mut residency, &eye, 24, 17);
    (land, residency)
}

fn gap(ground: KnownGround, p: DVec3, drawn: Drawn) -> Option<f64> {
    let height = ground.at(p.x, p.z)?.height;
    Some(p.y - (f64::from(height) * drawn.scale + drawn.bias))
}

/// Follows lines in small steps: none may lead into the ground before the place that is found, and that place
/// must lie on the ground, or on the step between tiles of two levels. Returns how many met the ground.
fn follow(ground: KnownGround, ways: impl Iterator<Item = (DVec3, DVec3)>, drawn: Drawn) -> usize {
    let mut count = 0;
    for (from, to) in ways {
        let met = ground.meeting(from, to, drawn);
        let end = met.unwrap_or(to);
        if let Some(met) = met {
            count += 1;
            let a_little = (to - from).normalize() * 1e-3;
            let around = [met - a_little, met + a_little].map(|p| gap(ground, p, drawn));
            let [Some(before), after] = around else { panic!("{met}: there is no ground") };
            assert!(before > -1e-4 && after.is_none_or(|after| after < 1e-4), "{met}: {before}, {after:?}");
        }
        let mut was_above = false;
        for step in 0..1000 {
            let p = from.lerp(end, f64::from(step) / 1000.0);
            let gap = gap(ground, p, drawn).unwrap_or(0.0);
            assert!(!was_above || gap > -0.05, "{from} to {to} passes {p} by");
            was_above = gap > 0.05 || (was_above && gap > -0.05 && gap != 0.0);
        }
    }
    count
}

/// Lines over a square of `side` metres around a place, many of them nearly level.
fn ways(middle: DVec2, side: f64, count: usize) -> impl Iterator<Item = (DVec3, DVec3)> {
    (0..count).map(move |index| {
        let place = |seed: usize, height: f64| {
            let share = |factor: usize| ((index * factor + seed) % 997) as f64 / 997.0 - 0.5;
            let p = middle + DVec2::new(share(37), share(53)) * side;
            DVec3::new(p.x, height, p.y)
        };
        let high = [20.0, 75.0, 300.0][index % 3];
        (place(1, high), place(500, if index % 2 == 0 { -90.0 } else { high - 60.0 }))
    })
}

#[test]
fn a_line_meets_the_ground_where_it_is_and_misses_none() {
    let (_, bounded) = known(LandShape::bounded(8.0, [700, 300], -2), DVec3::new(2000.0, 90.0, 1000.0));
    let (_, endless) = known(LandShape::endless(8.0, -3, 40_000.0), DVec3::new(-300.0, 60.0, 90.0));
    for drawn in [Drawn::TRUE, Drawn { scale: -1.5, bias: 20.0 }, Drawn { scale: 0.0, bias: 10.0 }] {
        let bounded = KnownGround::new(&bounded);
        assert!(follow(bounded, ways(DVec2::new(2000.0, 1000.0), 3000.0, 60), drawn) > 15);
        let endless = KnownGround::new(&endless);
        assert!(follow(endless, ways(DVec2::new(-300.0, 90.0), 9000.0, 60), drawn) > 15);
    }
}

#[test]
fn a_thousand_kilometres_away_lines_meet_the_ground_as_exactly() {
    let place = DVec2::new(1e6 + 0.3, -1e6);
    let (_, residency) = known(LandShape::endless(8.0, -5, 40_000.0), place.extend(60.0).xzy());
    let ground = KnownGround::new(&residency);
    assert!(follow(ground, ways(place, 500.0, 40), Drawn::TRUE) > 10);
    // From a place without tiles, over 1400 km.
    let met = ground.meeting(DVec3::new(0.0, 1e6, 0.0), place.extend(-200.0).xzy(), Drawn::TRUE).unwrap();
    assert!(gap(ground, met, Drawn::TRUE).unwrap().abs() < 1e-3, "{met}");
    assert_eq!(ground.meeting(DVec3::ZERO, DVec3::new(1e11, -1.0, 1e11), Drawn::TRUE), None);
}

#[test]
fn straight_down_meets_the_ground_and_upwards_or_beside_the_land_nothing() {
    let (land, residency) = known(LandShape::bounded(8.0, [700, 300], -2), DVec3::new(2000.0, 90.0, 1000.0));
    let ground = KnownGround::new(&residency);
    let (high, low) = (DVec3::new(2000.0, 500.0, 1000.0), DVec3::new(2000.0, -500.0, 1000.0));
    let met = ground.meeting(high, low, Drawn::TRUE).unwrap();
    assert!((met.y - f64::from(land.height(-2, [1000, 500]))).abs() < 1e-3, "{met}");
    assert_eq!(ground.meeting(low, high, Drawn::TRUE), None);
    assert_eq!(ground.meeting(high, high, Drawn::TRUE), None);
    let beside = DVec3::X * 1e4;
    assert_eq!(ground.meeting(high + beside, low + beside, Drawn::TRUE), None);
    // Along the border, which belongs to the land.
    let border = |y: f64| DVec3::new(699.0 * 8.0, y, 299.0 * 8.0);
    assert!(ground.meeting(border(500.0), border(-500.0), Drawn::TRUE).is_some());
}

#[test]
fn invalid_lines_meet_nothing() {
    for shape in [LandShape::bounded(8.0, [700, 300], -2), LandShape::endless(8.0, -3, 40_000.0)] {
        let (_, residency) = known(shape, DVec3::new(2000.0, 90.0, 1000.0));
        let ground = KnownGround::new(&residency);
        let high = DVec3::new(2000.0, 500.0, 1000.0);
        for nowhere in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, f64::MAX] {
            for axis in 0..3 {
                let mut end = high;
                end[axis] = nowhere;
                assert_eq!(ground.meeting(high, end, Drawn::TRUE), None);
                assert_eq!(ground.meeting(end, high, Drawn::TRUE), None);
            }
            assert_eq!(ground.at(nowhere, 0.0), None);
            assert!(residency.weights_at(0.0, nowhere).is_none());
        }
        let nothing = Residency::new(shape, BUDGET);
        assert_eq!(
            KnownGround::new(&nothing).meeting(high, high * DVec3::new(1.0, -1.0, 1.0), Drawn::TRUE),
            None
        );
    }
}

#[test]
fn where_tiles_are_coarse_the_samples_of_the_whole_land_count() {
    let shape = LandShape::bounded(8.0, [700, 300], -2);
    let (land, residency) = known(shape, DVec3::new(600.0, 90.0, 400.0));
    let field = |width: usize| {
        let grid = Grid::new(width, 300, 8.0).unwrap();
        Heightfield::from_fn(grid, |column, row| land.height(0, [column as i64, row as i64]))
    };
    let (all, part) = (field(700), field(300));
    let ground = KnownGround::new(&residency).with_field(&all, all.range());
    let far = DVec2::new(690.0 * 8.0, 290.0 * 8.0);
    assert!(residency.ground_at(far.x, far.y).unwrap().level > 0, "nobody is near");
    let here = ground.at(far.x, far.y).unwrap();
    assert_eq!((here.level, here.cell, here.height), (0, 8.0, land.height(0, [690, 290])));
    assert_eq!(ground.at(600.0, 400.0).unwrap().level, -2, "tiles are finer near by");
    assert!(follow(ground, ways(far * 0.5, 3000.0, 60), Drawn::TRUE) > 15);
    // No tile has arrived, and all ground is known.
    let nothing = Residency::new(shape, BUDGET);
    let ground = KnownGround::new(&nothing).with_field(&all, all.range());
    assert!(follow(ground, ways(far * 0.5, 3000.0, 20), Drawn::TRUE) > 5);
    // A part of the land is not used for the whole.
    let ground = KnownGround::new(&residency).with_field(&part, part.range());
    assert_eq!(ground.at(far.x, far.y), residency.ground_at(far.x, far.y));
}
