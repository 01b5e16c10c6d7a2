//! Laws of drainage, and comparisons with the plain algorithms and with other programs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::*;
use crate::grid::Grid;
use crate::math::ordered::{height_of, ordered};
use crate::noise::hash;
use crate::steps::generate::{Fbm, Generate};

/// Levels by the plain priority flood of Barnes, Lehman and Mulla (2014), sample by sample.
fn plain_flood(field: &Heightfield, is_outlet: impl Fn(usize, f32) -> bool) -> Vec<f32> {
    let (grid, heights) = (field.grid(), field.heights());
    let mut levels = vec![f32::INFINITY; heights.len()];
    let mut seen = vec![false; heights.len()];
    let mut waiting = BinaryHeap::new();
    for (here, &height) in heights.iter().enumerate().filter(|(here, height)| is_outlet(*here, **height)) {
        seen[here] = true;
        waiting.push(Reverse((ordered(height), here)));
    }
    while let Some(Reverse((level, here))) = waiting.pop() {
        levels[here] = height_of(level);
        Ways::each_neighbour(grid, here, |_, there| {
            if !seen[there] {
                seen[there] = true;
                waiting.push(Reverse((level.max(ordered(heights[there])), there)));
            }
        });
    }
    levels
}

/// Rough land of any size.
fn rough(width: usize, depth: usize, seed: u64) -> Heightfield {
    let fbm = Fbm { height: 900.0, ..Fbm::default() };
    fbm.generate(Grid::new(width, depth, 60.0).unwrap(), seed, &Work::new()).unwrap()
}

/// Noise without any order, in whole metres: full of hollows and of level ground.
fn noisy(width: usize, depth: usize, seed: u64) -> Heightfield {
    Heightfield::from_fn(Grid::new(width, depth, 10.0).unwrap(), |column, row| {
        (hash(seed, column as i64, row as i64) % 7) as f32
    })
}

fn lands() -> Vec<Heightfield> {
    let mut lands = vec![rough(1, 1, 0), rough(1, 40, 1), noisy(30, 1, 2), noisy(2, 2, 3), rough(129, 65, 4)];
    lands.extend((0..6).map(|seed| noisy(37 + seed, 90 - 7 * seed, seed as u64)));
    lands.push(rough(300, 280, 5));
    lands.push(Heightfield::flat(Grid::new(20, 30, 5.0).unwrap(), -3.0));
    // In whole metres, as in many elevation files.
    let mut whole = rough(200, 150, 6);
    whole.heights_mut().iter_mut().for_each(|height| *height = (*height / 20.0).round());
    lands.push(whole);
    lands
}

/// A sea above all of [`lands`], metres.
const SEA_ABOVE_ALL: f32 = 1e9;

fn all_rules() -> Vec<DrainageRules> {
    let usual = DrainageRules::default;
    let mut rules = Vec::new();
    for hollows in [Hollows::Keep, Hollows::Fill, Hollows::Breach] {
        rules.push(DrainageRules { hollows, ..usual() });
        rules.push(DrainageRules { hollows, sea: 3.0, ..usual() });
        rules.push(DrainageRules { hollows, sea: 3.0, open_border: false, ..usual() });
        rules.push(DrainageRules { hollows, open_border: false, ..usual() });
        rules.push(DrainageRules { hollows, sea: SEA_ABOVE_ALL, ..usual() });
    }
    rules.push(DrainageRules { smallest_lake: 3_000.0, ..usual() });
    rules.push(DrainageRules { evaporation: 2.0, ..usual() });
    rules.push(DrainageRules { evaporation: 20.0, open_border: false, ..usual() });
    rules.push(DrainageRules { runoff: 0.0, evaporation: 1.0, ..usual() });
    rules
}

#[test]
fn tiles_are_flooded_as_the_whole_land() -> Result<()> {
    for land in lands() {
        for rules in
            [DrainageRules::default(), DrainageRules { sea: 2.0, open_border: false, ..Default::default() }]
        {
            let outlets = Outlets::new(&land, None, &rules);
            let is_outlet = |sample, height| outlets.is_outlet(sample, height);
            let plain = plain_flood(&land, is_outlet);
            for side in [1, 2, 7, 64, 100, 256, 1000] {
                let filled = flood::filled(&land, is_outlet, side, &Work::new())?;
                assert_eq!(filled.heights(), plain, "{:?} in tiles of {side}", land.grid());
            }
        }
    }
    Ok(())
}

#[test]
fn every_sample_has_a_way_to_where_water_ends() -> Result<()> {
    for land in lands() {
        for rules in all_rules() {
            let drainage = Drainage::of(&land, &rules, &Work::new())?;
            let count = land.grid().count();
            let surface = drainage.surface().heights();
            let mut drains = vec![false; count];
            let ends = |here: usize| drainage.receiver(here).is_none();
            for first in 0..count {
                let (mut here, mut path) = (first, Vec::new());
                while !drains[here] && !ends(here) {
                    path.push(here);
                    assert!(path.len() <= count, "{rules:?}: water runs in a circle");
                    here = drainage.receiver(here).unwrap();
                }
                path.into_iter().for_each(|here| drains[here] = true);
            }
            let outlets: Vec<usize> = (0..count).filter(|here| ends(*here)).collect();
            let sum: u64 = outlets.iter().map(|here| u64::from(drainage.areas()[*here])).sum();
            assert_eq!(sum, count as u64, "{rules:?}");
            // Water ends at outlets, and in lakes that are not full.
            let closed: HashSet<usize> =
                drainage.lakes().iter().filter(|lake| !lake.is_full()).map(|lake| lake.deepest).collect();
            let allowed = Outlets::new(&land, None, &rules);
            for here in outlets {
                assert!(
                    closed.contains(&here) || drainage.is_sea(here) || allowed.is_outlet(here, surface[here]),
                    "{rules:?}: water ends at {here}"
                );
            }
            // Water ends everywhere on sea bed, and a sea above all land makes all of it sea bed.
            let flows_on = |here: usize| drainage.is_sea(here) && !ends(here);
            assert!(!(0..count).any(flows_on), "{rules:?}: water runs on from sea bed");
            if rules.sea == SEA_ABOVE_ALL {
                assert!((0..count).all(|here| drainage.is_sea(here)), "{rules:?}: land above the sea");
                assert_eq!(drainage.lakes(), [], "{rules:?}");
                assert!(drainage.basins(&Work::new())?.iter().all(|basin| *basin == 0), "{rules:?}");
            }
            // While all lakes are full, no way leads upwards.
            if rules.evaporation == 0.0 {
                let falls =
                    |here: usize| drainage.receiver(here).is_none_or(|there| surface[there] <= surface[here]);
                assert!((0..count).all(falls), "{rules:?}: water runs uphill");
            }
        }
    }
    Ok(())
}

#[test]
fn areas_are_those_of_the_samples_upstream() -> Result<()> {
    for land in lands() {
        let drainage = Drainage::of(&land, &DrainageRules::default(), &Work::new())?;
        let mut areas = vec![0_u32; land.grid().count()];
        for first in 0..areas.len() {
            let mut here = Some(first);
            while let Some(at) = here {
                areas[at] += 1;
                here = drainage.receiver(at);
            }
        }
        assert_eq!(drainage.areas(), areas);
    }
    Ok(())
}

#[test]
fn filling_raises_breaching_lowers_and_both_leave_nothing_to_do() -> Result<()> {
    for land in lands() {
        for hollows in [Hollows::Fill, Hollows::Breach] {
            let rules = DrainageRules { hollows, ..Default::default() };
            let drainage = Drainage::of(&land, &rules, &Work::new())?;
            let changed = drainage.ground();
            for (before, after) in land.heights().iter().zip(changed.heights()) {
                assert!(if hollows == Hollows::Fill { after >= before } else { after <= before });
            }
            assert_eq!(drainage.lakes(), []);
            assert_eq!(drainage.surface(), changed);
            let again = Drainage::of(changed, &rules, &Work::new())?;
            assert_eq!(again.ground(), changed, "{hollows:?} has something left to do");
            // The lowest and the highest ground keep their heights.
            assert_eq!(changed.range().1, land.range().1);
            if hollows == Hollows::Breach {
                assert_eq!(changed.range().0, land.range().0);
            }
        }
        let kept = Drainage::of(&land, &DrainageRules::default(), &Work::new())?;
        assert_eq!(kept.ground(), &land);
    }
    Ok(())
}

/// The elevation model that recipes use as a sample, in whole metres.
fn jacksboro() -> Heightfield {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/elevation/jacksboro_fault.asc");
    let text = std::fs::read_to_string(file).unwrap();
    let numbers = text.lines().skip(6).flat_map(str::split_whitespace);
    let heights = numbers.map(|height| height.parse().unwrap()).collect();
    Heightfield::new(Grid::new(403, 344, 90.0).unwrap(), heights).unwrap()
}

#[test]
fn jacksboro_is_filled_as_richdem_and_pyflwdir_fill_it() -> Result<()> {
    // By py-richdem 2.2.0rc3, FillDepressions(epsilon=False), and by pyflwdir 0.5.12,
    // fill_depressions(outlets='edge'): `scripts/reference/drainage` computes the numbers again.
    let rules = DrainageRules { hollows: Hollows::Fill, ..Default::default() };
    let land = jacksboro();
    let drainage = Drainage::of(&land, &rules, &Work::new())?;
    let rises: Vec<f32> = land
        .heights()
        .iter()
        .zip(drainage.ground().heights())
        .map(|(before, after)| after - before)
        .collect();
    assert_eq!(rises.iter().filter(|rise| **rise > 0.0).count(), 6373);
    assert_eq!(rises.iter().copied().fold(0.0, f32::max), 32.0);
    Ok(())
}

#[test]
fn water_of_a_plane_leaves_over_its_lower_border_as_it_comes() -> Result<()> {
    let last = 64;
    let plane = |[east, south]: [f32; 2]| {
        Heightfield::from_fn(Grid::new(65, 65, 100.0).unwrap(), |column, row| {
            1000.0 - east * column as f32 - south * row as f32
        })
    };
    let areas = |fall| Drainage::of(&plane(fall), &DrainageRules::default(), &Work::new());
    for (fall, lower) in [
        ([0.0, 3.0], (0..65).map(|along| last * 65 + along).collect::<Vec<_>>()),
        ([0.0, -3.0], (0..65).collect()),
        ([3.0, 0.0], (0..65).map(|along| along * 65 + last).collect()),
        ([-3.0, 0.0], (0..65).map(|along| along * 65).collect()),
    ] {
        let drainage = areas(fall)?;
        assert!(lower.iter().all(|sample| drainage.areas()[*sample] == 65), "{fall:?}");
    }
    // Towards a corner, water leaves over both borders there.
    let drainage = areas([3.0, 3.0])?;
    for along in 0..65 {
        assert_eq!(drainage.areas()[last * 65 + along], along as u32 + 1);
        assert_eq!(drainage.areas()[along * 65 + last], along as u32 + 1);
    }
    Ok(())
}

/// A cone of 100 m with a crater 40 m deep, whose rim has a notch of 10 m in the east.
fn crater() -> Heightfield {
    Heightfield::from_fn(Grid::new(101, 101, 10.0).unwrap(), |column, row| {
        let (x, z) = (column as f32 - 50.0, row as f32 - 50.0);
        let away = (x * x + z * z).sqrt();
        let height = if away < 20.0 { 60.0 + 2.0 * away } else { 100.0 - (away - 20.0) };
        if row == 50 && x >= 15.0 { height.min(90.0 - (x - 15.0) / 2.0) } else { height }
    })
}

#[test]
fn a_crater_holds_a_lake_up_to_the_lowest_notch_of_its_rim() -> Result<()> {
    let land = crater();
    let drainage = Drainage::of(&land, &DrainageRules::default(), &Work::new())?;
    let [lake] = drainage.lakes() else { panic!("{:?}", drainage.lakes()) };
    let at = |column: usize, row: usize| row * 101 + column;
    assert_eq!((lake.level, lake.deepest, lake.is_full()), (90.0, at(50, 50), true));
    assert_eq!(lake.spill, at(65, 50));
    let wet =
        land.heights().iter().zip(drainage.surface().heights()).filter(|(ground, level)| level > ground);
    assert_eq!(wet.clone().count(), lake.samples as usize);
    let volume: f64 = wet.map(|(ground, level)| f64::from(level - ground) * 100.0).sum();
    assert!((volume / lake.volume - 1.0).abs() < 1e-6);
    // A cone upside down: a third of its base times its height, less what the samples cut off.
    let cone = std::f64::consts::PI * 150.0 * 150.0 * 30.0 / 3.0;
    assert!((volume / cone - 1.0).abs() < 0.02, "{volume} {cone}");
    // All water from within the rim drains into the lake, and leaves at the notch.
    let within = (0..101 * 101).filter(|here| {
        let (x, z) = ((here % 101) as f32 - 50.0, (here / 101) as f32 - 50.0);
        (x * x + z * z).sqrt() < 20.0
    });
    let within = within.count() as f32;
    assert!((lake.area as f32 / within - 1.0).abs() < 0.05, "{} {within}", lake.area);
    Ok(())
}

#[test]
fn a_lake_that_loses_more_than_it_gets_stands_where_both_are_equal() -> Result<()> {
    let land = crater();
    let full = Drainage::of(&land, &DrainageRules::default(), &Work::new())?;
    let full = &full.lakes()[0];
    // The least runoff at which the lake is full.
    let least = f64::from(full.samples) / f64::from(full.area);
    let lake_with = |runoff: f64| -> Result<(Drainage, Lake)> {
        let rules = DrainageRules { runoff, evaporation: 1.0, ..Default::default() };
        let drainage = Drainage::of(&land, &rules, &Work::new())?;
        let lake = drainage.lakes()[0].clone();
        Ok((drainage, lake))
    };
    assert!(lake_with(least * 1.001)?.1.is_full());
    assert!(!lake_with(least * 0.999)?.1.is_full());
    for share in [0.75, 0.5, 0.1] {
        let (drainage, lake) = lake_with(least * share)?;
        // It covers as many samples as evaporate what it gets, and not one more.
        let covered = (f64::from(full.area) * least * share) as u32;
        assert!(lake.samples <= covered && covered - lake.samples < 12, "{} {covered}", lake.samples);
        assert!(lake.level < full.level && lake.volume < full.volume);
        assert_eq!(lake.area, full.area - 1, "all water but that of the notch still runs into it");
        let under = drainage.surface().heights().iter().filter(|level| **level == lake.level).count();
        assert!(under >= lake.samples as usize);
        // Beyond the notch there is no water of the lake.
        assert!(drainage.areas()[50 * 101 + 66] < 10);
    }
    let (_, dry) = lake_with(0.0)?;
    assert_eq!((dry.level, dry.samples, dry.volume), (60.0, 0, 0.0));
    Ok(())
}

#[test]
fn the_samples_of_lakes_are_those_under_water() -> Result<()> {
    for land in lands() {
        for evaporation in [0.0, 2.0] {
            let rules = DrainageRules { evaporation, ..Default::default() };
            let drainage = Drainage::of(&land, &rules, &Work::new())?;
            let mut wet = vec![false; land.grid().count()];
            drainage.each_lake(&Work::new(), |lake, samples| {
                assert_eq!(samples.len(), lake.samples as usize);
                samples.iter().for_each(|here| wet[*here as usize] = true);
            })?;
            let (levels, ground) = (drainage.surface().heights(), drainage.ground().heights());
            assert!((0..wet.len()).all(|here| wet[here] == (levels[here] > ground[here])));
        }
    }
    Ok(())
}

#[test]
fn small_hollows_are_breached_and_large_ones_stay() -> Result<()> {
    let mut land = crater();
    // A pit on the slope, in the south.
    land.heights_mut()[80 * 101 + 50] -= 30.0;
    let before = Drainage::of(&land, &DrainageRules::default(), &Work::new())?;
    assert_eq!(before.lakes().len(), 2);
    let rules = DrainageRules { smallest_lake: 500.0, ..Default::default() };
    let drainage = Drainage::of(&land, &rules, &Work::new())?;
    assert_eq!(drainage.lakes().len(), 1);
    let changed =
        |ground: &Heightfield| ground.heights().iter().zip(land.heights()).filter(|(a, b)| a != b).count();
    // From the pit straight down, until the slope is as low as the pit.
    assert!((10..40).contains(&changed(drainage.ground())), "{}", changed(drainage.ground()));
    let everything = DrainageRules { smallest_lake: 1e9, ..Default::default() };
    assert_eq!(Drainage::of(&land, &everything, &Work::new())?.lakes(), []);
    Ok(())
}

#[test]
fn water_that_reaches_a_hole_leaves_the_land_there() -> Result<()> {
    let land = crater();
    let mut holes = Heightfield::flat(land.grid(), 0.0);
    holes.heights_mut()[50 * 101 + 50] = 1.0;
    let drainage = Drainage::with_holes(&land, Some(&holes), &DrainageRules::default(), &Work::new())?;
    assert_eq!(drainage.lakes(), []);
    assert_eq!(drainage.receiver(50 * 101 + 50), None);
    assert!(drainage.areas()[50 * 101 + 50] > 1000);
    Ok(())
}

#[test]
fn the_sea_takes_what_reaches_it_and_hollows_below_it_are_lakes() -> Result<()> {
    // Two basins below the sea: the western one is open to the border, the eastern one is behind a ridge.
    let land = Heightfield::from_fn(Grid::new(40, 9, 10.0)?, |column, row| match column {
        0..=9 => -5.0 - column as f32,
        20..=29 if (1..8).contains(&row) => -20.0 + (column as f32 - 25.0).abs(),
        _ => column as f32,
    });
    let drainage = Drainage::of(&land, &DrainageRules { sea: 0.0, ..Default::default() }, &Work::new())?;
    for here in 0..land.grid().count() {
        assert_eq!(drainage.is_sea(here), here % 40 < 10);
    }
    let [lake] = drainage.lakes() else { panic!("{:?}", drainage.lakes()) };
    // Its rim is lowest in the west; the spill is the first of samples of equal height.
    assert_eq!((lake.level, lake.spill, lake.samples), (19.0, 19, 70));
    // In a dry climate its level falls below the sea, and it still is a lake.
    let rules = DrainageRules { sea: 0.0, runoff: 1.0, evaporation: 5.0, ..Default::default() };
    let drainage = Drainage::of(&land, &rules, &Work::new())?;
    let [lake] = drainage.lakes() else { panic!("{:?}", drainage.lakes()) };
    assert!(lake.level < 0.0 && lake.samples > 0, "{lake:?}");
    let basins = drainage.basins(&Work::new())?;
    for (here, basin) in basins.into_iter().enumerate() {
        assert_eq!(drainage.is_sea(here), here % 40 < 10);
        assert_eq!(basin == 0, here % 40 < 10);
    }
    Ok(())
}

#[test]
fn basins_are_numbered_by_their_size() -> Result<()> {
    for land in lands() {
        let drainage = Drainage::of(&land, &DrainageRules { sea: 2.0, ..Default::default() }, &Work::new())?;
        let basins = drainage.basins(&Work::new())?;
        let most = basins.iter().copied().max().unwrap_or(0);
        let mut sizes = vec![0; most as usize + 1];
        basins.iter().for_each(|basin| sizes[*basin as usize] += 1);
        for here in 0..basins.len() {
            assert_eq!(basins[here] == 0, drainage.is_sea(here));
            if let Some(there) = drainage.receiver(here).filter(|there| !drainage.is_sea(*there)) {
                assert_eq!(basins[here], basins[there]);
            }
        }
        // The mouth of a river in the sea is counted with its basin, and is itself sea.
        assert!(sizes[1..].windows(2).all(|pair| pair[0] + 1 >= pair[1]), "{sizes:?}");
    }
    Ok(())
}

#[test]
fn streams_have_the_order_of_strahler() -> Result<()> {
    for land in lands() {
        let drainage = Drainage::of(&land, &DrainageRules::default(), &Work::new())?;
        for from in [1, 5, 40] {
            let orders = drainage.orders(from, &Work::new())?;
            for here in 0..orders.len() {
                assert_eq!(orders[here] > 0, drainage.areas()[here] >= from);
                if orders[here] == 0 {
                    continue;
                }
                // The definition itself.
                let mut above = Vec::new();
                Ways::each_neighbour(land.grid(), here, |_, there| {
                    if drainage.receiver(there) == Some(here) {
                        above.push(orders[there]);
                    }
                });
                above.sort_unstable_by_key(|order| Reverse(*order));
                let expected = match above[..] {
                    [] | [0, ..] => 1,
                    [first, second, ..] if first == second => first + 1,
                    [first, ..] => first,
                };
                assert_eq!(orders[here], expected, "{above:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_bits_are_those_of_one_thread() -> Result<()> {
    let land = rough(513, 400, 9);
    let rules = DrainageRules { smallest_lake: 2e4, evaporation: 4.0, ..Default::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Drainage::of(&land, &rules, &Work::new()))
    };
    let one = with(1)?;
    assert!(one.lakes().iter().any(|lake| !lake.is_full()) && one.lakes().iter().any(Lake::is_full));
    for threads in [2, 7, 32] {
        assert!(with(threads)? == one, "{threads} threads");
    }
    Ok(())
}
