//! What sets promise: a cross-fade has each set at its end, bit for bit, seasons go round the year, and
//! what is out of range is refused with its place.

use upland_core::texture::{
    Fade, GroundCover, Land, Limits, MapWindow, PaintWindow, Patches, Picture, TerrainType, Texture,
    bake_patches,
};
use upland_core::{Error, FilePath, Grid, Heightfield, Preset, Recipe, Skin, Work};

/// Hills of three sizes under a sky that they hide.
fn hills() -> Heightfield {
    Heightfield::from_fn(Grid::new(120, 90, 25.0).unwrap(), |column, row| {
        let (x, z) = (column as f32, row as f32);
        let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length);
        600.0 * wave(20.0) + 150.0 * wave(6.0) + 30.0 * wave(1.7)
    })
}

fn small(texture: Texture) -> Texture {
    Texture { resolution: 400, ..texture }
}

fn climates(at: f32, mask: Option<Picture>) -> Fade {
    let textures = vec![small(Texture::temperate()), small(Texture::woodland()), small(Texture::arid())];
    Fade { textures, at, mask }
}

fn land(field: &Heightfield) -> Land<'_> {
    Land { sea_level: Some(-300.0), ..Land::dry(field) }
}

#[test]
fn at_the_ends_a_cross_fade_is_each_set_alone_bit_for_bit() {
    let field = hills();
    for (at, index) in [(0.0, 0), (0.5, 1), (1.0, 2)] {
        let fade = climates(at, None);
        let alone = Fade::from(fade.textures[index].clone());
        let bake = |fade: &Fade| fade.bake(land(&field), true, 5, &Work::new()).unwrap();
        assert!(bake(&fade) == bake(&alone), "at {at}");
    }
}

#[test]
fn between_two_sets_every_colour_lies_between_theirs() {
    let field = hills();
    let bake = |at| climates(at, None).bake(land(&field), true, 5, &Work::new()).unwrap();
    let (first, second, between) = (bake(0.0), bake(0.5), bake(0.15));
    let texels = between.colour.texels.iter().zip(&first.colour.texels).zip(&second.colour.texels);
    for ((between, first), second) in texels {
        for channel in 0..4 {
            let (low, high) = (first[channel].min(second[channel]), first[channel].max(second[channel]));
            assert!((low..=high).contains(&between[channel]), "{between:?} of {first:?} and {second:?}");
        }
    }
    assert_ne!(between.colour, first.colour);
    let weights = between.weights.unwrap();
    assert_eq!(weights.types, Texture::temperate().types.len() + Texture::woodland().types.len());
    for shares in weights.shares.chunks(weights.types) {
        let sum: i32 = shares.iter().map(|&share| i32::from(share)).sum();
        assert_eq!(sum, 255, "{shares:?}");
        // 0.3 of the way from the first to the second of three.
        let of_first: i32 = shares[..10].iter().map(|&share| i32::from(share)).sum();
        assert!((of_first - 178).abs() <= 8, "{of_first}");
    }
}

#[test]
fn a_mask_says_where_which_set_lies() {
    let folder = tempfile::tempdir().unwrap();
    let field = hills();
    let grid = field.grid();
    let path = folder.path().join("west.png");
    // Black to the west, white to the east, and half of each samples' width apart.
    let columns = |column: u32| if column < 60 { 0u8 } else { 255 };
    image::GrayImage::from_fn(grid.width as u32, grid.depth as u32, |column, _| {
        image::Luma([columns(column)])
    })
    .save(&path)
    .unwrap();
    let picture = || Some(Picture::new(FilePath::new(path.display().to_string())));
    let bake = |fade: Fade| fade.bake(land(&field), false, 5, &Work::new()).unwrap();
    let masked = bake(climates(1.0, picture()));
    assert!(masked.notes.is_empty());
    let (west, east) = (bake(climates(0.0, None)), bake(climates(1.0, None)));
    let (width, texels) = (masked.colour.width, &masked.colour.texels);
    for (index, texel) in texels.iter().enumerate() {
        let column = index % width;
        if column < width / 2 - 4 {
            assert_eq!(texel, &west.colour.texels[index]);
        } else if column > width / 2 + 4 {
            assert_eq!(texel, &east.colour.texels[index]);
        }
    }
    // With the position at the first set the mask changes nothing.
    assert!(bake(climates(0.0, picture())).colour == west.colour);
    // Half way, white ground wears the set in the middle.
    let half = bake(climates(0.5, picture()));
    let middle = bake(climates(0.5, None));
    assert_eq!(half.colour.texels[width - 1], middle.colour.texels[width - 1]);
    let other = folder.path().join("tiny.png");
    image::GrayImage::from_pixel(3, 2, image::Luma([9])).save(&other).unwrap();
    let tiny = Some(Picture::new(FilePath::new(other.display().to_string())));
    let noted = bake(climates(1.0, tiny));
    assert!(noted.notes[0].contains("3×2 pixels, the land 120×90 samples"), "{:?}", noted.notes);
}

#[test]
fn patches_of_a_cross_fade_joined_are_the_whole_on_any_number_of_threads() {
    let field = hills();
    let fade = climates(0.3, None);
    let prepared = fade.prepare(land(&field), None, &Work::new()).unwrap();
    let baker = fade.baker(land(&field), &prepared, false, 5, &Work::new()).unwrap();
    let whole = baker.paint(baker.whole(), &Work::new()).unwrap().colour;
    let patches = Patches::new(PaintWindow::size(&baker), 3, 4).unwrap();
    let on = |threads: usize| {
        let mut joined = vec![[0; 4]; whole.texels.len()];
        let mut sink = |patch: upland_core::texture::Patch| {
            let MapWindow { column, row, width, .. } = patch.window;
            for (index, line) in patch.baked.colour.texels.chunks(width).enumerate() {
                joined[(row + index) * whole.width + column..][..width].copy_from_slice(line);
            }
            Ok(())
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bake_patches(&baker, &patches, &patches.row_by_row(), &mut sink, &Work::new()))
            .unwrap();
        joined
    };
    assert!(on(1) == whole.texels);
    assert!(on(3) == whole.texels);
}

#[test]
fn a_cancelled_cross_fade_stops() {
    let (field, work) = (hills(), Work::new());
    work.cancel();
    assert!(matches!(climates(0.4, None).bake(land(&field), false, 1, &work), Err(Error::Cancelled)));
}

#[test]
fn impossible_cross_fades_are_refused() {
    let field = hills();
    let say = |fade: Fade| fade.bake(land(&field), false, 1, &Work::new()).unwrap_err().to_string();
    assert!(say(climates(1.5, None)).contains("1.5 is outside 0 (the first set) to 1 (the last)"));
    assert!(say(climates(f32::NAN, None)).contains("outside 0"));
    assert!(say(Fade { textures: vec![], at: 0.0, mask: None }).contains("there are none"));
    let missing = Some(Picture::new(FilePath::new("nowhere.png")));
    let many = Fade { textures: vec![small(Texture::arid()); 65], at: 0.0, mask: None };
    assert!(say(many).contains("texture.sets: there are 65; give at most 64"));
    assert!(say(climates(0.5, missing)).contains("nowhere.png: cannot read: no such file"));
}

#[test]
fn the_year_goes_round_and_its_quarters_differ() {
    let all: Vec<Texture> = (0..4).map(|quarter| Texture::season(quarter as f32 / 4.0)).collect();
    for (index, season) in all.iter().enumerate() {
        season.check().unwrap();
        assert!(all[..index].iter().all(|other| other != season));
    }
    assert_eq!(Texture::season(1.0), all[0]);
    assert_eq!(Texture::season(-0.75), all[1]);
    assert_eq!(Texture::season(f32::NAN), all[0]);
}

#[test]
fn through_the_year_nothing_jumps() {
    let types = |step: u32| Texture::season(step as f32 / 1000.0).types;
    for step in 0..1000 {
        for (before, after) in types(step).iter().zip(&types(step + 1)) {
            assert_eq!(before.name, after.name);
            let numbers = |kind: &TerrainType| {
                let Limits { min, max, release } = kind.elevation;
                [min, max, release, kind.skew, kind.roughen, kind.slope.min, kind.slope.max, kind.variation]
            };
            for (before, after) in numbers(before).into_iter().zip(numbers(after)) {
                assert!((before - after).abs() < 0.005, "{before} to {after} at {step}");
            }
            for (before, after) in before.colour.unwrap().into_iter().zip(after.colour.unwrap()) {
                assert!((before - after).abs() < 0.02, "{before} to {after} at {step}");
            }
        }
    }
}

/// The shares of texels that are as white as snow: of all, of those on slopes to the north and of those on
/// slopes to the south.
fn snow(season: f32) -> [f32; 3] {
    // A cone: the same heights to the north and to the south.
    let field = Heightfield::from_fn(Grid::new(129, 129, 25.0).unwrap(), |column, row| {
        let (x, z) = (column as f32 - 64.0, row as f32 - 64.0);
        (64.0 - (x * x + z * z).sqrt()).max(0.0) * 14.0
    });
    let texture = Texture { resolution: 128, ..Texture::season(season) };
    let baked = Fade::from(texture).bake(Land::dry(&field), false, 1, &Work::new()).unwrap();
    let mut counts = [[0_u32; 2]; 3];
    for (index, texel) in baked.colour.texels.iter().enumerate() {
        let place = glam::vec2((index % 128) as f32 + 0.5, (index / 128) as f32 + 0.5) * 25.0;
        let (normal, is_white) = (field.normal(place), texel[..3].iter().all(|&level| level > 190));
        for (counts, is_chosen) in counts.iter_mut().zip([true, normal.z < -0.2, normal.z > 0.2]) {
            counts[0] += u32::from(is_chosen && is_white);
            counts[1] += u32::from(is_chosen);
        }
    }
    counts.map(|[white, all]| white as f32 / all as f32)
}

#[test]
fn snow_comes_and_goes_with_the_season_and_leaves_sunny_slopes_first() {
    // Of the sixteenths of a year, each is baked once.
    let year: Vec<[f32; 3]> = (0..16).map(|sixteenth| snow(sixteenth as f32 / 16.0)).collect();
    let [spring, summer, autumn, winter] = [0, 4, 8, 12].map(|sixteenth| year[sixteenth][0]);
    assert!(winter > spring && spring > autumn && autumn > summer, "{spring} {summer} {autumn} {winter}");
    let quarters = [0, 4, 8, 12].map(|sixteenth| year[sixteenth]);
    for [_, north, south] in quarters.into_iter().chain([snow(0.1), snow(0.9)]) {
        assert!(north > south, "{north} to the north, {south} to the south");
    }
    // From winter to summer the snow only goes, and from summer to winter it only comes.
    let over = |from: usize| (from..=from + 8).map(|sixteenth| year[sixteenth % 16][0]).collect::<Vec<_>>();
    let (going, coming) = (over(12), over(4));
    assert!(going.windows(2).all(|pair| pair[1] <= pair[0] + 1e-3), "{going:?}");
    assert!(coming.windows(2).all(|pair| pair[1] >= pair[0] - 1e-3), "{coming:?}");
}

#[test]
fn halfway_between_textures_their_numbers_are_halfway() {
    let of = |max: f32, colour: f32| Texture {
        types: vec![TerrainType {
            elevation: Limits::new(0.0, max, 10.0),
            ..TerrainType::new("all", [colour; 3])
        }],
        ..Texture::default()
    };
    let (low, high) = (of(100.0, 0.0), of(300.0, 1.0));
    let half = low.towards(&high, 0.5).unwrap();
    assert_eq!(half.types[0].elevation, Limits::new(0.0, 200.0, 10.0));
    assert!((half.types[0].colour.unwrap()[0] - 188.0 / 255.0).abs() < 2e-3);
    assert_eq!(low.towards(&high, 0.0).unwrap(), low);
    assert_eq!(low.towards(&high, 1.0).unwrap(), high);
    assert!(low.towards(&high, 1.01).unwrap_err().to_string().contains("1.01 is outside 0"));
    let error = Texture::temperate().towards(&Texture::arid(), 0.5).unwrap_err().to_string();
    assert!(error.contains("the other bed, pale flats") && error.contains("cross-fade"), "{error}");
}

fn recipe(texture: &str) -> Result<Recipe, Error> {
    let text = format!(
        "(version: 1, name: \"x\", size: (65, 65), cell: 50,\n steps: [fbm(height: 900)],\n texture: {texture})"
    );
    Recipe::from_ron(&text, "x.ron")
}

#[test]
fn recipes_name_sets_and_seasons() {
    for text in [
        "sets(sets: [temperate, arid], at: 0.3)",
        "sets(sets: [woodland, seasons(season: 0.7), custom(types: [(name: \"a\", colour: \"#405060\")])], at: 0.75)",
        "seasons(season: 0.62)",
    ] {
        let recipe = recipe(text).unwrap();
        assert_eq!(Recipe::from_ron(&recipe.to_ron().unwrap(), "again").unwrap(), recipe, "{text}");
        let landscape = recipe.preview(33).build(&Work::new()).unwrap();
        assert!(landscape.colour.width <= 99, "{text}: {}", landscape.colour.width);
        let cover: GroundCover = landscape.cover.unwrap();
        assert_eq!(cover.types.len(), cover.weights.types, "{text}");
    }
}

#[test]
fn two_texels_a_sample_stay_two_in_previews_and_beside_sets_of_a_given_resolution() {
    let two = "custom(resolution: 0, types: [(name: \"a\", colour: \"#405060\")])";
    let one = "custom(resolution: 40, types: [(name: \"b\", colour: \"#605040\")])";
    let width = |texture: &str, samples| {
        recipe(texture).unwrap().preview(samples).build(&Work::new()).unwrap().colour.width
    };
    assert_eq!((width(two, 33), width(two, 17)), (66, 34));
    assert_eq!(width(&format!("sets(sets: [{one}, {two}], at: 0.5)"), 33), 66);
    assert_eq!((width(one, 33), width(one, 9)), (40, 27));
}

#[test]
fn a_set_that_fades_into_itself_is_itself() {
    let field = hills();
    for at in [0.1, 0.25, 0.5, 0.9] {
        let set = small(Texture::arid());
        let bake = |fade: Fade| fade.bake(land(&field), true, 5, &Work::new()).unwrap();
        let itself = bake(Fade { textures: vec![set.clone(), set.clone()], at, mask: None });
        let alone = bake(Fade::from(set.clone()));
        assert!(itself.colour == alone.colour, "at {at}");
        let (itself, types) = (itself.weights.unwrap(), set.types.len());
        // The varnish of each is a layer.
        assert_eq!(itself.layers, [types - 1, 2 * types - 1]);
        assert_eq!(itself.strongest().len(), alone.weights.unwrap().strongest().len());
    }
}

#[test]
fn what_is_out_of_range_is_refused_with_its_line_and_column() {
    for (texture, expected) in [
        ("seasons(season: 1.2)", "`season`: 1.2 is outside 0 to 1"),
        ("seasons(season: -0.1)", "`season`: -0.1 is outside 0 to 1"),
        ("seasons(month: 3)", "unknown field `month`; there are season"),
        ("seasons()", "`season` is missing"),
        ("sets(sets: [temperate, arid], at: 1.5)", "`at`: 1.5 is outside 0 to 1"),
        ("sets(sets: [temperate], at: 0.5)", "`sets`: 1 is outside 2 to 64 sets"),
        ("sets(sets: [temperate, sets(sets: [arid, woodland])])", "`sets` among sets"),
        ("sets(sets: [temperate, arid], mask: \"\")", "names no file"),
        ("sets(sets: [temperate, polar])", "unknown `polar`; there are temperate, woodland, arid"),
    ] {
        match recipe(texture) {
            Err(Error::Recipe { line, column, reason, .. }) => {
                assert!(reason.contains(expected), "{texture}: {reason}");
                assert!(line == 3 && column > 10, "{texture}: {line}:{column}");
            }
            other => panic!("{texture} gave {other:?}"),
        }
    }
}

#[test]
fn a_mask_lies_beside_the_recipe() {
    let folder = tempfile::tempdir().unwrap();
    image::GrayImage::from_pixel(65, 65, image::Luma([255])).save(folder.path().join("climate.png")).unwrap();
    let text = recipe("sets(sets: [temperate, arid], mask: \"climate.png\")").unwrap().to_ron().unwrap();
    std::fs::write(folder.path().join("x.ron"), text).unwrap();
    let masked = Recipe::read(folder.path().join("x.ron")).unwrap().preview(65).build(&Work::new()).unwrap();
    let arid = recipe("arid").unwrap().preview(65).build(&Work::new()).unwrap();
    assert!(masked.colour == arid.colour);
}

#[test]
fn textures_are_changed_by_name() {
    let mut recipe = Preset::all()[0].recipe().unwrap();
    for (path, text, expected) in [
        ("texture", "arid", Skin::Arid),
        ("texture.season", "0.25", Skin::Arid.in_season(0.25)),
        ("texture", "seasons(season: 0.5)", Skin::Temperate.in_season(0.5)),
    ] {
        recipe.set(path, text).unwrap();
        assert_eq!(recipe.texture, expected);
    }
    recipe.set("texture", "sets(sets: [temperate, arid], at: 0.25)").unwrap();
    assert_eq!(recipe.texture.fade().at, 0.25);
    for (path, text, expected) in [
        ("texture", "polar", "`polar` is not one of temperate, woodland, arid"),
        ("texture.season", "1.5", "1.5 is outside 0 to 1"),
        ("texture.season", "may", "`may` is not a number"),
    ] {
        let error = recipe.set(path, text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn tiles_that_have_seams_are_told_unless_they_are_mirrored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.png");
    image::RgbImage::from_fn(64, 64, |x, _| image::Rgb([4 * x as u8; 3])).save(&path).unwrap();
    let notes = |mirror| {
        let tiling = upland_core::texture::Tiling {
            mirror,
            ..upland_core::texture::Tiling::new(path.to_string_lossy())
        };
        let kind = TerrainType { tile: Some(tiling), ..TerrainType::new("all", [0.5; 3]) };
        let texture = Texture { types: vec![kind], resolution: 50, ..Texture::default() };
        Fade::from(texture).bake(Land::dry(&hills()), false, 1, &Work::new()).unwrap().notes
    };
    assert!(notes(false)[0].contains("does not tile: across its east and west border"), "{:?}", notes(false));
    assert!(notes(true).is_empty());
}
