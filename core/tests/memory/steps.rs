//! How much memory steps, filters, resizers and readers of files take while they work: at most two fields
//! beside the one that they work on. Every byte that is asked for is counted, touched or not.

use std::path::Path;
use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use upland_core::filter::{Border, Gaussian, Mean, majority};
use upland_core::generate::{DiamondSquare, Fbm, Generate};
use upland_core::params::{Choice, Params, Value};
use upland_core::resize::Resize;
use upland_core::scatter::Scatter;
use upland_core::steps::{self, Ground, Operation};
use upland_core::texture::{BakeOptions, Baker, Land, Light, TerrainAnalysis, TerrainType, Texture, factors};
use upland_core::water::{Carve, River, dig};
use upland_core::{Cache, FilePath, Grid, Heightfield, Mask, MaskKind, Raster, Recipe, Step, Work};

use crate::{ALLOCATOR, alone};

/// Samples on a side of the field.
const SIDE: usize = 1025;
const FIELD: usize = 4 * SIDE * SIDE;

/// What does not grow with the field: tables, the threads' blocks of rows; of erosion the rock on its
/// 513² points.
const CONSTANT: usize = 3 << 19;

/// What waits to be flooded in erosion, eight bytes a sample, and which way water runs, half a byte.
const SHORE: usize = FIELD / 10;

/// Of drainage: levels and watersheds, or ways and areas, nine bytes a sample.
const WATERSHEDS: usize = 9 * SIDE * SIDE;

/// What talus needs in addition, in fields: surface and rock in whole numbers, the next surface, coarser
/// grids.
const LOOSE: usize = 7 * FIELD / 2;
/// What dunes need in addition, in fields: rock, sand, sand on its way, and what shadows it.
const DESERT: usize = 6 * FIELD;

/// What snow needs in addition, in fields: the way of avalanches, the snow on it, what slopes hold, what
/// moves and its energy, and which samples are ready.
const SNOW: usize = 5 * FIELD;

/// What a coast needs in addition, in fields: distances to two shores, the retreat, the rock's weakness, and
/// what the nearest places of a shore are found with.
const SHORES: usize = 9 * FIELD;

/// What glaciers need in addition, in fields: what is worn away, moraines and ice, the land as it was and is
/// under sliding walls; and 290 bytes for each of the 193² samples of the ice's grid.
const GLACIERS: usize = 12 * FIELD;

/// Steps that are also done in part, so that the land as it was has to wait beside the new.
const MASKED: [&str; 4] = ["fbm masked", "gaussian masked", "warp masked", "erode masked"];

/// Erosion by rivers that drop sediment, and what it needs in addition: 24 bytes a sample, and what slides
/// down.
const CARRYING: &str = "erode with sediment";
const SEDIMENT: usize = 7 * FIELD;

/// Erosion through beds of rock, which takes one more field: where the beds lie.
const IN_BEDS: &str = "erode in beds";

/// The threads that are measured, the same in all tests: what a thread keeps is made once.
static POOL: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(2).build().unwrap());

/// Bytes that `work` had in hand at most beside those that were there before, on two threads.
fn further(work: impl FnOnce() + Send) -> usize {
    POOL.install(|| {
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        work();
        ALLOCATOR.peak_usage() - before
    })
}

#[test]
fn no_step_takes_more_than_two_further_fields() {
    let _alone = alone();
    let picture = tempfile::Builder::new().suffix(".r16").tempfile().unwrap();
    std::fs::write(picture.path(), vec![7; 2 * SIDE * SIDE]).unwrap();
    let (mut too_much, rough) = (Vec::new(), land(SIDE));
    let names = steps::names();
    for name in names.iter().chain(&MASKED).chain([&CARRYING, &IN_BEDS]) {
        let step = step(name, picture.path());
        // Each thread first applies the step to a small land. This makes what is made only once and is as
        // small for any land: tables, and the working memory that a thread keeps for the next step.
        POOL.broadcast(|_| step.apply(&mut Ground::new(land(129)), 1, &Work::new()).unwrap());
        // Layers are further fields to those who ask for them.
        // Its heights are its own: those of a clone would be copied by whoever changes them.
        let own = Heightfield::new(rough.grid(), rough.heights().to_vec()).unwrap();
        let mut ground = Ground::new(own).keeping(&[]);
        if *name == IN_BEDS {
            Step::from_name("strata").unwrap().apply(&mut ground, 1, &Work::new()).unwrap();
        }
        let further = further(|| step.apply(&mut ground, 1, &Work::new()).unwrap());
        println!("{name:<28} {:.2} fields", further as f64 / FIELD as f64);
        let beyond = match *name {
            CARRYING => SHORE + SEDIMENT,
            IN_BEDS => SHORE + FIELD,
            name if name.starts_with("erode") => SHORE,
            "drainage" | "lakes" | "streams" => WATERSHEDS,
            "talus" => LOOSE,
            "dunes" => DESERT,
            "snow" => SNOW,
            "coast" => SHORES,
            "glacier" => GLACIERS,
            _ => 0,
        };
        if further > 2 * FIELD + beyond + CONSTANT {
            too_much.push((name, further));
        }
    }
    assert!(too_much.is_empty(), "of {FIELD} bytes a field: {too_much:?}");
}

#[test]
fn rivers_that_meet_take_no_more_than_two_further_fields() {
    let _alone = alone();
    let bearings = [0.0, 80.0, 140.0, 250.0];
    let rivers = bearings.map(|bearing| River { bearing, ..River::default() });
    let rivers: Vec<_> = rivers.iter().map(|river| (river as &dyn Carve, 3)).collect();
    let mut field = land(SIDE);
    let further = further(|| drop(dig(&mut field, &rivers, &mut [], &Work::new()).unwrap()));
    assert!(further <= 2 * FIELD + CONSTANT, "{further} of {FIELD}");
}

#[test]
fn no_kernel_however_large_and_no_resizer_takes_more_than_two_further_fields() {
    let _alone = alone();
    let border = Border::Wrap;
    let mut field = land(SIDE);
    let filters: [&dyn Operation; 2] =
        [&Mean { size: 1023, border }, &Gaussian { sigma: 1.5, size: 255, border }];
    for (number, filter) in filters.iter().enumerate() {
        let further = further(|| filter.apply_to(&mut field, 1, &Work::new()).unwrap());
        assert!(further <= 2 * FIELD + CONSTANT, "{number}: {further} of {FIELD}");
    }
    let mut resize = Resize::default();
    for index in 0..resize.names().len() {
        resize.set_index(index);
        for (from, to) in [(SIDE / 8, SIDE), (SIDE, SIDE / 2)] {
            let source = land(from);
            let to = Grid::new(to, to, 10.0).unwrap();
            let further = further(|| drop(resize.apply(&source, to, &Work::new()).unwrap()));
            // The field it works on is the larger one: what it reads or what it makes.
            let made = if to.count() > source.grid().count() { FIELD } else { 0 };
            assert!(further <= made + 2 * FIELD + CONSTANT, "{resize:?}: {further} of {FIELD}");
        }
    }
    let ids: Vec<u8> = field.heights().iter().map(|height| height.abs() as u8 % 20).collect();
    let further = further(|| drop(majority(&ids, SIDE, SIDE, 9, border, &Work::new()).unwrap()));
    assert!(further <= 2 * ids.len() + CONSTANT, "majority: {further} of {}", ids.len());
}

fn step(name: &str, picture: &std::path::Path) -> Step {
    let (name, mask) = match name.strip_suffix(" masked") {
        Some(name) => (name, Mask { mask: MaskKind::Noise, ..Mask::default() }),
        None => (name, Mask::default()),
    };
    let name = name.strip_suffix(" in beds").unwrap_or(name);
    let (name, sediment) = name.strip_suffix(" with sediment").map_or((name, 0.0), |name| (name, 1.0));
    let mut step = Step::from_name(name).unwrap();
    step.mask = mask;
    step.visit(&mut |param, value| match (value, param.name) {
        (Value::Float(number), "sediment") => *number = sediment,
        (Value::File(file), "file") => {
            let strokes = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strokes/hills.strokes.ron");
            *file = FilePath::new(if name == "strokes" { strokes } else { picture.to_str().unwrap() });
        }
        // All rounds of dunes take the same memory.
        (Value::Int(steps), "steps") => *steps = 9,
        _ => {}
    });
    step
}

fn land(side: usize) -> Heightfield {
    // Mostly above the sea, so that erosion has much to do.
    let mut field = Fbm::default().generate(Grid::new(side, side, 10.0).unwrap(), 2, &Work::new()).unwrap();
    field.heights_mut().iter_mut().for_each(|height| *height += 300.0);
    field
}

#[test]
fn files_are_written_row_by_row() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let raster = Raster::from(land(SIDE));
    for name in ["land.png", "land.tif", "land.exr", "land.asc", "land.r16"] {
        let path = folder.path().join(name);
        let write = || {
            upland_core::formats::write(&path, &raster, &Default::default()).unwrap();
        };
        // Once, so that what is only made once is there.
        write();
        let further = further(write);
        // Rows, blocks of rows and what packs them; a copy of the heights would be a whole field.
        assert!(further < FIELD / 3, "{name}: {further} of {FIELD}");
    }
}

/// The law of whatever asks before it takes memory: it asks for what it takes, and not for much more.
fn assert_asked(what: &str, asked: usize, taken: usize) {
    println!("{what:<24} {taken} of {asked}");
    let share = asked * 3 / 4;
    assert!(taken <= asked + CONSTANT && taken >= share, "{what}: {taken} taken, {asked} asked");
}

#[test]
fn wrapped_diamond_square_takes_what_it_asks_for() {
    let _alone = alone();
    let generator = DiamondSquare { wrap: true, ..DiamondSquare::default() };
    // Beside the squares, of so many samples each way, the two coarser lattices or the field.
    for ([width, depth], squares) in [([1025, 1025], [2048, 2048]), ([1024, 512], [1024, 512])] {
        let grid = Grid::new(width, depth, 1.0).unwrap();
        let finest = squares[0] * squares[1];
        let asked = 4 * (finest + (finest / 4 + finest / 16).max(grid.count()));
        let taken = further(|| drop(generator.generate(grid, 1, &Work::new()).unwrap()));
        // Where it needs no resizing, the squares are the field.
        let asked = if squares == [width, depth] { 4 * finest * 21 / 16 } else { asked };
        assert_asked(&format!("{width}×{depth}"), asked, taken);
    }
}

#[test]
fn factors_and_maps_take_what_they_ask_for() {
    let _alone = alone();
    let field = land(SIDE);
    let ground = Land { sea_level: Some(200.0), ..Land::dry(&field) };
    for factor in factors::all() {
        let measure = || drop(factor.measure(ground, &Work::new()).unwrap());
        let asked = factor.bytes_a_sample as usize * SIDE * SIDE;
        let taken = further(measure);
        println!("{factor:?} {taken} of {asked}");
        assert!(taken <= asked + CONSTANT && 2 * taken >= asked, "{factor:?}: {taken} of {asked}");
    }
    let plain = Texture { types: vec![TerrainType::new("a", [0.5; 3]); 5], ..Texture::default() };
    let light = Light { elevation: 20.0, bearing: 30.0, ..Light::default() };
    for (what, bytes, texture) in [
        ("nothing", 0, Texture { occlusion: 0.0, ..plain.clone() }),
        ("the sky", 3, plain.clone()),
        ("the sun", 4, Texture { occlusion: 0.0, light: Some(light), ..plain.clone() }),
    ] {
        let taken = further(|| {
            TerrainAnalysis::new(&field).prepare(&field, &texture, &Work::new()).unwrap();
        });
        println!("{what} {taken}");
        let asked = bytes * SIDE * SIDE;
        assert!(taken <= asked + CONSTANT && 2 * taken >= asked, "{what}: {taken} of {asked}");
    }
    let mut analysis = TerrainAnalysis::new(&field);
    analysis.prepare(&field, &plain, &Work::new()).unwrap();
    for (weights, bytes) in [(false, 4), (true, 4 + 5)] {
        let options = BakeOptions { sea_level: None, weights };
        let texture = Texture { resolution: 2048, ..plain.clone() };
        let baker = Baker::new(&field, &analysis, &texture, options, 1, &Work::new()).unwrap();
        let taken = further(|| drop(baker.paint(baker.whole(), &Work::new()).unwrap()));
        assert_asked("a map", bytes * 2048 * 2048, taken);
    }
}

/// Of few objects on wide land, however small their spacing: two rules that make room for each other, and a
/// rule alone.
#[test]
fn objects_take_memory_by_their_number_and_not_by_the_land_over_their_spacing() {
    let _alone = alone();
    for file in ["scatter_abort.ron", "scatter_groups_memory.ron"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(file);
        let recipe = Recipe::read(&path).unwrap();
        let scatter = Scatter::new(&recipe, 0, &Cache::default(), &Work::new()).unwrap();
        let land = scatter.rectangle_of(recipe.shown().unwrap().window());
        let further = further(|| drop(scatter.within(land, &Work::new()).unwrap()));
        assert!(further < 32 << 20, "{file}: {further}");
    }
}
