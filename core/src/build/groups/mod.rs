//! The groups of a recipe's steps, each built as one: a step, or consecutive waterways.

mod plan;
mod step_group;
mod strokes;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::build::cache::Key;
use crate::error::Result;
use crate::recipe::Recipe;
use plan::plan_layers;
pub(in crate::build) use step_group::{StepGroup, label};

impl Recipe {
    /// The active steps in order, consecutive waterways as one group, given the layers asked for of the
    /// finished land.
    ///
    /// # Errors
    /// When no step writes a layer that is asked for.
    pub(in crate::build) fn groups(&self, layers: &[&str]) -> Result<Vec<StepGroup<'_>>> {
        let mut done = self.steps.iter().enumerate().filter(|(_, step)| step.is_done()).peekable();
        let mut groups: Vec<StepGroup> = Vec::new();
        let mut key = Some(Key::of_level_ground(self));
        while let Some((first, step)) = done.next() {
            let mut last = step;
            key = key.and_then(|key| key.after(step));
            // Factors such as wetness go by the sea.
            if step.mask.is_of_whole_land() {
                key = key.map(|key| key.of(self.sea_level().map(f32::to_bits)));
            }
            // Rivers in a row are one network: where they meet, their beds must join.
            let mut waterways: Vec<_> = step.waterway(self.seed).into_iter().collect();
            while !waterways.is_empty()
                && let Some(next) = done.peek().and_then(|(_, step)| step.waterway(self.seed))
            {
                waterways.push(next);
                (_, last) = done.next().unwrap_or((first, last));
                key = key.and_then(|key| key.after(last));
            }
            let (needs, wanted) = (BTreeSet::new(), Arc::default());
            groups.push(StepGroup { first, step, waterways, key, needs, wanted });
        }
        plan_layers(&mut groups, layers)?;
        Ok(groups)
    }

    /// The key of the finished land, given the layers asked for; `None` if it cannot be cached.
    ///
    /// # Errors
    /// As [`groups`](Self::groups).
    pub(in crate::build) fn last_key(&self, layers: &[&str]) -> Result<Option<Key>> {
        Ok(self.groups(layers)?.last().map_or(Some(Key::of_level_ground(self)), |last| last.key))
    }
}
