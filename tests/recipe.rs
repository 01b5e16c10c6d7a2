//! Recipes: what is read, what is refused and how that is said.

use upland::params::{Params, Value, names, set_from_text};
use upland::{Error, FilePath, Grid, Operation, Preset, Recipe, Step, Work};

fn refusal(text: &str) -> (usize, String) {
    match Recipe::from_ron(text, "land.ron") {
        Err(Error::Recipe { origin, line, reason, .. }) => {
            assert_eq!(origin, "land.ron");
            (line, reason)
        }
        other => panic!("{text} gave {other:?}"),
    }
}

fn with_steps(steps: &str) -> String {
    format!(
        "(\n  version: 1,\n  name: \"Land\",\n  size: (9, 9),\n  cell: 10,\n  steps: [\n    {steps}\n  ],\n)"
    )
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_would_be_accepted() {
    let cases = [
        (with_steps("fbm(octaves: 99)"), 7, "`octaves`: 99 is outside 1 to 16"),
        (with_steps("fbm(height: -5)"), 7, "`height`: -5 is outside 0 to 12000 m"),
        (with_steps("fbm(octave: 9)"), 7, "unknown field `octave`; there are height, frequency"),
        (with_steps("fbn(octaves: 9)"), 7, "unknown step `fbn`; there are flat, fbm"),
        (with_steps("fbm(basis: granite)"), 7, "named `granite`"),
        (with_steps("fbm(blend: sideways)"), 7, "named `sideways`"),
        (with_steps("clamp(low: 1e9)"), 7, "`low`: 1000000000 is outside -12000 to 12000 m"),
        (with_steps("fbm(octaves: \"many\")"), 7, "Expected float"),
        (with_steps("").replace("version: 1", "version: 9"), 2, "9 is not known here"),
        (with_steps("").replace("size: (9, 9)", "size: (0, 9)"), 4, "0×9 is outside"),
        (with_steps("").replace("size: (9, 9)", "size: (60000, 60000)"), 4, "60000×60000 is outside"),
        (with_steps("").replace("cell: 10", "cell: 0"), 5, "`cell`: 0 is outside"),
        (with_steps("").replace("cell: 10", "cell: 10, seed: \"abc\""), 5, "Expected integer"),
        (with_steps("").replace("cell: 10", "cell: 10, colour: 3"), 5, "Unexpected field named `colour`"),
        (
            with_steps("").replace("cell: 10", "cell: 10, sun: (elevation: 91)"),
            5,
            "`elevation`: 91 is outside -10 to 90 °",
        ),
        (
            with_steps("").replace("cell: 10", "cell: 10, sun: (hight: 9)"),
            5,
            "unknown field `hight`; there are bearing, elevation",
        ),
        (with_steps("").replace("cell: 10", "cell: 10, water: (sea: 7)"), 5, "Expected boolean"),
    ];
    for (text, line, reason) in cases {
        assert!(!reason.is_empty(), "every message has the empty one in it");
        let (found_line, found) = refusal(&text);
        assert_eq!(found_line, line, "{text}\n{found}");
        assert!(found.contains(reason), "{text}\n{found}");
    }
}

#[test]
fn lists_of_places_are_read_and_refused_with_line_and_column() {
    let recipe = Recipe::from_ron(&with_steps("river(points: [(0.5, 0), (0.25, 1.5)])"), "x").unwrap();
    let text = recipe.to_ron().unwrap();
    assert!(text.contains("points: [(0.5, 0.0), (0.25, 1.5)]"), "{text}");
    assert_eq!(Recipe::from_ron(&text, "x").unwrap(), recipe);
    let column = |text: &str| match Recipe::from_ron(text, "x") {
        Err(Error::Recipe { line: 7, column, .. }) => column,
        other => panic!("{other:?}"),
    };
    let list = "river(points: [(0.5, 0), (0.25, 7.5)])";
    assert_eq!(column(&with_steps(list)), 5 + list.find("7.5").unwrap() + "7.5".len());
    let many = format!("river(points: [{}])", "(0, 0), ".repeat(1001));
    for (list, reason) in [
        (list, "`points`: place 2: 7.5 is outside -1 to 2"),
        ("river(points: [(NaN, 0)])", "`points`: place 1: NaN is outside -1 to 2"),
        (&many, "`points`: more than 1000 places are too many"),
        ("river(points: [(0.5, 0, 3)])", "`points`: Expected closing `)`"),
        ("river(points: [0.5, 0])", "`points`: Expected opening `(`"),
        ("river(points: 7)", "`points`: Expected opening `[`"),
        ("river(points: [(0.5, 0)", "Expected comma"),
    ] {
        let (line, found) = refusal(&with_steps(list));
        assert!(found.contains(reason), "{list}: {found}");
        assert!(line >= 7, "{list}: {line}");
    }
}

#[test]
fn every_preset_can_be_read_and_written_and_read_again() {
    for preset in Preset::all() {
        let recipe = preset.recipe().unwrap();
        let again = Recipe::from_ron(&recipe.to_ron().unwrap(), preset.name).unwrap();
        assert_eq!(again, recipe, "{}", preset.name);
        assert!(!recipe.about.is_empty(), "{}", preset.name);
    }
}

#[test]
fn every_preset_makes_land_and_colours_at_a_small_size() {
    for preset in Preset::all() {
        let landscape = preset.recipe().unwrap().preview(65).build(&Work::new()).unwrap();
        let (low, high) = landscape.heightfield.range();
        assert!(high - low > 50.0, "{}: {low} to {high}", preset.name);
        let first = landscape.colour.texels[0];
        assert!(landscape.colour.texels.iter().any(|texel| texel[..3] != first[..3]), "{}", preset.name);
        assert!(landscape.colour.texels.iter().all(|texel| texel[..3] != [0, 0, 0]), "{}", preset.name);
    }
}

/// What every parameter is, as text, with its name.
fn values(of: &mut dyn Params) -> Vec<(&'static str, String)> {
    let mut values = Vec::new();
    of.visit(&mut |param, value| {
        values.push((
            param.name,
            match value {
                Value::Float(value) => value.to_string(),
                Value::Int(value) => value.to_string(),
                Value::Flag(value) => value.to_string(),
                Value::Choice(choice) => choice.names()[choice.index()].to_owned(),
                Value::File(file) => file.text().to_owned(),
                Value::Points(points) => format!("{points:?}"),
            },
        ));
    });
    values
}

#[test]
fn every_step_is_read_back_as_it_is_written() {
    for name in Step::names() {
        let mut recipe = Recipe::new("Steps", (3, 3), 1.0);
        let mut step = Step::from_name(name).unwrap();
        // Every number, name and switch is another than it would be if nobody had read it.
        step.visit(&mut |param, value| {
            let (start, end) = (*param.range.start() as f32, *param.range.end() as f32);
            match value {
                Value::Float(value) if *value < end => *value += 0.25 * (end - *value),
                Value::Float(value) => *value = 0.5 * (start + end),
                Value::Int(value) => *value = if *value < end as u32 { *value + 1 } else { start as u32 },
                Value::Flag(value) => *value = !*value,
                Value::Choice(choice) => choice.set_index((choice.index() + 1) % choice.names().len()),
                Value::File(file) => *file = FilePath::new(format!("{}.png", param.name)),
                Value::Points(points) => points.extend([glam::vec2(0.125, 1.5), glam::vec2(-0.5, 0.25)]),
            }
        });
        let (moved, plain) = (values(&mut step), values(&mut Step::from_name(name).unwrap()));
        assert!(moved.iter().zip(&plain).all(|(moved, plain)| moved != plain), "{moved:?} {plain:?}");
        recipe.steps.push(step);
        let text = recipe.to_ron().unwrap();
        let again = Recipe::from_ron(&text, name).unwrap();
        assert_eq!(values(&mut again.steps[0].clone()), moved, "{text}");
        assert_eq!(again, recipe, "{name}");
    }
}

#[test]
fn every_step_works_on_any_size_that_there_is() {
    for (width, depth) in [(1, 1), (2, 1), (1, 2), (3, 100), (64, 64), (65, 33)] {
        for name in Step::names() {
            let step = Step::from_name(name).unwrap();
            // Land must come from somewhere; a file is named by nobody here.
            if *name == "import" {
                continue;
            }
            let mut recipe = Recipe::new("Sizes", (width, depth), 10.0);
            if matches!(step.operation, Operation::Filter(_)) {
                recipe.steps.push(Step::from_name("fbm").unwrap());
            }
            recipe.steps.push(step);
            let field = recipe.build_heightfield(&Work::new()).unwrap();
            assert_eq!(field.grid(), Grid::new(width as usize, depth as usize, 10.0).unwrap());
            assert!(field.heights().iter().all(|height| height.is_finite()), "{name} {width}×{depth}");
        }
    }
}

#[test]
fn the_same_recipe_gives_the_same_bits_on_any_number_of_threads() {
    for name in Step::names().iter().filter(|name| **name != "import") {
        let mut recipe = Recipe::new("Threads", (150, 97), 10.0);
        recipe.seed = 11;
        recipe.steps.extend([Step::from_name("fbm").unwrap(), Step::from_name(name).unwrap()]);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let field = pool.install(|| recipe.build_heightfield(&Work::new())).unwrap();
            field.heights().iter().map(|height| height.to_bits()).collect::<Vec<_>>()
        };
        let one = with_threads(1);
        assert!(one == with_threads(2) && one == with_threads(7), "{name}");
    }
}

/// What has to be said before a parameter matters.
const MATTERS: &[(&str, &str, &[(&str, &str)])] = &[
    ("diamond_square", "north_west", &[("corners", "given")]),
    ("diamond_square", "north_east", &[("corners", "given")]),
    ("diamond_square", "south_west", &[("corners", "given")]),
    ("diamond_square", "south_east", &[("corners", "given")]),
    ("deposition", "search", &[("search", "3")]),
    ("fault", "width", &[("profile", "sine")]),
    ("clamp", "high", &[("low", "-12000")]),
    ("river", "flow", &[("bearing", "0")]),
    ("*", "mask_min", &[("mask", "height")]),
    ("*", "mask_max", &[("mask", "height")]),
    ("*", "mask_release", &[("mask", "height"), ("mask_min", "0"), ("mask_max", "100")]),
    ("*", "mask_frequency", &[("mask", "noise")]),
    ("*", "mask_threshold", &[("mask", "noise")]),
    ("*", "mask_softness", &[("mask", "noise")]),
    ("*", "mask_image", &[("mask", "image"), ("mask_image", WORLD)]),
    ("*", "mask_invert", &[("mask", "height"), ("mask_min", "0")]),
];
const WORLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/world_height_64.png");
const COLOURED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tiff/rgb16.tif");
const FAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jacksboro_fault_16bit.png");

/// Every value of a parameter that is worth a try: as far as it goes either way, and steps between.
fn others(step: &Step, name: &str) -> Vec<Step> {
    let mut all = Vec::new();
    for attempt in 0..12u32 {
        let (mut other, share) = (step.clone(), f64::from(attempt) / 11.0);
        let mut is_other = false;
        other.visit(&mut |param, value| {
            let (start, end) = (*param.range.start(), *param.range.end());
            let number = start + share * (end - start);
            if param.name != name {
                return;
            }
            is_other = match value {
                Value::Float(value) => std::mem::replace(value, number as f32) != number as f32,
                // A few more is enough, and the most would take hours.
                Value::Int(value) => {
                    let fewest = (*value).saturating_sub(6).max(start as u32);
                    let number = (fewest + attempt).min(end as u32);
                    std::mem::replace(value, number) != number
                }
                Value::Flag(value) => {
                    *value = !*value;
                    attempt == 0
                }
                Value::Choice(choice) => {
                    let before = choice.index();
                    choice.set_index(attempt as usize);
                    choice.index() != before
                }
                Value::File(file) => {
                    *file = FilePath::new(FAULT);
                    attempt == 0
                }
                Value::Points(points) => {
                    *points = vec![glam::vec2(0.2, 0.1), glam::vec2(0.7, 0.9)];
                    attempt == 0
                }
            };
        });
        if is_other {
            all.push(other);
        }
    }
    all
}

/// A parameter that changes nothing is a promise that nobody keeps.
#[test]
fn every_parameter_of_every_step_changes_the_land() {
    let mut before = Recipe::new("Land", (61, 47), 25.0);
    before.steps.push(Step::from_name("fbm").unwrap());
    before.seed = 8;
    let before = before.build_heightfield(&Work::new()).unwrap();
    let land = |step: &Step, seed: u64| {
        let mut field = before.clone();
        let river = step.apply(&mut field, seed, &Work::new())?;
        Ok::<_, Error>((field, river))
    };
    let mut idle = Vec::new();
    for step_name in Step::names() {
        let mut plain = Step::from_name(step_name).unwrap();
        for (name, text) in
            [("file", COLOURED), ("drops", "2000"), ("faults", "50"), ("detail", "65"), ("factor", "2")]
        {
            // Of those that have it.
            let _ = set_from_text(&mut plain, name, text);
        }
        let is_random = land(&plain, 1).unwrap() != land(&plain, 2).unwrap();
        for name in names(&mut plain) {
            let mut step = plain.clone();
            let needs = MATTERS.iter().find(|(of, what, _)| ["*", *step_name].contains(of) && *what == name);
            for (name, text) in needs.map_or(&[][..], |needs| needs.2) {
                set_from_text(&mut step, name, text).unwrap();
            }
            let before = land(&step, 1).unwrap();
            // What a step refuses is no answer.
            let mut tried = others(&step, name).into_iter().filter_map(|other| land(&other, 1).ok());
            let is_excused = match name {
                // It has sizes of its own.
                "wrap" => true,
                "variant" => !is_random,
                _ => false,
            };
            if !is_excused && !tried.any(|after| after != before) {
                idle.push(format!("{step_name}.{name}"));
            }
        }
    }
    assert!(idle.is_empty(), "these change nothing: {idle:?}");
}

#[test]
fn a_cancelled_build_stops() {
    let recipe = Preset::all()[0].recipe().unwrap();
    let work = Work::new();
    work.cancel();
    assert!(matches!(recipe.build(&work), Err(Error::Cancelled)));
}

#[test]
fn an_error_in_a_step_names_the_step() {
    let text = with_steps("fbm(), clamp(low: 5, high: 1)");
    let error = Recipe::from_ron(&text, "land.ron").unwrap().build(&Work::new()).unwrap_err().to_string();
    assert!(error.starts_with("steps.1 (clamp): low: 5 m is above `high`, 1 m"), "{error}");
}

#[test]
fn a_preview_shows_the_same_land() {
    let recipe =
        Recipe::from_ron(&with_steps("ridged(height: 900)").replace("(9, 9)", "(129, 65)"), "x").unwrap();
    let (large, small) = (recipe.clone(), recipe.with_longer_side(65));
    assert_eq!(small.size, (65, 33));
    let (large, small) =
        (large.build_heightfield(&Work::new()).unwrap(), small.build_heightfield(&Work::new()).unwrap());
    assert_eq!(large.grid().extent(), small.grid().extent());
    for row in 0..33 {
        for column in 0..65 {
            assert_eq!(small.at(column, row), large.at(2 * column, 2 * row));
        }
    }
}

#[test]
fn blends_do_what_they_are_called() {
    let build = |steps: &str| {
        let recipe = Recipe::from_ron(&with_steps(steps), "x").unwrap();
        recipe.build_heightfield(&Work::new()).unwrap().at(0, 0)
    };
    for (blend, expected) in [
        ("replace", 5.0),
        ("add", 25.0),
        ("subtract", 15.0),
        ("multiply", 100.0),
        ("min", 5.0),
        ("max", 20.0),
    ] {
        assert_eq!(build(&format!("flat(height: 20), flat(height: 5, blend: {blend})")), expected);
    }
    assert_eq!(build("flat(height: 5), flat(height: 20, blend: min)"), 5.0);
    assert_eq!(build("flat(height: 5), flat(height: 20, blend: max)"), 20.0);
    assert_eq!(build("flat(height: 20), flat(height: 10, amount: 0.25)"), 17.5);
    assert_eq!(build("flat(height: 20), flat(height: 10, on: false)"), 20.0);
    assert_eq!(build("flat(height: 20), scale(factor: 3, amount: 0.5)"), 40.0);
}

#[test]
fn a_mask_limits_where_a_step_acts() {
    let build = |steps: &str| {
        let recipe = Recipe::from_ron(&with_steps(steps), "x").unwrap();
        recipe.build_heightfield(&Work::new()).unwrap().at(0, 0)
    };
    // The land before the step counts: 20 m high and level.
    let height = "mask: height, mask_min: 30, mask_max: 50, mask_release: 40";
    assert_eq!(build(&format!("flat(height: 20), flat(height: 100, {height})")), 80.0);
    assert_eq!(build(&format!("flat(height: 20), flat(height: 100, blend: add, {height})")), 95.0);
    assert_eq!(build(&format!("flat(height: 20), scale(factor: 3, {height}, amount: 0.5)")), 35.0);
    let steep = "mask: slope, mask_min: 10, mask_max: 90";
    assert_eq!(build(&format!("flat(height: 20), scale(factor: 3, {steep})")), 20.0);
    assert_eq!(build(&format!("flat(height: 20), scale(factor: 3, {steep}, mask_invert: true)")), 60.0);
}

#[test]
fn steps_are_changed_by_their_place_and_name() {
    let mut recipe = Recipe::from_ron(&with_steps("fbm(), clamp()"), "x").unwrap();
    for (path, text) in [
        ("seed", "99"),
        ("steps.0.octaves", "6"),
        ("steps.1.high", "250.5"),
        ("steps.0.basis", "value"),
        ("steps.0.mask", "slope"),
        ("steps.0.mask_max", "30"),
        ("sun.elevation", "-3"),
        ("water.sea", "true"),
        ("texture", "arid"),
    ] {
        recipe.set(path, text).unwrap();
    }
    let expected = with_steps("fbm(octaves: 6, basis: value, mask: slope, mask_max: 30), clamp(high: 250.5)")
        .replace("cell: 10", "cell: 10, seed: 99, sun: (elevation: -3), water: (sea: true), texture: arid");
    assert_eq!(recipe, Recipe::from_ron(&expected, "x").unwrap());
    recipe.steps[1] = Step::from_name("river").unwrap();
    recipe.set("steps.1.points", "[(0.5, 0), (0.4, 1)]").unwrap();
    let drawn = Recipe::from_ron(&with_steps("fbm(), river(points: [(0.5, 0), (0.4, 1)])"), "x").unwrap();
    assert_eq!(recipe.steps[1], drawn.steps[1]);
    let error = recipe.set("steps.1.points", "[(0.5, 9)]").unwrap_err().to_string();
    assert_eq!(error, "steps.1.points: place 1: 9 is outside -1 to 2");
    let before = recipe.clone();
    let (nothing, no_step) =
        ("names nothing; there are name, seed, cell", "the recipe has 2, counted from 0");
    for (path, reason) in [
        ("", nothing),
        ("steps", nothing),
        ("steps.0", nothing),
        ("steps.x.octaves", no_step),
        ("steps.-1.octaves", no_step),
        ("sun", nothing),
        ("sun.x.y", nothing),
        ("seed.1", nothing),
    ] {
        let error = recipe.set(path, "1").unwrap_err().to_string();
        assert!(error.starts_with(&format!("{path}: ")) && error.contains(reason), "{path}: {error}");
        assert!(recipe == before, "{path}");
    }
}

#[test]
fn real_elevation_has_the_sides_that_it_has_in_nature() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/elevation/jacksboro_fault.asc");
    let opened = Recipe::open(path).unwrap();
    for recipe in [opened, Preset::find("jacksboro").unwrap().recipe().unwrap()] {
        let field = recipe.build_heightfield(&Work::new()).unwrap();
        let (extent, (low, high)) = (field.grid().extent(), field.range());
        assert!((extent.x / 29_860.0 - 1.0).abs() < 0.005, "{extent}");
        assert!((extent.y / 31_720.0 - 1.0).abs() < 0.005, "{extent}");
        assert!((low - 236.0).abs() < 10.0 && (high - 1076.0).abs() < 10.0, "{low} to {high}");
        // Not mirrored: the plain lies in the south-east, the mountains in the north-west.
        let at = |x: f32, z: f32| field.sample(glam::vec2(x, z) * extent);
        let mean = |x0: f32, z0: f32| {
            (0..100).map(|i| at(x0 + 0.03 * (i % 10) as f32, z0 + 0.03 * (i / 10) as f32)).sum::<f32>()
                / 100.0
        };
        assert!(mean(0.1, 0.1) > mean(0.6, 0.65) + 50.0, "{} {}", mean(0.1, 0.1), mean(0.6, 0.65));
    }
}

#[test]
fn a_missing_elevation_file_is_named() {
    let text = with_steps("import(file: \"nowhere.tif\")");
    let error = Recipe::from_ron(&text, "land.ron").unwrap().build(&Work::new()).unwrap_err().to_string();
    assert!(error.contains("nowhere.tif") && error.contains("no such file"), "{error}");
}
