//! Layers: what lies on the land beside its heights, by name, from the steps that write them to those that
//! read them.

use proptest::prelude::*;
use upland_core::grid::layer::{FLOW, HARDNESS, WATER_DEPTH, WEAR};
use upland_core::grid::{LAYERS, LayerInfo};
use upland_core::steps::{self, Ground};
use upland_core::{Cache, Heightfield, Preset, Recipe, Result, Window, Work};

fn recipe(steps: &str) -> Recipe {
    let text = format!("(version: 1, name: \"Layers\", seed: 3, size: (97, 81), cell: 30, steps: [{steps}])");
    Recipe::from_ron(&text, "layers.ron").unwrap_or_else(|error| panic!("{error}"))
}

fn layers(recipe: &Recipe, names: &[&str]) -> Result<Ground> {
    recipe.build_layers(names, &Cache::default(), &Work::new())
}

fn sum(layer: &Heightfield) -> f64 {
    layer.heights().iter().map(|value| f64::from(*value)).sum()
}

const HILLS: &str = "fbm(height: 600, octaves: 6)";

#[test]
fn wear_less_deposit_is_what_erosion_has_changed() {
    let before = recipe(HILLS).build_heightfield(&Work::new()).unwrap();
    let after = layers(&recipe(&format!("{HILLS}, erode()")), &["wear", "deposit"]).unwrap();
    let (wear, deposit) = (after.layer("wear").unwrap(), after.layer("deposit").unwrap());
    for (sample, (before, after)) in before.heights().iter().zip(after.heights.heights()).enumerate() {
        let (wear, deposit) = (wear.heights()[sample], deposit.heights()[sample]);
        assert_eq!(wear - deposit, before - after);
        assert!(wear >= 0.0 && deposit >= 0.0 && wear.min(deposit) == 0.0);
    }
    assert!(sum(wear) > 1e4 && sum(deposit) > 0.5, "{} {}", sum(wear), sum(deposit));
}

#[test]
fn a_step_that_is_taken_in_part_leaves_that_part_of_its_layers() {
    let all = layers(&recipe(&format!("{HILLS}, erode()")), &["wear", "flow"]).unwrap();
    let half = layers(&recipe(&format!("{HILLS}, erode(amount: 0.5)")), &["wear", "flow"]).unwrap();
    for name in ["wear", "flow"] {
        let pairs = all.layer(name).unwrap().heights().iter().zip(half.layer(name).unwrap().heights());
        pairs.for_each(|(all, half)| assert_eq!(0.5 * all, *half, "{name}"));
    }
    let masked = "erode(mask: height, mask_min: 200)";
    let masked = layers(&recipe(&format!("{HILLS}, {masked}")), &["wear"]).unwrap();
    let before = recipe(HILLS).build_heightfield(&Work::new()).unwrap();
    for (sample, height) in before.heights().iter().enumerate() {
        let expected = if *height >= 200.0 { all.layer("wear").unwrap().heights()[sample] } else { 0.0 };
        assert_eq!(masked.layer("wear").unwrap().heights()[sample], expected);
    }
}

#[test]
fn all_water_of_a_land_with_one_way_out_runs_through_it() {
    let ground =
        layers(&recipe(&format!("{HILLS}, scale(bias: 900), erode(outlets: sea)")), &["flow"]).unwrap();
    let flow = ground.layer("flow").unwrap();
    let (own, all) = (30.0f32 * 30.0 * 1e-6, (97.0 * 81.0 * 30.0 * 30.0 * 1e-6) as f32);
    assert_eq!(flow.range(), (own, all));
    // Springs are many and rivers few.
    let few = flow.heights().iter().filter(|area| **area > 0.1 * all).count();
    assert!((10..400).contains(&few), "{few}");
    // Out of a river nobody rises: where most flows is the lowest ground.
    let most = flow.heights().iter().position(|area| *area == all).unwrap();
    assert_eq!(ground.heights.heights()[most], ground.heights.range().0);
}

#[test]
fn what_nobody_asks_for_changes_nothing() {
    for preset in ["canyon", "high-range"] {
        let recipe = Preset::find(preset).unwrap().recipe().unwrap().with_longer_side(65);
        let plain = recipe.build_heightfield(&Work::new()).unwrap();
        let names = recipe.layers();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ground = layers(&recipe, &names).unwrap();
        assert!(ground.heights == plain, "{preset}");
        assert_eq!(ground.layers().names().collect::<Vec<_>>(), names, "{preset}");
        let none = layers(&recipe, &[]).unwrap();
        assert_eq!(none.layers().names().count(), 0, "{preset}");
    }
}

#[test]
fn hard_ground_is_worn_less_and_soft_ground_as_ever() {
    let worn = |steps: &str| {
        let ground = layers(&recipe(&format!("{HILLS}, {steps}erode(smoothing: 0)")), &["wear"]).unwrap();
        (sum(ground.layer("wear").unwrap()), ground.heights)
    };
    let plain = worn("");
    let hard =
        ["0", "0.5", "0.9", "1"].map(|value| worn(&format!("paint(layer: \"hardness\", value: {value}), ")));
    // Not harder than usual is the land of before, bit for bit.
    assert!(hard[0].1 == plain.1);
    assert!(
        hard.windows(2).all(|pair| pair[1].0 < 0.95 * pair[0].0),
        "{:?}",
        hard.each_ref().map(|one| one.0)
    );
    // One half of the land alone.
    let east = "paint(layer: \"hardness\", value: 0.95, mask: image, mask_image: \"half.png\"), ";
    let folder = tempfile::tempdir().unwrap();
    image::GrayImage::from_raw(4, 1, vec![0, 0, 255, 255])
        .unwrap()
        .save(folder.path().join("half.png"))
        .unwrap();
    let mut recipe = recipe(&format!("{HILLS}, {east}erode(smoothing: 0)"));
    recipe.set_folder(folder.path());
    let ground = layers(&recipe, &["wear", "hardness"]).unwrap();
    let half = |name: &str, columns: std::ops::Range<usize>| -> f64 {
        let layer = ground.layer(name).unwrap();
        (0..81)
            .flat_map(|row| columns.clone().map(move |column| (column, row)))
            .map(|(column, row)| f64::from(layer.at(column, row)))
            .sum()
    };
    let painted = f64::from(0.95f32) * 33.0 * 81.0;
    assert_eq!(half("hardness", 0..33), 0.0);
    assert!((half("hardness", 64..97) - painted).abs() < 1e-6 * painted);
    let (west, east) = (half("wear", 0..33), half("wear", 64..97));
    assert!(east < 0.6 * west, "{east} {west}");
}

#[test]
fn a_layer_that_nobody_writes_is_told_with_those_that_there_are() {
    let said = |steps: &str, asked: &[&str]| layers(&recipe(steps), asked).unwrap_err().to_string();
    assert_eq!(
        said("fbm(), erode(), scale(mask: layer, mask_layer: \"snow\")", &[]),
        "steps.2 (scale): mask_layer: no step has written a layer `snow`; there are deposit, flow, wear"
    );
    // It is there only afterwards, and only where its step is on.
    assert_eq!(
        said("fbm(), scale(mask: layer, mask_layer: \"flow\"), erode()", &[]),
        "steps.1 (scale): mask_layer: the layer `flow` is written later, by steps.2 (erode); move that step \
         before this one"
    );
    assert_eq!(
        said("fbm(), scale(mask: layer, mask_layer: \"flow\")", &[]),
        "steps.1 (scale): mask_layer: no step has written a layer `flow`; there is none"
    );
    let muted = said("fbm(), erode(on: false), scale(mask: layer, mask_layer: \"flow\")", &[]);
    assert!(muted.starts_with("steps.2 (scale): mask_layer: no step has written"), "{muted}");
    // New land has nothing of the old one's.
    let new = said("fbm(), erode(), flat(), scale(mask: layer, mask_layer: \"flow\")", &[]);
    assert!(new.starts_with("steps.3 (scale): mask_layer: no step has written"), "{new}");
    assert_eq!(
        said("fbm(), paint(layer: \"ash\")", &["snow"]),
        "layer: no step has written a layer `snow`; there are ash, water_depth"
    );
    assert_eq!(
        said("fbm(), scale(mask: layer)", &[]),
        "steps.1 (scale): mask_layer: names no layer; there is none"
    );
    assert!(recipe("fbm(), scale(mask: layer, on: false)").build(&Work::new()).is_ok());
    let wrong = "(version: 1, name: \"\", size: (2, 2), cell: 1, steps: [paint(layer: \"No name\")])";
    let said = Recipe::from_ron(wrong, "wrong.ron").unwrap_err().to_string();
    assert!(said.starts_with("wrong.ron:1:") && said.contains("`No name` is not a name of lower"), "{said}");
}

#[test]
fn a_mask_lets_a_step_act_where_a_layer_says() {
    let rivers = format!(
        "{HILLS}, erode(), scale(factor: 0, bias: 5000, mask: layer, mask_layer: \"flow\", mask_min: 0.02)"
    );
    let marked = recipe(&rivers).build_heightfield(&Work::new()).unwrap();
    let eroded = layers(&recipe(&format!("{HILLS}, erode()")), &["flow"]).unwrap();
    let flow = eroded.layer("flow").unwrap().heights();
    for (sample, height) in marked.heights().iter().enumerate() {
        let expected = if flow[sample] >= 0.02 { 5000.0 } else { eroded.heights.heights()[sample] };
        assert_eq!(*height, expected);
    }
    let marks = marked.heights().iter().filter(|height| **height == 5000.0).count();
    assert!((20..4000).contains(&marks), "{marks}");
}

#[test]
fn paint_lies_over_paint_through_its_mask() {
    let ground = layers(
        &recipe(
            "flat(height: 100), island(depth: 200, inner: 0), paint(layer: \"lawn\", value: 4), \
             paint(layer: \"lawn\", value: 8, mask: height, mask_min: 0, mask_release: 100), \
             paint(layer: \"lawn\", value: 0, amount: 0.5)",
        ),
        &["lawn"],
    )
    .unwrap();
    for (lawn, height) in ground.layer("lawn").unwrap().heights().iter().zip(ground.heights.heights()) {
        let share = (1.0 + height / 100.0).clamp(0.0, 1.0);
        assert!((lawn - 0.5 * (4.0 + 4.0 * share)).abs() < 1e-4, "{lawn} at {height} m");
    }
    let heights = recipe("flat(height: 100), island(depth: 200, inner: 0)").build_heightfield(&Work::new());
    assert!(ground.heights == heights.unwrap());
}

#[test]
fn water_stands_as_deep_as_the_finished_land_says() {
    let mut recipe = Preset::find("river-valley").unwrap().recipe().unwrap().with_longer_side(129);
    (recipe.water.sea, recipe.water.sea_level) = (true, 60.0);
    let ground = layers(&recipe, &[WATER_DEPTH]).unwrap();
    let landscape = recipe.build(&Work::new()).unwrap();
    let water = landscape.water(&Work::new()).unwrap();
    assert_eq!(ground.layer(WATER_DEPTH).unwrap().heights(), water.depths());
    assert!(water.depths().iter().any(|depth| *depth > 1.0));
    let (cache, work) = (Cache::default(), Work::new());
    for text in ["0:20,30,50x40", "1:10,3,20x30", "-1:77,120,60x50"] {
        let window: Window = text.parse().unwrap();
        let part = recipe.build_window_layers(window, &[WATER_DEPTH], &cache, &work).unwrap();
        same_on_shared_samples(&part, &ground, WATER_DEPTH);
    }
}

/// Every sample of the window that the whole land has too has its bits.
fn same_on_shared_samples(part: &Ground, whole: &Ground, name: &str) {
    let (region, mut shared) = (*part.region(), 0);
    let (part, whole) = (part.layer(name).unwrap(), whole.layer(name).unwrap());
    assert_eq!(part.grid(), region.grid());
    let level_0 = |number: i64| {
        let at = if region.level() >= 0 { number << region.level() } else { number >> -region.level() };
        let back = if region.level() >= 0 { at >> region.level() } else { at << -region.level() };
        (back == number).then_some(at as usize)
    };
    for row in 0..region.grid().depth {
        for column in 0..region.grid().width {
            let place = level_0(region.column(column)).zip(level_0(region.row(row)));
            if let Some((x, z)) = place {
                assert_eq!(part.at(column, row).to_bits(), whole.at(x, z).to_bits(), "{name} {x} {z}");
                shared += 1;
            }
        }
    }
    assert!(shared > 0);
    let ((low, high), (least, most)) = (part.range(), whole.range());
    assert!(low >= least && high <= most, "{name}: {low} {high} outside {least} {most}");
}

/// Whole steps and those that know a place, steps with halos and with masks, all with layers.
const STACKS: [(&str, &[&str]); 4] = [
    (
        "fbm(height: 600), erode(), paint(layer: \"wet\", mask: layer, mask_layer: \"flow\", mask_min: 0.2)",
        &["flow", "wear", "deposit", "wet"],
    ),
    (
        "fbm(height: 600), paint(layer: \"hardness\", mask: noise), paint(layer: \"steep\", mask: slope, mask_min: 9), \
         erode(age: 1), gaussian(mask: layer, mask_layer: \"steep\")",
        &["hardness", "steep", "flow"],
    ),
    (
        "fbm(height: 600), paint(layer: \"high\", value: 7, mask: height, mask_min: 50, mask_release: 90), mean(), \
         scale(factor: 2, mask: layer, mask_layer: \"high\", mask_release: 7, mask_min: 7)",
        &["high"],
    ),
    (
        "fbm(height: 600), erode(amount: 0.5), normalize(), paint(layer: \"flow\", value: 3, amount: 0.2)",
        &["flow"],
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_window_has_the_layers_of_the_whole(
        stack in 0usize..STACKS.len(),
        level in -2i32..=2,
        place in prop::array::uniform4(0.0f64..1.0),
    ) {
        let (steps, names) = STACKS[stack];
        let recipe = recipe(steps);
        let (cache, work) = (Cache::default(), Work::new());
        let whole = recipe.build_layers(names, &cache, &work).unwrap();
        let side = |axis: usize| {
            let land = recipe.domain().unwrap().size_at(level).unwrap()[axis];
            let first = (place[axis] * (land - 1) as f64) as i64;
            // Wide enough for a sample that both have.
            let first = first.min(land as i64 - 1 - (1 << (-level).max(0)));
            let rest = land as i64 - first;
            let size = (1 << (-level).max(0)) + 1 + (place[axis + 2] * (rest - 1) as f64) as i64;
            (first, size.min(rest) as u32)
        };
        let ((x, width), (z, depth)) = (side(0), side(1));
        let window = Window { level, first: [x, z], size: [width, depth] };
        let part = recipe.build_window_layers(window, names, &cache, &work).unwrap();
        for name in names {
            let by_place = stack == 2 && level < 0;
            if by_place {
                // Known from finer heights, which leave the range of the coarser ones.
                prop_assert!(part.layer(name).unwrap().heights().iter().all(|value| (0.0..=7.0).contains(value)));
            } else {
                same_on_shared_samples(&part, &whole, name);
            }
        }
        // Without any memory the same.
        let again = recipe.build_window_layers(window, names, &Cache::new(0), &work).unwrap();
        prop_assert!(again == part);
    }
}

#[test]
fn the_cache_keeps_layers_and_counts_them() {
    let (cache, work) = (Cache::default(), Work::new());
    let recipe = recipe(&format!("{HILLS}, erode(), scale(factor: 2)"));
    let plain = recipe.build_heightfield(&work).unwrap();
    recipe.build_ground_with(&cache, &work).unwrap();
    let field = 4 * 97 * 81;
    assert_eq!(cache.bytes(), 3 * field);
    // Layers that nobody has written yet: from the step on that writes them.
    let ground = recipe.build_layers(&["flow", "wear"], &cache, &work).unwrap();
    assert_eq!(cache.bytes(), (1 + 3 + 3) * field);
    assert!(ground.heights == plain);
    // They are there now, and not in the way of those who don't ask.
    let asked = Work::new();
    let again = recipe.build_layers(&["wear"], &cache, &asked).unwrap();
    assert!(again.layer("wear").unwrap() == ground.layer("wear").unwrap());
    assert_eq!(again.layers().names().collect::<Vec<_>>(), ["wear"]);
    assert!(asked.finish().iter().all(|stage| !stage.name.contains("erosion")));
    assert!(again == recipe.build_layers(&["wear"], &Cache::new(0), &work).unwrap());
    assert_eq!(cache.bytes(), 7 * field);
}

/// White where the layer says and black elsewhere.
fn painted_by(steps: &str, limits: &str) -> Recipe {
    let white = format!("(name: \"marked\", colour: \"#ffffff\", factors: (layer: {limits}))");
    let black = "(name: \"other\", colour: \"#000000\")";
    let text = format!(
        "(version: 1, name: \"Layers\", seed: 3, size: (65, 65), cell: 30, steps: [{steps}], \
         texture: custom(types: [{black}, {white}], occlusion: 0, resolution: 65))"
    );
    Recipe::from_ron(&text, "layers.ron").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn terrain_types_lie_where_a_layer_says() {
    let east = "flat(height: 5), paint(layer: \"east\", value: 8, mask: image, mask_image: \"half.png\")";
    let folder = tempfile::tempdir().unwrap();
    image::GrayImage::from_raw(4, 1, vec![0, 0, 255, 255])
        .unwrap()
        .save(folder.path().join("half.png"))
        .unwrap();
    let mut recipe = painted_by(east, "(name: \"east\", min: 6)");
    assert_eq!(Recipe::from_ron(&recipe.to_ron().unwrap(), "again.ron").unwrap(), recipe);
    recipe.set_folder(folder.path());
    let cache = Cache::default();
    for _ in 0..2 {
        let texels = recipe.build_with(&cache, &Work::new()).unwrap().colour.texels;
        let brightness = |column: usize| texels[32 * 65 + column][0];
        assert!(brightness(5) < 5 && brightness(60) > 100, "{} {}", brightness(5), brightness(60));
    }
    // The other way round, of what the cache remembers.
    let mut west = painted_by(east, "(name: \"east\", max: 2)");
    west.set_folder(folder.path());
    let texels = west.build_with(&cache, &Work::new()).unwrap().colour.texels;
    assert!(texels[32 * 65 + 5][0] > 100 && texels[32 * 65 + 60][0] < 5);
    // Of no recipe's steps, but of every land.
    assert!(painted_by("flat()", "(name: \"water_depth\", min: 1)").build(&Work::new()).is_ok());
    let said = painted_by(east, "(name: \"west\")").build(&Work::new()).unwrap_err().to_string();
    assert_eq!(said, "layer: no step has written a layer `west`; there are east, water_depth");
}

#[test]
fn steps_tell_which_layers_they_read_and_write() {
    let of = |name: &str| {
        let step = steps::find(name).unwrap();
        let owned = |names: Vec<&str>| names.into_iter().map(String::from).collect::<Vec<_>>();
        (owned(step.reads()), owned(step.writes()))
    };
    assert_eq!(
        of("erode"),
        (vec!["hardness".into()], ["flow", "wear", "deposit"].map(String::from).to_vec())
    );
    assert_eq!(of("paint"), (vec![], vec!["painted".into()]));
    assert_eq!(of("fbm"), (vec![], vec![]));
    for name in [FLOW, WEAR, HARDNESS, WATER_DEPTH] {
        assert!(LAYERS.iter().any(|layer| layer.name == name));
    }
    assert_eq!(LayerInfo::of(HARDNESS).map(|layer| (layer.low, layer.high)), Some((0.0, 1.0)));
}
