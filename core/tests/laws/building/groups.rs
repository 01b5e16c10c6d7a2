//! Groups: a stack inside the stack makes a land of its own, which is blended into the land before it.

use std::fmt;

use upland_core::{Cache, Heightfield, Recipe, Result, Work};

use super::cache::{counted, done};

fn recipe(steps: &str) -> Recipe {
    let text = format!(
        r#"(version: 1, name: "Land", seed: 4, size: (65, 49), cell: 25, steps: [{steps}], water: (sea: true))"#
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// A land, of which a failed comparison prints no more than the range.
#[derive(Clone, PartialEq)]
struct Land(Heightfield);

impl fmt::Debug for Land {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a land from {:?} m", self.0.range())
    }
}

fn land(steps: &str) -> Land {
    Land(recipe(steps).build_heightfield(&Work::new()).unwrap_or_else(|error| panic!("{steps}: {error}")))
}

fn said(steps: &str) -> String {
    recipe(steps).build_heightfield(&Work::new()).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_group_with_one_generator_is_that_generator() {
    for mixing in
        ["", "blend: add", "blend: multiply", "blend: max, amount: 0.3", "mask: slope, mask_min: 12"]
    {
        let own = if mixing.is_empty() { String::new() } else { format!(", {mixing}") };
        let group =
            land(&format!("fbm(height: 300), group(start: level{own}), ridged(height: 800), end(), mean()"));
        let alone = land(&format!("fbm(height: 300), ridged(height: 800{own}), mean()"));
        assert!(group == alone, "{mixing}");
    }
}

#[test]
fn a_mask_holds_for_all_steps_of_a_group() {
    let inner = "scale(bias: 40), terrace(), gaussian(sigma: 2)";
    let before = land("fbm()");
    let made = land(&format!("fbm(), {inner}"));
    let masked =
        land(&format!("fbm(), group(mask: height, mask_max: 300, mask_release: 200, amount: 0.6), {inner}"));
    let mut kinds = [false; 3];
    for ((before, made), masked) in before.0.heights().iter().zip(made.0.heights()).zip(masked.0.heights()) {
        let mask = 1.0 - ((before - 300.0) / 200.0).clamp(0.0, 1.0);
        let expected = before + (made - before) * (0.6 * mask);
        assert!((masked - expected).abs() < 1e-3, "{before} {made}: {masked}");
        kinds[usize::from(mask > 0.0) + usize::from(mask == 1.0)] = true;
    }
    assert_eq!(kinds, [true; 3], "whole, part and none of it");
}

#[test]
fn groups_stand_in_groups_and_can_be_off() {
    let plain = land("fbm(), scale(bias: 30), terrace(), mean()");
    assert_eq!(land("group(), fbm(), group(), scale(bias: 30), terrace(), end(), end(), mean()"), plain);
    assert_eq!(
        land("fbm(), group(start: level, on: false), ridged(), group(), mean(), end(), end()"),
        land("fbm()")
    );
    assert_eq!(land("fbm(), group(amount: 0), ridged(), end(), mean()"), land("fbm(), mean()"));
    // An end too few, and one too many.
    assert_eq!(land("fbm(), group(), scale(bias: 30), group(), terrace(), mean()"), plain);
    assert_eq!(land("end(), fbm(), scale(bias: 30), end(), terrace(), mean()"), plain);
    // Level ground is made again in each.
    let twice = "group(start: level, blend: add), flat(height: 7), end()";
    assert_eq!(land(&format!("flat(height: 5), {twice}, {twice}")).0.range(), (19.0, 19.0));
    assert_eq!(land("flat(height: 5), group(start: level)").0.range(), (0.0, 0.0), "an empty one");
}

#[test]
fn beds_of_rock_belong_to_the_steps_of_their_group() {
    let strata = "strata(thickness: 30, hardness: 0.95)";
    let eroded = land("fbm(), erode(age: 2)");
    assert_eq!(land(&format!("fbm(), group(), {strata}, end(), erode(age: 2)")), eroded);
    let in_beds = land(&format!("fbm(), {strata}, erode(age: 2)"));
    assert!(in_beds != eroded);
    assert_eq!(land(&format!("fbm(), {strata}, group(), erode(age: 2), end()")), in_beds, "those before it");
    let alone = land("group(start: level), fbm(), erode(age: 2), end()");
    assert_eq!(land(&format!("{strata}, group(start: level), fbm(), erode(age: 2), end()")), alone);
}

#[test]
fn layers_of_a_group_are_mixed_into_those_before_it() -> Result<()> {
    let paint = |value: f32| format!("paint(layer: \"hardness\", value: {value})");
    let layer = |steps: &str| {
        let recipe = recipe(steps);
        assert!(recipe.layers().contains(&"hardness".to_owned()), "{steps}");
        Ok(recipe.build_layers(&["hardness"], &Cache::default(), &Work::new())?.layer("hardness")?.range())
    };
    let (soft, hard) = (paint(0.25), paint(0.75));
    assert_eq!(layer(&format!("{soft}, group(amount: 0.5), {hard}, end()"))?, (0.5, 0.5));
    assert_eq!(layer(&format!("group(amount: 0.5), {hard}, end()"))?, (0.375, 0.375));
    assert_eq!(layer(&format!("{soft}, group(start: level, blend: add), fbm(), end()"))?, (0.25, 0.25));
    assert_eq!(
        layer(&format!("{soft}, group(), terrace(mask: layer, mask_layer: \"hardness\"), end()"))?,
        (0.25, 0.25)
    );
    // A land that replaces all that was there has only its own.
    let replaced = recipe(&format!("{soft}, group(start: level), fbm(), end()"));
    assert_eq!(replaced.layers(), ["water_depth"]);
    assert!(
        said(&format!("{soft}, group(start: level), terrace(mask: layer, mask_layer: \"hardness\")"))
            .contains("no step has written a layer `hardness`")
    );
    let of_group = "group(start: level, mask: layer, mask_layer: \"hardness\")";
    assert!(
        said(&format!("{of_group}, {hard}, end()")).starts_with("steps.0 (group): mask_layer: "),
        "too late"
    );
    Ok(())
}

#[test]
fn what_belongs_to_all_of_the_land_is_refused_in_a_group() {
    for step in ["river()", "lakes()", "streams()", "road()", "strokes(file: \"a.strokes.ron\")"] {
        let said = said(&format!("fbm(), group(), mean(), {step}, end()"));
        assert!(said.starts_with("steps.3 (") && said.contains("move it behind the group's `end`"), "{said}");
    }
    // In one that is off it isn't run, and behind the end it may stand.
    land("fbm(), group(on: false), river(), end(), river()");
    let (_, rivers) =
        recipe("fbm(), river(), group(mask: slope), mean(), end()").build_ground(&Work::new()).unwrap();
    assert_eq!(rivers.len(), 1, "a river before a group is still there");
}

#[test]
fn a_change_outside_of_a_group_does_not_make_its_steps_again() -> Result<()> {
    let cache = Cache::default();
    let mut recipe = recipe("fbm(), group(start: level, blend: add), ridged(height: 90), mean(), end()");
    recipe.steps.insert(3, counted(7, 1.0));
    let made = |recipe: &Recipe| -> Result<usize> {
        let before = done(7);
        let again = recipe.build_ground_with(&cache, &Work::new())?.0;
        assert!(again == recipe.build_heightfield(&Work::new())?);
        // Once without the cache.
        Ok(done(7) - before - 1)
    };
    assert_eq!(made(&recipe)?, 1);
    assert_eq!(made(&recipe)?, 0);
    recipe.set("steps.fbm.height", "300")?;
    assert_eq!(made(&recipe)?, 0, "the land before it");
    recipe.set("steps.group.amount", "0.5")?;
    assert_eq!(made(&recipe)?, 0, "its share");
    recipe.set("steps.mean.size", "5")?;
    assert_eq!(made(&recipe)?, 0, "a later step in it");
    recipe.set("steps.ridged.height", "100")?;
    assert_eq!(made(&recipe)?, 1, "an earlier one");
    recipe.set("steps.group.start", "land")?;
    assert_eq!(made(&recipe)?, 1);
    recipe.set("steps.fbm.height", "310")?;
    assert_eq!(made(&recipe)?, 1, "now it works on that");
    Ok(())
}

#[test]
fn a_probe_shows_the_land_of_a_group_and_how_it_is_blended() -> Result<()> {
    let steps = "flat(height: 100), group(start: level, amount: 0.5), flat(height: 30), scale(factor: 2), end(), \
        scale(bias: 1)";
    let probe = recipe(steps).probe([3, 4], &Cache::default(), &Work::new())?;
    let found: Vec<_> = probe.steps.iter().map(|step| (step.index, step.before, step.after)).collect();
    assert_eq!(found, [(0, 0.0, 100.0), (2, 0.0, 30.0), (3, 30.0, 60.0), (4, 100.0, 80.0), (5, 80.0, 81.0)]);
    assert_eq!(probe.steps[3].equation, "100 + 0.5 · (60 − 100) = 80");
    let open = recipe("flat(height: 100), group(blend: add), scale(bias: 1), group(), scale(bias: 2)");
    let probe = open.probe([0, 0], &Cache::default(), &Work::new())?;
    let found: Vec<_> = probe.steps.iter().map(|step| (step.index, step.before, step.after)).collect();
    assert_eq!(found, [(0, 0.0, 100.0), (2, 100.0, 101.0), (4, 101.0, 103.0), (1, 100.0, 203.0)]);
    assert_eq!(probe.height(), open.build_heightfield(&Work::new())?.at(0, 0));
    Ok(())
}

#[test]
fn many_groups_in_a_row_and_in_each_other_take_no_longer_than_their_steps() {
    let row = "group(amount: 0.5), mean(), end()";
    let nested = format!("{}mean(){}", "group(amount: 0.9),".repeat(40), ", end()".repeat(40));
    for steps in [[row; 40].join(", "), nested] {
        let recipe = recipe(&format!("fbm(), {steps}"));
        let window = "0:20,20,9x9".parse().unwrap();
        let part = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap().heights;
        let whole = recipe.build_heightfield(&Work::new()).unwrap();
        assert_eq!(part.at(4, 4), whole.at(24, 24));
    }
}
