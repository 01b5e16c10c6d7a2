//! Recipes: what is read, what is refused and how that is said.

use proptest::prelude::*;
use upland_core::params::{Name, Params, Value, names, set_from_text};
use upland_core::steps::{self, Ground, Kind};
use upland_core::{
    CELLS, CellSize, Error, FilePath, Grid, Heightfield, Preset, Raster, Recipe, SIDES, Step, View, Work,
};

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
        (with_steps("fbm(basis: granite)"), 7, "`basis`: `granite` is not one of gradient"),
        (with_steps("fbm(blend: sideways)"), 7, "`blend`: `sideways` is not one of replace"),
        (with_steps("clamp(low: 1e9)"), 7, "`low`: 1000000000 is outside -12000 to 12000 m"),
        (with_steps("fbm(octaves: \"many\")"), 7, "`octaves`: it takes a number from 1 to 16"),
        (with_steps("").replace("version: 1", "version: 9"), 2, "9 is not known here"),
        (with_steps("").replace("size: (9, 9)", "size: (0, 9)"), 4, "0×9 is outside"),
        (with_steps("").replace("size: (9, 9)", "size: (70000, 60000)"), 4, "70000×60000 is outside"),
        (with_steps("").replace("cell: 10", "cell: 0"), 5, "`cell`: 0 is outside"),
        (
            with_steps("").replace("cell: 10", "cell: 10, seed: \"abc\""),
            5,
            "`seed`: it takes a whole number from 0 to 18446744073709551615",
        ),
        (with_steps("").replace("cell: 10", "cell: 10, colour: 3"), 5, "there is no field `colour`"),
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
        (with_steps("").replace("cell: 10", "cell: 10, water: (sea: 7)"), 5, "`sea`: it takes true or false"),
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
        ("river(points: [(0.5, 0, 3)])", "it takes a list of places such as"),
        ("river(points: [0.5, 0])", "it takes a list of places such as"),
        ("river(points: 7)", "it takes a list of places such as"),
        ("river(points: [(0.5, 0)", "a comma is missing"),
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
                Value::Name(name) => name.as_str().to_owned(),
                Value::Points(points) => format!("{points:?}"),
                Value::Text(text) => text.clone(),
                _ => panic!("{} is of a kind that no built-in step has", param.name),
            },
        ));
    });
    values
}

#[test]
fn every_step_is_read_back_as_it_is_written() {
    for name in steps::names() {
        let mut recipe = Recipe::new("Steps", (3, 3), 1.0);
        let mut step = Step::from_name(name).unwrap();
        // Every number, name and switch is another than it would be if nobody had read it.
        step.visit(&mut |param, value| {
            let (start, end) = (*param.range.start() as f32, *param.range.end() as f32);
            match value {
                Value::Float(value) if *value < end => *value += 0.25 * (end - *value),
                Value::Float(value) => *value = 0.5 * (start + end),
                Value::Int(value) if *value < end as u32 => *value = param.fitting(*value + 1, *value),
                Value::Int(value) => *value = start as u32,
                Value::Flag(value) => *value = !*value,
                Value::Choice(choice) => choice.set_index((choice.index() + 1) % choice.names().len()),
                Value::File(file) => *file = FilePath::new(format!("{}.png", param.name)),
                Value::Name(name) => *name = Name::new("moved").unwrap(),
                Value::Points(points) => points.extend([glam::vec2(0.125, 1.5), glam::vec2(-0.5, 0.25)]),
                Value::Text(text) => text.push_str(", \"moved\""),
                _ => panic!("{} is of a kind that no built-in step has", param.name),
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

/// Steps that do nothing without a file.
const NAMES_FILE: [&str; 4] = ["import", "sculpt_vector", "stamp", "strokes"];

#[test]
fn every_step_works_on_any_size_that_there_is() {
    for (width, depth) in [(1, 1), (2, 1), (1, 2), (3, 100), (64, 64), (65, 33)] {
        for name in steps::names() {
            let step = Step::from_name(name).unwrap();
            // Land must come from somewhere; a file is named by nobody here.
            if NAMES_FILE.contains(&name) {
                continue;
            }
            let mut recipe = Recipe::new("Sizes", (width, depth), 10.0);
            if step.operation.kind() == Kind::Filter {
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
    for name in steps::names().into_iter().filter(|name| !NAMES_FILE.contains(name)) {
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
    ("diamond_square", "seam", &[("wrap", "true")]),
    ("fault", "width", &[("profile", "sine")]),
    ("fault", "beyond", &[("profile", "sine")]),
    ("clamp", "high", &[("low", "-12000")]),
    ("stones", "slope_release", &[("slope_min", "20")]),
    ("dunes", "apart", &[("winds", "two")]),
    ("dunes", "second", &[("winds", "two")]),
    ("river", "flow", &[("bearing", "0")]),
    ("river", "sea", &[("course", "valleys")]),
    ("river", "rank", &[("course", "valleys")]),
    ("glacier", "max_slope", &[("max_slope", "20")]),
    ("glacier", "warming", &[("warming", "0")]),
    ("drainage", "evaporation", &[("smallest_lake", "0")]),
    ("drainage", "runoff", &[("smallest_lake", "0"), ("evaporation", "1000")]),
    ("lakes", "shallowest", &[("smallest", "0")]),
    ("lakes", "open_border", &[("smallest", "0"), ("shallowest", "0")]),
    ("lakes", "evaporation", &[("smallest", "0"), ("shallowest", "0")]),
    ("lakes", "runoff", &[("smallest", "0"), ("shallowest", "0"), ("evaporation", "1000")]),
    ("hole", "length", &[("shape", "rectangle"), ("width", "300")]),
    ("hole", "width", &[("shape", "rectangle"), ("length", "300")]),
    ("hole", "turn", &[("shape", "rectangle"), ("length", "600"), ("width", "100")]),
    ("hole", "height", &[("shape", "ball")]),
    ("hole", "from", &[("shape", "ball")]),
    ("platform", "radius", &[("shape", "disc")]),
    ("platform", "turn", &[("length", "300")]),
    ("platform", "bearing", &[("grade", "20")]),
    ("stamp", "from", &[("mode", "replace")]),
    ("stamp", "turn", &[("length", "900")]),
    ("import", "sample", &[("file", RAW)]),
    ("import", "order", &[("file", RAW)]),
    ("import", "flip_rows", &[("file", RAW)]),
    ("import", "flip_columns", &[("file", RAW)]),
    ("*", "mask_layer", &[("mask", "layer"), ("mask_layer", "everywhere"), ("mask_max", "5")]),
    ("*", "mask_factor", &[("mask", "factor"), ("mask_factor", "temperature"), ("mask_min", "0.5")]),
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
const RAW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/big_endian.r16");
const STROKES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strokes/hills.strokes.ron");
const ONE_STROKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strokes/one.strokes.ron");
const FAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jacksboro_fault_16bit.png");

/// Every value of a parameter that is worth a try: as far as it goes either way, and steps between.
fn others(step: &Step, name: &str) -> Vec<Step> {
    let (mut all, step_name) = (Vec::new(), step.name());
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
                    let is_of_strokes = step_name == "strokes" && name == "file";
                    *file = FilePath::new(if is_of_strokes { ONE_STROKE } else { FAULT });
                    attempt == 0
                }
                Value::Name(name) => {
                    *name =
                        Name::new(if param.name == "mask_factor" { "convexity" } else { "other" }).unwrap();
                    attempt == 0
                }
                Value::Points(points) => {
                    *points = vec![glam::vec2(0.2, 0.1), glam::vec2(0.7, 0.9)];
                    attempt == 0
                }
                // The plane of `import`, or the coefficients of `convolve`.
                Value::Text(text) => {
                    *text = if name == "plane" { "2" } else { "0 1 0, 1 2 1, 0 1 0" }.to_owned();
                    attempt == 0
                }
                _ => panic!("{name} is of a kind that no built-in step has"),
            };
        });
        if is_other {
            all.push(other);
        }
    }
    all
}

/// A parameter that changes nothing is a promise that nobody keeps.
/// Takes some seconds: land is built for each of some hundred parameters.
#[test]
fn every_parameter_of_every_step_changes_the_land() {
    let mut before = Recipe::new("Land", (61, 47), 25.0);
    before.steps.push(Step::from_name("fbm").unwrap());
    before.seed = 8;
    let before = before.build_heightfield(&Work::new()).unwrap();
    let land = |step: &Step, seed: u64| {
        let mut ground = Ground::new(before.clone());
        for (layer, value) in [("everywhere", 0.0), ("other", 20_000.0)] {
            ground.write_layer(layer, Heightfield::flat(ground.grid(), value));
        }
        // With all heights distinct there is no majority.
        if step.name() == "majority" {
            ground.heights.heights_mut().iter_mut().for_each(|height| *height = (*height / 90.0).round());
        }
        step.apply(&mut ground, seed, &Work::new())?;
        Ok::<_, Error>(ground)
    };
    let mut idle = Vec::new();
    for step_name in steps::names() {
        let mut plain = Step::from_name(step_name).unwrap();
        for (name, text) in
            [("file", COLOURED), ("drops", "2000"), ("faults", "50"), ("detail", "65"), ("factor", "2")]
        {
            // Of those that have it.
            let _ = set_from_text(&mut plain, name, text);
        }
        // As they come they are too small for these samples.
        for (of, name, text) in [
            ("strokes", "file", STROKES),
            ("ledges", "thickness", "300"),
            ("stones", "size", "200"),
            ("ripples", "length", "400"),
            ("hole", "radius", "200"),
            // No slope of this land is steep enough for the usual one.
            ("talus", "slope_min", "12"),
            // The land is low.
            ("snow", "temperature", "-4"),
            // The hills are lower than the usual line.
            ("glacier", "line", "0"),
            ("streams", "from", "0.0002"),
            ("streams", "sea", "-12000"),
            // Fewer than by default are enough.
            ("dunes", "steps", "20"),
            // From the land itself it would be blended into the same land.
            ("group", "start", "level"),
        ] {
            if of == step_name {
                set_from_text(&mut plain, name, text).unwrap();
            }
        }
        let of_plain = land(&plain, 1).unwrap();
        let is_random = of_plain != land(&plain, 2).unwrap();
        for name in names(&plain) {
            let mut step = plain.clone();
            let needs = MATTERS.iter().find(|(of, what, _)| ["*", step_name].contains(of) && *what == name);
            for (name, text) in needs.map_or(&[][..], |needs| needs.2) {
                set_from_text(&mut step, name, text).unwrap();
            }
            // Most parameters matter without more ado.
            let of_step = needs.map(|_| land(&step, 1).unwrap());
            let before = of_step.as_ref().unwrap_or(&of_plain);
            // What a step refuses is no answer.
            let mut tried = others(&step, name).into_iter().filter_map(|other| land(&other, 1).ok());
            let is_excused = match name {
                // It has sizes of its own.
                "wrap" => true,
                "variant" => !is_random,
                // They count together: one of them alone fits no file.
                "columns" | "rows" | "skip" => step_name == "import",
                // No stream of this land is flat for long enough.
                "meander_years" => step_name == "streams",
                // For people alone.
                "name" => step_name == "group",
                // They say where on the map the land lies, and not how high.
                "map" | "spacing" => step_name == "import",
                _ => false,
            };
            if !is_excused && !tried.any(|after| after != *before) {
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
        ("names nothing; there are name, about, seed, size, cell, unit", "the recipe has 0 (fbm), 1 (river)");
    for (path, reason) in [
        ("", nothing),
        ("steps", nothing),
        ("steps.0", "is a whole step (fbm); set one of its parameters: height, frequency"),
        ("steps.x.octaves", no_step),
        ("steps.-1.octaves", no_step),
        ("sun", "`1` is not any of bearing, elevation in parentheses"),
        ("sun.x.y", "there is no `x`; `sun` has bearing, elevation"),
        ("weather.rain", "there is no `rain`; `weather` has clouds, base, high_clouds, visibility"),
        ("seed.1", "`seed` has no parts; it is a whole number from 0 to"),
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
fn imported_land_stays_within_the_samples_around_it() {
    let (width, depth) = (23, 17);
    // Cliffs and spikes, in cells that are half as wide again as they are deep.
    let rough = |index: usize| match (index * 7919) % 13 {
        kind @ 0..4 => 1000.0 - kind as f32,
        kind => kind as f32 * 0.5 - 40.0,
    };
    let cell = CellSize::Degrees { x: 0.01, z: 0.01, latitude: 47.0 };
    let raster = Raster::new(width, depth, (0..width * depth).map(rough).collect(), cell).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.tif");
    upland_core::formats::write(&path, &raster, &Default::default()).unwrap();
    let recipe = Recipe::from_elevation(&path).unwrap();
    let square = recipe.build_heightfield(&Work::new()).unwrap();
    assert!(square.grid().depth > depth + 4);
    // There is one way from a file's cells to square ones.
    assert_eq!(square.heights(), raster.to_heightfield(1.0).unwrap().heights());
    for field in [square, recipe.with_longer_side(100).build_heightfield(&Work::new()).unwrap()] {
        let grid = field.grid();
        for (column, row) in (0..grid.depth).flat_map(|row| (0..grid.width).map(move |column| (column, row)))
        {
            let around = |index: usize, count: usize, samples: usize| {
                let place = index * (samples - 1) / (count - 1);
                place.saturating_sub(1)..=(place + 2).min(samples - 1)
            };
            let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
            for z in around(row, grid.depth, depth) {
                for x in around(column, grid.width, width) {
                    (low, high) = (low.min(raster.at(x, z)), high.max(raster.at(x, z)));
                }
            }
            let height = field.at(column, row);
            assert!((low..=high).contains(&height), "{height} at {column}, {row}: {low} to {high}");
        }
    }
}

#[test]
fn a_missing_elevation_file_is_named() {
    let text = with_steps("import(file: \"nowhere.tif\")");
    let error = Recipe::from_ron(&text, "land.ron").unwrap().build(&Work::new()).unwrap_err().to_string();
    assert!(error.contains("nowhere.tif") && error.contains("no such file"), "{error}");
}

/// Kinds of values that a parameter may be given.
const WRONG: [&str; 14] = [
    "-1",
    "3.5",
    "-99999999",
    "4294967296",
    "99999999999999999999999",
    "1e99",
    "NaN",
    "inf",
    "\"text\"",
    "word",
    "true",
    "[1, 2]",
    "(1, 2)",
    "(a: 1)",
];

#[test]
fn every_wrong_value_of_every_parameter_is_told_with_its_name_and_what_is_accepted() {
    let mut refused = 0;
    for step in steps::names() {
        let mut known = Vec::new();
        Step::from_name(step).unwrap().visit(&mut |param, value| {
            let accepted = match &value {
                Value::Points(_) => "a list of places such as".into(),
                Value::Choice(choice) => choice.names().join(", "),
                // The numbers stand in every message, whatever else it says.
                Value::Float(_) | Value::Int(_) => {
                    format!("{} to {}", param.range.start(), param.range.end())
                }
                _ => param.accepted(value.reading()),
            };
            let is_right = |text: &str| match &value {
                Value::Float(_) => text.parse().is_ok_and(|number: f64| param.range.contains(&number)),
                Value::Int(_) => text.parse().is_ok_and(|number: u32| param.range.contains(&number.into())),
                Value::Flag(_) => text == "true",
                Value::File(_) | Value::Name(_) | Value::Text(_) => text.starts_with('"'),
                _ => false,
            };
            let wrong: Vec<&str> = WRONG.into_iter().filter(|text| !is_right(text)).collect();
            known.push((param.name, accepted, wrong));
        });
        for (name, accepted, wrong) in known {
            for text in wrong {
                let (line, reason) = refusal(&with_steps(&format!("{step}({name}: {text})")));
                assert_eq!(line, 7, "{step}({name}: {text}): {reason}");
                assert!(reason.starts_with(&format!("`{name}`: ")), "{step}({name}: {text}): {reason}");
                assert!(reason.contains(&accepted), "{step}({name}: {text}): {reason} without {accepted}");
                refused += 1;
            }
        }
    }
    assert!(refused > 1000, "{refused}");
    for (text, expected) in [
        ("fault(faults: -1)", "`faults`: -1 is outside "),
        ("fault(faults: 3.5)", "`faults`: 3.5 is not a whole number from "),
        ("fault(faults: 3.0)", "`faults`: 3.0 is not a whole number from "),
        ("fault(faults: \"ten\")", "`faults`: \"ten\" is not a whole number from "),
        ("fbm(basis: 7)", "it takes one of gradient, "),
    ] {
        let (_, reason) = refusal(&with_steps(text));
        assert!(reason.contains(expected), "{text}: {reason}");
    }
}

#[test]
fn a_field_given_twice_is_refused_wherever_it_stands() {
    let whole = |field: &str| with_steps("").replace("cell: 10", &format!("cell: 10, {field}"));
    let kinds = "texture: custom(types: [(name: \"a\", colour: \"#102030\", ";
    for (text, field) in [
        (with_steps("fbm(octaves: 3, octaves: 4)"), "octaves"),
        (with_steps("fbm(amount: 0.5, height: 10, amount: 0.5)"), "amount"),
        (with_steps("fbm(mask: noise, mask: noise)"), "mask"),
        (with_steps("mean(size: 3, size: 3)"), "size"),
        (with_steps("river(width: 9, width: 9)"), "width"),
        (whole("cell: 20"), "cell"),
        (whole("seed: 1, seed: 1"), "seed"),
        (whole("sun: (bearing: 1, bearing: 2)"), "bearing"),
        (whole("water: (sea: true, sea: true)"), "sea"),
        (whole("view: (from: (0, 0, 0), look: (0, 0, 0), from: (0, 0, 0))"), "from"),
        (whole("texture: seasons(season: 0, season: 1)"), "season"),
        (whole("texture: sets(sets: [arid, woodland], at: 0.5, at: 0.5)"), "at"),
        (whole("texture: custom(patch: 9, patch: 9)"), "patch"),
        (whole(&format!("{kinds}name: \"b\")])")), "name"),
        (whole(&format!("{kinds}slope: (min: 1, min: 2))])")), "min"),
        (whole(&format!("{kinds}factors: (shade: (max: 1), shade: (max: 1)))])")), "shade"),
        (whole(&format!("{kinds}tile: (image: \"sand\", size: 4, size: 4))])")), "size"),
    ] {
        let Err(Error::Recipe { line, column, reason, .. }) = Recipe::from_ron(&text, "x") else {
            panic!("{text} was accepted");
        };
        assert_eq!(reason, format!("`{field}` is given twice; keep one of the two"), "{text}");
        // At the second one.
        let before: String =
            text.split_inclusive('\n').nth(line - 1).unwrap().chars().take(column - 1).collect();
        let is_second = before.matches(&format!("{field}:")).count() == 1;
        assert!(before.ends_with(field) && is_second, "{text}: {line}:{column}");
    }
}

#[test]
fn eyes_are_at_places_that_there_are() {
    let with_view = |view: &str| with_steps("").replace("cell: 10", &format!("cell: 10, view: ({view})"));
    for (view, expected) in [
        ("from: (NaN, 0, 0), look: (0, 0, 0)", "`from`: NaN is outside -100000000000 to 100000000000 m"),
        ("from: (0, 0, 0), look: (0, inf, 0)", "`look`: inf is outside"),
        ("from: (0, 0, -1e30), look: (0, 0, 0)", "`from`: -1e30 is outside"),
        ("from: (0, 0), look: (0, 0, 0)", "`from`: "),
        ("from: 7, look: (0, 0, 0)", "it takes three numbers x, y and z such as"),
    ] {
        let (line, reason) = refusal(&with_view(view));
        assert!(line == 5 && reason.contains(expected), "{view}: {reason}");
    }
    let mut recipe = Recipe::from_ron(&with_view("from: (1, 2e9, -3), look: (0, 0.5, 0)"), "x").unwrap();
    recipe.check().unwrap();
    recipe.view = Some(View { from: (0.0, f32::NAN, 0.0), look: (0.0, 0.0, 0.0) });
    assert!(recipe.check().unwrap_err().to_string().starts_with("view.from: NaN is outside"));
}

#[test]
fn sizes_and_cells_have_one_range_wherever_they_come_from() {
    let with_cell = |cell: &str| with_steps("").replace("cell: 10", &format!("cell: {cell}"));
    for (cell, is_right) in [
        ("0.001", true),
        ("1000000", true),
        ("0.0009", false),
        ("1e-38", false),
        ("1000001", false),
        ("0", false),
        ("-1", false),
        ("NaN", false),
        ("inf", false),
    ] {
        assert_eq!(Recipe::from_ron(&with_cell(cell), "x").is_ok(), is_right, "{cell}");
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        assert_eq!(recipe.set("cell", cell).is_ok(), is_right, "{cell}");
        recipe.cell = cell.parse().unwrap();
        assert_eq!(recipe.check().is_ok(), is_right, "{cell}");
    }
    for (size, is_right) in [((1, 1), true), ((65_536, 65_536), true), ((65_537, 1), false), ((0, 1), false)]
    {
        let text = with_steps("").replace("size: (9, 9)", &format!("size: {size:?}"));
        assert_eq!(Recipe::from_ron(&text, "x").is_ok(), is_right, "{size:?}");
        assert_eq!(Recipe::new("Land", size, 1.0).check().is_ok(), is_right, "{size:?}");
    }
    let raster = |width: usize, x: f64| {
        let raster = Raster::new(width, 2, vec![0.0; 2 * width], CellSize::Metres { x, z: x }).unwrap();
        Recipe::from_raster("land.tif", &raster)
    };
    assert!(raster(3, 0.001).is_ok() && raster(65_536, 111_000.0).is_ok());
    let said = raster(3, 1e-4).unwrap_err().to_string();
    assert_eq!(said, "land.tif: cell: 0.0001 is outside 0.001 to 1000000 m between samples");
    let said = raster(65_537, 1.0).unwrap_err().to_string();
    assert!(said.starts_with("land.tif: size: 65537×2 is outside 1 to 65536 samples a side"), "{said}");
}

#[test]
fn resizing_keeps_the_span_and_is_refused_where_the_cell_would_leave_its_range() {
    let recipe = Recipe::new("Land", (1025, 513), 0.01);
    assert_eq!(recipe.resized(2049).unwrap().size, (2049, 1025));
    let said = recipe.resized(20_000).unwrap_err().to_string();
    let expected = "size: with 20000 samples along the longer side of 1025×513, cell: 0.00051";
    assert!(
        said.starts_with(expected) && said.ends_with("is outside 0.001 to 1000000 m between samples"),
        "{said}"
    );
    // One sample spans nothing: it is one, and from one come as many as are asked for.
    assert_eq!(recipe.with_longer_side(1), Recipe::new("Land", (1, 1), 0.01));
    assert_eq!(Recipe::new("Land", (1, 1), 7.0).with_longer_side(65), Recipe::new("Land", (65, 65), 7.0));
    assert_eq!(Recipe::new("Land", (0, 0), 7.0).with_longer_side(9).size, (9, 9));
    // A preview is never kept, so it may be coarser than that.
    let huge = Recipe::new("Land", (32_768, 2), *CELLS.end());
    let preview = huge.preview(33).build_heightfield(&Work::new()).unwrap().grid();
    assert_eq!((preview.width, preview.depth), (33, 1));
    assert!((preview.extent().x / (32_767.0 * CELLS.end()) - 1.0).abs() < 1e-5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is accepted can be kept and opened again.
    #[test]
    fn what_the_command_line_accepts_is_read_back_as_it_is_written(
        step in prop::sample::select(steps::names()),
        name in ".{0,12}",
        numbers in prop::collection::vec(
            prop_oneof![
                any::<f32>().prop_map(|number| number.to_string()),
                (-3.0..30.0f32).prop_map(|number| number.to_string()),
                (-3..1000i32).prop_map(|number| number.to_string()),
                (-46.0..12.0f32).prop_map(|power| 10f32.powf(power).to_string()),
                prop::sample::select(WRONG.as_slice()).prop_map(str::to_owned),
            ],
            8,
        ),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 8),
        (width, depth) in (SIDES, SIDES),
        longer in SIDES,
    ) {
        let mut recipe = Recipe::new("Land", (width, depth), 30.0);
        recipe.steps.push(Step::from_name(step).unwrap());
        let _ = recipe.set("name", &name);
        let mut paths: Vec<String> =
            ["seed", "cell", "cell", "sun.elevation", "weather.base", "water.sea_level", "texture.season"]
                .map(String::from)
                .into();
        recipe.steps[0].visit(&mut |param, _| paths.push(format!("steps.0.{}", param.name)));
        for (number, pick) in numbers.iter().zip(picks) {
            let _ = recipe.set(&paths[pick.index(paths.len())], number);
        }
        for kept in [recipe.check().map(|()| recipe.clone()), recipe.resized(longer)].into_iter().flatten() {
            let text = kept.to_ron().unwrap();
            let again = Recipe::from_ron(&text, "x");
            prop_assert!(again.as_ref().is_ok_and(|again| *again == kept), "{text}\n{again:?}");
        }
    }
}
