//! Laws of ice and of the land that it leaves.

use super::flow::{Balance, Flow};
use super::glaciation::{Climate, Glaciation};
use super::ice::Ice;
use super::land::{Glaciated, Leaves, glaciated};
use crate::compute::work::Work;
use crate::drainage::{Drainage, DrainageRules};
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

const CLIMATE: Climate =
    Climate { line: 700.0, swing: 200.0, snowfall: 1.5, years: 1e5, strength: 1.0, steepest: 1.73 };
const LEAVES: Leaves = Leaves { moraines: 0.1, rise: 5000.0 };

fn after(land: &Heightfield, climate: Climate) -> Result<Glaciated> {
    glaciated(land, None, climate, LEAVES, &Work::new())
}

/// Rough mountains, 0 to about 1500 m.
pub(super) fn mountains(width: usize, depth: usize, cell: f32) -> Result<Heightfield> {
    Ok(Heightfield::from_fn(Grid::new(width, depth, cell)?, |column, row| {
        let (x, z) = (cell * column as f32, cell * row as f32);
        let wave = |length: f32, turn: f32| {
            libm::sinf((x + turn * z) / length) * libm::cosf((z - turn * x) / length + 1.0)
        };
        let ridges = 1.0 - libm::fabsf(wave(900.0, 0.3));
        700.0
            + 500.0 * ridges * (0.6 + 0.4 * wave(2300.0, -0.2))
            + 200.0 * wave(1500.0, 0.1)
            + 30.0 * wave(170.0, 0.7)
    }))
}

/// A dome of ice on a plain that spreads (Halfar 1983), at a time and a distance from its middle.
struct Dome {
    height: f64,
    radius: f64,
}

impl Dome {
    /// The age at which the dome has its height and radius, years.
    fn age(&self, deformation: f64) -> f64 {
        (7.0f64 / 4.0).powi(3) * self.radius.powi(4) / (18.0 * deformation * self.height.powi(7))
    }

    fn thickness(&self, years: f64, deformation: f64, away: f64) -> f64 {
        let share = self.age(deformation) / years;
        let inside = 1.0 - libm::pow(libm::pow(share, 1.0 / 18.0) * away / self.radius, 4.0 / 3.0);
        self.height * libm::pow(share, 1.0 / 9.0) * libm::pow(inside.max(0.0), 3.0 / 7.0)
    }
}

#[test]
fn a_dome_spreads_as_halfar_says() -> Result<()> {
    const MIDDLE: usize = 80;
    let flow = Flow { sliding: 0.0, fastest: f64::INFINITY, ..Flow::TEMPERATE };
    let dome = Dome { height: 1000.0, radius: 64.0 * 1440.0 };
    let grid = Grid::new(2 * MIDDLE + 1, 2 * MIDDLE + 1, 1440.0)?;
    let away = |at: usize| {
        let [x, z] = [at % grid.width, at / grid.width].map(|place| place.abs_diff(MIDDLE) as f64);
        1440.0 * (x * x + z * z).sqrt()
    };
    let begin = dome.age(flow.deformation);
    let mut ice = Ice::on(grid, vec![0.0; grid.count()]);
    ice.thickness = (0..grid.count()).map(|at| dome.thickness(begin, flow.deformation, away(at))).collect();
    let volume = ice.volume();
    for _ in 0..200 {
        ice.step(&flow, None, 5.0, &Work::new())?;
    }
    assert!((ice.volume() / volume - 1.0).abs() < 1e-6, "{} of {volume}", ice.volume());
    let error = |at: usize| ice.thickness[at] - dome.thickness(begin + 1000.0, flow.deformation, away(at));
    let summit = error(MIDDLE * grid.width + MIDDLE) / dome.height;
    let mean = (0..grid.count()).map(|at| error(at).abs()).sum::<f64>()
        / (dome.height * std::f64::consts::PI * 64.0 * 64.0);
    let edge = (0..grid.count())
        .filter(|at| away(*at) < 60.0 * 1440.0)
        .map(|at| error(at).abs())
        .fold(0.0, f64::max);
    assert!(summit.abs() < 0.01 && mean < 0.01, "{summit}, {mean}, {edge}");
    Ok(())
}

#[test]
fn no_ice_is_lost_or_made() -> Result<()> {
    let land = mountains(121, 97, 60.0)?;
    let bed: Vec<f64> = land.heights().iter().map(|height| f64::from(*height)).collect();
    let mut ice = Ice::on(land.grid(), bed);
    let balance = Balance { line: 900.0, gradient: 0.007, most: 1.5 };
    let (mut gained, mut lost) = (0.0, 0.0);
    for step in 0..400 {
        let balance = Balance { line: if step < 250 { 700.0 } else { 1100.0 }, ..balance };
        let ledger = ice.step(&Flow::TEMPERATE, Some(&balance), 0.75, &Work::new())?;
        gained += ledger.gained;
        lost += ledger.lost;
    }
    let there: f64 = ice.thickness.iter().sum();
    assert!(there > 1e4 && lost > 0.3 * gained, "{gained} {lost} {there}");
    assert!((gained - lost - ice.volume()).abs() < 1e-6 * gained, "{gained} {lost} {}", ice.volume());
    assert!(there - ice.volume() < 1e-3 * there, "{} is owed of {there}", there - ice.volume());
    Ok(())
}

/// A valley with straight sides that runs south, with walls of 31° and a floor that falls by 9 in 100.
fn valley() -> Result<Heightfield> {
    Ok(Heightfield::from_fn(Grid::new(101, 121, 60.0)?, |column, row| {
        let (x, z) = (60.0 * (column as f32 - 50.0), 60.0 * row as f32);
        1000.0 - 0.09 * z + (0.6 * x.abs()).min(900.0)
    }))
}

/// b of the cross-section y ~ |x|^b in a row, within 1200 m of its lowest sample: up to the
/// shoulders of the trough.
fn exponent(land: &Heightfield, row: usize) -> f64 {
    let heights = land.row(row);
    let lowest = (0..heights.len()).min_by(|a, b| heights[*a].total_cmp(&heights[*b])).unwrap_or(0);
    let cell = land.grid().cell;
    let points: Vec<[f64; 2]> = (0..heights.len())
        .filter(|column| (2..=(1200.0 / cell) as usize).contains(&column.abs_diff(lowest)))
        .map(|column| {
            let [x, y] = [cell * column.abs_diff(lowest) as f32, heights[column] - heights[lowest]];
            [libm::log(f64::from(x)), libm::log(f64::from(y.max(0.1)))]
        })
        .collect();
    let count = points.len() as f64;
    let [mean_x, mean_y] = [0, 1].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / count);
    let along: f64 = points.iter().map(|[x, y]| (x - mean_x) * (y - mean_y)).sum();
    along / points.iter().map(|[x, _]| (x - mean_x) * (x - mean_x)).sum::<f64>()
}

#[test]
fn notches_become_troughs() -> Result<()> {
    let before = valley()?;
    let climate = Climate { line: 900.0, ..CLIMATE };
    let leaves = Leaves { moraines: 0.0, ..LEAVES };
    let after = glaciated(&before, None, climate, leaves, &Work::new())?.ground;
    let mut all = Vec::new();
    // Not at its head, where a cirque forms.
    for row in (40..100).step_by(6) {
        let [before, after] = [&before, &after].map(|land| exponent(land, row));
        assert!((before - 1.0).abs() < 0.01, "{before}");
        all.push(after);
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((1.6..2.4).contains(&mean), "{mean}: {all:?}");
    Ok(())
}

#[test]
fn troughs_hold_lakes() -> Result<()> {
    // A valley without hollows that gets wider and narrower: 4.8 × 8.4 km.
    let land = Heightfield::from_fn(Grid::new(81, 141, 60.0)?, |column, row| {
        let (x, z) = (60.0 * (column as f32 - 40.0), 60.0 * row as f32);
        let away = x - 500.0 * libm::sinf(z / 1300.0);
        let sides = 0.5
            * (libm::sqrtf(away * away + 150.0 * 150.0) - 150.0)
            * (1.0 - 0.35 * libm::fabsf(libm::cosf(z / 900.0)));
        1000.0 - 0.04 * z + sides.min(900.0)
    });
    // How many lakes are deeper than 5 m, and how many samples they cover.
    let lakes = |land: &Heightfield| -> Result<[usize; 2]> {
        let drainage =
            Drainage::of(land, &DrainageRules { sea: -1e9, ..DrainageRules::default() }, &Work::new())?;
        let deep = |lake: &&crate::drainage::Lake| lake.level - land.heights()[lake.deepest] > 5.0;
        let deep: Vec<_> = drainage.lakes().iter().filter(deep).collect();
        Ok([deep.len(), deep.iter().map(|lake| lake.samples as usize).sum()])
    };
    let climate = Climate { line: 900.0, ..CLIMATE };
    let after = after(&land, climate)?;
    let under_ice = after.thickest.heights().iter().filter(|thickest| **thickest > 20.0).count();
    let ([before, _], [after, samples]) = (lakes(&land)?, lakes(&after.ground)?);
    let square_kilometres = 0.0036 * under_ice as f64;
    assert!(before == 0 && after as f64 >= square_kilometres / 20.0, "{before} {after} {square_kilometres}");
    assert!(samples as f64 > 0.01 * under_ice as f64, "{samples} of {under_ice}");
    Ok(())
}

#[test]
fn side_valleys_hang_above_the_main_one() -> Result<()> {
    // A long valley that runs south, and a short one with a catchment of its own that joins it from the east.
    let land = Heightfield::from_fn(Grid::new(61, 79, 100.0)?, |column, row| {
        let (x, z) = (100.0 * (column as f32 - 24.0), 100.0 * (row as f32 - 48.0));
        let main = 0.6 * x.abs();
        let side = if x > 0.0 { 0.6 * z.abs() + 0.1 * x + 0.5 * (x - 2400.0).max(0.0) } else { 1e9 };
        800.0 - 0.08 * z + main.min(side).min(700.0)
    });
    let climate = Climate { line: 850.0, ..CLIMATE };
    let after = after(&land, climate)?.ground;
    // How much deeper the floors lie: of the main valley there, and of the side valley 1.2 km from it.
    let [main, side] = [(24, 48), (36, 48)].map(|(column, row)| land.at(column, row) - after.at(column, row));
    assert!(main > side + 50.0, "{main} m, {side} m");
    Ok(())
}

#[test]
fn a_moraine_runs_around_the_end_of_the_ice() -> Result<()> {
    // A broad valley between hills, whose floor becomes a plain.
    let land = Heightfield::from_fn(Grid::new(61, 91, 80.0)?, |column, row| {
        let (x, z) = (80.0 * (column as f32 - 30.0), 80.0 * row as f32);
        let steep = (5000.0 - z).max(0.0);
        600.0 + 0.12 * steep + 0.01 * (7200.0 - z) + (0.4 * x.abs()).min(0.2 * steep)
    });
    let climate = Climate { line: 950.0, swing: 200.0, ..CLIMATE };
    let after = after(&land, climate)?;
    // From the middle of the plain, outwards: along the valley and at 45° to both sides.
    let highest = |x: isize| {
        let line = (0..25).filter_map(|step: isize| {
            let (column, row) = (30 + x * step, 65 + step);
            (0..61).contains(&column).then(|| after.moraines.at(column as usize, row as usize))
        });
        line.fold(0.0, f32::max)
    };
    let heights = [-1, 0, 1].map(highest);
    assert!(heights.iter().all(|height| *height > 5.0), "{heights:?}");
    Ok(())
}

#[test]
fn land_below_the_line_stays_as_it_is() -> Result<()> {
    let land = mountains(130, 90, 20.0)?;
    let climate = Climate { line: 4000.0, ..CLIMATE };
    assert!(after(&land, climate)?.ground == land);
    let flat = Heightfield::flat(Grid::new(60, 40, 30.0)?, 123.0);
    assert!(after(&flat, CLIMATE)?.ground == flat);
    Ok(())
}

#[test]
fn moraines_are_made_of_what_was_worn_away() -> Result<()> {
    let land = valley()?;
    let climate = Climate { line: 900.0, ..CLIMATE };
    let without = glaciated(&land, None, climate, Leaves { moraines: 0.0, ..LEAVES }, &Work::new())?.ground;
    let with = after(&land, climate)?.ground;
    let sum = |of: &dyn Fn(usize) -> f64| (0..land.heights().len()).map(of).sum::<f64>();
    let worn = sum(&|at| f64::from(land.heights()[at] - without.heights()[at]).max(0.0));
    let heaped = sum(&|at| f64::from(with.heights()[at] - without.heights()[at]));
    assert!(
        heaped > 0.2 * LEAVES.moraines * worn && heaped < 1.05 * LEAVES.moraines * worn,
        "{heaped} of {worn}"
    );
    Ok(())
}

#[test]
fn ice_is_left_where_land_reaches_above_the_line() -> Result<()> {
    let land = mountains(91, 71, 60.0)?;
    let left = glaciated(&land, None, CLIMATE, Leaves { rise: 200.0, ..LEAVES }, &Work::new())?;
    let ice = left.ice.expect("ice");
    assert!(ice.range().0 == 0.0 && ice.range().1 > 20.0, "{:?}", ice.range());
    assert!(after(&land, CLIMATE)?.ice.is_none());
    Ok(())
}

#[test]
fn hard_rock_is_not_worn_away() -> Result<()> {
    let land = mountains(100, 80, 60.0)?;
    let hard = Heightfield::flat(land.grid(), 0.0);
    assert!(glaciated(&land, Some(&hard), CLIMATE, LEAVES, &Work::new())?.ground == land);
    Ok(())
}

#[test]
fn any_number_of_threads_makes_the_same_land() -> Result<()> {
    let land = mountains(61, 97, 60.0)?;
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let bed = land.heights().iter().map(|height| f64::from(*height)).collect();
            let weakness = vec![1.0; land.heights().len()];
            let mut glaciation = Glaciation::new(land.grid(), bed, weakness, CLIMATE);
            for round in 0..4 {
                glaciation.round(round, &Work::new())?;
            }
            glaciation.stand(50.0, 0.1, &Work::new())?;
            Ok::<_, crate::Error>((glaciation.ice.bed, glaciation.ice.thickness, glaciation.moraines))
        })
    };
    let one = made(1)?;
    for threads in [2, 7, 32] {
        assert!(made(threads)? == one, "{threads}");
    }
    Ok(())
}

#[test]
fn any_size_and_any_height_can_be_under_ice() -> Result<()> {
    for (width, depth) in [(1, 1), (2, 1), (1, 7), (3, 20), (70, 2), (17, 16)] {
        for scale in [10.0, 1e28] {
            for (cell, line) in [(0.01, -12_000.0), (50.0, 50.0)] {
                let land = Heightfield::from_fn(Grid::new(width, depth, cell)?, |column, row| {
                    scale * ((column * 7919 + row * 104_729) % 97) as f32
                });
                let climate = Climate { line, years: 5e6, strength: 20.0, snowfall: 10.0, ..CLIMATE };
                let leaves = Leaves { moraines: 0.5, rise: 0.0 };
                let after = glaciated(&land, None, climate, leaves, &Work::new())?;
                let heights = after.with_ice(&Work::new())?;
                assert!(
                    heights.heights().iter().all(|height| height.is_finite()),
                    "{width}×{depth} {scale} {cell}"
                );
            }
        }
    }
    Ok(())
}
