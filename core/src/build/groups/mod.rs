//! The groups of a recipe's steps, each built as one: a step, or consecutive waterways.

mod plan;
mod step_group;
mod strokes;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::build::cache::Key;
use crate::error::{Error, Result};
use crate::recipe::{Recipe, StackPart, Step};
use plan::plan_layers;
pub(in crate::build) use step_group::{Role, StepGroup, label, land_before};

impl Recipe {
    /// The active steps in order, consecutive waterways as one group, given the layers asked for of the
    /// finished land.
    ///
    /// # Errors
    /// When no step writes a layer that is asked for, and when a step `group` holds what it can't.
    pub(in crate::build) fn groups(&self, layers: &[&str]) -> Result<Vec<StepGroup<'_>>> {
        let mut parts = self.stack_parts().into_iter().peekable();
        let mut groups: Vec<StepGroup> = Vec::new();
        // The numbers and keys of the land before each open group.
        let mut open: Vec<(usize, Option<Key>)> = Vec::new();
        let level = Some(Key::of_level_ground(self));
        let mut key = level;
        while let Some((mut first, part)) = parts.next() {
            let number = groups.len();
            let (mut role, mut from) = (Role::Runs, number);
            match part {
                StackPart::Step => {}
                StackPart::Opens => {
                    role = Role::Begins;
                    open.push((number, key));
                    if self.steps[first].starts_level() {
                        (from, key) = (0, level);
                    }
                }
                StackPart::Closes(opened) => {
                    let (outer, before) = open.pop().unwrap_or((0, level));
                    role = Role::Ends(outer);
                    first = opened;
                    key = before.zip(key).map(|(before, made)| before.of(made));
                }
            }
            let step = &self.steps[first];
            if role == Role::Runs && !open.is_empty() {
                check_inside(first, step)?;
            }
            if role != Role::Begins {
                key = key.and_then(|key| key.after(step));
                // Factors such as wetness go by the sea.
                if step.mask.is_of_whole_land() {
                    key = key.map(|key| key.of(self.sea_level().map(f32::to_bits)));
                }
            }
            // Rivers in a row are one network: where they meet, their beds must join.
            let mut waterways: Vec<_> = step.waterway(self.seed).into_iter().collect();
            while !waterways.is_empty()
                && let Some((index, StackPart::Step)) = parts.peek()
                && let Some(next) = self.steps[*index].waterway(self.seed)
            {
                waterways.push(next);
                key = key.and_then(|key| key.after(&self.steps[*index]));
                parts.next();
            }
            let (needs, wanted) = (BTreeSet::new(), Arc::default());
            groups.push(StepGroup { first, step, role, from, waterways, key, needs, wanted });
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

/// Refuses steps in a `group` that belong to all of the land, and not to a land that is blended into another.
fn check_inside(index: usize, step: &Step) -> Result<()> {
    if !step.is_of_all_land() {
        return Ok(());
    }
    let reason = "belongs to all of the land, and a group would cut it off where it is blended in; move it behind the \
                  group's `end`";
    Err(Error::parameter(label(index, step), reason))
}
