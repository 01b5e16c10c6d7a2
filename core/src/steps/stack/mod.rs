//! Stacks inside the stack: `group` begins one, and `end` blends its land into the land before it.
//!
//! Between the two stand any steps that make or change land. How the land of a group is made and blended is
//! the builder's work: it needs both lands at once.

mod end;
mod group;

pub use group::GroupStart;

use crate::steps::built_in::built_in;

// In the order in which they are listed.
built_in! {
    group::Group,
    end::End,
}
