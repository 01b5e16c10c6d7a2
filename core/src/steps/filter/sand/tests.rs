//! Laws of dunes, as geologists measure them: which way crests run, how steep they are, how they move.

use super::dunes::{Dunes, SandBorder};
use super::wind::Winds;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::SAND;
use crate::grid::{Grid, Heightfield};
use crate::steps::filter::{Border, smooth::gaussian::Gaussian};
use crate::steps::generate::{Fbm, Generate};
use crate::steps::{Ground, Operation};

/// Detail of dunes that are 250 m apart, metres: slip faces are longer.
const DETAIL: f32 = 27.0;

/// Wind on level rock that tiles, so that there is no border.
fn on_rock(dunes: &Dunes, (side, cell): (usize, f32), seed: u64) -> Result<Ground> {
    let mut ground = Ground::level(Grid::new(side, side, cell)?);
    let dunes = Dunes { border: SandBorder::Wrap, ..dunes.clone() };
    dunes.apply(&mut ground, seed, &Work::new())?;
    Ok(ground)
}

/// Sand as thick as a valley is deep: no rock shows.
fn full_cover() -> Dunes {
    Dunes { supply: 50.0, ..Dunes::default() }
}

fn volume(ground: &Ground) -> Result<f64> {
    Ok(ground.layer(SAND)?.heights().iter().map(|sand| f64::from(*sand)).sum())
}

fn hills() -> Result<Heightfield> {
    Fbm { height: 500.0, ..Fbm::default() }.generate(Grid::new(90, 70, 20.0)?, 3, &Work::new())
}

/// Hills under sand, the thickness of which is a multiple of 1/64 m.
fn sandy_hills() -> Result<Ground> {
    let mut ground = Ground::new(hills()?);
    let sand = |column: usize, row: usize| (column * 7 + row * row % 31) as f32 / 64.0;
    let sand = Heightfield::from_fn(ground.grid(), sand);
    ground.write_layer(SAND, sand);
    Ok(ground)
}

fn smoothed(field: &Heightfield, metres: f32) -> Result<Heightfield> {
    let mut smooth = field.clone();
    let sigma = metres / field.grid().cell;
    Gaussian { sigma, border: Border::Wrap, ..Gaussian::default() }.apply_to(&mut smooth, 0, &Work::new())?;
    Ok(smooth)
}

/// The height at a sample of land that tiles, by nearest sample.
fn at(field: &Heightfield, column: f64, row: f64) -> f32 {
    let Grid { width, depth, .. } = field.grid();
    let inside = |place: f64, count: usize| (place.round() as i64).rem_euclid(count as i64) as usize;
    field.at(inside(column, width), inside(row, depth))
}

/// How the height changes to the east and to the south, metres per metre, on land that tiles.
fn slopes(field: &Heightfield) -> [Heightfield; 2] {
    [[1.0, 0.0], [0.0, 1.0]].map(|[east, south]| {
        Heightfield::from_fn(field.grid(), |column, row| {
            let (x, z) = (column as f64, row as f64);
            (at(field, x + east, z + south) - at(field, x - east, z - south)) / (2.0 * field.grid().cell)
        })
    })
}

/// For every sample of a crest the angle between the line across the crest and the east, 0 to 90 degrees.
/// Crests are the ridges of what is left of the land when its detail is smoothed, in its upper part.
fn crests(land: &Heightfield) -> Result<Vec<f32>> {
    let smooth = smoothed(land, 0.5 * DETAIL)?;
    let [east, south] = slopes(&smooth);
    let product = |a: &Heightfield, b: &Heightfield| {
        let of = |column, row| a.at(column, row) * b.at(column, row);
        smoothed(&Heightfield::from_fn(land.grid(), of), DETAIL)
    };
    let (xx, zz, xz) = (product(&east, &east)?, product(&south, &south)?, product(&east, &south)?);
    let statistics = land.statistics(1);
    let high = (statistics.mean + 0.5 * statistics.deviation) as f32;
    let Grid { width, depth, .. } = land.grid();
    let mut angles = Vec::new();
    for (column, row) in (0..depth).flat_map(|row| (0..width).map(move |column| (column, row))) {
        let angle = 0.5 * (2.0 * xz.at(column, row)).atan2(xx.at(column, row) - zz.at(column, row));
        let (sine, cosine) = f64::from(angle).sin_cos();
        let there = |away: f64| at(&smooth, column as f64 + away * cosine, row as f64 + away * sine);
        let here = smooth.at(column, row);
        if here > high && [-2.0, -1.0, 1.0, 2.0].into_iter().all(|away| here >= there(away)) {
            angles.push(angle.to_degrees().abs());
        }
    }
    Ok(angles)
}

fn share(angles: &[f32], is_counted: impl Fn(f32) -> bool) -> f32 {
    angles.iter().filter(|angle| is_counted(**angle)).count() as f32 / angles.len() as f32
}

/// Mean distance between crests along the wind, metres.
fn spacing(land: &Heightfield) -> Result<f32> {
    let smooth = smoothed(land, 0.5 * DETAIL)?;
    let Grid { width, depth, cell } = land.grid();
    let mean = land.statistics(1).mean as f32;
    let is_crest = |column: usize, row: usize| {
        let there = |away: f64| at(&smooth, column as f64 + away, row as f64);
        there(0.0) > mean && there(0.0) > there(-1.0) && there(0.0) >= there(1.0)
    };
    let crests = (0..depth).flat_map(|row| (0..width).map(move |column| (column, row)));
    let crests = crests.filter(|(column, row)| is_crest(*column, *row)).count();
    Ok((width * depth) as f32 * cell / crests.max(1) as f32)
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

#[test]
fn no_sand_is_lost_or_gained() -> Result<()> {
    for (border, winds) in [(SandBorder::Through, Winds::Two), (SandBorder::Wrap, Winds::Around)] {
        let mut ground = sandy_hills()?;
        let before = volume(&ground)?;
        Dunes { supply: 0.0, steps: 60, border, winds, ..Dunes::default() }.apply(
            &mut ground,
            1,
            &Work::new(),
        )?;
        assert_eq!(volume(&ground)?, before, "{border:?}");
        assert!(ground.layer(SAND)?.range().0 >= 0.0);
    }
    let mut ground = sandy_hills()?;
    let before = volume(&ground)?;
    Dunes { supply: 0.0, steps: 60, border: SandBorder::Open, ..Dunes::default() }.apply(
        &mut ground,
        1,
        &Work::new(),
    )?;
    // Some leaves the land, and none comes in.
    let left = volume(&ground)? / before;
    assert!((0.2..0.999).contains(&left), "{left}");
    Ok(())
}

#[test]
fn as_much_is_laid_as_was_asked_for_and_it_raises_the_land() -> Result<()> {
    let land = hills()?;
    for (supply, steps) in [(3.0, 0), (40.0, 20)] {
        let mut ground = Ground::new(land.clone());
        Dunes { supply, steps, ..Dunes::default() }.apply(&mut ground, 2, &Work::new())?;
        let mean = volume(&ground)? / land.grid().count() as f64;
        assert!((mean / f64::from(supply) - 1.0).abs() < 1e-3, "{mean}");
        let sand = ground.layer(SAND)?.heights().iter();
        for ((before, after), sand) in land.heights().iter().zip(ground.heights.heights()).zip(sand) {
            assert!((after - before - sand).abs() < 1e-3, "{before} {after} {sand}");
        }
    }
    Ok(())
}

#[test]
fn one_wind_makes_crests_across_it_that_are_steep_to_the_lee_alone() -> Result<()> {
    for seed in [1, 2] {
        let dunes = Dunes { steps: 250, ..full_cover() };
        let land = on_rock(&dunes, (160, 10.0), seed)?.heights;
        let crests = crests(&land)?;
        let across = share(&crests, |angle| angle < 20.0);
        assert!(crests.len() > 300 && across >= 0.8, "{across} of {}", crests.len());
        // To the lee they are as steep as sand can be, and gentle to the other side.
        let [east, _] = slopes(&land);
        let degrees: Vec<f32> = east.heights().iter().map(|slope| slope.atan().to_degrees()).collect();
        let lee = median(degrees.iter().map(|slope| -slope).filter(|slope| *slope > 20.0).collect());
        let stoss = median(degrees.iter().copied().filter(|slope| *slope > 1.0).collect());
        assert!((30.0..=34.0).contains(&lee) && (3.0..=15.0).contains(&stoss), "{lee}°, {stoss}°");
    }
    Ok(())
}

#[test]
fn two_winds_far_apart_make_crests_along_the_middle_between_them() -> Result<()> {
    let dunes = Dunes { winds: Winds::Two, gusts: 8.0, steps: 300, ..full_cover() };
    let crests = crests(&on_rock(&dunes, (128, 12.0), 1)?.heights)?;
    let along = share(&crests, |angle| angle > 70.0);
    assert!(crests.len() > 300 && along >= 0.8, "{along} of {}", crests.len());
    Ok(())
}

#[test]
fn dunes_grow_and_move_apart_with_time() -> Result<()> {
    let spacing = |steps| spacing(&on_rock(&Dunes { steps, ..full_cover() }, (128, 12.0), 4)?.heights);
    let [early, later, late] = [spacing(60)?, spacing(200)?, spacing(500)?];
    assert!(1.2 * early < later && 1.1 * later < late, "{early} m, {later} m, {late} m");
    Ok(())
}

#[test]
fn dunes_are_as_far_apart_on_finer_land() -> Result<()> {
    let spacing = |side, cell| spacing(&on_rock(&full_cover(), (side, cell), 5)?.heights);
    let (coarse, fine) = (spacing(128, 12.0)?, spacing(256, 6.0)?);
    assert!((0.8..1.25).contains(&(coarse / fine)), "{coarse} m, {fine} m");
    Ok(())
}

/// The samples of each body of sand, as columns and rows, that doesn't touch the border.
fn bodies(sand: &Heightfield, thicker_than: f32) -> Vec<Vec<(usize, usize)>> {
    let Grid { width, depth, .. } = sand.grid();
    let mut is_seen = vec![false; width * depth];
    let mut bodies = Vec::new();
    for start in 0..width * depth {
        let (mut body, mut waiting, mut touches) = (Vec::new(), vec![start], false);
        while let Some(sample) = waiting.pop() {
            let (column, row) = (sample % width, sample / width);
            if std::mem::replace(&mut is_seen[sample], true) || sand.heights()[sample] <= thicker_than {
                continue;
            }
            body.push((column, row));
            touches |= column == 0 || row == 0 || column + 1 == width || row + 1 == depth;
            for row in row.saturating_sub(1)..(row + 2).min(depth) {
                waiting
                    .extend((column.saturating_sub(1)..(column + 2).min(width)).map(|it| row * width + it));
            }
        }
        if !body.is_empty() && !touches {
            bodies.push(body);
        }
    }
    bodies
}

/// Whether both ends of a body lie downwind, to the east, of its lee in between; `None` if it is too narrow
/// to have horns.
fn has_horns(body: &[(usize, usize)], widest_without: usize) -> Option<bool> {
    let first = body.iter().map(|(_, row)| *row).min()?;
    let last = body.iter().map(|(_, row)| *row).max()?;
    let count = last - first + 1;
    if count <= widest_without {
        return None;
    }
    let mut lee = vec![0; count];
    body.iter().for_each(|(column, row)| lee[row - first] = lee[row - first].max(*column));
    let end = (count / 5).max(1);
    let between = lee[count / 4..=3 * count / 4].iter().min()?;
    let horns = [lee[..end].iter().max()?, lee[count - end..].iter().max()?];
    Some(horns.iter().all(|horn| *horn > between))
}

#[test]
fn scarce_sand_gathers_in_crescents_with_horns_downwind() -> Result<()> {
    let (mut all, mut wide, mut with) = (0, 0, 0);
    for seed in 1..=2 {
        let dunes = Dunes { supply: 2.5, steps: 400, gusts: 22.0, ..Dunes::default() };
        let ground = on_rock(&dunes, (256, 8.0), seed)?;
        let sand = ground.layer(SAND)?;
        let covered = sand.heights().iter().filter(|sand| **sand > 2.0).count();
        let cover = covered as f32 / sand.grid().count() as f32;
        assert!((0.15..0.25).contains(&cover), "{cover}");
        let bodies = bodies(sand, 2.0);
        let horns: Vec<bool> = bodies.iter().filter_map(|body| has_horns(body, 9)).collect();
        (all, wide) = (all + bodies.len(), wide + horns.len());
        with += horns.iter().filter(|has| **has).count();
    }
    assert!(all >= 20 && wide >= 12, "{all} bodies, {wide} wide");
    assert!(with * 10 >= wide * 8, "{with} of {wide}");
    Ok(())
}

/// Bagnold's law: what the wind carries over a crest comes down on its lee, so that high dunes are slow.
#[test]
fn how_fast_a_dune_moves_times_how_high_it_is_is_always_the_same() -> Result<()> {
    let products: Vec<f32> = [80.0, 110.0, 150.0]
        .into_iter()
        .map(|radius: f32| {
            let after = |steps| -> Result<(f32, f32)> {
                let grid = Grid::new(120, 70, 8.0)?;
                let heap = Heightfield::from_fn(grid, |column, row| {
                    let away = 8.0 * ((column as f32 - 30.0).powi(2) + (row as f32 - 35.0).powi(2)).sqrt();
                    (0.35 * (radius - away)).max(0.0)
                });
                let mut ground = Ground::new(heap.clone());
                ground.write_layer(SAND, heap);
                let dunes = Dunes {
                    supply: 0.0,
                    spacing: 180.0,
                    steps,
                    border: SandBorder::Open,
                    ..Dunes::default()
                };
                dunes.apply(&mut ground, 1, &Work::new())?;
                let sand = ground.layer(SAND)?;
                // Without what the horns lose.
                let body = |row: usize| sand.row(row).iter().enumerate().filter(|(_, sand)| **sand > 1.5);
                let sum: f32 = (0..70).flat_map(body).map(|(_, sand)| *sand).sum();
                let moment: f32 =
                    (0..70).flat_map(body).map(|(column, sand)| 8.0 * column as f32 * sand).sum();
                Ok((moment / sum, sand.range().1))
            };
            let ((from, height_before), (to, height_after)) = (after(100)?, after(180)?);
            Ok((to - from) / 80.0 * 0.5 * (height_before + height_after))
        })
        .collect::<Result<_>>()?;
    let mean = products.iter().sum::<f32>() / 3.0;
    assert!(products.iter().all(|product| (product / mean - 1.0).abs() < 0.25), "{products:?}");
    Ok(())
}

#[test]
fn mountains_shelter_the_sand_behind_them() -> Result<()> {
    let grid = Grid::new(120, 80, 10.0)?;
    // A wall across the wind in the middle half of the land.
    let wall = |column: usize, row: usize| match (column, row) {
        (38..42, 20..60) => 60.0,
        _ => 0.0,
    };
    let mut ground = Ground::new(Heightfield::from_fn(grid, wall));
    Dunes { supply: 4.0, steps: 150, ..Dunes::default() }.apply(&mut ground, 1, &Work::new())?;
    let sand = ground.layer(SAND)?;
    let mean = |columns: std::ops::Range<usize>| {
        let count = (columns.len() * 30) as f32;
        (25..55).flat_map(|row| &sand.row(row)[columns.clone()]).sum::<f32>() / count
    };
    let (behind, beyond, on_top) = (mean(43..53), mean(75..110), mean(38..42));
    assert!(behind > 2.0 * beyond.max(1.0) && on_top < 1.0, "{behind} m, {beyond} m, {on_top} m");
    Ok(())
}

#[test]
fn a_column_of_sand_becomes_a_round_cone_at_its_angle_of_repose() -> Result<()> {
    let grid = Grid::new(81, 81, 2.0)?;
    let column = |x: usize, z: usize| {
        if (x as f32 - 40.0).hypot(z as f32 - 40.0) < 6.5 { 60.0 } else { 0.0 }
    };
    let mut ground = Ground::new(Heightfield::from_fn(grid, column));
    ground.write_layer(SAND, ground.heights.clone());
    let before = volume(&ground)?;
    Dunes { supply: 0.0, steps: 0, spacing: 100.0, ..Dunes::default() }.apply(
        &mut ground,
        1,
        &Work::new(),
    )?;
    assert_eq!(volume(&ground)?, before);
    let top = ground.heights.at(40, 40);
    // Where the cone is half as high, between samples.
    let radius = |bearing: usize| {
        let (sine, cosine) = (bearing as f32 * std::f32::consts::TAU / 16.0).sin_cos();
        let height =
            |away: f32| ground.heights.sample(glam::Vec2::new(80.0 + away * cosine, 80.0 + away * sine));
        let away = (0..1600).map(|away| 0.05 * away as f32).find(|away| height(*away) < 0.5 * top);
        away.unwrap_or(0.0)
    };
    let radii: Vec<f32> = (0..16).map(radius).collect();
    let mean = radii.iter().sum::<f32>() / 16.0;
    assert!(radii.iter().all(|radius| (radius / mean - 1.0).abs() < 0.03), "{radii:?}");
    let slope = (0.5 * top / mean).atan().to_degrees();
    assert!((32.0..=35.0).contains(&slope), "{slope}°");
    Ok(())
}

#[test]
fn any_number_of_threads_makes_the_same_dunes() -> Result<()> {
    let blown = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut ground = sandy_hills()?;
            Dunes { steps: 15, ..Dunes::default() }.apply(&mut ground, 1, &Work::new())?;
            Ok::<_, crate::Error>((ground.heights.clone(), ground.layer(SAND)?.clone()))
        })
    };
    let one = blown(1)?;
    for threads in [2, 7, 32] {
        assert!(one == blown(threads)?, "{threads} threads");
    }
    Ok(())
}

#[test]
fn land_without_sand_keeps_its_bits() -> Result<()> {
    let land = hills()?;
    let mut ground = Ground::new(land.clone());
    Dunes { supply: 0.0, steps: 5, ..Dunes::default() }.apply(&mut ground, 1, &Work::new())?;
    assert!(ground.heights == land);
    assert_eq!(ground.layer(SAND)?.range(), (0.0, 0.0));
    Ok(())
}

#[test]
fn any_size_can_be_blown_over() -> Result<()> {
    for (width, depth) in [(1, 1), (2, 1), (1, 7), (2, 2), (3, 50), (300, 2), (17, 18)] {
        for border in [SandBorder::Through, SandBorder::Wrap, SandBorder::Open] {
            for spacing in [1.0, 50_000.0] {
                let mut ground = Ground::level(Grid::new(width, depth, 7.0)?);
                let dunes = Dunes { steps: 9, winds: Winds::Two, border, spacing, ..Dunes::default() };
                dunes.apply(&mut ground, 1, &Work::new())?;
                let (low, high) = ground.heights.range();
                assert!(low >= 0.0 && high < 1e4, "{width}×{depth} {border:?}: {low} m, {high} m");
            }
        }
    }
    Ok(())
}

#[test]
fn cancelled_wind_stops() {
    let work = Work::new();
    work.cancel();
    let outcome = Dunes::default().apply_to(&mut hills().unwrap(), 1, &work);
    assert!(matches!(outcome, Err(crate::Error::Cancelled)));
}
