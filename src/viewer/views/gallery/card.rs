//! The cards of the gallery.

use std::sync::Arc;

use crate::Recipe;
use crate::lessons::{Mistake, ShippedLesson};

/// A landscape in the gallery.
#[derive(Clone)]
pub(crate) struct Card {
    /// The text under the picture.
    pub title: String,
    /// The text shown while the pointer is over it.
    pub about: String,
    pub recipe: Arc<Recipe>,
    /// What it explains, if it is more than a land.
    pub teaches: Option<Teaches>,
    /// The key of its picture.
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
