//! What terrain textures promise: the weights of the specification, shares that add up, and the same
//! texels whatever the number of threads.

use std::collections::BTreeMap;

use glam::Vec3;
use proptest::prelude::*;
use serde::Deserialize;
use upland_core::texture::{
    BakeOptions, Baked, Band, Bands, BlendMode, BlendSpace, ElevationUnit, GroundCover, Limits, TerrainType,
    Texture, Tiling, bake, bake_with, sky_view,
};
use upland_core::{Error, Grid, Heightfield, Work};

/// One entry of the file of known numbers. RON's maps read JSON's objects.
fn known<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let text = include_str!("../../data/exact.json");
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
        // A plane through the wanted height in its middle, where the only texel's middle is.
        let cell = 1.0;
        let field = Heightfield::from_fn(Grid::new(5, 5, cell).unwrap(), |column, row| {
            case.height - (x * (column as f32 - 2.0) + z * (row as f32 - 2.0)) * cell / y
        });
        let texture = Texture { resolution: 1, types: types.clone(), ..Texture::default() };
        let baked = baked(&field, &texture, true);
        let sum: f64 = case.weights.iter().sum();
        for (&found, weight) in baked.weights.unwrap().shares.iter().zip(&case.weights) {
            // Half a level, and what rounding of the heights may tilt the plane.
            let error = (f64::from(found) - 255.0 * weight / sum).abs();
            assert!(error < 0.51, "{found} for {weight} of {sum}");
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
            prop_assert_eq!(sum, 255, "{:?}", shares);
        }
    }

    /// A type that covers has the share of the ground that its weight is; those before it share the rest as
    /// they did among themselves.
    #[test]
    fn a_covering_type_takes_its_weight_of_the_ground(
        texture in texture(),
        kind in terrain_type(),
        elevation in limits(-700.0, 700.0, 200.0),
    ) {
        let even = |kind: TerrainType| TerrainType { variation: 0.0, roughen: 0.0, slope_roughen: 0.0, ..kind };
        let mut under = texture;
        // So that every texel is claimed by something.
        under.types.push(TerrainType::new("all", [0.5; 3]));
        under.types = under.types.into_iter().map(even).collect();
        let cover = TerrainType { elevation, blend: BlendMode::Cover, ..even(kind) };
        let mut covered = under.clone();
        covered.types.push(cover.clone());
        // Beside one that is everywhere, its share tells its weight: w / (1 + w).
        let all = TerrainType::new("all", [0.5; 3]);
        let alone = Texture { types: vec![all, TerrainType { blend: BlendMode::Mix, ..cover }], ..under.clone() };
        let field = hills(33, 21);
        let [under, covered, alone] =
            [&under, &covered, &alone].map(|texture| baked(&field, texture, true).weights.unwrap());
        let types = covered.types;
        let texels = covered.shares.chunks(types).zip(under.shares.chunks(types - 1)).zip(alone.shares.chunks(2));
        for ((covered, under), alone) in texels {
            let beside = f32::from(alone[1]) / 255.0;
            let weight = beside / (1.0 - beside);
            let share = f32::from(covered[types - 1]) / 255.0;
            prop_assert!((share - weight).abs() < 0.015, "{share} of {weight}");
            for (covered, under) in covered.iter().zip(under) {
                let left = f32::from(*under) * (1.0 - share);
                prop_assert!((f32::from(*covered) - left).abs() < 2.0, "{covered} of {left}");
            }
        }
    }

    /// Also where no type qualifies, where it is one of theirs.
    #[test]
    fn every_texel_lies_between_the_colours_of_the_types(texture in texture()) {
        let mut texture = texture;
        texture.types.iter_mut().for_each(|kind| kind.variation = 0.0);
        let baked = baked(&hills(33, 21), &texture, false);
        for channel in 0..3 {
            let levels = texture.types.iter().map(|kind| kind.colour.unwrap()[channel] * 255.0);
            let (low, high) = levels.fold((255.0f32, 0.0f32), |(low, high), level| (low.min(level), high.max(level)));
            for texel in &baked.colour.texels {
                let level = f32::from(texel[channel]);
                prop_assert!((low - 0.6..=high + 0.6).contains(&level), "{} of {} to {}", level, low, high);
            }
        }
    }

    #[test]
    fn a_single_type_gives_its_own_colour_exactly(
        levels in prop::array::uniform3(any::<u8>()),
        kind in terrain_type(),
        srgb in any::<bool>(),
        blend in prop::sample::select(&BlendMode::ALL[..]),
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
    fn layers_that_are_white_times_or_black_plus_change_no_texel(
        texture in texture(),
        place in 1..8usize,
        blend in prop::sample::select(&[BlendMode::Multiply, BlendMode::Add][..]),
        kind in terrain_type(),
    ) {
        let neutral = if blend == BlendMode::Multiply { [1.0; 3] } else { [0.0; 3] };
        let layer = TerrainType { colour: Some(neutral), variation: 0.0, blend, ..kind };
        // Mottling makes colours that are brighter than white, which a layer takes for white.
        let mut texture = texture;
        texture.types.iter_mut().for_each(|kind| kind.variation = 0.0);
        let mut layered = texture.clone();
        layered.types.insert(place.min(texture.types.len()), layer);
        let field = hills(33, 21);
        let (plain, layered) = (baked(&field, &texture, true), baked(&field, &layered, true));
        prop_assert_eq!(&plain.colour, &layered.colour);
        prop_assert_eq!(plain.unclaimed_share, layered.unclaimed_share);
        let weights = layered.weights.unwrap();
        let ground: Vec<u8> = weights
            .shares
            .iter()
            .enumerate()
            .filter(|(index, _)| !weights.layers.contains(&(index % weights.types)))
            .map(|(_, share)| *share)
            .collect();
        prop_assert_eq!(ground, plain.weights.unwrap().shares);
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
fn where_nobody_claims_a_texel_the_fallback_lies_if_there_is_one() {
    let field = Heightfield::from_fn(Grid::new(101, 1, 1.0).unwrap(), |column, _| column as f32);
    let low =
        TerrainType { elevation: Limits::new(0.0, 20.0, 0.0), ..TerrainType::new("low", [1.0, 0.0, 0.0]) };
    let high =
        TerrainType { elevation: Limits::new(80.0, 100.0, 0.0), ..TerrainType::new("high", [0.0, 0.0, 1.0]) };
    let tint = TerrainType { blend: BlendMode::Multiply, ..TerrainType::new("tint", [1.0, 1.0, 1.0]) };
    let texture = Texture { resolution: 1000, types: vec![low, high, tint], ..Texture::default() };
    let with = |fallback: &str| Texture { fallback: Some(fallback.to_owned()), ..texture.clone() };
    let found = baked(&field, &with("high"), true);
    assert!((found.unclaimed_share - 0.6).abs() < 0.005, "{}", found.unclaimed_share);
    for (texel, colour) in [(100, [255, 0, 0]), (250, [0, 0, 255]), (450, [0, 0, 255]), (900, [0, 0, 255])] {
        assert_eq!(found.colour.texels[texel][..3], colour, "texel {texel}");
    }
    let shares = found.weights.unwrap().shares;
    assert_eq!(shares[3 * 250..][..2], [0, 255]);
    let said = |fallback| with(fallback).check().unwrap_err().to_string();
    assert_eq!(said("moss"), "texture.fallback: no mixed type is called `moss`; there are low, high");
    assert_eq!(said("tint"), "texture.fallback: no mixed type is called `tint`; there are low, high");
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

/// Level ground at a height, baked to one texel in the sRGB values themselves.
fn level_ground(height: f32, texture: Texture) -> Baked {
    let field = Heightfield::flat(Grid::new(2, 2, 10.0).unwrap(), height);
    let texture = Texture { resolution: 1, blend_space: BlendSpace::Srgb, occlusion: 0.0, ..texture };
    baked(&field, &texture, true)
}

fn grey(name: &str, share: f32) -> TerrainType {
    TerrainType::new(name, [share; 3])
}

/// A type that weighs 1 from 200 m on, and a quarter at 185 m.
fn above(kind: TerrainType) -> TerrainType {
    TerrainType { elevation: Limits::new(200.0, 1000.0, 20.0), ..kind }
}

fn of_types(types: Vec<TerrainType>) -> Texture {
    Texture { types, ..Texture::default() }
}

#[test]
fn a_layer_is_its_method_by_its_own_weight() {
    // Over 0.6, with 0.2: the method's result, and from 0.6 a quarter of the way there.
    let cases = [
        (BlendMode::Multiply, 31, 122), // 0.12 and 0.48
        (BlendMode::Screen, 173, 158),  // 0.68 and 0.62
        (BlendMode::Overlay, 92, 138),  // 0.36 and 0.54
        (BlendMode::Add, 204, 166),     // 0.8 and 0.65
    ];
    for (blend, full, quarter) in cases {
        let layer = above(TerrainType { blend, ..grey("layer", 0.2) });
        for (height, expected, weight) in [(300.0, full, 255), (185.0, quarter, 64), (100.0, 153, 0)] {
            let types = vec![grey("ground", 0.6), layer.clone()];
            let baked = level_ground(height, of_types(types));
            assert_eq!(baked.colour.texels, [[expected, expected, expected, 255]], "{blend:?} at {height} m");
            let weights = baked.weights.unwrap();
            assert_eq!((weights.shares, weights.layers), (vec![255, weight], vec![1]));
        }
    }
}

#[test]
fn in_linear_light_a_layer_multiplies_the_light() {
    let layer = TerrainType { blend: BlendMode::Multiply, ..grey("layer", 0.5) };
    let field = Heightfield::flat(Grid::new(2, 2, 10.0).unwrap(), 0.0);
    let texture = Texture { resolution: 1, ..of_types(vec![grey("ground", 0.8), layer]) };
    // 0.8 is 0.6038 of white's light, 0.5 is 0.2140 of it; their product 0.1292 is 0.3956 in sRGB.
    assert_eq!(baked(&field, &texture, false).colour.texels[0][0], 101);
}

#[test]
fn a_layer_changes_what_types_above_it_have_made_and_no_more() {
    let (one, other) = (grey("one", 0.9), grey("other", 0.5));
    let half = TerrainType { blend: BlendMode::Multiply, ..grey("half", 0.5) };
    let level = |types: &[&TerrainType]| {
        level_ground(300.0, of_types(types.iter().map(|kind| (*kind).clone()).collect())).colour.texels[0][0]
    };
    assert_eq!(level(&[&one, &other, &half]), 89); // (0.9 + 0.5) / 2 · 0.5
    assert_eq!(level(&[&one, &half, &other]), 121); // (0.9 · 0.5 + 0.5) / 2
    assert_eq!(level(&[&one, &half, &half]), 57); // 0.9 · 0.5 · 0.5
    // The first has nothing under it and is ground.
    assert_eq!(level(&[&half, &other]), 128);
    assert_eq!(level(&[&half, &half]), 64);
    // Nor is there anything under one whose types above it don't reach here.
    let low = TerrainType { elevation: Limits::new(0.0, 100.0, 10.0), ..one.clone() };
    assert_eq!(level(&[&low, &half, &other]), 128);
}

#[test]
fn ground_that_only_layers_claim_is_the_nearest_type_with_the_layers_below_it_in_the_list() {
    let low = TerrainType { elevation: Limits::new(0.0, 100.0, 10.0), ..grey("low", 0.9) };
    let lower = TerrainType { elevation: Limits::new(-90.0, 10.0, 10.0), ..grey("lower", 0.2) };
    let layer = |share| TerrainType { blend: BlendMode::Multiply, ..grey("layer", share) };
    let types = vec![lower, layer(0.1), low, layer(0.5)];
    let baked = level_ground(300.0, of_types(types));
    // 0.9 · 0.5: the other layer is over what isn't there.
    assert_eq!(baked.colour.texels[0], [115, 115, 115, 255]);
    assert_eq!(baked.unclaimed_share, 1.0);
    let weights = baked.weights.unwrap();
    assert_eq!(weights.shares, [0, 255, 255, 255]);
    assert_eq!(weights.strongest(), [2]);
}

#[test]
fn a_layer_takes_no_tile_from_the_ground_under_it() {
    let field = hills(9, 9);
    let worn = |kind: TerrainType| TerrainType { tile: Some(Tiling::new("rock")), ..kind };
    let layer = TerrainType { blend: BlendMode::Overlay, ..worn(grey("layer", 0.3)) };
    let texture = of_types(vec![worn(grey("rock", 0.5)), layer]);
    let cover = GroundCover::new(&field, &texture, None, 1, &Work::new()).unwrap();
    let tiled: Vec<bool> = cover.types.iter().map(|kind| kind.tiling.is_some()).collect();
    assert_eq!(tiled, [true, false]);
    assert!(cover.weights.shares.chunks(2).all(|shares| shares == [255, 255]));
}

/// Snow, rock, grass and sand as the article has them: purest at 256, 192, 128 and 64, gone 64 away.
fn articles_bands(extend: bool) -> Texture {
    let band = |(name, level, centre): (&str, u8, f32)| Band {
        name: name.into(),
        colour: [f32::from(level) / 255.0; 3],
        centre,
        range: 64.0,
    };
    let list = [("snow", 240, 256.0), ("rock", 120, 192.0), ("grass", 80, 128.0), ("sand", 200, 64.0)];
    Texture { bands: Bands { extend, list: list.map(band).into() }, ..Texture::default() }
}

#[test]
fn bands_that_do_not_extend_darken_the_lowlands_as_the_articles_do() {
    let level = |height, extend| level_ground(height, articles_bands(extend)).colour.texels[0][0];
    let known = [
        (-10.0, 0, 200),
        (0.0, 0, 200),
        (16.0, 50, 200), // a quarter of the sand
        (32.0, 100, 200),
        (64.0, 200, 200),
        (96.0, 140, 140), // half sand, half grass
        (144.0, 90, 90),  // 0.75 · 80 + 0.25 · 120
        (256.0, 240, 240),
        (304.0, 60, 240),
        (320.0, 0, 240),
    ];
    for (height, summed, divided) in known {
        assert_eq!((level(height, false), level(height, true)), (summed, divided), "at {height}");
    }
    let low = level_ground(16.0, articles_bands(false));
    assert_eq!(low.unclaimed_share, 0.0);
    assert_eq!(low.weights.unwrap().shares, [0, 0, 0, 64]);
}

#[test]
fn bands_that_reach_over_each_other_are_summed_beyond_1() {
    let mut texture = articles_bands(false);
    texture.bands.list.iter_mut().for_each(|band| band.range = 128.0);
    // 0.5 · 240 + 120 + 0.5 · 80 is more than white.
    assert_eq!(level_ground(192.0, texture.clone()).colour.texels[0][0], 255);
    // 0.5 · 80 + 1 · 200 at 64; nothing else reaches there.
    assert_eq!(level_ground(64.0, texture).colour.texels[0][0], 240);
}

#[test]
fn bands_that_do_not_extend_share_the_ground_with_types_as_one() {
    let mut texture = articles_bands(false);
    texture.types = vec![above(grey("type", 1.0))];
    let at = |height| level_ground(height, texture.clone());
    // (0.25 · 240 + 0.75 · 120 + 255) / 2
    assert_eq!(at(208.0).colour.texels[0][0], 203);
    assert_eq!(at(208.0).weights.unwrap().shares, [32, 96, 0, 0, 128]);
    // Where no band reaches they are black, and as much of the ground.
    assert_eq!(at(500.0).colour.texels[0][0], 128);
    assert_eq!(at(-50.0).colour.texels[0][0], 0);
    // A layer lies over the black as over any ground.
    texture.types[0].blend = BlendMode::Screen;
    assert_eq!(level_ground(500.0, texture).colour.texels[0][0], 255);
}

#[test]
fn halfway_between_bands_that_do_not_extend_there_are_such() {
    let (bright, mut dark) = (articles_bands(false), articles_bands(false));
    dark.bands.list.iter_mut().for_each(|band| (band.centre, band.colour) = (band.centre + 32.0, [0.0; 3]));
    let half = bright.towards(&dark, 0.5).unwrap();
    assert!(!half.bands.extend && half.types.is_empty());
    assert_eq!(half.bands.list[3].centre, 80.0);
    let error = bright.towards(&articles_bands(true), 0.5).unwrap_err().to_string();
    assert_eq!(
        error,
        "bands: the two have different numbers of bands that don't extend; give both the same number"
    );
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
        (r##"(types: [(name: "a", colour: "#12345")])"##, "\"#12345\" is not a colour"),
        (
            r##"(types: [(name: "a", colour: "#123456", variation: 1.5)])"##,
            "`types.0.variation`: 1.5 is outside 0 to 1",
        ),
        (
            r##"(types: [(name: "a", colour: "#123456", slope: (max: 91))])"##,
            "`types.0.slope.max`: 91 is outside 0 to 90 °",
        ),
        (
            r##"(types: [(name: "a", colour: "#123456", elevation: (min: 9, max: 3))])"##,
            "`types.0.elevation`: the limits are the wrong way round: min 9 is above max 3; swap them",
        ),
        (
            r##"(types: [(name: "a", colour: "#123456", elevation: (release: -2))])"##,
            "`types.0.elevation.release`: -2 is outside 0 to 100000 m or share",
        ),
        (r##"(types: [(name: "a", colour: "#123456", skew: NaN)])"##, "`types.0.skew`: NaN is outside"),
        (
            r##"(types: [(name: "a", colour: "#123456", colour_map: 3)])"##,
            "unknown field `colour_map`; there are name, id, colour",
        ),
        (r##"(resolution: 70000)"##, "`resolution`: 70000 is outside 0 to 65536 texels"),
        (r##"(patch: 0)"##, "`patch`: 0 is outside 0.1 to 1000000 m"),
        (
            r##"(bands: (list: [(name: "a", colour: "#123456", centre: 1, range: -1)]))"##,
            "`bands.list.0.range`: -1 is outside",
        ),
    ];
    for (text, expected) in cases {
        let error = ron::from_str::<Texture>(text).unwrap_err();
        assert!(error.to_string().contains(expected), "{error} lacks {expected:?}");
        assert!(error.span.start.line == 1 && error.span.start.col > 1, "{:?}", error.span);
    }
}

#[test]
fn noise_takes_no_ground_from_a_type_without_limits() {
    let field = Heightfield::flat(Grid::new(9, 9, 1000.0).unwrap(), 50.0);
    let everywhere = TerrainType { roughen: 5000.0, slope_roughen: 30.0, ..grey("everywhere", 0.5) };
    let high = Heightfield::flat(field.grid(), 300_000.0);
    for field in [field, high] {
        let baked = baked(&field, &Texture { resolution: 64, ..of_types(vec![everywhere.clone()]) }, false);
        assert_eq!(baked.unclaimed_share, 0.0);
    }
}

#[test]
fn a_release_next_to_nothing_is_a_hard_edge() {
    for release in [0.0, f32::from_bits(1), 1e-45, 1e-38, 1e-30] {
        let kind = TerrainType { elevation: Limits::new(10.0, 20.0, release), ..grey("kind", 0.5) };
        let weights = [9.0, 10.0, 15.0, 20.0, 21.0].map(|height| kind.weight(height, Vec3::Y));
        assert_eq!(weights, [0.0, 1.0, 1.0, 1.0, 0.0], "release {release}");
        assert!(kind.distance(9.0, Vec3::Y).is_finite());
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
    assert!(
        found.contains("texture.types.1.elevation (shore)") && found.contains("wrong way round"),
        "{found}"
    );
    texture.types = vec![grey("one of many", 0.5); Texture::MOST_TYPES - 1];
    assert!(texture.has_room());
    texture.types.push(grey("the last", 0.5));
    assert!(!texture.has_room() && texture.check().is_ok());
    texture.types.push(grey("one more", 0.5));
    assert!(message(&texture).contains("it has 257 bands and terrain types; give at most 256"));
    texture = Texture { occlusion: f32::NAN, ..Texture::temperate() };
    assert!(message(&texture).contains("texture.occlusion: NaN is outside 0 to 1"));
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
    assert_eq!(snow.blend, BlendMode::Screen);
    assert_eq!(texture.all_types().len(), 2);
}
