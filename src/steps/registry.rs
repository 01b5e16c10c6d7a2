//! The steps that there are: those of the table, and those that a program has added.

use std::sync::{PoisonError, RwLock};

use super::built_in::BUILT_IN;
use super::{Kind, Operation};
use crate::error::{Error, Result};
use crate::params::{self, is_name};

/// How a step is made, with its default parameters.
pub(super) type Make = fn() -> Box<dyn Operation>;

/// The parameters that a recipe gives to every step; none has one of its own by such a name.
pub(crate) const COMMON: &[&str] = &[
    "on",
    "blend",
    "amount",
    "variant",
    "mask",
    "mask_layer",
    "mask_min",
    "mask_max",
    "mask_release",
    "mask_frequency",
    "mask_threshold",
    "mask_softness",
    "mask_image",
    "mask_invert",
];

/// What programs have added, beside the table, in order.
static ADDED: RwLock<Vec<Make>> = RwLock::new(Vec::new());

/// Makes a step of one's own known: from then on recipes are read with it, and the panel, `--set` and
/// `upland steps` have it. To be called before recipes that use it are read.
///
/// # Errors
/// [`Error::Parameter`] when its name, or that of a parameter, is taken or can't be written in a recipe.
pub fn register<T: Operation + Default>() -> Result<()> {
    let step = T::default();
    let name = step.name();
    let refused = |reason: String| Err(Error::parameter(format!("step `{name}`"), reason));
    if !is_name(name) {
        return refused(
            "a name has lower-case letters, digits and underscores, and begins with a letter".into(),
        );
    }
    let own = params::names(&step);
    for (index, parameter) in own.iter().enumerate() {
        if !is_name(parameter) || COMMON.contains(parameter) || own[..index].contains(parameter) {
            return refused(format!(
                "its parameter `{parameter}` needs another name: each is there once, has lower-case letters, \
                 digits and underscores, and is none of {}",
                COMMON.join(", ")
            ));
        }
    }
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    if BUILT_IN.iter().chain(added.iter()).any(|make| make().name() == name) {
        return refused("there is a step of this name already; choose another".into());
    }
    added.push(|| Box::new(T::default()));
    Ok(())
}

/// All steps with their default parameters: generators, filters, waterways, and each sort in the order of
/// the table, followed by what was registered.
pub fn all() -> Vec<Box<dyn Operation>> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    let mut all: Vec<_> = BUILT_IN.iter().chain(added.iter()).map(|make| make()).collect();
    all.sort_by_key(|step| Kind::ALL.iter().position(|kind| *kind == step.kind()));
    all
}

/// All steps of one sort.
pub fn of_kind(kind: Kind) -> impl Iterator<Item = Box<dyn Operation>> {
    all().into_iter().filter(move |step| step.kind() == kind)
}

/// The names of all steps, as [`all`] sorts them.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|step| step.name()).collect()
}

/// The step called `name` in recipes, with its default parameters.
pub fn find(name: &str) -> Option<Box<dyn Operation>> {
    all().into_iter().find(|step| step.name() == name)
}
