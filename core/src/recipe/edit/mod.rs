//! Editing a recipe: setting what a path names, adding and pasting steps, variants, and changes in words.

mod add_step;
mod changes;
mod clipboard;
mod groups;
mod number;
mod set;
mod variants;

pub use number::Number;
pub use variants::{Values, Variant};
