//! The plan of a build: which layers each step must keep for the steps after it.
//!
//! A layer is kept only if a step or a mask reads it, or if it was asked for; others are not written.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::step_group::{Role, StepGroup};
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::steps::no_layer;

/// Sets which layers every group must keep, given those asked for of the finished land.
///
/// # Errors
/// When a layer that a mask names or that is asked for isn't written by any step; the message lists those
/// available.
pub(super) fn plan_layers(groups: &mut [StepGroup], asked: &[&str]) -> Result<()> {
    let mut there = BTreeSet::new();
    // The layers of the land before each open step `group`.
    let mut outer: Vec<BTreeSet<String>> = Vec::new();
    let mut wanted: BTreeSet<String> = asked.iter().map(|name| String::from(*name)).collect();
    for index in 0..groups.len() {
        let (before, later) = groups.split_at_mut(index + 1);
        let group = &mut before[index];
        // The mask of a step `group` holds for the land before it.
        if let Some(name) = group.step.masked_by()
            && !matches!(group.role, Role::Ends(_))
        {
            if !there.contains(name) {
                return group.named(Err(not_written_yet(name, &there, later)));
            }
            wanted.insert(name.into());
        }
        // A layer is kept from the step that writes it for as long as any step reads it.
        wanted.extend(group.step.operation.reads().into_iter().map(String::from));
        match group.role {
            Role::Runs => group.step.write_into(&mut there),
            Role::Begins => {
                outer.push(there.clone());
                group.step.write_into(&mut there);
            }
            Role::Ends(_) => group.step.blend_into(outer.pop().unwrap_or_default(), &mut there),
        }
        group.needs = there.clone();
    }
    for name in asked {
        if !there.contains(*name) && *name != WATER_DEPTH {
            return Err(no_layer("layer", name, there.iter().map(String::as_str).chain([WATER_DEPTH])));
        }
    }
    let wanted = Arc::new(wanted);
    for group in groups {
        group.needs.retain(|name| wanted.contains(name));
        group.wanted = wanted.clone();
    }
    Ok(())
}

/// The error for a mask of a layer that no step before it writes: which step after it does, or what there is.
fn not_written_yet(name: &str, there: &BTreeSet<String>, later: &[StepGroup]) -> Error {
    let Some(writer) = later.iter().find(|group| group.step.operation.writes().contains(&name)) else {
        return no_layer("mask_layer", name, there.iter().map(String::as_str));
    };
    let reason =
        format!("the layer `{name}` is written later, by {}; move that step before this one", writer.label());
    Error::parameter("mask_layer", reason)
}
