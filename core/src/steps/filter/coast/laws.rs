//! Laws of coasts.

use super::evolve::{Volumes, round};
use super::finish::{Finished, finish};
use super::profile::Profile;
use super::shoreline::Shoreline;
use super::state::State;
use super::surf::{ROUNDS, Surf};
use super::waves::Winds;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

const CELL: f32 = 10.0;

/// Waves from the south and from all sides.
fn surf(sheltered: f32, exposed: f32, sand: f32) -> Surf {
    let slope = |degrees: f32| libm::tanf(degrees.to_radians());
    Surf {
        profile: Profile { sea_level: 0.0, cell: CELL, cliff: slope(60.0), beach: slope(4.0), berm: 2.5 },
        winds: Winds::new(180.0, 0.3),
        sheltered,
        exposed,
        sand,
        carried: 1.2e7,
        protects: 20.0,
        alike: 60.0,
    }
}

fn shaped(surf: &Surf, land: &Heightfield) -> Result<(Finished, Volumes)> {
    let work = Work::new();
    let (mut state, mut volumes) = (State::new(surf, land, None, &work)?, Volumes::default());
    for _ in 0..ROUNDS {
        round(&mut state, &mut volumes, &work)?;
    }
    Ok((finish(&state, &mut volumes, &work)?, volumes))
}

/// Land to the north of a shore with headlands and bays: `swing` metres to both sides of its middle, 900 m
/// from one headland to the next. The bed falls by 3 in 100.
fn headlands(swing: f32) -> Result<Heightfield> {
    let grid = Grid::new(181, 160, CELL)?;
    Ok(Heightfield::from_fn(grid, |column, row| {
        let along = column as f32 * CELL / 900.0 * std::f32::consts::TAU;
        let shore = 800.0 - swing * libm::cosf(along);
        let inland = shore - row as f32 * CELL;
        if inland > 0.0 { (0.25 * inland).min(40.0) } else { 0.03 * inland }
    }))
}

/// Metres from the north to the sea along a column: to the first sample below it, and between samples.
fn shore_in(land: &Heightfield, column: usize) -> f32 {
    let height = |row: usize| land.at(column, row);
    let row = (1..land.grid().depth).find(|row| height(*row) <= 0.0).unwrap_or(land.grid().depth - 1);
    let (before, after) = (height(row - 1), height(row));
    (row as f32 - 1.0 + before / (before - after)) * CELL
}

/// Columns at headlands and in bays of [`headlands`].
const HEADLANDS: [usize; 2] = [45, 135];
const BAYS: [usize; 1] = [90];

#[test]
fn a_round_lake_without_waves_grows_and_stays_round() -> Result<()> {
    let (radius, retreat) = (600.0, 200.0);
    let lake = Heightfield::from_fn(Grid::new(201, 201, CELL)?, |column, row| {
        let (x, z) = (column as f32 - 100.3, row as f32 - 99.6);
        (0.1 * ((x * x + z * z).sqrt() * CELL - radius)).clamp(-30.0, 20.0)
    });
    let (finished, _) = shaped(&surf(retreat, 0.0, 0.0), &lake)?;
    let lines = Shoreline::of(&finished.heights, &Work::new())?;
    assert_eq!(lines.chains.len(), 1);
    let (mut area, mut around) = (0.0, 0.0);
    for (number, [x, z]) in lines.nodes.iter().enumerate() {
        let [to_x, to_z] = lines.nodes[(number + 1) % lines.nodes.len()];
        area += 0.5 * f64::from(x * to_z - to_x * z);
        around += f64::from((to_x - x) * (to_x - x) + (to_z - z) * (to_z - z)).sqrt();
    }
    let area = area.abs();
    let grown = (area / std::f64::consts::PI).sqrt() * f64::from(CELL) - f64::from(radius);
    assert!((grown / f64::from(retreat) - 1.0).abs() < 0.02, "{grown}");
    let roundness = 4.0 * std::f64::consts::PI * area / (around * around);
    assert!(roundness > 0.99, "{roundness}");
    Ok(())
}

#[test]
fn headlands_retreat_at_least_half_as_fast_again_as_bays() -> Result<()> {
    let land = headlands(120.0)?;
    let (finished, _) = shaped(&surf(0.0, 100.0, 0.0), &land)?;
    let retreat = |columns: &[usize]| {
        let of = |column: &usize| shore_in(&land, *column) - shore_in(&finished.rock, *column);
        columns.iter().map(of).sum::<f32>() / columns.len() as f32
    };
    let (headlands, bays) = (retreat(&HEADLANDS), retreat(&BAYS));
    assert!(bays > 10.0 && headlands > 1.5 * bays, "{headlands} and {bays} m");
    Ok(())
}

#[test]
fn sand_gathers_in_bays() -> Result<()> {
    let (finished, _) = shaped(&surf(0.0, 60.0, 0.3), &headlands(200.0)?)?;
    let sand = |middle: usize| {
        let columns = middle - 15..middle + 15;
        let rows = 0..finished.rock.grid().depth;
        let thickness =
            |row: usize, column: usize| finished.heights.at(column, row) - finished.rock.at(column, row);
        rows.map(|row| columns.clone().map(|column| thickness(row, column)).sum::<f32>()).sum::<f32>()
    };
    assert!(sand(BAYS[0]) > 2.0 * sand(HEADLANDS[0]), "{} and {}", sand(BAYS[0]), sand(HEADLANDS[0]));
    Ok(())
}

#[test]
fn the_sand_is_the_share_of_the_rock_that_stays() -> Result<()> {
    let land = headlands(120.0)?;
    let (finished, volumes) = shaped(&surf(5.0, 100.0, 0.3), &land)?;
    let volume = |above: &Heightfield, below: &Heightfield| {
        let thickness = above.heights().iter().zip(below.heights());
        let sum: f64 = thickness.map(|(above, below)| f64::from(*above) - f64::from(*below)).sum();
        sum * f64::from(CELL * CELL)
    };
    let (cut, sand) = (volume(&land, &finished.rock), volume(&finished.heights, &finished.rock));
    let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
    assert!(near(volumes.cut, cut) && near(volumes.sand, sand), "{volumes:?}: {cut}, {sand}");
    // None sinks on a bed this gentle.
    assert!(near(sand, f64::from(0.3_f32) * cut), "{volumes:?}");
    Ok(())
}

#[test]
fn sand_sinks_where_the_bed_is_steep() -> Result<()> {
    let grid = Grid::new(120, 120, CELL)?;
    let steep = Heightfield::from_fn(grid, |_, row| (0.6 * (60.3 - row as f32) * CELL).clamp(-200.0, 60.0));
    let (_, volumes) = shaped(&surf(0.0, 100.0, 0.3), &steep)?;
    assert!(volumes.sunk > volumes.sand, "{volumes:?}");
    assert!((volumes.sunk + volumes.sand - f64::from(0.3_f32) * volumes.cut).abs() < 1e-6 * volumes.cut);
    Ok(())
}

#[test]
fn beaches_are_as_steep_as_their_sand() -> Result<()> {
    let (finished, _) = shaped(&surf(0.0, 100.0, 0.3), &headlands(120.0)?)?;
    let (rock, heights) = (&finished.rock, &finished.heights);
    let grid = rock.grid();
    let is_sand = |column: usize, row: usize| heights.at(column, row) > rock.at(column, row);
    let mut slopes = Vec::new();
    for row in 1..grid.depth - 1 {
        for column in 1..grid.width - 1 {
            let around =
                (row - 1..=row + 1).all(|row| (column - 1..=column + 1).all(|column| is_sand(column, row)));
            // Between the beach's ridge and the depth in which waves break.
            if around && (-2.0..1.5).contains(&heights.at(column, row)) {
                slopes.push(heights.slope_at(column, row));
            }
        }
    }
    let right = slopes.iter().filter(|slope| (2.0..=6.0).contains(*slope)).count();
    assert!(slopes.len() > 200 && right as f32 > 0.95 * slopes.len() as f32, "{right} of {}", slopes.len());
    Ok(())
}

#[test]
fn land_above_the_sea_and_far_from_it_stays() -> Result<()> {
    let land = headlands(120.0)?;
    let (finished, _) = shaped(&surf(5.0, 100.0, 0.3), &land)?;
    let far = 0..40 * land.grid().width;
    assert_eq!(land.heights()[far.clone()], finished.heights.heights()[far]);
    Ok(())
}

#[test]
fn waves_only_cut_rock() -> Result<()> {
    let land = headlands(120.0)?;
    let (finished, _) = shaped(&surf(5.0, 100.0, 0.3), &land)?;
    let mut both = finished.rock.heights().iter().zip(land.heights());
    assert!(both.all(|(rock, before)| rock <= before));
    Ok(())
}

#[test]
fn any_number_of_threads_makes_the_same_coast() -> Result<()> {
    let land = headlands(120.0)?;
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| shaped(&surf(5.0, 100.0, 0.3), &land).map(|(finished, _)| finished.heights))
    };
    let one = made(1)?;
    for threads in [2, 7, 32] {
        assert!(one == made(threads)?, "{threads}");
    }
    Ok(())
}

#[test]
fn any_size_and_any_height_can_be_a_coast() -> Result<()> {
    for (width, depth) in [(1, 1), (2, 1), (1, 7), (3, 50), (64, 2), (17, 16)] {
        for scale in [0.0, 1.0, 1e4, 1e28] {
            let land = Heightfield::from_fn(Grid::new(width, depth, CELL)?, |column, row| {
                scale * ((column * 7919 + row * 104_729) % 97) as f32 - 48.0 * scale
            });
            for surf in [surf(5.0, 100.0, 0.3), surf(5000.0, 1e6, 1.0)] {
                let (finished, volumes) = shaped(&surf, &land)?;
                let is_finite = finished.heights.heights().iter().all(|height| height.is_finite());
                assert!(is_finite && volumes.sand.is_finite(), "{width}×{depth}, {scale}: {volumes:?}");
            }
        }
    }
    Ok(())
}
