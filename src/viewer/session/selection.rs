//! Which landscape is edited, and whether panels are shown.

use bevy::prelude::*;

/// The landscape that panels and tools work on.
#[derive(Resource)]
pub(crate) struct Selection {
    /// Index of the edited landscape, from the left.
    pub edited: usize,
    /// Whether panels are shown.
    pub shows_panels: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self { edited: 0, shows_panels: true }
    }
}

impl Selection {
    /// The number of the edited landscape.
    pub fn edited(&self) -> usize {
        self.edited
    }

    /// Edits the landscape with this number from now on.
    pub fn edit(&mut self, number: usize) {
        self.edited = number;
    }

    /// Shows the editor of the landscape with this number, even if panels were hidden.
    pub fn turn_to(&mut self, number: usize) {
        (self.edited, self.shows_panels) = (number, true);
    }

    /// Whether the land has the whole window.
    pub fn are_panels_hidden(&self) -> bool {
        !self.shows_panels
    }

    /// Panels that edit the landscape with this number.
    #[cfg(test)]
    pub fn editing(number: usize) -> Self {
        Self { edited: number, ..Self::default() }
    }
}
