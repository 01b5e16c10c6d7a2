//! What should be known of a recipe's steps before its land is made.

use super::Recipe;

impl Recipe {
    /// What should be known of steps that run, as the land's samples lie, for people; with their indices. See
    /// [`Operation::note`](crate::steps::Operation::note).
    ///
    /// ```
    /// let text = r#"(version: 1, name: "Brook", size: (65, 65), cell: 30, steps: [fbm(), river(width: 12)])"#;
    /// let recipe = upland::Recipe::from_ron(text, "brook.ron")?;
    /// let notes = recipe.notes();
    /// assert_eq!(notes[0].0, 1);
    /// assert!(notes[0].1.starts_with("12 m wide where samples are 30 m apart"));
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn notes(&self) -> Vec<(usize, String)> {
        let done = self.steps.iter().enumerate().filter(|(_, step)| step.is_done());
        done.filter_map(|(index, step)| Some((index, step.operation.note(self.cell)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    #[test]
    fn what_is_too_narrow_for_the_samples_is_said() {
        let land = |cell: f32, steps: &str| {
            let text = format!(
                r#"(version: 1, name: "Land", seed: 3, size: (65, 65), cell: {cell}, steps: [fbm(), {steps}])"#
            );
            Recipe::from_ron(&text, "land.ron").unwrap().notes()
        };
        let river = "river(width: 60)";
        assert_eq!(land(30.0, river), []);
        let said = "60 m wide where samples are 31 m apart: its bed and banks are ragged below 62 m";
        assert_eq!(land(31.0, river), [(1, said.to_owned())]);
        assert_eq!(land(31.0, "river(width: 60, on: false)"), [], "it doesn't run");
        assert_eq!(land(31.0, "river(width: 0)"), []);
        // With its shoulders it is 10 m wide.
        let road = "road(width: 7, shoulder: 1.5)";
        assert_eq!([land(5.0, road).len(), land(5.1, road).len()], [0, 1]);
        for preset in Preset::all() {
            assert_eq!(preset.recipe().unwrap().notes(), [], "{}", preset.name);
        }
    }
}
