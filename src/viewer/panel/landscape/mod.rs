//! The editor of a landscape: its recipe with its steps, scatter rules and sun, flights over it, and the
//! brush.

pub(super) mod add_step;
mod course;
pub(super) mod recipe;
pub(super) mod scatter;
pub(super) mod sculpt;
pub(super) mod steps;
pub(super) mod sun;
pub(super) mod tours;
