//! Steps as text: to be copied from one recipe and pasted into another, or into a message to somebody.

use crate::error::{Error, Result};
use crate::params::{self, ron_options};
use crate::recipe::{Recipe, Step};

/// The longest text that is read, bytes. A step with all parameters and a thousand points is far shorter.
const LONGEST: usize = 1 << 20;

/// The name of the text in errors.
const ORIGIN: &str = "pasted text";

impl Step {
    /// Steps as they stand in a recipe, one a line.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::Step;
    ///
    /// let steps = Step::list_from_ron("fbm(height: 400), gaussian()")?;
    /// assert_eq!(steps.len(), 2);
    /// assert_eq!(Step::list_from_ron(&Step::list_to_ron(&steps)?)?, steps);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a step has an invalid number, with its path and the accepted range: such a step could not be read
    /// again.
    pub fn list_to_ron(steps: &[Self]) -> Result<String> {
        let mut text = String::new();
        for (number, step) in steps.iter().enumerate() {
            params::check(step, &format!("steps.{number}"))?;
            let line = ron_options().to_string(step);
            text +=
                &line.map_err(|error| Error::parameter("steps", format!("cannot be written: {error}")))?;
            text += ",\n";
        }
        Ok(text)
    }

    /// Reads steps from text: one, several with commas between them, a list in brackets, or a whole recipe,
    /// whose steps are taken.
    ///
    /// # Errors
    /// [`Error::Recipe`] with line and column; when there is no step in it; when it is longer than 1 MiB.
    pub fn list_from_ron(text: &str) -> Result<Vec<Self>> {
        let refused = |reason: &str| Err(Error::parameter(ORIGIN, reason));
        if text.len() > LONGEST {
            return refused("is longer than 1 MiB, so it isn't a step");
        }
        let bare = text.trim();
        if bare.is_empty() {
            return refused("is empty; copy a step first");
        }
        let steps = if bare.starts_with('(') {
            Recipe::from_ron(text, ORIGIN)?.steps
        } else {
            // On a line of its own, so that errors report its own columns.
            let (open, close) = if bare.starts_with('[') { ("", "") } else { ("[\n", "\n]") };
            let recipe =
                format!("(version: 1, name: \"\", size: (3, 3), cell: 1, steps:\n{open}{text}{close}\n)");
            // Lines before the text: the head, and the bracket if it was added.
            let before = 1 + open.len() / 2;
            Recipe::from_ron(&recipe, ORIGIN)
                .map_err(|error| match error {
                    Error::Recipe { origin, line, column, reason } => {
                        Error::Recipe { origin, line: line.saturating_sub(before).max(1), column, reason }
                    }
                    error => error,
                })?
                .steps
        };
        if steps.is_empty() { refused("has no step in it") } else { Ok(steps) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    #[test]
    fn the_steps_of_every_preset_come_back_from_their_text() {
        for preset in Preset::all() {
            let steps = preset.recipe().unwrap().steps;
            let text = Step::list_to_ron(&steps).unwrap();
            assert_eq!(text.lines().count(), steps.len(), "{}", preset.name);
            let folderless = |steps: &[Step]| steps.iter().map(|step| step.name()).collect::<Vec<_>>();
            let read = Step::list_from_ron(&text).unwrap();
            assert_eq!(folderless(&read), folderless(&steps));
            assert_eq!(Step::list_to_ron(&read).unwrap(), text, "{}", preset.name);
            assert_eq!(Step::list_from_ron(&format!("[{text}]")).unwrap(), read);
        }
    }

    #[test]
    fn one_step_several_and_a_whole_recipe_are_read() {
        let count = |text: &str| Step::list_from_ron(text).map(|steps| steps.len());
        assert_eq!(count("fbm()").unwrap(), 1);
        assert_eq!(count("  fbm(height: 3),\n gaussian(),\n").unwrap(), 2);
        assert_eq!(count("[flat()]").unwrap(), 1);
        let recipe = "(version: 1, name: \"x\", size: (3, 3), cell: 1, steps: [flat(), invert(), flat()])";
        assert_eq!(count(recipe).unwrap(), 3);
    }

    #[test]
    fn what_is_no_step_is_refused_with_its_place() {
        let said = |text: &str| Step::list_from_ron(text).unwrap_err().to_string();
        assert!(said("fbm(),\n  hills()").starts_with("pasted text:2:"), "{}", said("fbm(),\n  hills()"));
        assert!(said("hills()").contains("unknown step `hills`"), "{}", said("hills()"));
        assert!(said("[fbm(height: x)]").starts_with("pasted text:1:"), "{}", said("[fbm(height: x)]"));
        assert!(said("  \n").contains("copy a step first"));
        assert!(said("[]").contains("no step"));
        assert!(said(&"x".repeat(LONGEST + 1)).contains("1 MiB"));
        for text in ["]", "fbm(", "fbm()) , sun: (", "\u{0}", "https://example.org", "((((((", "[[[["] {
            said(text);
        }
    }
}
