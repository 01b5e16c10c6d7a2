//! What the panels remember from frame to frame.

use bevy::prelude::*;
use bevy::window::WindowTheme;

use super::learning::progress::Welcome;

/// What the panels remember.
#[derive(Resource, Default)]
pub(super) struct PanelState {
    /// Whether the keys are shown.
    pub(super) help: bool,
    /// Whether frame times are shown.
    pub(super) times: bool,
    /// Whether a control had the focus at the end of the previous frame.
    pub(super) had_focus: bool,
    /// Whether panels are to return to their initial places.
    pub(super) is_to_be_tidied: bool,
    /// The system's theme, as last reported.
    pub(super) system_theme: Option<WindowTheme>,
    /// The guided tour.
    pub(super) welcome: Welcome,
}
