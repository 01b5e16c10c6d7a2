//! What the baker promises: patches that join without a seam, the same texels on any number of threads
//! and in any window.

use crate::questions::{cancelled_at, spread};
use proptest::prelude::*;
use upland_core::texture::{
    BakeOptions, Baked, Baker, BlendSpace, ColourMap, Green, Light, MapWindow, Patches, ShareMap,
    TerrainAnalysis, TerrainType, Texture, Tiling, WeightMap, bake_patches, bake_with, normal_map,
};
use upland_core::{Error, Grid, Heightfield, Preset, Recipe, Result, Skin, Work};

/// Hills of three sizes, without any noise of the crate's own.
fn hills(width: usize, depth: usize) -> Heightfield {
    Heightfield::from_fn(Grid::new(width, depth, 25.0).unwrap(), |column, row| {
        let (x, z) = (column as f32, row as f32);
        let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length);
        600.0 * wave(20.0) + 150.0 * wave(6.0) + 30.0 * wave(1.7)
    })
}

const OPTIONS: BakeOptions = BakeOptions { sea_level: Some(-100.0), weights: true };

fn whole(field: &Heightfield, texture: &Texture) -> Baked {
    bake_with(field, texture, OPTIONS, 3, &Work::new()).unwrap()
}

const SUN: Light =
    Light { bearing: 250.0, elevation: 25.0, strength: 1.1, ambient: 0.2, shadows: true, time: None };

/// A picture in the temporary folder that is deleted with the value.
fn picture(width: u32, depth: u32, level: impl Fn(u32, u32) -> [u8; 3]) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
    image::RgbImage::from_fn(width, depth, |x, z| image::Rgb(level(x, z))).save(file.path()).unwrap();
    file
}

fn worn(file: &tempfile::NamedTempFile, size: f32) -> TerrainType {
    let tiling = Tiling { size, ..Tiling::new(file.path().to_string_lossy().into_owned()) };
    TerrainType { colour: None, tile: Some(tiling), ..TerrainType::new("worn", [0.0; 3]) }
}

/// A texture whose types wear pictures of several sizes, some of them mirrored and recoloured.
fn pictured() -> Texture {
    static FILE: std::sync::OnceLock<tempfile::NamedTempFile> = std::sync::OnceLock::new();
    let file = FILE.get_or_init(|| {
        picture(37, 23, |x, z| [(x * 7) as u8, (z * 11) as u8, ((x * x + 3 * z) % 256) as u8])
    });
    let mut texture = Texture::temperate();
    for (index, kind) in texture.types.iter_mut().enumerate().filter(|(index, _)| index % 3 > 0) {
        let mirror = index % 2 == 0;
        kind.tile = worn(file, 3f32.powi(index as i32 % 7)).tile.map(|tile| Tiling { mirror, ..tile });
        if index % 4 == 1 {
            kind.colour = None;
        }
    }
    texture
}

/// A square texture of one type whose texels are so many metres wide.
fn alone(kind: TerrainType, field: &Heightfield, texel: f32) -> Texture {
    let resolution = (field.grid().extent().max_element() / texel) as u32;
    Texture { types: vec![kind], resolution, occlusion: 0.0, ..Texture::default() }
}

/// Bakes in patches of at most `side` texels and joins them.
fn joined(field: &Heightfield, texture: &Texture, side: usize) -> Result<Baked> {
    let work = Work::new();
    let mut analysis = TerrainAnalysis::new(field);
    analysis.prepare(field, texture, &work)?;
    let baker = Baker::new(field, &analysis, texture, OPTIONS, 3, &work)?;
    let (width, depth) = baker.size();
    let patches = Patches::at_most((width, depth), side)?;
    let mut texels = vec![[0; 4]; width * depth];
    let mut weights = upland_core::texture::WeightMap { width, depth, ..Default::default() };
    let mut unclaimed = 0.0;
    let order = patches.nearest_first(width as f32, 0.0);
    bake_patches(
        &baker,
        &patches,
        &order,
        |patch| {
            let MapWindow { column, row, width: w, depth: d } = patch.window;
            let shares = patch.baked.weights.unwrap();
            let types = shares.types;
            weights.types = types;
            weights.shares.resize(width * depth * types, 0);
            for line in 0..d {
                let from = (row + line) * width + column;
                texels[from..from + w].copy_from_slice(&patch.baked.colour.texels[line * w..][..w]);
                let part = &shares.shares[line * w * types..][..w * types];
                weights.shares[from * types..][..w * types].copy_from_slice(part);
            }
            unclaimed += f64::from(patch.baked.unclaimed_share) * (w * d) as f64;
            Ok(())
        },
        &work,
    )?;
    let colour = upland_core::texture::ColourMap { width, depth, texels };
    let unclaimed_share = (unclaimed / (width * depth) as f64) as f32;
    Ok(Baked { colour, weights: Some(weights), unclaimed_share, notes: Vec::new() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn patches_joined_are_the_whole_bit_for_bit(
        (width, depth) in (2usize..60, 2usize..60),
        resolution in 30u32..700,
        side in 9usize..400,
    ) {
        let field = hills(width, depth);
        let texture = Texture { resolution, patch: 300.0, light: Some(SUN), ..pictured() };
        let (whole, joined) = (whole(&field, &texture), joined(&field, &texture, side).unwrap());
        prop_assert!(whole.colour == joined.colour);
        prop_assert!(whole.weights == joined.weights);
        prop_assert!((whole.unclaimed_share - joined.unclaimed_share).abs() < 1e-5);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_even_picture_gives_its_own_colour_exactly_or_the_wanted_one(
        levels in prop::array::uniform3(any::<u8>()),
        wanted in prop::option::of(prop::array::uniform3(any::<u8>())),
        size in 1.0..3000.0f32,
        mirror in any::<bool>(),
        srgb in any::<bool>(),
    ) {
        let file = picture(20, 30, |_, _| levels);
        let mut kind = worn(&file, size);
        kind.tile.as_mut().unwrap().mirror = mirror;
        kind.colour = wanted.map(|levels| levels.map(|level| f32::from(level) / 255.0));
        let blend_space = if srgb { BlendSpace::Srgb } else { BlendSpace::Linear };
        let field = hills(17, 33);
        let texture = Texture { blend_space, resolution: 60, ..alone(kind, &field, 1.0) };
        for texel in whole(&field, &texture).colour.texels {
            prop_assert_eq!(&texel[..3], &wanted.unwrap_or(levels)[..]);
        }
    }

    #[test]
    fn no_light_but_full_ambient_leaves_colours_as_they_are(
        bearing in -360.0..360.0f32,
        elevation in 0.0..90.0f32,
        srgb in any::<bool>(),
    ) {
        let light = Light { bearing, elevation, strength: 0.0, ambient: 1.0, shadows: true, time: None };
        let blend_space = if srgb { BlendSpace::Srgb } else { BlendSpace::Linear };
        let plain = Texture { resolution: 150, occlusion: 0.0, blend_space, ..pictured() };
        let field = hills(40, 30);
        let lit = whole(&field, &Texture { light: Some(light), ..plain.clone() });
        prop_assert!(lit == whole(&field, &plain));
    }
}

#[test]
fn every_number_of_threads_bakes_the_same_lit_pictures() {
    let field = hills(70, 45);
    let texture = Texture { resolution: 700, light: Some(SUN), ..pictured() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| whole(&field, &texture))
    };
    let alone = on(1);
    assert!(on(2) == alone);
    assert!(on(7) == alone);
}

#[test]
fn a_picture_repeats_every_so_many_metres_and_mirrors_if_told_to() {
    let field = Heightfield::flat(Grid::new(41, 41, 4.0).unwrap(), 0.0);
    // Eight texels of a metre each, and texels of the map as large.
    let level = |x: u32, z: u32| [20 + 25 * x as u8, 20 + 25 * z as u8, 128];
    let file = picture(8, 8, level);
    for mirror in [false, true] {
        let mut kind = worn(&file, 8.0);
        kind.tile.as_mut().unwrap().mirror = mirror;
        let baked = whole(&field, &alone(kind, &field, 1.0)).colour;
        assert_eq!((baked.width, baked.depth), (160, 160));
        for row in 0..160 {
            for column in 0..160 {
                let place = |texel: u32| if mirror && texel / 8 % 2 == 1 { 7 - texel % 8 } else { texel % 8 };
                let [red, green, blue] = level(place(column), place(row));
                let texel = baked.texels[(row * 160 + column) as usize];
                assert_eq!(texel[..3], [red, green, blue], "at {column}, {row}, mirrored: {mirror}");
            }
        }
    }
}

#[test]
fn a_picture_far_below_the_texels_size_ends_as_its_mean_in_linear_light() {
    let field = Heightfield::flat(Grid::new(41, 41, 4.0).unwrap(), 0.0);
    let file = picture(64, 64, |x, z| [if (x + z) % 2 == 0 { 255 } else { 0 }; 3]);
    for size in [1.0, 3.0, 30.0] {
        for texel in whole(&field, &alone(worn(&file, size), &field, 1.0)).colour.texels {
            // Half the light is level 188. The larger sizes shrink to a few texels of a few squares.
            let most = if size < 2.0 { 0 } else { 12 };
            assert!((i32::from(texel[0]) - 188).abs() <= most, "{texel:?} at {size} m");
        }
    }
}

#[test]
fn a_recoloured_picture_has_the_wanted_mean() {
    let field = Heightfield::flat(Grid::new(41, 41, 4.0).unwrap(), 0.0);
    let file = picture(16, 16, |x, z| [(60 + 5 * x) as u8, (40 + 6 * z) as u8, 90]);
    let kind = TerrainType { colour: Some([0.5, 0.4, 0.3]), ..worn(&file, 16.0) };
    let texels = whole(&field, &alone(kind, &field, 1.0)).colour.texels;
    let linear = |level: u8| ((f64::from(level) / 255.0 + 0.055) / 1.055).powf(2.4);
    for (channel, wanted) in [0.5, 0.4, 0.3f64].into_iter().enumerate() {
        let mean = texels.iter().map(|texel| linear(texel[channel])).sum::<f64>() / texels.len() as f64;
        let wanted = ((wanted + 0.055) / 1.055).powf(2.4);
        // A level is up to 3% of the light.
        assert!((mean / wanted - 1.0).abs() < 0.02, "channel {channel}: {mean} instead of {wanted}");
    }
    assert!(texels.iter().any(|texel| texel[0] > 140) && texels.iter().any(|texel| texel[0] < 110));
}

#[test]
fn light_falls_in_by_the_cosine_and_shadows_keep_the_ambient_part() {
    // Ground that rises eastward by 45°, with a flat foot west of it.
    let field =
        Heightfield::from_fn(Grid::new(101, 101, 1.0).unwrap(), |column, _| (column as f32 - 50.0).max(0.0));
    let linear = |level: u8| ((f64::from(level) / 255.0 + 0.055) / 1.055).powf(2.4);
    let lit = |bearing: f32, elevation: f32| {
        let light = Light { bearing, elevation, strength: 0.8, ambient: 0.2, shadows: true, time: None };
        let texture = alone(TerrainType::new("white", [1.0; 3]), &field, 1.0);
        let baked = whole(&field, &Texture { light: Some(light), ..texture }).colour;
        [25, 48, 80].map(|column| linear(baked.texels[50 * 100 + column][0]))
    };
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 0.006, "{found} instead of {expected}");
    };
    let [foot, _, slope] = lit(270.0, 45.0);
    near(foot, 0.2 + 0.8 * 0.5f64.sqrt());
    near(slope, 1.0);
    // The sun stands behind the slope: it is dark, and so is its foot.
    let [_, foot, slope] = lit(90.0, 30.0);
    near(foot, 0.2);
    near(slope, 0.2);
    let [foot, ..] = lit(0.0, 90.0);
    near(foot, 1.0);
}

#[test]
fn occlusion_dims_the_ambient_part_alone() {
    let field = hills(60, 60);
    let bright = |occlusion: f32, strength: f32| {
        let light = Light { strength, ambient: 0.5, shadows: false, ..SUN };
        let texture = alone(TerrainType::new("grey", [0.6; 3]), &field, 10.0);
        let texture = Texture { light: Some(light), occlusion, ..texture };
        let baked = whole(&field, &texture);
        let light = |level: u8| ((f64::from(level) / 255.0 + 0.055) / 1.055).powf(2.4);
        let texels = baked.colour.texels;
        texels.iter().map(|texel| light(texel[0])).sum::<f64>() / texels.len() as f64
    };
    let (open, dim) = (bright(0.0, 0.0), bright(1.0, 0.0));
    assert!(dim < 0.95 * open, "{dim} of {open}");
    // What the sun adds is the same: levels are rounded, but hardly on average.
    let lost = bright(0.0, 1.0) - bright(1.0, 1.0);
    assert!(((open - dim) / lost - 1.0).abs() < 0.02, "{} and {lost}", open - dim);
}

/// The baker asks once a row of texels at the least, in its preparations once for a few rows of the land,
/// and stops at the question it is cancelled at.
#[test]
fn work_that_is_cancelled_ends_soon() {
    let field = hills(400, 400);
    let texture = Texture { resolution: 700, light: Some(SUN), ..pictured() };
    let bake = |work: &Work| bake_with(&field, &texture, BakeOptions::default(), 0, work).map(|_| ());
    let asked = crate::questions::whole(bake);
    assert!(asked.outcome.is_ok(), "{:?}", asked.outcome);
    assert!(asked.questions > 700 + 400 / 16, "{} questions", asked.questions);
    for chosen in spread(asked.questions, 12) {
        let cut = cancelled_at(chosen, bake);
        assert!(matches!(cut.outcome, Err(Error::Cancelled)), "at {chosen}");
        assert_eq!(cut.questions, chosen, "went on after it was told to stop");
    }
}

#[test]
fn wrong_light_is_named_with_what_would_be_accepted() {
    let cases = [
        ("(bearing: 400)", "`light.bearing`: 400 is outside -360 to 360 °"),
        ("(elevation: -3)", "`light.elevation`: -3 is outside 0 to 90 °"),
        ("(strength: -1)", "`light.strength`: -1 is outside 0 to 16"),
        ("(ambient: NaN)", "`light.ambient`: NaN is outside 0 to 16"),
        ("(colour: 3)", "colour"),
    ];
    for (text, expected) in cases {
        let error = ron::from_str::<Texture>(&format!("(light: Some({text}))")).unwrap_err();
        assert!(error.to_string().contains(expected), "{error} lacks {expected:?}");
    }
    let light = Some(Light { strength: f32::INFINITY, ..SUN });
    let texture = Texture { light, ..Texture::temperate() };
    let error = bake_with(&hills(5, 5), &texture, OPTIONS, 0, &Work::new()).unwrap_err().to_string();
    assert!(error.starts_with("texture.light.strength: inf is outside 0 to 16"), "{error}");
}

/// Two texels a sample over 2000 km of ground that repeats every eight samples.
#[test]
fn normals_far_from_the_corner_are_as_exact_as_near_it() {
    let grid = Grid::new(32_769, 2, 61.3).unwrap();
    let heights = [0.0, 60.0, 10.0, 90.0, 30.0, 40.0, 0.0, 110.0];
    let field = Heightfield::from_fn(grid, |column, _| heights[column % 8]);
    let row = MapWindow { column: 0, row: 1, width: 65_536, depth: 1 };
    let normals = normal_map(&field, (65_536, 2), row, Green::Up);
    let inside = &normals[16..65_520];
    let wrong = inside.iter().zip(&inside[16..]).filter(|(here, later)| here != later).count();
    assert_eq!(wrong, 0);
}

#[test]
fn a_picture_that_is_not_there_is_named() {
    let mut texture = Texture::temperate();
    texture.types[2].tile = Some(Tiling::new("no such picture.png"));
    let error = bake_with(&hills(5, 5), &texture, OPTIONS, 0, &Work::new()).unwrap_err().to_string();
    assert!(error.contains("no such picture.png"), "{error}");
}

#[test]
fn windows_that_leave_the_map_and_pictures_too_large_are_refused() {
    let (field, work) = (hills(9, 5), Work::new());
    let texture = Texture { resolution: 40_000, occlusion: 0.0, ..Texture::temperate() };
    let analysis = TerrainAnalysis::new(&field);
    let baker = Baker::new(&field, &analysis, &texture, OPTIONS, 3, &work).unwrap();
    assert_eq!(baker.size(), (40_000, 20_000));
    let say = |window: MapWindow| baker.paint(window, &work).unwrap_err().to_string();
    let message = say(baker.whole());
    assert!(message.contains("40000×20000 texels is too large; bake it in patches"), "{message}");
    let window = MapWindow { column: 39_990, row: 0, width: 11, depth: 1 };
    let message = say(window);
    assert!(message.contains("11×1 texels from column 39990, row 0 are not a part"), "{message}");
    assert!(baker.paint(MapWindow { width: 10, ..window }, &work).is_ok());
    say(MapWindow { width: 0, ..window });
    say(MapWindow { column: usize::MAX, ..window });
    assert!(Patches::new((10, 10), 0, 1).is_err());
    assert!(Patches::new((10, 10), 11, 1).is_err());
    assert!(Patches::at_most((10, 10), 0).is_err());
    assert!(Patches::new((65_536, 65_536), 1024, 1024).is_ok());
    let message = Patches::new((65_536, 65_536), 65_536, 65_536).unwrap_err().to_string();
    assert_eq!(message, "patches: 65536×65536 are too many; give at most 1048576 in all");
}

#[test]
fn what_a_sink_says_ends_the_work() {
    let (field, work) = (hills(9, 5), Work::new());
    let texture = Texture { resolution: 64, occlusion: 0.0, ..Texture::temperate() };
    let analysis = TerrainAnalysis::new(&field);
    let baker = Baker::new(&field, &analysis, &texture, OPTIONS, 3, &work).unwrap();
    let patches = Patches::new(baker.size(), 4, 2).unwrap();
    let mut seen = 0;
    let sink = |_| {
        seen += 1;
        if seen == 3 { Err(Error::Cancelled) } else { Ok(()) }
    };
    let ended = bake_patches(&baker, &patches, &patches.row_by_row(), sink, &work);
    assert!(matches!(ended, Err(Error::Cancelled)));
    assert_eq!(seen, 3);
    assert!(bake_patches(&baker, &patches, &[(4, 0)], |_| Ok(()), &work).is_err());
}

#[test]
fn an_analysis_must_be_that_of_the_field_and_hold_what_is_needed() {
    let (field, work) = (hills(9, 5), Work::new());
    let (mut analysis, texture) = (TerrainAnalysis::new(&field), Texture::temperate());
    let say = |analysis: &TerrainAnalysis, field: &Heightfield| {
        Baker::new(field, analysis, &texture, OPTIONS, 3, &work).err().unwrap().to_string()
    };
    assert!(say(&analysis, &field).contains("it lacks the view of the sky"));
    analysis.prepare(&field, &texture, &work).unwrap();
    assert!(say(&analysis, &hills(8, 5)).contains("that of 9×5 samples, the field has 8×5"));
    assert!(analysis.prepare(&hills(8, 5), &texture, &work).is_err());
    assert!(ShareMap::new(field.grid(), vec![0; 44]).is_err());
    let small = ShareMap::new(Grid::new(5, 9, 25.0).unwrap(), vec![0; 45]).unwrap();
    assert!(analysis.insert("wetness", small).is_err());
}

#[test]
fn painting_in_the_memory_of_something_else_gives_the_same_texels() {
    let field = hills(40, 30);
    let texture = Texture { resolution: 90, ..Texture::temperate() };
    let work = Work::new();
    let mut analysis = TerrainAnalysis::new(&field);
    analysis.prepare(&field, &texture, &work).unwrap();
    let baker = Baker::new(&field, &analysis, &texture, OPTIONS, 3, &work).unwrap();
    let whole = baker.paint(baker.whole(), &work).unwrap();
    for before in [MapWindow { column: 5, row: 6, width: 20, depth: 9 }, baker.whole()] {
        let before = baker.paint(before, &work).unwrap();
        assert_eq!(baker.paint_again(baker.whole(), before, &work).unwrap(), whole);
    }
    let part = MapWindow { column: 30, row: 2, width: 17, depth: 40 };
    let fresh = baker.paint(part, &work).unwrap();
    assert_eq!(baker.paint_again(part, whole, &work).unwrap(), fresh);
}

#[test]
fn a_quick_bake_has_at_most_three_texels_a_sample_and_no_more_than_asked_for() {
    let field = hills(41, 30);
    for (resolution, across, of_sketch) in [(4096, 123, 82), (100, 100, 82), (50, 50, 50), (0, 82, 82)] {
        let mut land = Recipe::new("Land", (641, 480), 1.0);
        land.texture = Skin::Custom(Texture { resolution, ..Texture::arid() });
        let work = Work::new();
        let whole = land.bake(&field, &work).unwrap().colour;
        for (quick, across) in
            [(land.bake_preview(&field, &work), across), (land.bake_sketch(&field, &work), of_sketch)]
        {
            let quick = quick.unwrap().colour;
            assert_eq!(quick.width, across, "{resolution}");
            assert_eq!(quick == whole, across == whole.width, "{resolution}");
        }
    }
}

/// The means of the channels of a map over each of 12 × 12 parts, row by row.
fn parts(map: &ColourMap) -> Vec<f64> {
    let part = |index: usize, side: usize| index * side / 12..(index + 1) * side / 12;
    let mean = |x: usize, z: usize, channel: usize| {
        let rows = part(z, map.depth).map(|row| &map.texels[row * map.width..][part(x, map.width)]);
        let texels: Vec<f64> = rows.flatten().map(|texel| f64::from(texel[channel])).collect();
        texels.iter().sum::<f64>() / texels.len() as f64
    };
    let places = (0..12).flat_map(|z| (0..12).map(move |x| (x, z)));
    places.flat_map(|(x, z)| (0..4).map(move |channel| mean(x, z, channel))).collect()
}

/// What a sketch of land leaves out is fine: parts of it have the colours that they have in the whole.
#[test]
fn a_sketch_has_as_many_texels_for_land_of_any_size_and_the_colours_of_the_whole() {
    let mut land = Recipe::new("Land", (641, 480), 1.0);
    land.texture = Skin::Custom(Texture { resolution: 258, ..land.texture.texture() });
    for (width, depth) in [(97, 129), (130, 97), (257, 257), (513, 300)] {
        let field = hills(width, depth);
        let [sketch, whole] = [land.bake_sketch(&field, &Work::new()), land.bake(&field, &Work::new())]
            .map(|baked| baked.unwrap().colour);
        assert_eq!(sketch.width.max(sketch.depth), 258);
        let [across, down] = [sketch.width.abs_diff(whole.width), sketch.depth.abs_diff(whole.depth)];
        assert!(across <= 1 && down <= 1, "{across}, {down}");
        let [sketch, whole] = [parts(&sketch), parts(&whole)];
        let apart = |others: &[f64]| {
            let all = sketch.iter().zip(others).map(|(own, other)| (own - other).abs());
            all.sum::<f64>() / sketch.len() as f64
        };
        // Were it turned, or moved by a part, it would be far from it.
        let turned: Vec<f64> = whole.chunks(4).rev().flatten().copied().collect();
        let mut moved = whole.clone();
        moved.rotate_right(4);
        let same = apart(&whole);
        assert!(same < 4.0, "of 255: {same}");
        assert!(apart(&turned) > 4.0 * same && apart(&moved) > 4.0 * same);
    }
}

#[test]
fn shares_of_the_ground_add_up_to_255_in_every_preset() {
    for preset in Preset::all() {
        let land = preset.recipe().unwrap().preview(65).build(&Work::new()).unwrap();
        let Some(WeightMap { types, layers, shares, .. }) = land.cover.map(|cover| cover.weights) else {
            continue;
        };
        for texel in shares.chunks(types) {
            let ground = texel.iter().enumerate().filter(|(index, _)| !layers.contains(index));
            let sum: u32 = ground.map(|(_, share)| u32::from(*share)).sum();
            assert_eq!(sum, 255, "{}: {texel:?}", preset.name);
        }
    }
}
