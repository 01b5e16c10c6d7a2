//! The heights, waters and colours of everything that there is, to the bit. When one moves, so do the lands
//! of everybody who has a recipe with it: that takes a reason, and a line in the changelog.
//!
//! `UPLAND_WRITE_GOLDEN=1 cargo test -p upland_core --test laws golden` writes the table anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use glam::Vec2;
use upland_core::filter::{
    Above, Binomial, Border, Clamp, Coast, Curve, CurveShape, Drainage, Dunes, Erode, Gaussian, Glacier,
    Gullies, Hole, HoleShape, HollowGround, Island, Ledges, LowPass, Mean, Normalize, Outlets, Outline,
    Platform, PlatformShape, Power, Ripples, Road, SandBorder, Scale, SculptVector, Snow, Stamp, StampBlend,
    Stones, Talus, Terrace, Undercut, Warp, Winds, majority,
};
use upland_core::generate::{
    DiamondSeam, DiamondSquare, Fault, FaultBeyond, FaultProfile, Fbm, Generate, Hybrid, HybridWeight,
};
use upland_core::params::{Choice, Reading, Value};
use upland_core::resize::{Ends, Resize, Spline, bspline, duplicate_ids};
use upland_core::steps::{self, Ground, Kind, Operation};
use upland_core::texture::{
    BakeOptions, Green, Land, Light, MapWindow, Texture, bake_with, factors, normal_map, sky_view,
};
use upland_core::water::{Lakes, RiverSheet};
use upland_core::{Basis, FilePath, Grid, Heightfield, Recipe, Work};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/golden.txt");

/// The lines of the table.
#[derive(Default)]
struct Hashes(Vec<(String, u64)>);

impl Hashes {
    /// FNV-1a over bytes, in order.
    fn add_bytes(&mut self, name: impl Into<String>, bytes: impl IntoIterator<Item = u8>) {
        let hash = bytes.into_iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        self.0.push((name.into(), hash));
    }

    fn add<'n>(&mut self, name: impl Into<String>, numbers: impl IntoIterator<Item = &'n f32>) {
        self.add_bytes(name, numbers.into_iter().flat_map(|number| number.to_bits().to_le_bytes()));
    }
}

/// 65 × 49 samples with seed 1: with default parameters, with all of them moved, and of fBm with every
/// other basis.
fn generators(hashes: &mut Hashes) {
    let grid = Grid::new(65, 49, 10.0).unwrap();
    let mut add = |name: String, generator: &dyn Operation| {
        let mut ground = Ground::level(grid);
        generator.apply(&mut ground, 1, &Work::new()).unwrap();
        hashes.add(name, ground.heights.heights());
    };
    for mut generator in steps::of_kind(Kind::Generator).filter(|generator| generator.name() != "import") {
        let name = generator.name();
        add(name.to_string(), &*generator);
        generator.visit(&mut |param, value| {
            let end = *param.range.end();
            match value {
                Value::Float(value) => {
                    *value += 0.25 * (end.min(3.0 * f64::from(*value) + 1.0) as f32 - *value)
                }
                Value::Int(value) => *value = (*value / 2 + 1).min(20_000),
                // Wrapping land has sizes of its own; octaves that fade and centred faults have lines of
                // their own.
                Value::Flag(value) => *value ^= !["wrap", "fade", "centred"].contains(&param.name),
                // Mistakes have lines of their own.
                Value::Choice(_) if ["weight", "seam", "beyond"].contains(&param.name) => {}
                Value::Choice(choice) => choice.set_index(choice.names().len() - 1),
                _ => {}
            }
        });
        add(format!("{name} with other parameters"), &*generator);
    }
    for basis in [Basis::Value, Basis::Simplex, Basis::Cellular] {
        let fbm = Fbm { basis, ..Default::default() };
        add(format!("fbm of {basis:?} noise").to_lowercase(), &fbm);
    }
    add(String::from("fbm that fades"), &Fbm { frequency: 9.0, fade: true, ..Default::default() });
    let (seam, beyond) = (DiamondSeam::Unequal, FaultBeyond::Nothing);
    let profile = FaultProfile::Sine;
    add("diamond_square of unequal seams".into(), &DiamondSquare { wrap: true, seam, ..Default::default() });
    add("fault, centred".into(), &Fault { faults: 50, centred: true, ..Default::default() });
    add("fault of nothing beyond".into(), &Fault { faults: 50, profile, beyond, ..Default::default() });
    add("hybrid of most weight".into(), &Hybrid { weight: HybridWeight::Most, ..Default::default() });
}

/// Hills from below the sea to 900 m, rough as they are, without any noise of the crate's own.
fn hills(width: usize, depth: usize) -> Heightfield {
    Heightfield::from_fn(Grid::new(width, depth, 25.0).unwrap(), |column, row| {
        let (x, z) = (column as f32, row as f32);
        let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length);
        200.0 + 500.0 * wave(20.0) + 150.0 * wave(6.0) + 30.0 * wave(1.7)
    })
}

/// A part of such hills with samples so close together that there is room for near detail.
fn hillside() -> Heightfield {
    let hills = hills(70, 45);
    let heights = hills.heights().iter().map(|height| height / 100.0).collect();
    Heightfield::new(Grid::new(70, 45, 0.25).unwrap(), heights).unwrap()
}

/// Every filter with default parameters, and with others.
fn filters(hashes: &mut Hashes) {
    let (hills, hillside) = (hills(70, 45), hillside());
    let steps_of_50 = hills.heights().iter().map(|height| (height / 50.0).round() * 50.0).collect();
    let terraces = Heightfield::new(hills.grid(), steps_of_50).unwrap();
    // The first land that the filter changes: the hills; for what is far smaller than their samples the
    // hillside; and for majorities the terraces, since all heights of the others are distinct.
    let changed = |filter: &dyn Operation| {
        let changed = [&hills, &hillside, &terraces].map(|land| {
            let mut changed = Ground::new(land.clone());
            filter.apply(&mut changed, 1, &Work::new()).unwrap();
            (changed.heights != *land).then_some(changed.heights)
        });
        changed.into_iter().flatten().next()
    };
    for filter in steps::of_kind(Kind::Filter).filter(|filter| !names_file(&**filter)) {
        let name = filter.name();
        match changed(&*filter) {
            Some(land) => hashes.add(name, land.heights()),
            // By default its factor is 1.
            None if name == "scale" => hashes.add(name, hills.heights()),
            None => assert!(!filter.writes().is_empty(), "{name} changes nothing"),
        }
    }
    let border = Border::Wrap;
    let points = Curve { to_1: 0.5, to_2: 0.4, ..Curve::default() };
    let erode = Erode { strength: 20.0, age: 1.0, smoothing: 90.0, max_slope: 25.0, ..Erode::default() };
    let others: &[&dyn Operation] = &[
        &Normalize { low: -100.0, high: 777.0 },
        &Scale { factor: -1.5, bias: 30.0 },
        &Clamp { low: -50.0, high: 300.0 },
        &Power { exponent: 0.4 },
        &Terrace { step: 40.0, sharpness: 0.95 },
        &Curve { shape: CurveShape::Smooth, ..points.clone() },
        &Curve { shape: CurveShape::Straight, ..points },
        &Island { depth: 300.0, inner: 0.2, outline: Outline::Square },
        &Warp { reach: 0.2, frequency: 9.0, octaves: 1.5 },
        &Mean { size: 31, border },
        &Gaussian { sigma: 4.0, size: 17, border },
        &Binomial { row: 22, border },
        &LowPass { k: 0.9, border },
        &erode,
        &Erode { base_level: 150.0, variety: 0.0, outlets: Outlets::Sea, ..erode.clone() },
        &Gullies { depth: 200.0, size: 333.0, octaves: 2.5, rounding: 0.9, ..Gullies::default() },
        &Ledges {
            thickness: 30.0,
            octaves: 2.5,
            dip: 50.0,
            joints: 1.0,
            slope_max: 70.0,
            ..Ledges::default()
        },
        &Stones { size: 25.0, cover: 0.9, patchiness: 0.0, slope_min: 10.0, ..Stones::default() },
        &Ripples { length: 30.0, height: 4.0, octaves: 1.5, lean: 0.3, ..Ripples::default() },
        &Talus { repose: 25.0, slope_min: 30.0, bulking: 1.0, variety: 0.0, ..Talus::default() },
        &Dunes { supply: 40.0, steps: 40, winds: Winds::Two, border: SandBorder::Wrap, ..Dunes::default() },
        &Dunes {
            bearing: 20.0,
            steps: 30,
            winds: Winds::Around,
            border: SandBorder::Open,
            ..Dunes::default()
        },
        &Snow { temperature: 1.0, swing: 5.0, latitude: -40.0, wind: 120.0, day: 300.0, ..Snow::default() },
        &Coast {
            retreat: 80.0,
            all_sides: 1.0,
            variety: 0.0,
            sand: 0.6,
            beach_slope: 8.0,
            ..Coast::default()
        },
        &Glacier {
            line: 100.0,
            swing: 150.0,
            snowfall: 2.0,
            age: 80_000.0,
            variety: 0.0,
            max_slope: 45.0,
            moraines: 30.0,
            warming: 100.0,
            ..Glacier::default()
        },
    ];
    for (number, filter) in others.iter().enumerate() {
        let land = changed(*filter).unwrap_or_else(|| panic!("{} changes nothing", filter.name()));
        hashes.add(format!("filter {number} with other parameters"), land.heights());
    }
}

/// Whether a step has a parameter that names a file, without which it does nothing.
fn names_file(step: &dyn Operation) -> bool {
    let mut names_file = false;
    step.read(&mut |_, value| names_file |= matches!(value, Reading::File(_)));
    names_file
}

/// Lakes, in a wet and in a dry climate: their levels, and the water that is drawn of them.
fn lakes(hashes: &mut Hashes) {
    let land = hills(90, 70);
    for (name, evaporation) in [("full", 0.0), ("dry", 3000.0)] {
        let mut ground = Ground::new(land.clone());
        let lakes = Lakes { smallest: 0.0, sea: -12_000.0, evaporation, ..Lakes::default() };
        lakes.apply(&mut ground, 1, &Work::new()).unwrap();
        for (layer, values) in ground.layers().iter() {
            hashes.add(format!("lakes {name} {layer}"), values.heights());
        }
        let sheet = RiverSheet::of(&land, ground.waters(None), &Work::new()).unwrap();
        hashes.add(format!("lakes {name}: surface"), sheet.positions.iter().flatten());
        let outlines = ground.lakes.iter().flat_map(|lake| lake.outlines(&land)).flatten();
        let points: Vec<f32> = outlines.flat_map(|point| point.to_array()).collect();
        hashes.add(format!("lakes {name}: outlines"), &points);
    }
}

/// The layers of drainage, with hollows kept in a wet and in a dry climate, filled and breached.
fn drainages(hashes: &mut Hashes) {
    let hills = Fbm { height: 900.0, ..Fbm::default() };
    let hills = hills.generate(Grid::new(97, 65, 40.0).unwrap(), 5, &Work::new()).unwrap();
    let keep = Drainage { smallest_lake: 0.0, stream_from: 0.01, ..Drainage::default() };
    for (name, drainage) in [
        ("keep", keep.clone()),
        ("dry", Drainage { evaporation: 3000.0, open_border: false, ..keep.clone() }),
        ("fill", Drainage { hollows: HollowGround::Fill, sea: -12_000.0, ..keep.clone() }),
        ("breach", Drainage { hollows: HollowGround::Breach, ..keep }),
    ] {
        let mut ground = Ground::new(hills.clone());
        drainage.apply(&mut ground, 1, &Work::new()).unwrap();
        hashes.add(format!("drainage {name}"), ground.heights.heights());
        for (layer, values) in ground.layers().iter() {
            hashes.add(format!("drainage {name} {layer}"), values.heights());
        }
    }
}

/// The layers of ground that is moved sideways.
fn shifts(hashes: &mut Hashes) {
    let cuts = [Above::Level, Above::Foot].map(|above| Undercut {
        depth: 30.0,
        above,
        height: 200.0,
        reach: 90.0,
        slope_min: 12.0,
        ..Undercut::default()
    });
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tiff/rgb16.tif");
    let sculpt = SculptVector { file: FilePath::new(file), scale: 0.001, ..SculptVector::default() };
    let steps: [&dyn Operation; 3] = [&cuts[0], &cuts[1], &sculpt];
    for (number, step) in steps.into_iter().enumerate() {
        let mut changed = Ground::new(hills(70, 45));
        step.apply(&mut changed, 1, &Work::new()).unwrap();
        for (name, layer) in changed.layers().iter() {
            assert!(layer.heights().iter().any(|shift| *shift != 0.0), "{} moves nothing", step.name());
            hashes.add(format!("{} {number}: {name}", step.name()), layer.heights());
        }
        hashes.add(format!("{} {number}", step.name()), changed.heights.heights());
    }
}

/// Made ground and holes, and the layers that say where they are.
fn earthworks(hashes: &mut Hashes) {
    let points = vec![Vec2::new(-0.1, 0.2), Vec2::new(0.4, 0.3), Vec2::new(0.6, 0.9)];
    let road = Road { points: points.clone(), width: 60.0, max_grade: 15.0, balance: 0.2, ..Road::default() };
    let polygon = Platform {
        shape: PlatformShape::Polygon,
        points: points.clone(),
        grade: 5.0,
        height: 12.0,
        ..Platform::default()
    };
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tiff/rgb16.tif");
    let stamp = Stamp {
        file: FilePath::new(file),
        points: vec![Vec2::new(0.3, 0.6)],
        turn: 25.0,
        scale: 0.01,
        mode: StampBlend::Max,
        ..Stamp::default()
    };
    let ball = Hole { shape: HoleShape::Ball, radius: 150.0, height: 40.0, ..Hole::default() };
    let line = Hole { shape: HoleShape::Line, points, radius: 70.0, top: 300.0, ..Hole::default() };
    let steps: [&dyn Operation; 5] = [&road, &polygon, &stamp, &ball, &line];
    for (number, step) in steps.into_iter().enumerate() {
        let mut changed = Ground::new(hills(70, 45));
        step.apply(&mut changed, 1, &Work::new()).unwrap();
        for (name, layer) in changed.layers().iter() {
            assert!(layer.heights().iter().any(|share| *share > 0.5), "{} is nowhere", step.name());
            hashes.add(format!("{} {number}: {name}", step.name()), layer.heights());
        }
        hashes.add(format!("earthwork {number}, {}", step.name()), changed.heights.heights());
    }
}

/// Every resizer, to more samples and to fewer, and majorities.
fn resizers(hashes: &mut Hashes) {
    let (land, work) = (hills(30, 41), Work::new());
    let ids: Vec<u8> = land.heights().iter().map(|height| (height.abs() / 90.0) as u8).collect();
    for (width, depth) in [(67, 50), (13, 90), (11, 7)] {
        let grid = Grid::new(width, depth, 10.0).unwrap();
        let mut resize = Resize::default();
        for index in 0..resize.names().len() {
            resize.set_index(index);
            let resized = resize.apply(&land, grid, &work).unwrap();
            hashes.add(format!("{} to {width}×{depth}", resize.names()[index]), resized.heights());
        }
        let interior = Spline { ends: Ends::Interior, through_points: true };
        let resized = bspline(&land, grid, interior, &work).unwrap();
        hashes.add(format!("inside of a spline to {width}×{depth}"), resized.heights());
        let resized = duplicate_ids(&ids, [30, 41], [width, depth], &work).unwrap();
        hashes.add_bytes(format!("ids to {width}×{depth}"), resized);
    }
    for (size, border) in [(3, Border::Clamp), (11, Border::Wrap)] {
        hashes.add_bytes(format!("majority of {size}"), majority(&ids, 30, 41, size, border, &work).unwrap());
    }
}

/// The land that rivers of several kinds leave, how deep their water stands, what plants get of it, and its
/// surface.
fn rivers(hashes: &mut Hashes) {
    for (name, steps) in [
        ("a river", "river()"),
        ("a bent river", "river(bearing: 75, offset: 0.3, bends: 9, meander: 400, flow: bearing)"),
        ("a drawn river", "river(points: [(-0.1, 0.2), (0.4, 0.3), (0.6, 0.9), (1.1, 0.7)], width: 150)"),
        ("a river down the valleys", "river(course: valleys, sea: -40)"),
        ("a rough river", "river(roughness: 0.4, width: 200, bank: 20, fill: 0.9)"),
        ("streams", "lakes(sea: -40, smallest: 0), streams(from: 0.0003, sea: -40)"),
        ("streams that meander", "scale(factor: 0.02), streams(from: 0.0005, sea: -400, meander_years: 90)"),
        ("rivers that cross", "river(), river(bearing: 100, variant: 1)"),
    ] {
        let text = format!(
            "(version: 1, name: \"x\", size: (90, 70), cell: 25, water: (sea: true, sea_level: -40),\n \
             steps: [fbm(height: 400, octaves: 5), {steps}])"
        );
        let landscape = Recipe::from_ron(&text, "x").unwrap().preview(90).build(&Work::new()).unwrap();
        let field = &landscape.heightfield;
        hashes.add(name, field.heights());
        let water = landscape.water(&Work::new()).unwrap();
        hashes.add(format!("{name}: water"), water.depths());
        let grid = field.grid();
        let available = |index: usize| water.available(index % grid.width, index / grid.width);
        hashes.add(format!("{name}: for plants"), &(0..grid.count()).map(available).collect::<Vec<_>>());
        let sheet = RiverSheet::of(field, landscape.waters(), &Work::new()).unwrap();
        hashes.add(format!("{name}: surface"), sheet.positions.iter().flatten());
        hashes.add(format!("{name}: flow"), sheet.velocities.iter().flatten());
    }
}

/// What the ready-made sets look like, and what they go by.
fn textures(hashes: &mut Hashes) {
    let (field, work) = (hills(60, 47), Work::new());
    let sun = Some(Light {
        bearing: 250.0,
        elevation: 25.0,
        strength: 1.1,
        ambient: 0.2,
        shadows: true,
        time: None,
    });
    for (name, texture, sea_level, light) in [
        ("temperate", Texture::temperate(), Some(0.0), None),
        ("woodland", Texture::woodland(), None, None),
        ("arid", Texture::arid(), None, None),
        ("late winter", Texture::season(0.9), Some(-50.0), None),
        ("temperate under the sun", Texture::temperate(), Some(0.0), sun),
    ] {
        let texture = Texture { resolution: 150, light, ..texture };
        let options = BakeOptions { sea_level, weights: true };
        let baked = bake_with(&field, &texture, options, 3, &work).unwrap();
        hashes.add_bytes(format!("texels of {name}"), baked.colour.texels.into_iter().flatten());
        hashes.add_bytes(format!("weights of {name}"), baked.weights.unwrap().shares);
    }
    let land = Land { sea_level: Some(0.0), ..Land::dry(&field) };
    for factor in factors::all() {
        let layer = factor.measure(land, &work).unwrap();
        let at = |index: usize| layer.at(index % 60, index / 60);
        hashes.add(
            format!("factor {}", factor.name.replace('_', "")),
            &(0..60 * 47).map(at).collect::<Vec<_>>(),
        );
    }
    hashes.add("view of the sky", &sky_view(&field, &work).unwrap());
    let window = MapWindow { column: 3, row: 5, width: 80, depth: 60 };
    hashes.add_bytes("normals", normal_map(&field, (90, 70), window, Green::Up).into_iter().flatten());
}

#[test]
fn nothing_has_moved() {
    let mut hashes = Hashes::default();
    for part in [generators, filters, drainages, lakes, shifts, earthworks, resizers, rivers, textures] {
        part(&mut hashes);
    }
    let names: BTreeSet<&String> = hashes.0.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), hashes.0.len(), "two lines of one name");
    let mut now = String::from("# Written by tests/golden.rs, which says how.\n");
    for (name, hash) in &hashes.0 {
        writeln!(now, "{name}: {hash:016x}").unwrap();
    }
    if env::var_os("UPLAND_WRITE_GOLDEN").is_some() {
        fs::write(TABLE, &now).unwrap();
    }
    let then = fs::read_to_string(TABLE).unwrap();
    let moved: Vec<_> = now.lines().filter(|line| !then.lines().any(|known| known == *line)).collect();
    assert!(moved.is_empty(), "moved, or not in the table yet: {moved:#?}");
    assert_eq!(then.lines().count(), now.lines().count(), "the table names things that are gone");
}
