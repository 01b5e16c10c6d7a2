//! The rules of a recipe that are followed, and the roads that they keep clear of.

use super::Recipe;
use crate::rules::Rule;
use crate::steps::filter::Road;

impl Recipe {
    /// The rules that are followed, with their indices: none on bare land.
    pub fn followed_rules(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.scatter.iter().enumerate().filter(|(_, rule)| rule.on && !self.bare)
    }

    /// The roads that lie on the finished land, whatever their masks.
    pub(crate) fn roads(&self) -> Vec<&Road> {
        let mut roads = Vec::new();
        for step in self.outer_steps() {
            // The roads of land that is gone are gone, too.
            if step.replaces_all() {
                roads.clear();
            }
            roads.extend(step.operation_as::<Road>());
        }
        roads
    }
}
