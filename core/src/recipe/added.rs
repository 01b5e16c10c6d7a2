//! Steps that are added to a recipe while it is edited.

use super::limits::{MOST_STEPS, check_count};
use super::{Blend, Recipe, Step};
use crate::error::{Error, Result};
use crate::steps::{Kind, Site};

impl Recipe {
    /// Checks that so many more steps can be added: a recipe with more than 1000 could not be read again.
    ///
    /// # Errors
    /// [`Error::Parameter`] with how many there would be, and how many there may be.
    pub fn check_room(&self, more_steps: usize) -> Result<()> {
        check_count(self.steps.len().saturating_add(more_steps), MOST_STEPS, "steps")
            .map_err(|reason| Error::parameter("steps", reason))
    }

    /// Adds a step after all others as whoever adds one by hand expects it: it differs from others of its kind, land is
    /// added to the land that is there, which it would otherwise take the place of, and its numbers
    /// [suit](crate::steps::Operation::suit) that land, whose lowest and highest height is `range`, if it is known. Whether
    /// there is room for it is asked of [`check_room`](Self::check_room).
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Recipe, Step, water::{River, RiverCourse}};
    ///
    /// let mut recipe = Recipe::new("Island", (257, 257), 30.0);
    /// for name in ["fbm", "island", "river"] {
    ///     recipe.add_step(Step::from_name(name).unwrap(), None);
    /// }
    /// let river: &River = recipe.steps[2].operation_as().unwrap();
    /// assert_eq!((river.course, river.width), (RiverCourse::Valleys, 90.0));
    /// ```
    pub fn add_step(&mut self, mut step: Step, range: Option<(f32, f32)>) {
        step.mixing.variant = self.free_variant(&step);
        let alike = self.steps.iter().filter(|other| other.name() == step.name()).count();
        if !self.steps.is_empty() {
            if step.operation.kind() == Kind::Generator {
                step.mixing.blend = Blend::Add;
            }
            let (cell, sea_level, alike) = (self.cell, self.sea_level(), alike as u32);
            step.operation.suit(&Site { cell, sea_level, range, alike });
        }
        self.steps.push(step);
    }

    /// A variant that no other step of this kind has, so that the new land differs.
    #[doc(hidden)]
    pub fn free_variant(&self, new: &Step) -> u32 {
        let taken = |variant| {
            self.steps.iter().any(|step| step.name() == new.name() && step.mixing.variant == variant)
        };
        (0..).find(|variant| !taken(*variant)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::work::Work;
    use crate::steps::generate::Fault;
    use crate::steps::water::River;

    fn with(names: &[&str]) -> Recipe {
        let mut recipe = Recipe::new("Land", (129, 129), 80.0);
        recipe.water.sea = true;
        names.iter().for_each(|name| recipe.add_step(Step::from_name(name).unwrap(), None));
        recipe
    }

    #[test]
    fn land_that_is_added_replaces_none_and_differs_from_its_like() {
        let recipe = with(&["fbm", "fbm", "gaussian"]);
        let blends: Vec<Blend> = recipe.steps.iter().map(|step| step.mixing.blend).collect();
        assert_eq!(blends[1], Blend::Add);
        // The first is all there is, and a filter works on what is there.
        let usual = |name| Step::from_name(name).unwrap().mixing.blend;
        assert_eq!([blends[0], blends[2]], [usual("fbm"), usual("gaussian")]);
        assert_ne!(recipe.steps[0].mixing.variant, recipe.steps[1].mixing.variant);
    }

    #[test]
    fn the_first_step_is_as_it_comes() {
        assert_eq!(with(&["fault"]).steps[0].operation_as(), Some(&Fault::default()));
        assert_ne!(with(&["fbm", "fault"]).steps[1].operation_as(), Some(&Fault::default()));
    }

    #[test]
    fn a_river_that_is_added_to_an_island_is_seen_whatever_the_seed() {
        let mut recipe = with(&["fbm", "island", "river", "river"]);
        for seed in 0..20 {
            recipe.seed = seed;
            let (field, rivers) = recipe.build_ground(&Work::new()).unwrap();
            assert_eq!(recipe.notes(), [], "wide enough for the samples");
            assert_eq!(recipe.notes_on(&field, &rivers), [], "seed {seed}");
            let bed: Vec<f32> = rivers[0].bed().map(|(column, row)| field.at(column, row)).collect();
            assert!(bed[0] > 0.0, "seed {seed}: it begins at {} m", bed[0]);
            assert!(bed.last().unwrap() <= &0.0, "seed {seed}");
            assert!(bed.windows(2).all(|pair| pair[1] <= pair[0]), "seed {seed}");
            assert!(bed.len() > 10, "seed {seed}: {} samples", bed.len());
        }
    }

    #[test]
    fn rivers_that_are_added_know_the_sea_and_each_other() {
        let mut recipe = with(&["fbm", "river"]);
        recipe.water.sea_level = 120.0;
        recipe.add_step(Step::from_name("river").unwrap(), None);
        recipe.water.sea = false;
        recipe.add_step(Step::from_name("river").unwrap(), None);
        let rivers = recipe.steps.iter().filter_map(|step| step.operation_as::<River>());
        let known: Vec<_> = rivers.map(|river| (river.sea, river.rank)).collect();
        assert_eq!(known, [(0.0, 1), (120.0, 2), (-12_000.0, 3)]);
        recipe.check().unwrap();
    }
}
