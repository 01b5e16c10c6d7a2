//! What lakes promise: each is level, stands as high as its lowest way out, and is drawn up to where the
//! ground rises through it; all that knows of water knows the same lakes.

use std::collections::HashSet;

use glam::{Vec2, vec2};
use upland_core::grid::layer::{LAKE_DEPTH, LAKE_LEVEL, WATER_DEPTH};
use upland_core::steps::{Ground, Operation};
use upland_core::water::{Lake, Lakes, RiverSheet, WaterBuffer, Waters};
use upland_core::{Cache, Grid, Heightfield, Recipe, Step, Work};

/// Rough land without a sea.
fn rough(size: (u32, u32), seed: u64) -> Heightfield {
    let mut recipe = Recipe::new("Land", size, 30.0);
    recipe.seed = seed;
    recipe.steps.push(Step::from_name("fbm").unwrap());
    recipe.build_heightfield(&Work::new()).unwrap()
}

/// A real land, in whole metres: the mountains near Jacksboro in Tennessee.
fn jacksboro() -> Heightfield {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/elevation/jacksboro_fault.asc");
    let text = std::fs::read_to_string(file).unwrap();
    let numbers = text.lines().skip(6).flat_map(str::split_whitespace);
    let heights = numbers.map(|height| height.parse().unwrap()).collect();
    Heightfield::new(Grid::new(403, 344, 90.0).unwrap(), heights).unwrap()
}

fn lands() -> Vec<Heightfield> {
    let mut lands: Vec<_> = (0..12).map(|seed| rough((97 + seed as u32, 81), seed)).collect();
    lands.push(jacksboro());
    lands
}

fn kinds() -> Vec<Lakes> {
    let usual = Lakes { sea: -12_000.0, smallest: 0.0, shallowest: 0.0, ..Lakes::default() };
    vec![
        usual.clone(),
        Lakes { smallest: 0.01, shallowest: 2.0, ..usual.clone() },
        Lakes { evaporation: 3000.0, ..usual.clone() },
        Lakes { open_border: false, sea: 40.0, ..usual },
    ]
}

fn found(land: &Heightfield, lakes: &Lakes) -> Ground {
    let mut ground = Ground::new(land.clone());
    lakes.apply(&mut ground, 1, &Work::new()).unwrap();
    ground
}

fn each_land(mut check: impl FnMut(&Heightfield, &Lakes, &Ground)) {
    let mut count = 0;
    for land in lands() {
        for kind in kinds() {
            let ground = found(&land, &kind);
            count += ground.lakes.len();
            check(&land, &kind, &ground);
        }
    }
    assert!(count > 1000, "{count}");
}

fn sheet(ground: &Ground) -> RiverSheet {
    RiverSheet::of(&ground.heights, ground.waters(None), &Work::new()).unwrap()
}

/// A sample's place from the land's middle, as sheets count.
fn place(grid: Grid, (column, row): (usize, usize)) -> Vec2 {
    vec2(column as f32, row as f32) * grid.cell - grid.extent() / 2.0
}

fn neighbours(grid: Grid, (column, row): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let columns = column.saturating_sub(1)..(column + 2).min(grid.width);
    columns.flat_map(move |x| (row.saturating_sub(1)..(row + 2).min(grid.depth)).map(move |z| (x, z)))
}

#[test]
fn lakes_leave_the_ground_as_it_is() {
    each_land(|land, _, ground| assert_eq!(&ground.heights, land));
}

#[test]
fn every_lake_is_level_and_as_large_as_demanded() {
    each_land(|land, kind, ground| {
        let (sheet, grid) = (sheet(ground), land.grid());
        for lake in &ground.lakes {
            let bed: Vec<_> = lake.bed(land).collect();
            assert_eq!(bed.len() as f64 * f64::from(grid.cell * grid.cell), lake.area());
            assert!(lake.area() >= f64::from(kind.smallest) * 1e6 && lake.depth() > kind.shallowest);
            for &sample in &bed {
                let level = sheet.surface_at(grid, place(grid, sample));
                assert!((level.unwrap() - lake.level()).abs() <= 1e-4, "{level:?} and {}", lake.level());
                assert_eq!(sheet.at(grid, place(grid, sample)).unwrap().velocity, Vec2::ZERO);
            }
            let (column, row) = lake.deepest();
            assert_eq!(lake.depth(), lake.level() - land.at(column, row));
        }
    });
}

#[test]
fn a_full_lake_stands_at_the_lowest_sample_of_its_shore() {
    each_land(|land, kind, ground| {
        for lake in &ground.lakes {
            let bed: HashSet<_> = lake.bed(land).collect();
            let shore = bed.iter().flat_map(|sample| neighbours(land.grid(), *sample));
            let dry = shore.filter(|sample| !bed.contains(sample));
            let lowest = dry.map(|(column, row)| land.at(column, row)).fold(f32::INFINITY, f32::min);
            match lake.outlet() {
                Some((column, row)) => {
                    assert!((land.at(column, row) - lake.level()).abs() <= 1e-4);
                    assert!((lowest - lake.level()).abs() <= 1e-4, "{lowest} and {}", lake.level());
                }
                None => {
                    assert!(kind.evaporation > 0.0 && lake.level() < lake.sill() && lowest >= lake.level())
                }
            }
        }
    });
}

/// The water is drawn up to where the ground, between two samples, is as high as the lake.
#[test]
fn shores_are_drawn_where_the_ground_rises_through_the_water() {
    each_land(|land, _, ground| {
        let (sheet, grid) = (sheet(ground), land.grid());
        for lake in &ground.lakes {
            for wet in lake.bed(land) {
                for dry in
                    neighbours(grid, wet).filter(|(column, row)| land.at(*column, *row) >= lake.level())
                {
                    let [below, above] = [wet, dry].map(|(column, row)| land.at(column, row));
                    let share = (lake.level() - below) / (above - below);
                    // A thousandth before it: beyond a dry sample that is as high as the lake, nothing is
                    // drawn. And a little towards the middle, so that no place on the land's border is
                    // rounded to one beyond.
                    let shore = place(grid, wet).lerp(place(grid, dry), 0.999 * share) * 0.999_999;
                    let level = sheet.surface_at(grid, shore).expect("the water reaches its shore");
                    assert!((level - lake.level()).abs() <= 1e-4);
                }
            }
        }
        // Nowhere does it extend over lower ground beyond its shores.
        let water = WaterBuffer::of(land, ground.waters(None), &Work::new()).unwrap();
        for (position, depth) in sheet.positions.iter().zip(&sheet.depths) {
            let corner = (vec2(position[0], position[2]) + grid.extent() / 2.0) / grid.cell;
            let (column, row) = (corner.x.round() as usize, corner.y.round() as usize);
            if *depth > 0.0 {
                assert_eq!(water.depth(column, row), *depth);
            }
        }
    });
}

#[test]
fn layers_and_depths_agree_with_the_lakes() {
    each_land(|land, _, ground| {
        let water = WaterBuffer::of(land, ground.waters(None), &Work::new()).unwrap();
        let [level, depth] = [LAKE_LEVEL, LAKE_DEPTH].map(|name| ground.layer(name).unwrap());
        assert_eq!(water.depths(), depth.heights());
        for ((level, depth), height) in level.heights().iter().zip(depth.heights()).zip(land.heights()) {
            assert_eq!(*depth, level - height);
        }
        let wet: usize = ground.lakes.iter().map(|lake| lake.bed(land).count()).sum();
        assert_eq!(depth.heights().iter().filter(|depth| **depth > 0.0).count(), wet);
    });
}

/// Twice the signed area to the left of a closed line.
fn to_the_left(outline: &[Vec2]) -> f32 {
    let pairs = outline.iter().zip(outline.iter().cycle().skip(1));
    // Counted from a point of the line, so that large coordinates cost no digits.
    pairs.map(|(a, b)| (*b - outline[0]).perp_dot(*a - outline[0])).sum()
}

#[test]
fn outlines_enclose_the_lakes() {
    each_land(|land, _, ground| {
        let grid = land.grid();
        for lake in &ground.lakes {
            let outlines = lake.outlines(land);
            // Water lies to the right, islands to the left.
            let enclosed: f32 = outlines.iter().map(|outline| -to_the_left(outline) / 2.0).sum();
            assert!(enclosed > 0.0, "{outlines:?}");
            for point in outlines.iter().flatten() {
                let at = *point / grid.cell;
                let near = neighbours(grid, (at.x.round() as usize, at.y.round() as usize));
                let is_on = near.into_iter().any(|(column, row)| land.at(column, row) < lake.level());
                assert!(is_on, "{point}");
            }
            // They differ from the samples under water at most by those along the shore.
            let bed: HashSet<_> = lake.bed(land).collect();
            let is_shore =
                |sample: &(usize, usize)| neighbours(grid, *sample).any(|there| !bed.contains(&there));
            let near: HashSet<_> = bed.iter().flat_map(|sample| neighbours(grid, *sample)).collect();
            let shore = near.iter().filter(|sample| !bed.contains(*sample) || is_shore(sample)).count();
            let most = shore as f32 * grid.cell * grid.cell;
            assert!(
                (f64::from(enclosed) - lake.area()).abs() <= f64::from(most),
                "{enclosed} {}",
                lake.area()
            );
        }
    });
}

fn recipe(steps: &str) -> Recipe {
    let text = format!(
        "(version: 1, name: \"Land\", seed: 4, size: (120, 90), cell: 30, steps: [fbm(height: 900), {steps}])"
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

const HERE: &str = "lakes(sea: -12000, smallest: 0, shallowest: 0)";

#[test]
fn windows_have_the_water_of_the_whole_land() {
    let (recipe, cache, work) = (recipe(HERE), Cache::default(), Work::new());
    let whole = recipe.build_layers(&[WATER_DEPTH, LAKE_DEPTH], &cache, &work).unwrap();
    assert!(whole.lakes.len() > 20, "{}", whole.lakes.len());
    assert_eq!(whole.layer(WATER_DEPTH).unwrap(), whole.layer(LAKE_DEPTH).unwrap());
    for cache in [cache, Cache::new(0)] {
        let window = "0:31,17,40x50".parse().unwrap();
        let part = recipe.build_window_layers(window, &[WATER_DEPTH, LAKE_DEPTH], &cache, &work).unwrap();
        assert_eq!(part.lakes, whole.lakes);
        for name in [WATER_DEPTH, LAKE_DEPTH] {
            let (part, whole) = (part.layer(name).unwrap(), whole.layer(name).unwrap());
            for (column, row) in (0..40).flat_map(|column| (0..50).map(move |row| (column, row))) {
                assert_eq!(part.at(column, row), whole.at(column + 31, row + 17));
            }
        }
    }
}

/// Finer land keeps its detail: lakes take nothing from it.
#[test]
fn finer_windows_are_those_of_the_land_without_lakes() {
    let dry = Recipe { steps: recipe(HERE).steps[..1].to_vec(), ..recipe(HERE) };
    for window in ["-3:200,100,60x50", "2:3,2,20x15"] {
        let window = window.parse().unwrap();
        let [wet, dry] = [&recipe(HERE), &dry]
            .map(|recipe| recipe.build_window(window, &Cache::default(), &Work::new()).unwrap().heights);
        assert_eq!(wet, dry);
    }
}

#[test]
fn lakes_are_found_again_and_vanish_with_their_land() {
    let work = Work::new();
    let lakes = |steps: &str| recipe(steps).build_layers(&[], &Cache::new(0), &work).unwrap().lakes;
    let large = "lakes(sea: -12000, smallest: 0.05)";
    assert!(lakes(large).len() < lakes(HERE).len());
    assert_eq!(lakes(&format!("{HERE}, {large}")), lakes(large));
    assert_eq!(lakes(&format!("{HERE}, flat(height: 3)")), []);
    assert_eq!(lakes(&format!("{HERE}, drainage(hollows: fill), {HERE}")), []);
    assert_eq!(lakes("flat(), lakes()"), []);
}

#[test]
fn lakes_of_another_land_are_refused() {
    let lakes = found(&rough((97, 81), 3), &kinds()[0]).lakes;
    let other = Heightfield::flat(Grid::new(96, 81, 30.0).unwrap(), 0.0);
    let waters = Waters { lakes: &lakes, ..Waters::default() };
    let error = WaterBuffer::of(&other, waters, &Work::new()).unwrap_err().to_string();
    assert!(error.contains("97×81") && error.contains("96×81"), "{error}");
    assert_eq!(RiverSheet::of(&other, waters, &Work::new()).unwrap_err().to_string(), error);
}

/// Between samples the ground can be lower than they are: the water reaches on under the dry ones of the
/// shore.
#[test]
fn water_reaches_on_under_its_shore() {
    each_land(|land, _, ground| {
        let (sheet, grid) = (sheet(ground), land.grid());
        for lake in ground.lakes.iter().filter(|lake| lake.area() > 20_000.0) {
            let is_high = |(column, row): &(usize, usize)| land.at(*column, *row) >= lake.level();
            for shore in lake.bed(land).flat_map(|wet| neighbours(grid, wet)).filter(is_high) {
                // The cell to the south-east, if all of it is shore.
                let cell = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, z)| (shore.0 + x, shore.1 + z));
                if cell.iter().all(|at| at.0 < grid.width && at.1 < grid.depth && is_high(at)) {
                    let middle = place(grid, shore) + grid.cell / 2.0;
                    assert!(sheet.surface_at(grid, middle).expect("a surface") >= lake.level());
                }
            }
        }
    });
}

/// A lake behind a dam of one sample, beside a lower one: both are level up to the dam.
#[test]
fn lakes_on_either_side_of_a_dam_are_both_level() {
    let grid = Grid::new(40, 20, 10.0).unwrap();
    let land = Heightfield::from_fn(grid, |column, row| match (column, row) {
        (0 | 39, _) | (_, 0 | 19) => 60.0,
        (20, _) => 50.0,
        (0..20, _) => 10.0,
        (21.., _) => 20.0,
    });
    // The lower one flows out in the west, the higher one over the dam.
    let mut land = land;
    let row = 10;
    land.heights_mut()[row * 40] = 30.0;
    let ground = found(&land, &kinds()[0]);
    let levels: Vec<f32> = ground.lakes.iter().map(Lake::level).collect();
    assert_eq!(levels, [50.0, 30.0]);
    let sheet = sheet(&ground);
    for (column, level) in [(5.0, 30.0), (19.4, 30.0), (20.6, 50.0), (30.0, 50.0)] {
        assert_eq!(sheet.surface_at(grid, vec2(column, 9.3) * 10.0 - grid.extent() / 2.0), Some(level));
    }
}
