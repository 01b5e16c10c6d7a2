//! The example of a step of one's own.
use example::Waves;
use upland::steps::{self, Kind, register};
use upland::{Recipe, Work};

#[path = "../../examples/custom_step.rs"]
#[expect(dead_code, reason = "its `main` starts the program")]
mod example;

#[test]
fn the_examples_step_is_in_recipes_in_paths_and_in_lists() {
    register::<Waves>().unwrap();
    let text = "(version: 1, name: \"Sea\", seed: 1, size: (33, 17), cell: 10.0, \
                steps: [flat(height: 5.0), waves(height: 8.0)])";
    let mut recipe = Recipe::from_ron(text, "sea.ron").unwrap();
    recipe.set("steps.1.length", "40").unwrap();
    recipe.set("steps.waves.bearing", "90").unwrap();
    assert_eq!(Recipe::from_ron(&recipe.to_ron().unwrap(), "sea.ron").unwrap(), recipe);
    let field = recipe.build_heightfield(&Work::new()).unwrap();
    // A wave of 40 m towards the east: a quarter of it from sample to sample.
    let (at, crest) = (|column| field.at(column, 8) - 5.0, 4.0);
    let around_middle = [at(16), at(17), at(18), at(19)];
    let asked = [0.0, crest, 0.0, -crest];
    assert!(
        around_middle.iter().zip(asked).all(|(found, asked)| (found - asked).abs() < 1e-3),
        "{around_middle:?}"
    );

    let refused = recipe.set("steps.1.length", "0.5").unwrap_err().to_string();
    assert!(refused.contains("1 to 5000 m"), "{refused}");
    // The menu of the panel and `upland steps` are made from this list.
    let listed = steps::of_kind(Kind::Filter).find(|step| step.name() == "waves").unwrap();
    let mut sliders = Vec::new();
    listed.read(&mut |param, _| sliders.push((param.name, param.unit)));
    assert_eq!(sliders, [("height", "m"), ("length", "m"), ("bearing", "°")]);
}
