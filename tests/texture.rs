//! What terrain textures promise: the weights of the specification, shares that add up, and the same
//! texels whatever the number of threads.

use std::collections::BTreeMap;

use glam::Vec3;
use proptest::prelude::*;
use serde::Deserialize;
use upland::texture::{
    BakeOptions, Baked, Band, Bands, Blend, BlendSpace, ElevationUnit, Limits, TerrainType, Texture, bake,
    bake_with, sky_view,
};
use upland::{Error, Grid, Heightfield, Work};

/// One entry of the file of known numbers. RON's maps read JSON's objects.
fn known<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let text = include_str!("data/exact.json");
    let mut all: BTreeMap<String, ron::Value> = ron::from_str(text).unwrap();
    all.remove(name).unwrap().into_rust().unwrap()
}

/// Equal to 1e-4 relative, or to 1e-6 near 0.
fn assert_near(found: f32, expected: f64, what: &str) {
    let error = (f64::from(found) - expected).abs();
    assert!(error <= 1e-4 * expected.abs() + 1e-6, "{what}: {found} instead of {expected}");
}

#[derive(Deserialize)]
struct KnownBands {
    centres: Vec<f64>,
    ranges: Vec<f64>,
    cases: Vec<KnownBandCase>,
}

#[derive(Deserialize)]
struct KnownBandCase {
    h: f64,
    extend: bool,
    weights: Vec<f64>,
}

#[test]
fn height_bands_weigh_as_the_known_numbers_do() {
    let known: KnownBands = known("bands");
    assert!(!known.cases.is_empty());
    for case in &known.cases {
        let band = |(&centre, &range): (&f64, &f64)| Band {
            name: format!("at {centre}"),
            colour: [0.5; 3],
            centre: centre as f32,
            range: range as f32,
        };
        let list = known.centres.iter().zip(&known.ranges).map(band).collect();
        let types = Bands { extend: case.extend, list }.types();
        for (kind, &expected) in types.iter().zip(&case.weights) {
            let what = format!("{} at height {} (extend: {})", kind.name, case.h, case.extend);
            assert_near(kind.weight(case.h as f32, Vec3::Y), expected, &what);
        }
    }
}

#[derive(Deserialize)]
struct KnownTypes {
    types: Vec<KnownType>,
    cases: Vec<KnownTypeCase>,
}

#[derive(Deserialize)]
struct KnownType {
    name: String,
    elevation: [f32; 2],
    elevation_release: f32,
    slope: [f32; 2],
    slope_release: f32,
    skew: f32,
    skew_bearing: f32,
}

#[derive(Deserialize)]
struct KnownTypeCase {
    height: f32,
    normal: [f32; 3],
    weights: Vec<f64>,
}

fn known_types() -> (Vec<TerrainType>, Vec<KnownTypeCase>) {
    let known: KnownTypes = known("terrain_types");
    let types = known.types.into_iter().map(|kind| TerrainType {
        elevation: Limits::new(kind.elevation[0], kind.elevation[1], kind.elevation_release),
        slope: Limits::new(kind.slope[0], kind.slope[1], kind.slope_release),
        skew: kind.skew,
        skew_bearing: kind.skew_bearing,
        ..TerrainType::new(kind.name, [0.5; 3])
    });
    (types.collect(), known.cases)
}

#[test]
fn terrain_types_weigh_as_the_known_numbers_do() {
    let (types, cases) = known_types();
    assert!(!cases.is_empty());
    for case in cases {
        for (kind, &expected) in types.iter().zip(&case.weights) {
            let what = format!("{} at {} with normal {:?}", kind.name, case.height, case.normal);
            assert_near(kind.weight(case.height, Vec3::from(case.normal)), expected, &what);
        }
    }
}

#[test]
fn a_baked_plane_has_the_shares_that_the_known_numbers_give() {
    let (types, cases) = known_types();
    for case in cases.iter().filter(|case| case.weights.iter().sum::<f64>() > 0.0) {
        let [x, y, z] = case.normal;
        // A plane through the wanted height in its middle, so level that the height hardly varies.
        let cell = 1e-3;
        let field = Heightfield::from_fn(Grid::new(5, 5, cell).unwrap(), |column, row| {
            case.height - (x * (column as f32 - 2.0) + z * (row as f32 - 2.0)) * cell / y
        });
        let texture = Texture { resolution: 1, types: types.clone(), ..Texture::default() };
        let baked = baked(&field, &texture, true);
        let sum: f64 = case.weights.iter().sum();
        for (&found, weight) in baked.weights.unwrap().shares.iter().zip(&case.weights) {
            // The heights' own rounding tilts so small a plane by up to a percent.
            assert!((f64::from(found) / 255.0 - weight / sum).abs() < 0.02, "{found} for {weight} of {sum}");
        }
    }
}

fn baked(field: &Heightfield, texture: &Texture, weights: bool) -> Baked {
    bake_with(field, texture, BakeOptions { weights, ..Default::default() }, 3, &Work::new()).unwrap()
}

/// Hills of three sizes, without any noise of the crate's own.
fn hills(width: usize, depth: usize) -> Heightfield {
    Heightfield::from_fn(Grid::new(width, depth, 25.0).unwrap(), |column, row| {
        let (x, z) = (column as f32, row as f32);
        let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length);
        600.0 * wave(20.0) + 150.0 * wave(6.0) + 30.0 * wave(1.7)
    })
}

fn limits(low: f32, high: f32, release: f32) -> impl Strategy<Value = Limits> {
    // Half of them with hard edges.
    (low..high, 0.0..1.0f32, 0.0..release, any::<bool>()).prop_map(move |(min, share, release, hard)| {
        let release = if hard { 0.0 } else { release };
        Limits::new(min, min + share * (high - min), release)
    })
}

fn terrain_type() -> impl Strategy<Value = TerrainType> {
    let ground = (limits(-700.0, 700.0, 200.0), limits(0.0, 90.0, 40.0), -300.0..300.0f32, 0.0..360.0f32);
    let look = (prop::array::uniform3(0.2..1.0f32), 0.0..1.0f32, 0.0..100.0f32, 0.0..10.0f32);
    (ground, look).prop_map(|((elevation, slope, skew, skew_bearing), (colour, variation, roughen, tilt))| {
        TerrainType {
            elevation,
            slope,
            skew,
            skew_bearing,
            variation,
            roughen,
            slope_roughen: tilt,
            ..TerrainType::new("any", colour)
        }
    })
}

fn texture() -> impl Strategy<Value = Texture> {
    let types = prop::collection::vec(terrain_type(), 1..7);
    let blend_space = prop_oneof![Just(BlendSpace::Linear), Just(BlendSpace::Srgb)];
    (types, blend_space).prop_map(|(types, blend_space)| Texture {
        types,
        blend_space,
        resolution: 40,
        ..Texture::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn shares_of_every_texel_add_up(texture in texture()) {
        let baked = baked(&hills(33, 21), &texture, true);
        let weights = baked.weights.unwrap();
        prop_assert_eq!(weights.types, texture.types.len());
        prop_assert_eq!((weights.width, weights.depth), (40, 25));
        for shares in weights.shares.chunks(weights.types) {
            let sum: i32 = shares.iter().map(|&share| i32::from(share)).sum();
            prop_assert!((sum - 255).abs() <= weights.types as i32, "{:?}", shares);
        }
    }

    #[test]
    fn no_texel_is_black_whatever_the_types(texture in texture()) {
        let baked = baked(&hills(33, 21), &texture, false);
        for texel in &baked.colour.texels {
            prop_assert!(texel[..3].iter().any(|&channel| channel > 0), "{:?}", texel);
        }
    }

    #[test]
    fn a_single_type_gives_its_own_colour_exactly(
        levels in prop::array::uniform3(any::<u8>()),
        kind in terrain_type(),
        srgb in any::<bool>(),
        blend in prop::sample::select(&Blend::ALL[..]),
    ) {
        let colour = levels.map(|level| f32::from(level) / 255.0);
        let kind = TerrainType { colour: Some(colour), variation: 0.0, roughen: 0.0, blend, ..kind };
        let blend_space = if srgb { BlendSpace::Srgb } else { BlendSpace::Linear };
        let texture = Texture { types: vec![kind], resolution: 40, blend_space, ..Texture::default() };
        for texel in baked(&hills(17, 33), &texture, false).colour.texels {
            prop_assert_eq!(&texel[..3], &levels[..]);
        }
    }

    #[test]
    fn a_texture_survives_being_written_and_read(texture in texture()) {
        // Colours are written with 8 bits a channel.
        let mut texture = texture;
        for kind in &mut texture.types {
            kind.colour = kind.colour.map(|colour| colour.map(|channel| (channel * 255.0).round() / 255.0));
        }
        let text = ron::to_string(&texture).unwrap();
        prop_assert_eq!(ron::from_str::<Texture>(&text).unwrap(), texture);
    }
}

#[test]
fn every_number_of_threads_bakes_the_same_texels() {
    let field = hills(70, 45);
    let texture = Texture { resolution: 700, ..Texture::temperate() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| baked(&field, &texture, true))
    };
    let alone = on(1);
    assert!(on(2) == alone);
    assert!(on(7) == alone);
}

#[test]
fn fields_of_every_shape_bake() {
    let sizes = [(1, 1, 1, 1), (2, 1, 100, 1), (1, 2, 1, 100), (3, 1000, 1, 100), (300, 200, 100, 67)];
    for (width, depth, columns, rows) in sizes {
        for texture in [Texture::temperate(), Texture::woodland(), Texture::arid()] {
            let baked = baked(&hills(width, depth), &Texture { resolution: 100, ..texture }, false);
            assert_eq!((baked.colour.width, baked.colour.depth), (columns, rows), "{width}×{depth}");
            assert_eq!(baked.colour.texels.len(), columns * rows);
        }
    }
}

#[test]
fn flat_land_bakes_evenly_under_an_open_sky() {
    let field = Heightfield::flat(Grid::new(20, 10, 30.0).unwrap(), -5.0);
    let mut texture = Texture { resolution: 0, ..Texture::temperate() };
    for kind in &mut texture.types {
        (kind.variation, kind.roughen, kind.slope_roughen) = (0.0, 0.0, 0.0);
    }
    let baked = baked(&field, &texture, false);
    assert_eq!(baked.colour.width, 40);
    let first = baked.colour.texels[0];
    assert_eq!(first[3], 255);
    assert!(baked.colour.texels.iter().all(|&texel| texel == first));
}

#[test]
fn texels_nobody_claims_get_the_nearest_type_and_are_counted() {
    let field = Heightfield::from_fn(Grid::new(101, 1, 1.0).unwrap(), |column, _| column as f32);
    let low =
        TerrainType { elevation: Limits::new(0.0, 20.0, 0.0), ..TerrainType::new("low", [1.0, 0.0, 0.0]) };
    let high =
        TerrainType { elevation: Limits::new(80.0, 100.0, 0.0), ..TerrainType::new("high", [0.0, 0.0, 1.0]) };
    let texture = Texture { resolution: 1000, types: vec![low, high], ..Texture::default() };
    let baked = baked(&field, &texture, false);
    assert!((baked.unclaimed_share - 0.6).abs() < 0.005, "{}", baked.unclaimed_share);
    assert_eq!(baked.colour.texels[450][..3], [255, 0, 0]);
    assert_eq!(baked.colour.texels[550][..3], [0, 0, 255]);
}

#[test]
fn shares_count_from_the_sea_or_from_the_lowest_point_to_the_highest() {
    let field =
        Heightfield::from_fn(Grid::new(101, 1, 10.0).unwrap(), |column, _| column as f32 * 10.0 - 200.0);
    let wet = TerrainType {
        elevation: Limits::new(Limits::ANY_ELEVATION.min, 0.0, 0.0),
        ..TerrainType::new("wet", [0.0, 0.0, 1.0])
    };
    let dry =
        TerrainType { elevation: Limits::new(0.0, 1.0, 0.0), ..TerrainType::new("dry", [0.0, 1.0, 0.0]) };
    let texture = Texture {
        elevation_unit: ElevationUnit::Share,
        resolution: 1000,
        types: vec![wet, dry],
        ..Texture::default()
    };
    let wet_texels = |sea_level: Option<f32>| {
        let options = BakeOptions { sea_level, ..Default::default() };
        let baked = bake_with(&field, &texture, options, 0, &Work::new()).unwrap();
        baked.colour.texels.iter().filter(|texel| texel[2] == 255).count()
    };
    assert_eq!(wet_texels(Some(0.0)), 200);
    assert_eq!(wet_texels(None), 0);
    // Land that is all under water counts from its own lowest point.
    assert_eq!(wet_texels(Some(5000.0)), 0);
}

#[test]
fn skew_lays_snow_lower_on_the_side_it_leans_to() {
    // A ridge from west to east: its north side falls northward.
    let field = Heightfield::from_fn(Grid::new(41, 41, 10.0).unwrap(), |_, row| {
        500.0 - 10.0 * (row as f32 - 20.0).abs()
    });
    let snow = TerrainType {
        elevation: Limits::new(400.0, 1000.0, 0.0),
        skew: 50.0,
        skew_bearing: 180.0,
        ..TerrainType::new("snow", [1.0; 3])
    };
    let ground = TerrainType {
        elevation: Limits::new(-1000.0, 1000.0, 1.0),
        ..TerrainType::new("ground", [0.0, 0.5, 0.0])
    };
    let texture = Texture { resolution: 41, types: vec![snow, ground], ..Texture::default() };
    let baked = baked(&field, &texture, false);
    let snowy =
        |rows: std::ops::Range<usize>| rows.filter(|&row| baked.colour.texels[row * 41 + 20][0] > 0).count();
    let (north, south) = (snowy(0..20), snowy(21..41));
    assert!(north > south + 5, "{north} rows to the north, {south} to the south");
}

#[test]
fn cancelled_work_ends_with_an_error() {
    let (field, work) = (hills(50, 50), Work::new());
    work.cancel();
    assert!(matches!(bake(&field, &Texture::temperate(), 0, &work), Err(Error::Cancelled)));
    let unlit = Texture { occlusion: 0.0, ..Texture::arid() };
    assert!(matches!(bake(&field, &unlit, 0, &work), Err(Error::Cancelled)));
    assert!(matches!(sky_view(&field, &work), Err(Error::Cancelled)));
}

#[test]
fn no_occlusion_leaves_the_sky_open() {
    let texture = Texture { occlusion: 0.0, resolution: 50, ..Texture::temperate() };
    let open = baked(&hills(50, 50), &texture, false);
    assert!(open.colour.texels.iter().all(|texel| texel[3] == 255));
    let lit = baked(&hills(50, 50), &Texture { occlusion: 1.0, ..texture }, false);
    assert!(lit.colour.texels.iter().any(|texel| texel[3] < 230));
    let colours = |baked: &Baked| baked.colour.opaque();
    assert_eq!(colours(&open), colours(&lit));
}

#[test]
fn wrong_values_in_a_recipe_are_named_with_what_would_be_accepted() {
    let cases = [
        (r##"(types: [(name: "a", colour: "#12345")])"##, "\"#12345\" is no colour"),
        (
            r##"(types: [(name: "a", colour: "#123456", variation: 1.5)])"##,
            "variation is 1.5; it must be from 0 to 1",
        ),
        (
            r##"(types: [(name: "a", colour: "#123456", slope: (max: 91))])"##,
            "slope is 91; it must be from 0 to 90 degrees",
        ),
        (
            r##"(types: [(name: "a", colour: "#123456", elevation: (min: 9, max: 3))])"##,
            "elevation limits the wrong way round: min 9 is above max 3",
        ),
        (
            r##"(types: [(name: "a", colour: "#123456", elevation: (release: -2))])"##,
            "elevation release is -2; it must be from 0",
        ),
        (r##"(types: [(name: "a", colour: "#123456", skew: NaN)])"##, "skew is NaN"),
        (r##"(types: [(name: "a", colour: "#123456", colour_map: 3)])"##, "colour_map"),
        (r##"(resolution: 70000)"##, "resolution is 70000; it must be from 0 to 65536 texels"),
        (r##"(patch: 0)"##, "patch is 0; it must be from 0.1"),
        (r##"(bands: (list: [(name: "a", colour: "#123456", centre: 1, range: -1)]))"##, "range is -1"),
    ];
    for (text, expected) in cases {
        let error = ron::from_str::<Texture>(text).unwrap_err();
        assert!(error.to_string().contains(expected), "{error} lacks {expected:?}");
        assert!(error.span.start.line == 1 && error.span.start.col > 1, "{:?}", error.span);
    }
}

#[test]
fn wrong_values_set_by_a_program_are_named_as_well() {
    let field = hills(5, 5);
    let message = |texture: &Texture| bake(&field, texture, 0, &Work::new()).unwrap_err().to_string();
    assert!(message(&Texture::default()).contains("no terrain types"));
    let mut texture = Texture::temperate();
    texture.types[1].elevation = Limits::new(5.0, 1.0, 0.0);
    let found = message(&texture);
    assert!(found.contains("texture.types.1 (shore)") && found.contains("wrong way round"), "{found}");
    texture = Texture { occlusion: f32::NAN, ..Texture::temperate() };
    assert!(message(&texture).contains("occlusion is NaN"));
}

#[test]
fn a_recipe_states_only_what_it_limits() {
    let texture: Texture = ron::from_str(
        r##"(
            elevation_unit: share,
            types: [(name: "snow", colour: "#eef2f6", elevation: (min: 0.6, release: 0.1), blend: screen)],
            bands: (list: [(name: "grass", colour: "#336633", centre: 0.2, range: 0.5)]),
        )"##,
    )
    .unwrap();
    let snow = &texture.types[0];
    assert_eq!(snow.elevation, Limits::new(0.6, Limits::ANY_ELEVATION.max, 0.1));
    assert_eq!(snow.slope, Limits::ANY_SLOPE);
    assert_eq!(snow.blend, Blend::Screen);
    assert_eq!(texture.all_types().len(), 2);
}
