//! The rules of a recipe that are followed, and the roads that they keep clear of.

use super::Recipe;
use super::limits::check_count;
use crate::error::{Error, Result};
use crate::params;
use crate::rules::{MOST_RULES, Rule};
use crate::steps::filter::Road;

impl Recipe {
    /// The rules that are followed, with their indices: none on bare land.
    pub fn followed_rules(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.scatter.iter().enumerate().filter(|(_, rule)| rule.on && !self.bare)
    }

    /// The roads that lie on the finished land, whatever their masks.
    pub(crate) fn roads(&self) -> Vec<&Road> {
        let mut roads = Vec::new();
        for step in self.steps.iter().filter(|step| step.is_done()) {
            // The roads of land that is gone are gone, too.
            if step.replaces_all() {
                roads.clear();
            }
            roads.extend(step.operation_as::<Road>());
        }
        roads
    }

    /// Checks that all rules are accepted.
    pub(super) fn check_rules(&self) -> Result<()> {
        check_count(self.scatter.len(), MOST_RULES, "rules")
            .map_err(|reason| Error::parameter("scatter", reason))?;
        let mut rules = self.scatter.iter().enumerate();
        rules.try_for_each(|(number, rule)| params::check(rule, &format!("scatter.{number}")))
    }
}
