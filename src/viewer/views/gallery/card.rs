//! The cards of the gallery.

use std::sync::Arc;

use crate::Recipe;
use crate::lessons::{Mistake, ShippedLesson};

/// A landscape that can be chosen.
#[derive(Clone)]
pub(crate) struct Card {
    /// What stands under it.
    pub title: String,
    /// What is said of it under the pointer.
    pub about: String,
    pub recipe: Arc<Recipe>,
    /// What it explains, if it is no mere land.
    pub teaches: Option<Teaches>,
    /// What its picture is kept under.
    pub key: u64,
}

/// What a card explains.
#[derive(Clone, Copy)]
pub(crate) enum Teaches {
    /// A family of algorithms, in a lesson.
    Lesson(ShippedLesson),
    /// What a naive version gets wrong.
    Mistake(&'static Mistake),
}
