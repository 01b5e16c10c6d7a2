//! Writes the seeds of the recipes, one of every step with all its parameters and one of every skin, and
//! the words that recipes and `--set` know.

use std::collections::BTreeSet;

use upland::params::{self, Params, Value};
use upland::texture::Texture;
use upland::{Recipe, Sets, Skin, Step, steps};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/recipe");
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, recipe: &Recipe| -> Result<(), Box<dyn std::error::Error>> {
        Ok(std::fs::write(folder.join(name).with_extension("ron"), recipe.to_ron()?)?)
    };
    let empty = Recipe::new("Seed", (9, 9), 30.0);
    for name in steps::names() {
        let mut recipe = empty.clone();
        recipe.steps.extend(Step::from_name(name));
        write(name, &recipe)?;
    }
    let sets = vec![Skin::Temperate, Skin::Temperate.in_season(0.5)];
    let skins = [
        ("skin_seasons", Skin::Temperate.in_season(0.75)),
        ("skin_sets", Skin::Sets(Sets { sets, at: 0.3, mask: None })),
        ("skin_custom", Skin::Custom(Texture::arid())),
    ];
    for (name, texture) in skins {
        let mut recipe = empty.clone();
        recipe.texture = texture;
        write(name, &recipe)?;
    }
    let mut words = BTreeSet::from(["1e-40", "1e38", "-1", "0.5", "NaN", "inf", "-inf"].map(str::to_owned));
    for name in steps::names() {
        words.insert(name.to_owned());
        let Some(mut step) = Step::from_name(name) else { continue };
        words.extend(params::names(&step).into_iter().map(str::to_owned));
        step.visit(&mut |_, value| {
            if let Value::Choice(choice) = value {
                words.extend(choice.names().iter().map(|name| (*name).to_owned()));
            }
        });
    }
    let words: String = words.iter().map(|word| format!("\"{word}\"\n")).collect();
    for target in ["recipe", "set"] {
        std::fs::write(folder.join("../../words").join(target), &words)?;
    }
    Ok(())
}
