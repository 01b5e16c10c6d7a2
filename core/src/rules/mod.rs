//! The rules by which plants, rocks and objects are placed on a land, as recipes hold them: what, how many,
//! how far apart, and on which ground.
//!
//! The room `scatter` places objects by these rules.

mod rule;

pub use rule::{DENSEST, MOST_RULES, ROUNDS, Rule, Sizes, TypeLimits};
