//! What the panels remember from frame to frame, and what they are ordered to do.

use bevy::prelude::*;
use bevy::window::WindowTheme;

use super::welcome::Welcome;

/// What the panels remember.
#[derive(Resource)]
pub(in super::super) struct PanelState {
    /// Index of the edited landscape, from the left.
    pub(super) edited: usize,
    /// Whether the keys are shown.
    pub(super) help: bool,
    /// Whether panels are shown.
    pub(super) open: bool,
    /// Whether frame times are shown.
    pub(super) times: bool,
    /// Whether a control had the focus at the end of the frame before.
    pub(super) had_focus: bool,
    /// Whether panels shall go back to their first places.
    pub(super) is_to_be_tidied: bool,
    /// What the system said last of its theme.
    pub(super) system_theme: Option<WindowTheme>,
    /// The guided tour.
    pub(super) welcome: Welcome,
}

impl Default for PanelState {
    fn default() -> Self {
        Self {
            edited: 0,
            help: false,
            open: true,
            times: false,
            had_focus: false,
            is_to_be_tidied: false,
            system_theme: None,
            welcome: Welcome::default(),
        }
    }
}

impl PanelState {
    /// The number of the edited landscape.
    pub fn edited(&self) -> usize {
        self.edited
    }

    /// Edits the landscape with this number from now on.
    pub fn edit(&mut self, number: usize) {
        self.edited = number;
    }

    /// Shows what stands in the editor of the landscape with this number, also where panels were hidden.
    pub fn turn_to(&mut self, number: usize) {
        (self.edited, self.open) = (number, true);
    }

    /// Whether the land has the whole window.
    pub fn are_hidden(&self) -> bool {
        !self.open
    }

    /// A panel that edits the landscape with this number.
    #[cfg(test)]
    pub fn editing(number: usize) -> Self {
        Self { edited: number, ..Self::default() }
    }
}

/// What shall be done as if it had been typed into the command palette.
#[derive(Resource, Default)]
pub(in super::super) struct Orders(pub Vec<String>);
