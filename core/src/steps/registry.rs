//! The registry of steps: the built-in ones, and those that a program has added.

use std::sync::{PoisonError, RwLock};

use super::built_in::Make;
use super::common::common_names;
use super::{Kind, Operation, filter, generate, stack, water};
use crate::error::{Error, Result};
use crate::params::{self, is_name};

/// Makes each built-in step.
fn built_in() -> impl Iterator<Item = Make> {
    [generate::BUILT_IN, stack::BUILT_IN, filter::BUILT_IN, water::BUILT_IN].into_iter().flatten().copied()
}

/// Steps that programs have added, in the order of registration, by their names. Their code does not run
/// while the lock is held: a step's default might ask for another step.
static ADDED: RwLock<Vec<(&'static str, Make)>> = RwLock::new(Vec::new());

/// Registers a step of your own. From then on recipes, the panel, `--set` and `upland steps` know it. Call
/// it before recipes that use the step are read.
///
/// # Errors
/// [`Error::Parameter`] when its name, or that of a parameter, is taken or is not a valid name.
pub fn register<T: Operation + Default>() -> Result<()> {
    let step = T::default();
    let name = step.name();
    let refused = |reason: String| Err(Error::parameter(format!("step `{name}`"), reason));
    if !is_name(name) {
        return refused(
            "a name has lower-case letters, digits and underscores, and begins with a letter".into(),
        );
    }
    let (own, common) = (params::names(&step), common_names());
    for (index, parameter) in own.iter().enumerate() {
        if !is_name(parameter) || common.contains(parameter) || own[..index].contains(parameter) {
            return refused(format!(
                "its parameter `{parameter}` needs another name: each is there once, has lower-case letters, \
                 digits and underscores, and is not one of {}",
                common.join(", ")
            ));
        }
    }
    let is_built_in = built_in().any(|make| make().name() == name);
    // Tested and pushed under one lock: two threads can't both add the same name.
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    if is_built_in || added.iter().any(|(known, _)| *known == name) {
        drop(added);
        return refused("there is a step of this name already; choose another".into());
    }
    added.push((name, || Box::new(T::default())));
    Ok(())
}

/// All steps with their default parameters: generators, groups, filters, waterways; within a kind the built-in ones
/// in the table's order, then those registered.
pub fn all() -> Vec<Box<dyn Operation>> {
    // A copy, so that no lock is held while steps of games are made: their `Default` may do anything.
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner).clone();
    let mut all: Vec<_> = built_in().chain(added.iter().map(|(_, make)| *make)).map(|make| make()).collect();
    // A stable sort: within a kind, steps stay in the order of registration.
    all.sort_by_key(|step| Kind::ALL.iter().position(|kind| *kind == step.kind()));
    all
}

/// All steps of one kind.
pub fn of_kind(kind: Kind) -> impl Iterator<Item = Box<dyn Operation>> {
    all().into_iter().filter(move |step| step.kind() == kind)
}

/// The names of all steps, in the order of [`all`].
pub fn names() -> Vec<&'static str> {
    all().iter().map(|step| step.name()).collect()
}

/// The step called `name` in recipes, with its default parameters.
pub fn find(name: &str) -> Option<Box<dyn Operation>> {
    all().into_iter().find(|step| step.name() == name)
}
