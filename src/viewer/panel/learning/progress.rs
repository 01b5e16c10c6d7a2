//! A newcomer's progress in the guided tour.

use bevy::math::DVec3;

use crate::recipe::Recipe;

/// The state when a page was opened.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Before {
    pub place: DVec3,
    pub recipe: Recipe,
}

/// A newcomer's progress.
#[derive(Debug, Default)]
pub(crate) struct Welcome {
    /// The page of the tour that is shown.
    pub(super) page: Option<usize>,
    /// The state when it was opened.
    pub(super) before: Option<Before>,
    /// Whether the task has been done. It stays done if the user undoes it.
    pub(super) is_done: bool,
}

impl Welcome {
    /// Starts the tour.
    pub fn begin(&mut self) {
        self.turn_to(Some(0));
    }

    /// Ends the tour.
    pub fn end(&mut self) {
        self.turn_to(None);
    }

    /// Whether the tour is shown.
    pub fn is_on_tour(&self) -> bool {
        self.page.is_some()
    }

    pub(super) fn turn_to(&mut self, page: Option<usize>) {
        *self = Self { page, ..Self::default() };
    }
}
