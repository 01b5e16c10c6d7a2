//! What streams that meander promise: they wind on flat ground alone, still join and fall, and leave lakes
//! that are level.

use std::collections::HashSet;

use upland_core::steps::{Ground, Operation};
use upland_core::water::{Course, Lakes, Streams, WaterBuffer};
use upland_core::{Grid, Heightfield, Work};

/// A plain that falls by `fall` towards the east and a little towards its middle, with low swells.
fn plain(width: usize, depth: usize, fall: f32, swell: f32) -> Heightfield {
    let grid = Grid::new(width, depth, 25.0).unwrap();
    Heightfield::from_fn(grid, |column, row| {
        let (x, z) = (25.0 * column as f32, 25.0 * row as f32);
        let middle = 25.0 * depth as f32 / 2.0 + 200.0 * libm::sinf(x / 900.0);
        let wave = |length: f32| libm::sinf(x / length + swell) * libm::cosf(z / length + 2.0 * swell);
        100.0 - fall * x + 0.0005 * (z - middle).abs() + swell * (wave(310.0) + 0.4 * wave(97.0))
    })
}

fn wide(meander_years: f32) -> Streams {
    Streams { from: 0.05, narrowest: 50.0, bank: 40.0, sea: -12_000.0, meander_years, ..Streams::default() }
}

fn dug(land: &Heightfield, streams: &Streams) -> Ground {
    let mut ground = Ground::new(land.clone());
    streams.apply(&mut ground, 4, &Work::new()).unwrap();
    ground
}

fn length(river: &Course) -> f32 {
    let points: Vec<glam::Vec2> = river.points().collect();
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

fn longest(ground: &Ground) -> &Course {
    ground.rivers.iter().max_by(|one, other| length(one).total_cmp(&length(other))).unwrap()
}

#[test]
fn streams_wind_on_flat_ground_and_no_bed_rises() {
    for (number, swell) in [0.0, 0.3, 0.6, 0.9, 1.3, 2.0].into_iter().enumerate() {
        let land = plain(201 + 7 * number, 121, 0.0009, swell);
        let (straight, winding) = (dug(&land, &wide(0.0)), dug(&land, &wide(120.0)));
        let longer = length(longest(&winding)) / length(longest(&straight));
        println!("{swell}: {longer:.2} times as long, {} lakes", winding.lakes.len());
        // Swells of 2 m are too high for them.
        assert!(longer > 1.2 || swell > 1.5, "{swell}: {longer}");
        for river in &winding.rivers {
            let bed: Vec<f32> = river.bed().map(|(column, row)| winding.heights.at(column, row)).collect();
            assert!(bed.windows(2).all(|pair| pair[1] <= pair[0] + 1e-3), "{swell}");
        }
        let mut both = winding.heights.heights().iter().zip(land.heights());
        assert!(both.all(|(new, old)| new <= old), "no height is raised");
    }
}

#[test]
fn streams_still_end_in_each_other_or_at_the_border() {
    let mut joined = 0;
    for swell in [0.2, 0.5, 1.1] {
        let land = plain(221, 141, 0.0009, swell);
        let Grid { width, depth, .. } = land.grid();
        for years in [0.0, 60.0, 140.0] {
            let ground = dug(&land, &Streams { from: 0.01, ..wide(years) });
            for (number, river) in ground.rivers.iter().enumerate() {
                let Some((column, row)) = river.bed().last() else { continue };
                let near = |(x, z): (usize, usize)| x.abs_diff(column) <= 1 && z.abs_diff(row) <= 1;
                let others = ground.rivers.iter().enumerate().filter(|(other, _)| *other != number);
                let meets = others.flat_map(|(_, other)| other.bed()).any(near);
                let leaves = column == 0 || row == 0 || column + 1 == width || row + 1 == depth;
                assert!(meets || leaves, "{swell}, {years} years: river {number} ends at {column}, {row}");
                joined += usize::from(meets && years > 0.0);
            }
        }
    }
    assert!(joined > 5, "{joined}");
}

#[test]
fn ox_bow_lakes_are_level_and_stand_at_their_lowest_shore() {
    let land = plain(301, 141, 0.0008, 0.4);
    let ground = dug(&land, &wide(200.0));
    println!("{} lakes", ground.lakes.len());
    assert!(ground.lakes.len() > 3, "{}", ground.lakes.len());
    let heights = &ground.heights;
    let rivers = WaterBuffer::new(heights, None, &ground.rivers, &Work::new()).unwrap();
    let mut wet = HashSet::new();
    for lake in &ground.lakes {
        let bed: HashSet<(usize, usize)> = lake.bed(heights).collect();
        let around = bed.iter().flat_map(|(column, row)| {
            (0..9).map(move |number| (column + number % 3 - 1, row + number / 3 - 1))
        });
        let shore = around.filter(|place| !bed.contains(place));
        let lowest = shore.map(|(column, row)| heights.at(column, row)).reduce(f32::min).unwrap();
        assert!((lake.level() - lowest).abs() <= 1e-4, "{} m, its shore {lowest} m", lake.level());
        let (column, row) = lake.outlet().unwrap();
        assert_eq!(heights.at(column, row), lowest);
        assert_eq!(bed.len() as f64 * 625.0, lake.area());
        assert!((0.2..4.5).contains(&lake.depth()), "{}", lake.depth());
        for (column, row) in bed {
            assert_eq!(rivers.depth(column, row), 0.0, "no river flows through it");
            assert!(wet.insert((column, row)), "no other lake covers it");
        }
    }
    // They are hollows, so that the step `lakes` finds them again.
    let mut again = Ground::new(heights.clone());
    let lakes = Lakes { sea: -12_000.0, smallest: 0.0, shallowest: 0.0, ..Lakes::default() };
    lakes.apply(&mut again, 1, &Work::new()).unwrap();
    let covered: HashSet<(usize, usize)> = again.lakes.iter().flat_map(|lake| lake.bed(heights)).collect();
    assert!(wet.iter().all(|place| covered.contains(place)));
}

#[test]
fn ox_bow_lakes_leave_the_shores_of_other_lakes_alone() {
    let ponds = [(60, 60), (60, 82), (110, 58), (110, 84), (160, 58), (160, 84), (210, 60), (210, 82)];
    let mut land = plain(301, 141, 0.0008, 0.4);
    for (column, row) in ponds.into_iter().flat_map(|(column, row)| {
        (0..7).flat_map(move |z| (0..7).map(move |x| (column + x - 3, row + z - 3)))
    }) {
        land.heights_mut()[row * 301 + column] -= 4.0;
    }
    let mut ground = Ground::new(land);
    Lakes { sea: -12_000.0, ..Lakes::default() }.apply(&mut ground, 1, &Work::new()).unwrap();
    let count = ground.lakes.len();
    assert!(count >= ponds.len(), "{count}");
    let before = ground.heights.clone();
    wide(200.0).apply(&mut ground, 4, &Work::new()).unwrap();
    assert!(ground.lakes.len() > count, "there are ox-bow lakes");
    let heights = &ground.heights;
    let rivers: HashSet<(usize, usize)> = ground.rivers.iter().flat_map(Course::bed).collect();
    let is_dug_by_a_river = |(column, row): (usize, usize)| {
        let mut near = (0..9).flat_map(|z| (0..9).map(move |x| (column + x - 4, row + z - 4)));
        near.any(|place| rivers.contains(&place))
    };
    for lake in &ground.lakes[..count] {
        let bed = |heights| -> HashSet<(usize, usize)> {
            lake.bed(heights).filter(|place| !is_dug_by_a_river(*place)).collect()
        };
        assert!(bed(heights) == bed(&before), "around {:?}", lake.deepest());
    }
}

#[test]
fn streams_on_steep_ground_stay_where_they_are() {
    for swell in [0.0, 0.7] {
        let land = plain(141, 101, 0.03, swell);
        assert!(dug(&land, &wide(0.0)) == dug(&land, &wide(300.0)), "{swell}");
    }
}

#[test]
fn any_number_of_threads_makes_the_same_meanders() {
    let land = plain(181, 101, 0.0009, 0.5);
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| dug(&land, &wide(130.0)))
    };
    let one = made(1);
    assert!(length(longest(&one)) > 5000.0);
    assert!([2, 7, 32].into_iter().all(|threads| made(threads) == one));
}

#[test]
fn land_of_any_size_can_have_meanders() {
    for (width, depth) in [(1, 1), (40, 1), (1, 40), (2, 2), (3, 90), (90, 7)] {
        for fall in [0.0, 0.001] {
            let land = plain(width, depth, fall, 0.0);
            for streams in [
                Streams { from: 0.0, ..wide(1000.0) },
                Streams {
                    from: 0.0,
                    width: 100.0,
                    depth: 10.0,
                    narrowest: 5000.0,
                    bank: 0.0,
                    ..wide(1000.0)
                },
                Streams { from: 0.0, width: 0.1, depth: 0.01, narrowest: 0.0, ..wide(1000.0) },
            ] {
                let ground = dug(&land, &streams);
                assert!(ground.heights.heights().iter().all(|height| height.is_finite()));
            }
        }
    }
}
