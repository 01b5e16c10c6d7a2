//! Windows of a land hold, bit for bit, what all of the land holds there, whatever is asked for.

use std::borrow::Borrow;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};
use upland_core::grid::layer::WATER_DEPTH;
use upland_core::grid::{Domain, Region, Window};
use upland_core::params::Reading;
use upland_core::steps::{Needs, Reach};
use upland_core::texture::Baked;
use upland_core::{Cache, Grid, Heightfield, Preset, Recipe, Work};

/// Steps of every reach, with numbers that keep them quick. Steps without a row are added with default
/// parameters.
const STEPS: &[&str] = &[
    "fbm(octaves: 7)",
    "fbm(basis: simplex, octaves: 4, blend: add, height: 300)",
    "turbulence(blend: max)",
    "ridged(basis: cellular, octaves: 3.5, amount: 0.4)",
    "hybrid(blend: add, mask: noise, mask_threshold: 0.1)",
    "heterogeneous(blend: min, height: 3000)",
    "multifractal(basis: value, blend: subtract, height: 200)",
    "spectral(blend: add)",
    "midpoint(blend: add, height: 150)",
    "fault(faults: 40, blend: add)",
    "fault(faults: 25, profile: sine, roughen: 0.05, blend: add)",
    "fault(faults: 25, profile: cosine, amount: 0.7)",
    "fault(faults: 25, centred: true, blend: add)",
    "diamond_square(blend: add)",
    "deposition(drops: 500, detail: 33, blend: add)",
    "normalize(low: -50, high: 900)",
    "power(exponent: 1.7)",
    "curve()",
    "invert()",
    "scale(factor: 0.7, bias: 20)",
    "terrace(mask: slope, mask_min: 5, mask_max: 90, mask_release: 10)",
    "clamp(low: -200, high: 700)",
    "island(outline: square)",
    "warp(reach: 0.03)",
    "mean(size: 7)",
    "mean(size: 3, border: wrap)",
    "gaussian(sigma: 1.3, mask: height, mask_min: 100, mask_release: 50)",
    "binomial(row: 6)",
    "low_pass(k: 0.5)",
    "convolve()",
    "convolve(coefficients: \"1 2 3, 4 5 6, 7 8 9\", border: wrap)",
    "gullies(size: 90, depth: 30)",
    "gullies(size: 400, octaves: 3.5, mask: slope, mask_min: 5)",
    "ledges(thickness: 60, slope_min: 3)",
    "ledges(thickness: 30, octaves: 2.5, dip: 40, patches: 90, joints: 1, amount: 0.6)",
    "stones(size: 70, slope_max: 60)",
    "ripples(length: 80, height: 9, slope_max: 60)",
    "talus(slope_min: 20, repose: 25)",
    "dunes(steps: 12, winds: two)",
    "dunes(steps: 9, border: wrap, mask: height, mask_max: 300)",
    "snow(temperature: -2, wind: 300)",
    "glacier(line: 100, warming: 100)",
    "hole(radius: 300)",
    "road(width: 60, reach: 200)",
    "road(points: [], width: 60, reach: 200, max_grade: 20, lowest: 50)",
    "platform(width: 700, length: 400, turn: 20, reach: 300)",
    "fbm(octaves: 9, fade: true, blend: add)",
    "strokes(file: \"tests/data/strokes/hills.strokes.ron\")",
    "strokes(file: \"tests/data/strokes/hills.strokes.ron\", amount: 0.5, mask: slope, mask_min: 5)",
    "strata(thickness: 50, dip: 20, faults: 90, fault_distance: 400)",
    "terrace(mask: factor, mask_factor: \"concavity\", mask_min: 0.1)",
    "mean(mask: aspect, mask_min: 300, mask_max: 60, mask_release: 30)",
    "group(start: level, blend: add, amount: 0.5)",
    "group(mask: slope, mask_min: 5, mask_release: 10)",
    "group(mask: factor, mask_factor: \"concavity\", mask_min: 0.1)",
    "end()",
    "end()",
    "erode(amount: 0.8)",
    "drainage(hollows: fill, mask: height, mask_max: 100, mask_release: 50)",
    "drainage(hollows: breach)",
    "coast(retreat: 20, sea_level: 50)",
    "lakes(smallest: 0)",
    "streams(from: 0.00005, sea: -12000)",
    "river(width: 90, depth: 12, meander: 60)",
    "river(width: 90, depth: 12, course: valleys, sea: 100)",
];

/// Steps that endless land may have. Those without a row are added with default parameters, if they need
/// neither all of the land nor its range.
const ENDLESS: &[&str] = &[
    "fbm(octaves: 9)",
    "fbm(basis: value, blend: add, mask: noise)",
    "ridged(blend: max)",
    "heterogeneous(blend: add)",
    "spectral(blend: add)",
    "terrace(amount: 0.5)",
    "warp(reach: 0.02)",
    "gaussian(sigma: 1.1)",
    "mean(size: 5, mask: slope, mask_min: 10)",
    "convolve(coefficients: \"1 1 1, 1 2 1, 1 1 1\")",
    "binomial(row: 4)",
    "gullies(size: 60, depth: 20)",
    "gullies(size: 3000, depth: 90, octaves: 3)",
    "ledges(thickness: 20, slope_min: 10)",
    "stones(size: 25, patches: 300)",
    "ripples(length: 30, height: 2)",
    "road(points: [(-0.4, 0.1), (0.05, -0.02), (0.3, 0.4)], reach: 500, width: 40)",
    "platform(points: [(0.01, 0.02)], radius: 300, shape: disc, grade: 4)",
    "hole(shape: line, points: [(-0.5, 0), (0.2, 0.1)], radius: 300)",
    "ridged(octaves: 12, fade: true, blend: add, height: 100)",
    "group(start: level, blend: max, mask: noise)",
    "group(amount: 0.3)",
    "end()",
    "strokes(file: \"tests/data/strokes/hills.strokes.ron\")",
];

fn recipe(size: &str, cell: f32, steps: &[impl Borrow<str>]) -> Recipe {
    let text = format!(
        "(version: 1, name: \"Land\", seed: 9, size: {size}, cell: {cell}, steps: [{}])",
        steps.join(", ")
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// The heights of one window.
fn window(recipe: &Recipe, window: Window, cache: &Cache) -> Heightfield {
    recipe
        .build_window(window, cache, &Work::new())
        .unwrap_or_else(|error| panic!("{window}: {error}"))
        .heights
}

/// All of the land at a level.
fn whole(domain: Domain, level: i32) -> Window {
    let size = domain.size_at(level).expect("land that ends");
    Window { level, first: [0, 0], size: size.map(|side| side as u32) }
}

fn bits(field: &Heightfield) -> Vec<u32> {
    field.heights().iter().map(|height| height.to_bits()).collect()
}

/// Checks that `part` has the bits that `all` has there.
fn same(all: (&Heightfield, Window), part: (&Heightfield, Window)) -> Result<(), TestCaseError> {
    let offset = [0, 1].map(|axis| (part.1.first[axis] - all.1.first[axis]) as usize);
    for row in 0..part.0.grid().depth {
        let expected = &all.0.row(offset[1] + row)[offset[0]..][..part.0.grid().width];
        for (column, (expected, height)) in expected.iter().zip(part.0.row(row)).enumerate() {
            prop_assert!(
                expected.to_bits() == height.to_bits(),
                "{} at column {column}, row {row}: {height}, not {expected}",
                part.1
            );
        }
    }
    Ok(())
}

/// A part of a window, from shares of its sides.
fn part(of: Window, shares: [f64; 4]) -> Window {
    let along = |axis: usize| {
        let size = f64::from(of.size[axis]);
        let first = (shares[axis] * (size - 1.0)) as i64;
        let most = i64::from(of.size[axis]) - first;
        (of.first[axis] + first, (1 + (shares[axis + 2] * (most - 1) as f64) as i64) as u32)
    };
    let ((x, width), (z, depth)) = (along(0), along(1));
    Window { level: of.level, first: [x, z], size: [width, depth] }
}

fn shares() -> impl Strategy<Value = [f64; 4]> {
    [0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0]
}

/// Some of these steps and of those that have no row among them but may be on land of this domain.
fn some_of(rows: &[&str], domain: Domain) -> impl Strategy<Value = Vec<String>> {
    let mut all: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
    let is_row_of = |row: &str, name: &str| row.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    for step in upland_core::steps::all() {
        let name = step.name();
        let mut names_file = false;
        step.read(&mut |_, value| names_file |= matches!(value, Reading::File(_)));
        let needs_all = domain.is_endless() && matches!(step.reach(domain), Reach::Whole | Reach::Range);
        if !names_file && !needs_all && !rows.iter().any(|row| is_row_of(row, name)) {
            all.push(format!("{name}()"));
        }
    }
    prop::collection::vec(prop::sample::select(all), 1..6).prop_map(that_groups_can_hold)
}

/// The same steps without those in a group that belong to all of the land.
fn that_groups_can_hold(steps: Vec<String>) -> Vec<String> {
    let mut depth = 0;
    let is_held = |step: &String| {
        let name = step.split('(').next().unwrap_or_default();
        match name {
            "group" => depth += 1,
            "end" => depth -= depth.min(1),
            _ => {}
        }
        depth == 0 || !["road", "strokes", "lakes", "streams", "river"].contains(&name)
    };
    steps.into_iter().filter(is_held).collect()
}

proptest! {
    #![proptest_config(Config { cases: 24, max_shrink_iters: 60, ..Config::default() })]

    #[test]
    fn a_window_holds_what_all_of_the_land_holds(
        steps in some_of(STEPS, Domain::of(Grid::new(60, 60, 12.5).unwrap())),
        level in -2..=3,
        width in 1u32..60,
        depth in 1u32..60,
        shares in prop::collection::vec(shares(), 3),
    ) {
        let recipe = recipe(&format!("({width}, {depth})"), 12.5, &steps);
        let domain = recipe.domain().unwrap();
        let cache = Cache::default();
        let all = whole(domain, level);
        let land = window(&recipe, all, &cache);
        if level == 0 {
            prop_assert_eq!(bits(&land), bits(&recipe.build_heightfield(&Work::new()).unwrap()));
        }
        for (number, shares) in shares.into_iter().enumerate() {
            let part = part(all, shares);
            // Nothing is remembered the last time.
            let cache = if number == 2 { Cache::new(0) } else { cache.clone() };
            same((&land, all), (&window(&recipe, part, &cache), part))?;
        }
    }

    #[test]
    fn neighbours_on_endless_land_share_their_border(
        steps in some_of(ENDLESS, Domain::endless(10.0, 1000.0).unwrap()),
        level in -12..=6,
        x in -1_000_000_000i64..1_000_000_000,
        z in -1_000_000_000i64..1_000_000_000,
        shares in prop::collection::vec(shares(), 3),
    ) {
        let recipe = recipe("endless", 10.0, &steps);
        let cache = Cache::default();
        let all = Window { level, first: [x, z], size: [60, 50] };
        let land = window(&recipe, all, &cache);
        for shares in shares {
            let part = part(all, shares);
            same((&land, all), (&window(&recipe, part, &cache), part))?;
        }
    }
}

/// A warp so strong that the samples of a window take their heights from all over the land needs no more
/// memory for that, and gives the same land.
#[test]
fn a_window_that_is_scattered_over_the_land_is_built_in_parts() {
    let steps = [
        "fbm(octaves: 3)",
        "paint(layer: \"hardness\", value: 0.5)",
        "warp(reach: 1, frequency: 200, octaves: 9)",
    ];
    for (size, level) in [("endless", -7), ("(17, 17)", -9)] {
        let recipe = recipe(size, 10.0, &steps);
        let all = Window { level, first: [700, 900], size: [24, 9] };
        let land = window(&recipe, all, &Cache::default());
        let part = Window { level, first: [705, 903], size: [2, 3] };
        let few = window(&recipe, part, &Cache::default());
        for row in 0..3 {
            assert_eq!(few.row(row), &land.row(3 + row)[5..7], "{size}");
        }
        let ground = recipe.build_window_layers(all, &["hardness"], &Cache::default(), &Work::new());
        assert_eq!(ground.unwrap().layer("hardness").unwrap().range(), (0.5, 0.5), "{size}");
    }
}

/// Steps that look at the land around hundreds of metres away do so at a coarser level, and a sample that two
/// levels share is nearly the same in both.
#[test]
fn steps_that_look_far_do_not_need_all_that_lies_between() {
    for steps in [
        &["fbm(octaves: 5)", "gullies(size: 700)"][..],
        &["fbm(octaves: 5)", "gullies(size: 5300)"],
        &["fbm(octaves: 5)", "mean(size: 255)"],
        &["fbm(octaves: 5)", "warp(reach: 0.1)", "gullies(size: 700)"],
        &["fbm(octaves: 5)", "gaussian(sigma: 0.1, size: 255)"],
        &["fbm(octaves: 5)", "gaussian(sigma: 20)", "gullies(size: 300, octaves: 2)", "binomial(row: 40)"],
    ] {
        let recipe = recipe("endless", 10.0, steps);
        let cache = Cache::default();
        let coarse = window(&recipe, Window { level: 0, first: [70_000, -300], size: [2, 2] }, &cache);
        for level in [-8, -20] {
            let first = [70_000 << -level, -300 * (1 << -level)];
            let fine = window(&recipe, Window { level, first, size: [65, 33] }, &cache);
            let apart = (fine.at(0, 0) - coarse.at(0, 0)).abs();
            assert!(apart < 0.5, "{steps:?}, level {level}: {apart} m");
            // From one sample to the next there is no more than a steep slope.
            let most = 3.0 * fine.grid().cell + 2e-3;
            for row in 0..33 {
                let jump = fine.row(row).windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
                assert!(jump < most, "{steps:?}, level {level}: {jump} m");
            }
        }
    }
}

/// Samples that a finer level shares with a coarser one are the same bits, for steps that know a sample from
/// its place.
#[test]
fn every_second_sample_of_a_finer_level_is_one_of_the_coarser() {
    let places: Vec<&str> = STEPS[..14].to_vec();
    let recipe = recipe("(65, 49)", 20.0, &places);
    let cache = Cache::default();
    let domain = recipe.domain().unwrap();
    let coarse = window(&recipe, whole(domain, 0), &cache);
    for level in [-1, -3] {
        let fine = window(&recipe, whole(domain, level), &cache);
        for row in 0..49 {
            for column in 0..65 {
                assert_eq!(
                    coarse.at(column, row),
                    fine.at(column << -level, row << -level),
                    "{column}, {row}"
                );
            }
        }
    }
}

/// What all of the land decides is made once and lies on a smooth surface below its own spacing: neither its
/// slope nor its curvature jumps, and it goes through the samples.
#[test]
fn below_the_spacing_of_the_base_the_land_is_smooth_to_the_second_derivative() {
    let recipe = recipe("(33, 33)", 10.0, &["diamond_square(height: 400)", "erode()"]);
    let cache = Cache::default();
    let base = recipe.build_heightfield(&Work::new()).unwrap();
    let level = -7;
    let row = window(&recipe, Window { level, first: [0, 5 << 7], size: [(32 << 7) + 1, 1] }, &cache);
    let heights: Vec<f64> = row.heights().iter().map(|&height| f64::from(height)).collect();
    for column in 0..33 {
        assert_eq!(row.at(column << 7, 0), base.at(column, 5));
    }
    // Over eight samples of 78 mm, so that rounding to f32 doesn't count: second differences in 1/m.
    let step = 16;
    let apart = 10.0 / 128.0 * step as f64;
    let curvature =
        |at: usize| (heights[at - step] - 2.0 * heights[at] + heights[at + step]) / (apart * apart);
    let curvatures: Vec<f64> = (1..heights.len() / step - 1).map(|number| curvature(number * step)).collect();
    let largest = curvatures.iter().fold(0.0, |largest: f64, curvature| largest.max(curvature.abs()));
    let jump = curvatures.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    // A cubic's second derivative is a straight line between samples, and there are eight steps from one to
    // the next. A surface with creases in its slope (bilinear) or in its curvature (Catmull-Rom) jumps by as
    // much as there is.
    assert!(jump < 0.5 * largest, "{jump} of {largest}");
}

/// Detail far from the origin is like detail at the origin: as rough, as smooth, no steps of rounding.
#[test]
fn ten_thousand_kilometres_away_the_land_has_the_same_statistics() {
    let noise = ["fbm(height: 1000, octaves: 14)"];
    // Hills of 100 m, so that a window of 64 m has slopes of all kinds.
    let gullied = ["fbm(height: 60, frequency: 100, octaves: 2)", "gullies(size: 40, depth: 12)"];
    for steps in [noise.as_slice(), gullied.as_slice()] {
        let recipe = recipe("endless", 1.0, steps);
        let cache = Cache::default();
        // 0.25 m apart.
        let of = |metres: i64| {
            let mut sums = [0.0f64; 3];
            for place in 0..6 {
                let first = [4 * metres + place * 40_001, 4 * metres - place * 80_003];
                let field = window(&recipe, Window { level: -2, first, size: [257, 257] }, &cache);
                for row in 0..257 {
                    let heights: Vec<f64> = field.row(row).iter().map(|&height| f64::from(height)).collect();
                    for triple in heights.windows(3) {
                        sums[0] += (triple[1] - triple[0]).powi(2);
                        sums[1] += (triple[2] - 2.0 * triple[1] + triple[0]).powi(2);
                        sums[2] += f64::from(u8::from(triple[1] == triple[0]));
                    }
                }
            }
            sums
        };
        let (here, far) = (of(0), of(10_000_000));
        let ratio = |index: usize| far[index] / here[index];
        assert!((0.6..1.7).contains(&ratio(0)), "{steps:?}: slopes {}", ratio(0));
        assert!((0.8..1.25).contains(&ratio(1)), "{steps:?}: curvatures {}", ratio(1));
        // Heights that repeat are what coordinates too coarse would make.
        assert!(far[2] <= here[2] + 100.0, "{steps:?}: {} and {} repeated heights", here[2], far[2]);
    }
}

#[test]
fn what_cannot_be_asked_for_is_refused_with_its_numbers() {
    let cache = Cache::default();
    let say = |recipe: &Recipe, text: &str| {
        let asked = text.parse().and_then(|window| recipe.build_window(window, &cache, &Work::new()));
        asked.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let bounded = recipe("(101, 51)", 10.0, &["fbm()"]);
    assert_eq!(say(&bounded, "0:0,0,101x51"), "");
    let outside = say(&bounded, "0:0,0,102x51");
    assert!(outside.contains("0 to 101 along x") && outside.contains("101×51 samples"), "{outside}");
    assert!(say(&bounded, "-1:-1,0,2x2").contains("samples -1 to 0"));
    assert!(say(&bounded, "21:0,0,1x1").contains("level 21 is outside -20 to 20"));
    assert!(say(&bounded, "-21:0,0,1x1").contains("level -21 is outside -20 to 20"));
    let large = say(&recipe("endless", 10.0, &["fbm()"]), "0:0,0,60000x60000");
    assert!(large.contains("60000×60000") && large.contains("GiB"), "{large}");
    assert!(say(&bounded, "0:0,0,0x5").contains("0×5"));
}

#[test]
fn endless_land_refuses_what_needs_all_of_it_by_name() {
    for (step, title) in
        [("erode()", "River erosion"), ("normalize()", "Normalise"), ("diamond_square()", "Diamond-square")]
    {
        let endless = recipe("endless", 10.0, &["fbm()", step]);
        let said = endless.build_heightfield(&Work::new()).unwrap_err().to_string();
        let name = step.trim_end_matches("()");
        assert!(said.starts_with(&format!("steps.1 ({name}): ")) && said.contains(title), "{said}");
        let mut muted = endless.clone();
        muted.steps[1].mixing.on = false;
        muted.size = (9, 9);
        assert!(muted.build_heightfield(&Work::new()).is_ok());
    }
}

#[test]
fn endless_recipes_are_written_as_they_are_read() {
    let text = "(version: 1, name: \"Land\", size: endless, cell: 10, unit: 20000, steps: [fbm()])";
    let recipe = Recipe::from_ron(text, "land.ron").unwrap();
    assert_eq!((recipe.size, recipe.unit), ((1025, 1025), Some(20_000.0)));
    let written = recipe.to_ron().unwrap();
    assert!(written.contains("size: endless") && written.contains("unit: 20000"), "{written}");
    assert_eq!(Recipe::from_ron(&written, "written.ron").unwrap(), recipe);
    let say = |size: &str| {
        let text = format!("(version: 1, name: \"Land\", size: {size}, cell: 10, steps: [])");
        Recipe::from_ron(&text, "land.ron").err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(say("endless, unit: 1"), "");
    assert!(
        say("endless, unit: 0.5").contains("`unit`: 0.5 is outside 1 to"),
        "{}",
        say("endless, unit: 0.5")
    );
    assert!(say("(9, 9), unit: 500").contains("`unit` is for endless land"), "{}", say("(9, 9), unit: 500"));
    for wrong in ["boundless", "7", "(1, 2, 3)", "(0, 0)"] {
        assert!(say(wrong).contains("`size`"), "{wrong}: {}", say(wrong));
    }
}

#[test]
fn a_recipe_is_made_endless_and_given_an_end_by_set() {
    let mut recipe = recipe("(65, 33)", 10.0, &["fbm()"]);
    let said = recipe.set("unit", "500").unwrap_err().to_string();
    assert!(said.contains("set size=endless first"), "{said}");
    recipe.set("size", "endless").unwrap();
    recipe.set("unit", "500").unwrap();
    assert_eq!((recipe.size, recipe.unit), ((1025, 1025), Some(500.0)));
    assert!(recipe.set("unit", "0.9").is_err() && recipe.set("unit", "far").is_err());
    recipe.set("size", "(65, 33)").unwrap();
    assert_eq!((recipe.size, recipe.unit), ((65, 33), None));
}

/// What is built of endless land lies around the origin, and is a window like any other.
#[test]
fn what_is_shown_of_endless_land_is_a_window_of_it() {
    let mut recipe = recipe("endless", 10.0, &["ridged()", "gaussian()"]);
    recipe.size = (65, 33);
    let shown: Region = recipe.shown().unwrap();
    assert_eq!(shown.window().first, [-32, -16]);
    let cache = Cache::default();
    let built = recipe.build_ground_with(&cache, &Work::new()).unwrap().0;
    assert_eq!(bits(&built), bits(&window(&recipe, shown.window(), &cache)));
    assert_eq!(built.grid(), Grid::new(65, 33, 10.0).unwrap());
}

/// The presets too, which have everything: masks, pictures, erosion, rivers.
#[test]
fn windows_of_presets_are_parts_of_them() {
    for preset in Preset::all() {
        let recipe = preset.recipe().unwrap().with_longer_side(97);
        let cache = Cache::default();
        let Some(all) = recipe.domain().unwrap().whole() else { continue };
        let land = recipe.build_heightfield(&Work::new()).unwrap();
        let part = Window { level: 0, first: [20, 11], size: [33, 40] };
        same((&land, all.window()), (&window(&recipe, part, &cache), part)).unwrap();
        let finer = Window { level: -2, first: [80, 44], size: [129, 157] };
        let (fine, all) = (window(&recipe, finer, &cache), finer);
        let part = Window { first: [99, 100], size: [50, 20], ..finer };
        same((&fine, all), (&window(&recipe, part, &cache), part)).unwrap();
        let coarse = window(&recipe, Window { level: 2, first: [3, 4], size: [9, 7] }, &cache);
        assert_eq!(coarse.grid().cell, recipe.cell * 4.0);
    }
}

/// What is painted of a window, texel by texel, and its types' shares.
fn painted(recipe: &Recipe, window: Window, texels: u32, cache: &Cache) -> Baked {
    let ready = recipe.prepare_window(window, texels, false, cache, &Work::new());
    let ready = ready.unwrap_or_else(|error| panic!("{window}: {error}"));
    ready.baker(true, &Work::new()).unwrap().paint(ready.texels(), &Work::new()).unwrap()
}

/// Checks that a part of a window is painted as the window is there.
fn painted_alike(recipe: &Recipe, all: Window, part: Window, texels: u32, cache: &Cache) {
    let (whole, piece) = (painted(recipe, all, texels, cache), painted(recipe, part, texels, cache));
    let offset = [0, 1].map(|axis| (part.first[axis] - all.first[axis]) as usize * texels as usize);
    let (shares, piece_shares) = (whole.weights.unwrap(), piece.weights.unwrap());
    let types = shares.types;
    for row in 0..piece.colour.depth {
        let first = (offset[1] + row) * whole.colour.width + offset[0];
        let width = piece.colour.width;
        let place = format!("{}: {part} of {all}, row {row}", recipe.name);
        assert!(
            whole.colour.texels[first..][..width] == piece.colour.texels[row * width..][..width],
            "{place}"
        );
        let expected = &shares.shares[first * types..][..width * types];
        assert!(*expected == piece_shares.shares[row * width * types..][..width * types], "{place}");
    }
}

/// The textures of the presets have everything: tiles, noise, painted maps, wetness, sky and seasons.
#[test]
fn a_window_is_painted_as_all_of_the_land_is_there() {
    for preset in Preset::all() {
        let recipe = preset.recipe().unwrap().with_longer_side(97);
        let cache = Cache::default();
        let window = |level, x, z, side| Window { level, first: [x, z], size: [side, side] };
        let is_endless = recipe.unit.is_some();
        let (all, part) = (window(0, 0, 0, 97), window(0, 37, 20, 30));
        let fits = recipe.domain().unwrap().region(all).is_ok();
        if fits {
            painted_alike(&recipe, all, part, 2, &cache);
        }
        painted_alike(&recipe, window(-2, 80, 30, 120), window(-2, 143, 41, 50), 4, &cache);
        painted_alike(&recipe, window(1, 0, 0, 25), window(1, 7, 5, 9), 1, &cache);
        if is_endless {
            painted_alike(&recipe, window(0, -400, -300, 300), window(0, -200, -190, 60), 2, &cache);
        }
    }
}

/// A window that is all of a land is painted as the land is: two ways to the same texels.
#[test]
fn the_window_that_is_all_of_the_land_is_painted_as_the_land_is() {
    for name in ["high-range", "painted-world", "river-valley"] {
        // 64 cells of 2 texels: no place is rounded.
        let mut recipe = Preset::find(name).unwrap().recipe().unwrap().with_longer_side(65);
        recipe.size = (65, 65);
        recipe.texture = recipe.texture.with(&|texture| texture.resolution = 128);
        let all = Window { level: 0, first: [0, 0], size: [65, 65] };
        let window = painted(&recipe, all, 2, &Cache::default());
        let ground = recipe.build_layers(&[], &Cache::new(0), &Work::new()).unwrap();
        let land = recipe.land(&ground);
        let whole = recipe.texture.fade().bake(land, true, recipe.seed, &Work::new()).unwrap();
        assert_eq!((whole.colour.width, whole.colour.depth), (128, 128));
        assert!(whole.colour.texels == window.colour.texels, "{name}");
        assert!(whole.weights == window.weights, "{name}");
    }
}

/// Who paints a window has its ground and its water already, and needs not build them again.
#[test]
fn what_is_prepared_for_painting_has_the_ground_and_the_water_of_the_window() {
    let (cache, work) = (Cache::default(), Work::new());
    for name in ["river-valley", "painted-world"] {
        let recipe = Preset::find(name).unwrap().recipe().unwrap().with_longer_side(65);
        for asked in ["0:10,12,31x20", "-1:20,24,61x39", "1:5,6,9x8", "0:0,0,20x20"] {
            let window: Window = asked.parse().unwrap();
            let built = recipe.build_window_layers(window, &[WATER_DEPTH], &cache, &work).unwrap();
            let ready =
                recipe.prepare_window_layers(window, 1, false, &[WATER_DEPTH], &cache, &work).unwrap();
            let part = |field: &Heightfield| {
                bits(&ready.ground().region().part(field, built.region(), &work).unwrap())
            };
            assert!(part(ready.field()) == bits(&built.heights), "{name}: {window}");
            let [prepared, built] = [ready.ground(), &built].map(|ground| ground.layer(WATER_DEPTH).unwrap());
            assert!(part(prepared) == bits(built), "{name}: water of {window}");
        }
    }
}

#[test]
fn windows_that_cannot_be_painted_are_refused() {
    let recipe = recipe("(65, 65)", 10.0, &["fbm()"]);
    let say = |window: &str, texels| {
        let ready =
            recipe.prepare_window(window.parse().unwrap(), texels, false, &Cache::default(), &Work::new());
        ready.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(say("0:0,0,2x2", 256), "");
    assert!(say("0:0,0,9x9", 3).contains("3 texels along a cell"));
    assert!(say("0:0,0,9x9", 512).contains("512 texels along a cell"));
    assert!(say("0:0,0,9x1", 2).contains("has no cell to paint"));
    assert!(say("0:60,0,9x9", 2).contains("reach beyond the land"));
}

/// A single sample at any level needs a bounded number of samples, however few metres there are between
/// these: otherwise zooming in would take minutes.
#[test]
fn no_step_needs_more_land_for_a_sample_the_finer_it_is() {
    // A window of 1025 × 1025, which takes a tenth of a second.
    const MOST: usize = 1100 * 1100;
    let domains = [
        Domain::endless(343.491_55, 1.0).unwrap(),
        Domain::endless(30.0, 3000.0).unwrap(),
        Domain::endless(0.5, 1e7).unwrap(),
        Domain::of(Grid::new(1025, 1025, 30.0).unwrap()),
        Domain::of(Grid::new(1, 14, 30.0).unwrap()),
    ];
    let mut steps = upland_core::steps::all();
    for text in [
        "convolve(coefficients: \"1 1 1 1 1, 1 1 1 1 1, 1 1 1 1 1, 1 1 1 1 1, 1 1 1 1 1\")",
        "warp(reach: 1)",
    ] {
        let recipe = recipe("(9, 9)", 10.0, &[text]);
        steps.push(recipe.steps[0].clone().operation);
    }
    for domain in domains {
        for level in -20..=0 {
            let size = domain.size_at(level).unwrap_or([1; 2]);
            let first = size.map(|side| side as i64 / 2);
            let window = domain.region(Window { level, first, size: [1, 1] }).unwrap();
            for step in &steps {
                if step.reach(domain) == Reach::Whole {
                    continue;
                }
                let needed = match step.looks_at(&window, 7, &Work::new()).unwrap() {
                    Needs::Context { region, .. } => region,
                    Needs::Halo(samples) => window
                        .grown_by(samples)
                        .unwrap_or_else(|error| panic!("{} at level {level}: {error}", step.name())),
                };
                let count = needed.grid().count();
                assert!(
                    count <= MOST,
                    "{} at level {level} needs {count}: {:?}",
                    step.name(),
                    needed.window()
                );
            }
        }
    }
}

#[test]
fn fine_windows_of_convolved_and_of_warped_land_are_made_at_once() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    for (file, levels) in [("convolve_line.ron", -20..=-4), ("warp_fine_window.ron", -20..=-4)] {
        let recipe = Recipe::read(cases.join(file)).unwrap();
        for level in levels {
            let window = Window { level, first: [0, 0], size: [1, 1] };
            let ground = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap();
            assert!(ground.heights.at(0, 0).is_finite(), "{file}, level {level}");
        }
    }
}

/// A mask needs as much land around a part of a window as around all of it. Built in thousands of parts, such
/// a window would take minutes.
#[test]
fn a_window_of_convolved_land_is_built_at_once_at_fine_levels() {
    let recipe = recipe("endless", 10.0, &["convolve(coefficients: \"1 1 1, 1 2 1, 1 1 1\")"]);
    for level in [-9, -10, -11, -12, -20] {
        let work = Work::new();
        let window = Window { level, first: [-860_054_307, 85_234_734], size: [60, 50] };
        recipe.build_window(window, &Cache::default(), &work).unwrap();
        let made = work.finish().iter().filter(|stage| stage.name == "convolve").count();
        assert_eq!(made, 1, "level {level}");
    }
}

/// Where a mask's samples are too many, what it makes of the land lies on a curve: near what the last exact
/// level has.
#[test]
fn convolved_land_is_nearly_the_same_at_levels_that_are_interpolated() {
    let recipe = recipe("(33, 33)", 30.0, &["fbm(octaves: 4, height: 300)", "convolve()"]);
    let height = |level: i32| {
        let first = [17 << -level, 11 << -level];
        let window = Window { level, first, size: [1, 1] };
        recipe.build_window(window, &Cache::default(), &Work::new()).unwrap().heights.at(0, 0)
    };
    let exact = height(-7);
    for level in [-10, -12, -15] {
        assert!((height(level) - exact).abs() < 0.05, "{level}: {} and {exact}", height(level));
    }
}
