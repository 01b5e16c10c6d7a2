//! Parameters of the whole recipe: every one is declared once, and `--set`, recipes and checks agree on it.

use upland_core::params::{Name, Param, Params, Reading, Value, check, each, each_mut, set_from_text};
use upland_core::texture::{
    Band, Bands, Factors, LayerLimits, Light, Limits, MaskLimits, PaintedMap, Picture, Texture, Tiling,
    factors,
};
use upland_core::{FilePath, Lesson, Recipe, Sets, Skin, View};

/// A texture in which everything is there.
fn full() -> Texture {
    let mut texture = Texture::temperate();
    texture.light = Some(Light::default());
    texture.map = Some(PaintedMap { colours: vec![[1, 2, 3]], ..PaintedMap::new(FilePath::new("map.png")) });
    texture.bands = Bands {
        list: vec![Band { name: "low".into(), colour: [0.2, 0.4, 0.6], centre: 10.0, range: 50.0 }],
        ..Bands::default()
    };
    texture.types.truncate(2);
    let kind = &mut texture.types[1];
    kind.id = Some(7);
    kind.tile = Some(Tiling::new("sand"));
    let limits = Limits::new(0.25, 0.75, 0.1);
    kind.factors = Factors {
        measured: factors::all().into_iter().map(|factor| (factor, limits)).collect(),
        mask: Some(MaskLimits::new(FilePath::new("mask.png"), Limits::new(0.25, 0.75, 0.1))),
        layer: Some(LayerLimits {
            name: Name::new("flow").unwrap(),
            min: Some(-2.5),
            max: Some(7.0),
            ..LayerLimits::default()
        }),
    };
    texture
}

/// A recipe in which everything is there, with this skin.
fn recipe(texture: Skin) -> Recipe {
    let mut recipe = Recipe::new("Everything", (9, 9), 10.0);
    recipe.view = Some(View { from: (1.0, 2.0, 3.0), look: (0.0, 0.5, -7.0) });
    recipe.texture = texture;
    recipe
}

fn skins() -> [Skin; 3] {
    let sets = vec![Skin::Arid, Skin::Custom(full()), Skin::Temperate.in_season(0.5)];
    let mask = Some(Picture::new(FilePath::new("fade.png")));
    [Skin::Custom(full()), Skin::Temperate.in_season(0.25), Skin::Sets(Sets { sets, at: 0.25, mask })]
}

/// The parts of a recipe that are declared, by the names that paths begin with.
fn parts(recipe: &mut Recipe) -> Vec<(&'static str, &mut dyn Params)> {
    let Recipe { sun, weather, water, view, texture, .. } = recipe;
    let view = view.as_mut().unwrap();
    vec![("sun", sun), ("weather", weather), ("water", water), ("view", view), ("texture", texture)]
}

/// Every parameter that has numbers: where it is, and what is known of it.
fn numbers(recipe: &mut Recipe) -> Vec<(&'static str, String, Param)> {
    let mut found = Vec::new();
    for (part, params) in parts(recipe) {
        each(params, &mut |path, param, value| match value {
            Reading::Float(_) | Reading::Int(_) => found.push((part, path.to_owned(), param.clone())),
            Reading::Place(_) => {
                found.extend(["x", "y", "z"].map(|axis| (part, format!("{path}.{axis}"), param.clone())))
            }
            _ => {}
        });
    }
    found
}

/// The number at a path.
fn number_at(recipe: &mut Recipe, part: &str, path: &str) -> f64 {
    let mut number = None;
    let found = parts(recipe).into_iter().find(|(name, _)| *name == part).unwrap().1;
    each(found, &mut |known, _, value| match value {
        Reading::Float(value) if known == path => number = Some(f64::from(value)),
        Reading::Int(value) if known == path => number = Some(f64::from(value)),
        Reading::Place((x, y, z)) => {
            let axes = [("x", x), ("y", y), ("z", z)];
            let found = axes.into_iter().find(|(axis, _)| path == format!("{known}.{axis}"));
            number = number.or(found.map(|(_, value)| f64::from(value)));
        }
        _ => {}
    });
    number.unwrap_or_else(|| panic!("{part}.{path} is not there"))
}

/// The values just within and just beyond a recipe's own fields, as `--set` reads them.
fn ends_of_own_fields() -> [(&'static str, Vec<String>, Vec<String>); 9] {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let next = |number: f32| number.to_string();
    let flag = (texts(&["true", "false"]), texts(&["perhaps", ""]));
    [
        ("name", texts(&["", "Hills"]), Vec::new()),
        ("about", texts(&["", "Low hills."]), Vec::new()),
        ("seed", texts(&["0", "18446744073709551615"]), texts(&["-1", "18446744073709551616", "0.5"])),
        (
            "size",
            texts(&["1x1", "(65536, 65536)", "(1, 65536)"]),
            texts(&["(0, 9)", "9x0", "65537x9", "9x65537"]),
        ),
        (
            "cell",
            texts(&["0.001", "1000000"]),
            vec![next(0.001f32.next_down()), next(1e6f32.next_up()), "NaN".into(), "inf".into()],
        ),
        (
            "unit",
            texts(&["1", "10000000"]),
            vec![next(1f32.next_down()), next(1e7f32.next_up()), "NaN".into(), "none".into()],
        ),
        ("bare", flag.0, flag.1),
        (
            "view",
            texts(&["none", "(from: (-1e11, 0, 1e11), look: (0, 0, 0))"]),
            texts(&["(from: (0, 0, 0))"]),
        ),
        ("view.from.x", texts(&["-1e11", "1e11"]), vec![next(-1e11f32.next_up()), next(1e11f32.next_up())]),
    ]
}

#[test]
fn every_field_of_a_recipe_has_a_row() {
    let (mut rows, written) = (Vec::new(), Recipe::default());
    let mut recipe = Recipe::default();
    recipe.visit(&mut |param, value| {
        assert!(param.doc.ends_with('.') && param.doc.len() > 5, "{}: {:?}", param.name, param.doc);
        let accepted = param.accepted(value.reading());
        let has_numbers = matches!(value, Value::Size(_) | Value::List(_)) || param.name == "cell";
        let is_limited = param.range.start().is_finite() && param.range.end().is_finite();
        assert!(!has_numbers || (is_limited && !param.unit.is_empty()), "{}: {accepted}", param.name);
        rows.push(param.name);
    });
    assert_eq!(recipe, written, "showing it to be changed changes nothing");
    // All fields that the struct has: another one has to be named here, and be declared.
    let Recipe {
        name: _,
        about: _,
        seed: _,
        size: _,
        cell: _,
        unit: _,
        water: _,
        texture: _,
        scatter: _,
        bare: _,
        sun: _,
        weather: _,
        view: _,
        bookmarks: _,
        flights: _,
        steps: _,
    } = written;
    let fields = [
        "name",
        "about",
        "seed",
        "size",
        "cell",
        "unit",
        "water",
        "texture",
        "scatter",
        "bare",
        "sun",
        "weather",
        "view",
        "bookmarks",
        "flights",
    ];
    assert_eq!(rows, fields);
    let everything = recipe.set("nothing", "").unwrap_err().to_string();
    assert!(rows.iter().all(|row| everything.contains(row)), "{everything}");
}

#[test]
fn what_is_set_what_is_checked_and_what_is_read_have_one_range() {
    let start = Recipe { view: Some(View::default()), ..Recipe::endless(5000.0) };
    for (path, accepted, refused) in ends_of_own_fields() {
        for text in accepted {
            let mut recipe = start.clone();
            recipe.set(path, &text).unwrap_or_else(|error| panic!("{path}={text}: {error}"));
            recipe.check().unwrap();
            let written = recipe.to_ron().unwrap();
            assert_eq!(Recipe::from_ron(&written, "x").unwrap(), recipe, "{path}={text}\n{written}");
        }
        for text in refused {
            let mut recipe = start.clone();
            let said = recipe.set(path, &text).unwrap_err().to_string();
            assert!(said.starts_with(&format!("{path}: ")) && said.len() > path.len() + 10, "{said}");
            assert_eq!(recipe, start, "nothing is changed on an error");
            // A program that sets it has the same words from the check.
            let number: f32 = text.parse().unwrap_or(f32::NAN);
            match path {
                "cell" => recipe.cell = number,
                "unit" if text != "none" => recipe.unit = Some(number),
                "view.from.x" => recipe.view.as_mut().unwrap().from.0 = number,
                "size" => {
                    let (width, depth) = text.trim_matches(['(', ')']).split_once([',', 'x']).unwrap();
                    recipe.size = (width.trim().parse().unwrap(), depth.trim().parse().unwrap());
                }
                _ => continue,
            }
            let checked = recipe.check().unwrap_err().to_string();
            let reason = said.strip_prefix(&format!("{path}: ")).unwrap();
            assert!(checked.ends_with(reason), "{checked} and {said}");
            let written = recipe.to_ron_unchecked().unwrap();
            let read = Recipe::from_ron(&written, "x").unwrap_err().to_string();
            assert!(read.contains(reason), "{read} and {said}");
        }
    }
}

/// Lengths are metres, angles degrees, times seconds, hours of a day, or years. As everywhere, the rain of a
/// year is in millimetres, as is what a coast retreats in one, drainage areas are in square kilometres,
/// discharges in cubic metres a second, and roads rise by per cent. All else is counted, or is a share.
const UNITS: [&str; 19] = [
    "",
    "m",
    "°",
    "%",
    "s",
    "h",
    "years",
    "mm",
    "mm/year",
    "km²",
    "m³/s",
    "m or share",
    "samples",
    "cells",
    "bands",
    "cells a pixel",
    "°C",
    "K",
    "days",
];
/// What the entries of lists are called.
const ENTRIES: [&str; 4] = ["types", "sets", "colours", "palettes"];

#[test]
fn all_numbers_have_units_of_one_system() {
    let mut units: Vec<(String, &str)> = Vec::new();
    for skin in skins() {
        let mut recipe = recipe(skin);
        for (part, params) in parts(&mut recipe) {
            each(params, &mut |path, param, _| units.push((format!("{part}.{path}"), param.unit)));
        }
    }
    for name in upland_core::steps::names() {
        let step = upland_core::Step::from_name(name).unwrap();
        each(&step, &mut |path, param, _| units.push((format!("{name}.{path}"), param.unit)));
    }
    assert!(units.len() > 300, "{}", units.len());
    for (path, unit) in units {
        let is_known = UNITS.contains(&unit) || ENTRIES.contains(&unit) || unit.starts_with("texels along");
        assert!(is_known, "{path} is in {unit:?}");
    }
}

#[test]
fn every_number_walks_its_range_from_both_sides() {
    let mut walked = 0;
    for skin in skins() {
        let start = recipe(skin);
        for (part, path, param) in numbers(&mut start.clone()) {
            let whole = format!("{part}.{path}");
            let (low, high) = (*param.range.start() as f32, *param.range.end() as f32);
            assert!(low.is_finite() && high.is_finite() && low < high, "{whole}: {low} to {high}");
            for end in [low, high] {
                let mut set = start.clone();
                set.set(&whole, &end.to_string()).unwrap();
                if !whole.ends_with("season") {
                    assert_eq!(number_at(&mut set, part, &path), f64::from(end), "{whole}");
                }
                set.check().unwrap();
                let text = set.to_ron().unwrap();
                assert_eq!(Recipe::from_ron(&text, "x").unwrap(), set, "{whole} = {end}\n{text}");
                walked += 1;
            }
            let mut is_whole = false;
            each(&start.texture, &mut |known, _, value| {
                is_whole |= part == "texture" && known == path && matches!(value, Reading::Int(_));
            });
            let outside = if is_whole { [low - 1.0, high + 1.0] } else { [low.next_down(), high.next_up()] };
            for outside in outside {
                let mut set = start.clone();
                let refused = set.set(&whole, &outside.to_string()).unwrap_err().to_string();
                assert!(refused.starts_with(&format!("{whole}: ")), "{refused}");
                assert!(refused.contains("is outside") && refused.contains(param.unit), "{refused}");
                assert_eq!(set, start, "nothing is changed on an error");
            }
        }
    }
    assert!(walked > 200, "{walked}");
}

#[test]
fn what_a_program_sets_outside_is_refused_by_checks_and_by_reading() {
    let start = recipe(Skin::Custom(full()));
    for (part, path, param) in numbers(&mut start.clone()) {
        let outside = (*param.range.end() as f32) * 2.0 + 1.0;
        let mut wrong = start.clone();
        let mut is_set = false;
        for (_, params) in parts(&mut wrong).into_iter().filter(|(name, _)| *name == part) {
            each_mut(params, &mut |known, _, value| match value {
                Value::Float(value) if known == path => (*value, is_set) = (outside, true),
                Value::Int(value) if known == path => (*value, is_set) = (outside as u32, true),
                Value::Place(place) if path == format!("{known}.y") => (place.1, is_set) = (outside, true),
                _ => {}
            });
            if is_set {
                let refused = check(params, part).unwrap_err().to_string();
                let known = path.trim_end_matches(".y");
                assert!(refused.starts_with(&format!("{part}.{known}")), "{refused}");
                assert!(refused.contains(" is outside "), "{refused}");
            }
        }
        if is_set {
            let by_check = wrong.check().unwrap_err().to_string();
            assert!(by_check.starts_with(&format!("{part}.")), "{by_check}");
            assert_eq!(wrong.to_ron().unwrap_err().to_string(), by_check);
            let text = wrong.to_ron_unchecked().unwrap();
            let refused = Recipe::from_ron(&text, "x").unwrap_err().to_string();
            let known = path.trim_end_matches(".y");
            assert!(refused.contains(&format!("`{known}`: ")), "{path}: {refused}");
            assert!(refused.contains(" is outside "), "{refused}");
        }
    }
}

/// `roughness` was a bad name: more of it makes smoother land.
#[test]
fn the_hurst_exponent_is_read_by_the_name_it_had_and_written_by_its_own() {
    for step in ["midpoint", "diamond_square"] {
        let text = |name: &str| {
            format!("(version: 1, name: \"Land\", size: (17, 17), cell: 10, steps: [{step}({name}: 0.4)])")
        };
        let read = |name: &str| Recipe::from_ron(&text(name), "x").unwrap();
        let (mut old, new) = (read("roughness"), read("hurst"));
        assert_eq!(old, new);
        let written = old.to_ron().unwrap();
        assert!(written.contains("hurst: 0.4") && !written.contains("roughness"), "{written}");
        let number = old.number("steps.0.roughness").unwrap();
        assert_eq!((&*number.path, number.value), ("steps.0.hurst", 0.4));
        old.set("steps.0.roughness", "0.7").unwrap();
        assert_eq!(old.number("steps.0.hurst").unwrap().value, 0.7);
        let twice = Recipe::from_ron(&text("hurst: 0.4, roughness"), "x").unwrap_err().to_string();
        assert!(twice.contains("hurst"), "{twice}");

        let lesson = format!(
            "(version: 1, title: \"T\", family: \"F\", recipe: inline{}, pages: [
                slider(path: \"steps.0.roughness\", label: \"H\", low: 0.2, high: 1.0)])",
            text("roughness")
        );
        let lesson = Lesson::from_ron(&lesson, "x").unwrap();
        assert!(lesson.is_free("steps.0.hurst"), "the panel's row has the present name");
    }
}

#[test]
fn paths_set_what_a_recipe_would_say() {
    let own = |texture: &str| format!("texture: custom({texture})");
    let grass = "name: \"grass\", colour: \"#5f7339\"";
    let types = own(&format!("types: [({grass}), (name: \"rock\", colour: \"#6e675f\")]"));
    let text =
        |rest: &str| format!("(version: 1, name: \"Land\", size: (9, 9), cell: 10, steps: [], {rest})");
    let with =
        |kind: &str| own(&format!("types: [({grass}), (name: \"rock\", colour: \"#6e675f\", {kind})]"));
    let whole = |more: &str| types.replace("types: [", &format!("{more}, types: ["));
    for (path, value, expected) in [
        ("texture.types.1.elevation.min", "300", with("elevation: (min: 300)")),
        ("texture.types.rock.slope.release", "5", with("slope: (release: 5)")),
        ("texture.types.1.elevation", "(max: 9, release: 2)", with("elevation: (max: 9, release: 2)")),
        ("texture.types.1.blend", "screen", with("blend: screen")),
        ("texture.types.1.factors.wetness.min", "0.5", with("factors: (wetness: (min: 0.5))")),
        ("texture.types.1.factors.water_distance.max", "0.5", with("factors: (water_nearness: (max: 0.5))")),
        ("texture.types.1.factors.mask", "(file: \"m.png\")", with("factors: (mask: (file: \"m.png\"))")),
        ("texture.types.1.tile.image", "sand", with("tile: (image: \"sand\")")),
        ("texture.types.1.id", "none", with("")),
        ("texture.light.bearing", "300", whole("light: (bearing: 300)")),
        ("texture.light", "(strength: 2)", whole("light: (strength: 2)")),
        ("texture.light", "none", types.clone()),
        ("texture.map.file", "m.png", whole("map: (file: \"m.png\")")),
        ("texture.resolution", "2048", whole("resolution: 2048")),
        ("texture.elevation_unit", "share", whole("elevation_unit: share")),
        (
            "texture.types",
            "[(name: \"a\", colour: \"#102030\")]",
            own("types: [(name: \"a\", colour: \"#102030\")]"),
        ),
        (
            "texture.season",
            "0.5",
            format!("texture: seasons(season: 0.5, of: [{}])", types.replacen("texture: ", "", 1)),
        ),
        ("view.from", "(1, 2.5, -3)", format!("{types}, view: (from: (1, 2.5, -3), look: (0, 0, 0))")),
        ("view.look.y", "7", format!("{types}, view: (from: (0, 0, 0), look: (0, 7, 0))")),
        (
            "view",
            "(from: (1, 2, 3), look: (4, 5, 6))",
            format!("{types}, view: (from: (1, 2, 3), look: (4, 5, 6))"),
        ),
        ("about", "A try.", format!("{types}, about: \"A try.\"")),
    ] {
        let mut recipe = Recipe::from_ron(&text(&types), "x").unwrap();
        recipe.set(path, value).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(recipe, Recipe::from_ron(&text(&expected), "x").unwrap(), "{path}={value}");
    }
    let mut recipe = Recipe::from_ron(&text(&types), "x").unwrap();
    for size in ["(65, 33)", "65x33"] {
        recipe.set("size", size).unwrap();
        assert_eq!(recipe.size, (65, 33));
    }
    recipe.set("view.from.x", "5").unwrap();
    recipe.set("view", "none").unwrap();
    assert_eq!(recipe.view, None);
}

#[test]
fn a_ready_made_texture_becomes_ones_own_where_it_is_changed() {
    let mut recipe = Recipe::new("Land", (9, 9), 10.0);
    recipe.set("texture.types.snow.elevation.min", "0.5").unwrap();
    let mut expected = Texture::temperate();
    expected.types.last_mut().unwrap().elevation.min = 0.5;
    assert_eq!(recipe.texture, Skin::Custom(expected));
    // What changes nothing leaves it as it was.
    for skin in [Skin::Woodland, Skin::Temperate.in_season(0.25)] {
        recipe.texture = skin.clone();
        recipe.set("texture.resolution", "4096").unwrap();
        assert_eq!(recipe.texture, skin);
        recipe.set("texture.resolution", "512").unwrap();
        assert_eq!(recipe.texture, Skin::Custom(Texture { resolution: 512, ..skin.texture() }));
    }
    recipe.texture = Skin::Sets(Sets { sets: vec![Skin::Arid, Skin::Temperate], at: 1.0, mask: None });
    recipe.set("texture.sets.1.types.0.slope.max", "30").unwrap();
    recipe.set("texture.at", "0.5").unwrap();
    recipe.set("texture.sets.0", "seasons(season: 0.5)").unwrap();
    let Skin::Sets(sets) = &recipe.texture else { panic!("{:?}", recipe.texture) };
    assert_eq!((&sets.sets[0], sets.at), (&Skin::Temperate.in_season(0.5), 0.5));
    assert_eq!(sets.sets[1].texture().types[0].slope.max, 30.0);
}

#[test]
fn a_limit_that_is_set_beyond_the_other_takes_it_along() {
    let mut recipe = Recipe::new("Land", (9, 9), 10.0);
    let limits = |recipe: &Recipe| recipe.texture.texture().types[2].elevation;
    recipe.set("texture.types.2.elevation.min", "300").unwrap();
    assert_eq!((limits(&recipe).min, limits(&recipe).max), (300.0, 300.0));
    recipe.set("texture.types.2.elevation.max", "400").unwrap();
    assert_eq!((limits(&recipe).min, limits(&recipe).max), (300.0, 400.0));
    let crossed = recipe.set("texture.types.2.elevation", "(min: 9, max: 3)").unwrap_err().to_string();
    assert!(crossed.contains("min 9 is above max 3; swap them"), "{crossed}");
}

#[test]
fn a_wrong_path_is_told_with_what_there_is() {
    let sets = Skin::Sets(Sets { sets: vec![Skin::Arid, Skin::Temperate], at: 1.0, mask: None });
    for (skin, path, text, expected) in [
        (
            Skin::Arid,
            "texture.types.2.hight",
            "1",
            "there is no `hight`; `texture.types.2` has name, id, colour, tile",
        ),
        (Skin::Arid, "texture.types.2.slope.mean", "1", "`texture.types.2.slope` has min, max, release"),
        (
            Skin::Arid,
            "texture.types.8.name",
            "x",
            "there is no 8 in `texture.types`; it has 8, counted from 0: bed, pale flats, sand",
        ),
        (Skin::Arid, "texture.types.-1.name", "x", "there is no -1 in `texture.types`"),
        (Skin::Arid, "texture.types.ice.name", "x", "there is no ice in `texture.types`; it has 8"),
        (Skin::Arid, "texture.colour", "x", "there is no `colour`; `texture` has resolution, elevation_unit"),
        (Skin::Arid, "texture.resolution.x", "1", "`texture.resolution` has no parts; it is a whole number"),
        (
            Skin::Arid,
            "texture.types.0.colour",
            "red",
            "\"red\" is not a colour; write red, green and blue as",
        ),
        (Skin::Arid, "texture.types.0.blend", "mixed", "`mixed` is not one of mix, cover, multiply, screen"),
        (
            Skin::Arid,
            "texture.types.0.slope",
            "steep",
            "`steep` is not any of min, max, release in parentheses",
        ),
        (
            Skin::Arid,
            "texture.bands.0.until",
            "3",
            "the entries of `texture.bands` are `texture.bands.list.0`",
        ),
        (Skin::Arid, "texture.types.0.id", "70000", "70000 is outside 0 to 65535"),
        (Skin::Arid, "texture.map.scale", "4", "texture.map.file: names no file"),
        (Skin::Arid, "texture.map.file", "", "names no file"),
        (Skin::Arid, "texture.bands.list.0.name", "x", "there is no 0 in `texture.bands.list`; it has 0"),
        (
            Skin::Arid,
            "texture.types.0.factors.dew.min",
            "0",
            "`texture.types.0.factors` has wetness, concavity",
        ),
        (sets.clone(), "texture.types.0.name", "x", "name one, from texture.sets.0.types.0.name"),
        (
            sets.clone(),
            "texture.sets.2.patch",
            "9",
            "there is no 2 in `texture.sets`; it has 2, counted from 0",
        ),
        (sets.clone(), "texture.sets.0", "sets(sets: [arid, arid])", "`sets` among sets"),
        (sets, "texture.sets", "[arid]", "1 is outside 2 to 64 sets"),
        (Skin::Arid, "view.form", "(1, 2, 3)", "there is no `form`; `view` has from, look"),
        (Skin::Arid, "view.from.w", "1", "there is no `w`; it has x, y, z"),
        (Skin::Arid, "view.from", "high", "it takes three numbers x, y and z"),
        (Skin::Arid, "view.from.y", "1e30", "1e30 is outside -100000000000 to 100000000000 m"),
        (Skin::Arid, "water.sea_level", "deep", "`deep` is not a number from -12000 to 12000 m"),
        (Skin::Arid, "size", "(0, 9)", "0×9 is outside 1 to 65536 samples a side"),
        (Skin::Arid, "size", "large", "`large` is neither two numbers of samples, such as (1025, 513)"),
        (Skin::Arid, "colour", "red", "names nothing; there are name, about, seed, size, cell, unit"),
    ] {
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.texture = skin;
        let before = recipe.clone();
        let said = recipe.set(path, text).unwrap_err().to_string();
        assert!(said.starts_with(&format!("{path}: ")) && said.contains(expected), "{path}={text}: {said}");
        assert_eq!(recipe, before, "nothing is changed on an error");
    }
}

#[test]
fn what_is_there_or_not_is_read_with_and_without_some() {
    let read = |texture: &str| {
        let text = format!(
            "(version: 1, name: \"L\", size: (9, 9), cell: 1, steps: [], texture: custom({texture}types: []))"
        );
        Recipe::from_ron(&text, "x").unwrap().texture
    };
    let lit = Skin::Custom(Texture {
        light: Some(Light { ambient: 0.5, ..Light::default() }),
        ..Texture::default()
    });
    assert_eq!(read("light: (ambient: 0.5), "), lit);
    assert_eq!(read("light: Some(ambient: 0.5), "), lit);
    assert_eq!(read("light: Light(ambient: 0.5), "), lit);
    assert_eq!(read("light: None, "), read(""));
}

#[test]
fn a_texture_is_written_as_it_always_was() {
    let kind = "elevation:(min:-100000.0,max:100000.0,release:0.0),slope:(min:0.0,max:90.0,release:0.0),skew:0.0,\
                skew_bearing:0.0,";
    let rest = "blend:mix,variation:0.0,roughen:0.0,slope_roughen:0.0";
    let written = format!(
        "(resolution:4096,elevation_unit:metres,blend_space:linear,patch:800.0,occlusion:1.0,light:Some((bearing:315.0,\
         elevation:45.0,strength:1.0,ambient:0.3,shadows:true)),map:Some((file:\"map.png\",colours:[\"#010203\"],\
         palettes:[],scale:16,majority:1,roughen:0.0)),bands:(extend:true,list:[(name:\"low\",colour:\"#336699\",centre:10.0,\
         range:50.0)]),types:[(name:\"bare\",{kind}{rest}),(name:\"wet\",id:Some(7),colour:\"#0080ff\",\
         tile:Some((image:\"sand\",size:4.0,mirror:false)),{kind}factors:(wetness:(min:0.25,max:0.75,release:0.1),\
         mask:(file:\"mask.png\",min:0.25,max:0.75,release:0.1)),{rest})])"
    );
    let texture: Texture = ron::from_str(&written).unwrap();
    assert_eq!(ron::to_string(&texture).unwrap(), written);
}

#[test]
fn what_has_to_be_given_is_missed() {
    for (texture, name) in [
        ("types: [(colour: \"#102030\")]", "name"),
        ("types: [(name: \"a\", tile: (size: 3))]", "image"),
        ("map: (scale: 3)", "file"),
        ("bands: (list: [(name: \"a\", colour: \"#102030\", centre: 3)])", "range"),
    ] {
        let text = format!(
            "(version: 1, name: \"L\", size: (9, 9), cell: 1, steps: [], texture: custom({texture}))"
        );
        let said = Recipe::from_ron(&text, "x").unwrap_err().to_string();
        assert!(said.contains(&format!("`{name}` is missing")), "{texture}: {said}");
    }
}

upland_core::params! {
    /// Rows of trees.
    pub struct Rows {
        /// How far apart.
        pub gap: f32 = 5.0;
        /// How many.
        pub count: u32 = 3, "rows" in 1.0..=9.0;
    }
}

upland_core::params! {
    /// An orchard, as a game may declare it.
    pub struct Orchard {
        /// Its rows.
        pub rows: Rows = Rows::default(), "m" in 1.0..=20.0;
        /// Further rows.
        pub further: Vec<Rows> = Vec::new(), "entries" in 0.0..=2.0;
        /// A well.
        pub well: Option<f32> = None, "m" in 0.0..=50.0;
    }
}

#[test]
fn a_groups_range_and_unit_hold_for_numbers_that_have_none() {
    let mut orchard = Orchard::default();
    let mut say = |path: &str, text: &str| set_from_text(&mut orchard, path, text).map_err(|e| e.to_string());
    say("rows.gap", "20").unwrap();
    say("well", "7.5").unwrap();
    say("further", "[(gap: 2), (count: 4)]").unwrap();
    assert_eq!(say("rows.gap", "21"), Err("rows.gap: 21 is outside 1 to 20 m".into()));
    assert_eq!(say("rows.count", "10"), Err("rows.count: 10 is outside 1 to 9 rows".into()));
    assert_eq!(say("well", "-1"), Err("well: -1 is outside 0 to 50 m".into()));
    let many = say("further", "[(), (), ()]").unwrap_err();
    assert!(many.contains("a list of more than 2 entries; leave some out"), "{many}");
    let paths = |orchard: &Orchard| {
        let mut paths = Vec::new();
        each(orchard, &mut |path, _, _| paths.push(path.to_owned()));
        paths.join(" ")
    };
    assert_eq!(paths(&Orchard::default()), "rows.gap rows.count well");
}
