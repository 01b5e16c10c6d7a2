//! Notes for people on a recipe's steps: before its land is made, and on the finished land.

use super::{Recipe, Step};
use crate::grid::Heightfield;
use crate::steps::water::Course;

impl Recipe {
    /// Warnings about steps that run, given the spacing of the land's samples, for people; with their
    /// indices. See [`Operation::note`](crate::steps::Operation::note).
    ///
    /// ```
    /// # use upland_core as upland;
    /// let text = r#"(version: 1, name: "Brook", size: (65, 65), cell: 30, steps: [fbm(), river(width: 12)])"#;
    /// let recipe = upland::Recipe::from_ron(text, "brook.ron")?;
    /// let notes = recipe.notes();
    /// assert_eq!(notes[0].0, 1);
    /// assert!(notes[0].1.ends_with("so a river needs at least 60 m to have clean edges"));
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn notes(&self) -> Vec<(usize, String)> {
        self.done().filter_map(|(index, step)| Some((index, step.operation.note(self.cell)?))).collect()
    }

    /// Notes for people on the rivers of the finished land, with the indices of their steps: that nothing of
    /// a river can be seen, for example. See [`Carve::note_on`](crate::water::Carve::note_on). `rivers` are
    /// the courses of all rivers that were dug, as [`build_ground`](Self::build_ground) returns them. If an
    /// earlier state of the recipe made the land, and it had another number of rivers, there are no notes.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let text = r#"(version: 1, name: "Island", size: (65, 65), cell: 30, water: (sea: true),
    ///     steps: [flat(height: 300), island(), river()])"#;
    /// let recipe = upland::Recipe::from_ron(text, "island.ron")?;
    /// let (field, rivers) = recipe.build_ground(&upland::Work::new())?;
    /// let notes = recipe.notes_on(&field, &rivers);
    /// assert!(notes[0].1.contains("below the sea"));
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn notes_on(&self, field: &Heightfield, rivers: &[Course]) -> Vec<(usize, String)> {
        let note = |(index, course): (usize, &Course)| Some((index, self.note_on(index, field, course)?));
        self.dug(rivers).filter_map(note).collect()
    }

    /// The course of the river that the step with this index has dug, among `rivers`, the courses of all that
    /// were dug. `None` for other steps, and if an earlier state of the recipe had another number of rivers.
    #[doc(hidden)]
    pub fn river_of<'a>(&self, step: usize, rivers: &'a [Course]) -> Option<&'a Course> {
        self.dug(rivers).find(|(index, _)| *index == step).map(|(_, course)| course)
    }

    /// The steps that dig rivers, with the courses of these.
    fn dug<'a>(&self, rivers: &'a [Course]) -> impl Iterator<Item = (usize, &'a Course)> {
        let is_dug = |step: &Step| step.is_done() && step.operation.as_waterway().is_some();
        let mut dug: Vec<usize> = (0..self.steps.len()).filter(|index| is_dug(&self.steps[*index])).collect();
        // Streams are many of one step.
        let rivers = rivers.iter().filter(|river| !river.is_stream());
        // Rivers of another recipe: which belongs to which step is unknown.
        if dug.len() != rivers.clone().count() {
            dug.clear();
        }
        dug.into_iter().zip(rivers)
    }

    fn note_on(&self, index: usize, field: &Heightfield, course: &Course) -> Option<String> {
        let waterway = self.steps[index].operation.as_waterway()?;
        let is_of_field = course.grid() == field.grid();
        is_of_field.then(|| waterway.note_on(course, field, self.sea_level())).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::work::Work;
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
        let said = "too narrow for this land: samples are 31 m apart, so a river needs at least 62 m to have clean edges";
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

    #[test]
    fn rivers_of_which_nothing_is_seen_are_reported() {
        let notes = |steps: &str, water: &str| {
            let text = format!(
                r#"(version: 1, name: "Land", seed: 3, size: (65, 65), cell: 60, steps: [{steps}], water: ({water}))"#
            );
            let recipe = Recipe::from_ron(&text, "land.ron").unwrap();
            let (field, rivers) = recipe.build_ground(&Work::new()).unwrap();
            let notes = recipe.notes_on(&field, &rivers);
            let short = |note: &str| note.split([':', ',']).next().unwrap().to_owned();
            notes.into_iter().map(|(index, note)| (index, short(&note))).collect::<Vec<_>>()
        };
        let (sea, dry) = ("sea: true", "sea: false");
        let (below, nothing) = ("all of its bed lies below the sea", "digs nothing");
        let told = |index: usize, note: &str| vec![(index, note.to_owned())];
        let island = "flat(height: 300), island()";
        assert_eq!(notes(&format!("{island}, river()"), sea), told(2, below));
        assert_eq!(notes(&format!("{island}, river()"), dry), []);
        assert_eq!(notes(&format!("{island}, river(course: valleys)"), sea), []);
        assert_eq!(notes(&format!("{island}, river(points: [(0.5, 0.5), (0, 0)], flow: bearing)"), sea), []);
        // The one of the two that is not seen is reported.
        let two = format!("{island}, river(on: false), river(course: valleys), mean(), river(variant: 1)");
        assert_eq!(notes(&two, sea).last(), told(5, below).last());
        assert_eq!(notes("flat(height: 40), river(points: [(-1, -1), (-1, 2)])", dry), told(1, nothing));
        let valleys = "river(course: valleys, width: 200)";
        assert_eq!(notes(&format!("flat(height: 40), {valleys}"), sea), told(1, nothing), "nothing falls");
        assert_eq!(notes(&format!("flat(height: -40), {valleys}"), sea), told(1, nothing), "all is sea");
        let few = "flat(height: 300), island(depth: 12000, inner: 0), river(course: valleys, rank: 100)";
        assert_eq!(notes(few, sea), told(2, nothing));
        assert_eq!(notes("fbm(height: 900), river()", dry), []);
    }

    #[test]
    fn of_rivers_of_an_earlier_land_nothing_is_said() {
        let text = r#"(version: 1, name: "Land", size: (65, 65), cell: 60, steps: [flat(height: 300), island(), river()],
            water: (sea: true))"#;
        let mut recipe = Recipe::from_ron(text, "land.ron").unwrap();
        let (field, rivers) = recipe.build_ground(&Work::new()).unwrap();
        assert_eq!(recipe.notes_on(&field, &rivers).len(), 1);
        assert_eq!(recipe.notes_on(&Heightfield::flat(field.grid(), 900.0), &rivers), [], "above the sea");
        let coarser = recipe.with_longer_side(33).build_heightfield(&Work::new()).unwrap();
        assert_eq!(recipe.notes_on(&coarser, &rivers), []);
        recipe.steps[2].mixing.on = false;
        assert_eq!(recipe.notes_on(&field, &rivers), []);
    }

    #[test]
    fn rivers_of_the_presets_are_seen() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap().with_longer_side(129);
            if recipe.steps.iter().any(|step| step.operation.as_waterway().is_some()) {
                let (field, rivers) = recipe.build_ground(&Work::new()).unwrap();
                assert!(!rivers.is_empty());
                assert_eq!(recipe.notes_on(&field, &rivers), [], "{}", preset.name);
            }
        }
    }
}
