//! The formulas of a recipe's steps.

use super::titles::numbered;
use super::{Recipe, Step};

impl Recipe {
    /// The steps that run as one with the step of this index, with their indices: itself, and the rivers that
    /// are dug together with it.
    pub(crate) fn run_together(&self, first: usize) -> impl Iterator<Item = (usize, &Step)> {
        let is_river = |step: &Step| step.operation.as_waterway().is_some();
        let is_first_river = self.steps.get(first).is_some_and(is_river);
        let done = self.done().skip_while(move |(index, _)| *index < first);
        done.take_while(move |(index, step)| *index == first || (is_first_river && is_river(step)))
    }

    /// The formula of the step with this index; for rivers that are dug together those of all, each below its
    /// number and title. `None` if no formula is known.
    #[doc(hidden)]
    pub fn formula_of(&self, first: usize) -> Option<String> {
        let is_one = self.run_together(first).nth(1).is_none();
        let formulas = self.run_together(first).filter_map(|(index, step)| {
            let formula = step.operation.formula()?;
            Some(if is_one { formula } else { format!("{}\n{formula}", numbered(index, step.title())) })
        });
        let formulas: Vec<String> = formulas.collect();
        (!formulas.is_empty()).then(|| formulas.join("\n"))
    }
}
