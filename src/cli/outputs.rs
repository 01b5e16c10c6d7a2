//! Checks of output names: all different, and none that is also an input.

use std::path::{Path, PathBuf};

use super::{Failure, Outcome};
use crate::elevation::formats::target_of;
use crate::recipe::Recipe;

/// A file to be written, and a description of its content.
pub(super) struct Output {
    what: String,
    path: PathBuf,
}

impl Output {
    /// An output at `path`; `what` is its name on the command line.
    pub(super) fn new(what: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { what: what.into(), path: path.into() }
    }
}

/// Refuses outputs that would overwrite each other or one of the inputs; to be called before long work
/// begins.
pub(super) fn check(outputs: &[Output], inputs: &[PathBuf]) -> Outcome {
    let places: Vec<PathBuf> = outputs.iter().map(|output| place(&output.path)).collect::<Result<_, _>>()?;
    for (index, output) in outputs.iter().enumerate() {
        let path = output.path.display();
        if let Some(earlier) = places[..index].iter().position(|place| *place == places[index]) {
            let other = &outputs[earlier];
            let same = if other.path == output.path {
                String::new()
            } else {
                format!(" is the same file as {}", other.path.display())
            };
            return Err(Failure::Usage(format!(
                "{path}{same}: {} and {} cannot both be written there; give each its own name",
                other.what, output.what
            )));
        }
        for input in inputs.iter().filter(|input| input.exists()) {
            if place(input)? == places[index] {
                return Err(Failure::Usage(format!(
                    "{path}: {} would replace a file that is read for it; give another name",
                    output.what
                )));
            }
        }
    }
    Ok(())
}

/// The files that a recipe is made from, including the recipe `name` itself.
pub(super) fn inputs(name: &str, recipe: &Recipe) -> Vec<PathBuf> {
    let mut inputs = vec![PathBuf::from(name)];
    inputs.extend(recipe.files());
    inputs
}

/// The canonical path of an output, however it is spelled or linked.
fn place(path: &Path) -> Result<PathBuf, Failure> {
    let target = target_of(path)?;
    let target = std::path::absolute(&target).unwrap_or(target);
    let name = target.file_name().unwrap_or_default().to_owned();
    let folder = target.parent().unwrap_or(Path::new(""));
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    // File names are not case-sensitive on these systems.
    let name = if cfg!(any(windows, target_os = "macos")) { name.to_ascii_lowercase() } else { name };
    Ok(folder.join(name))
}
