//! `upland presets`: lists the built-in recipes or prints one.

use crate::cli::report::{Failure, Outcome, print};
use crate::recipe::preset::Preset;

pub(in crate::cli) fn run(name: Option<&str>) -> Outcome {
    let Some(name) = name else {
        let mut list = String::new();
        for preset in Preset::all() {
            let recipe = preset.recipe()?;
            list += &format!("{:16} {}: {}\n", preset.name, recipe.name, recipe.about);
        }
        return Ok(print(&list)?);
    };
    match Preset::find(name) {
        Some(preset) => Ok(print(preset.text)?),
        None => {
            let names: Vec<&str> = Preset::all().iter().map(|preset| preset.name).collect();
            Err(Failure::Usage(format!("there is no preset `{name}`; there are {}", names.join(", "))))
        }
    }
}
