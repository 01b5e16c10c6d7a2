//! What the panels remember from frame to frame.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy::window::WindowTheme;

use super::learning::progress::Welcome;
use crate::viewer::session::Tab;

/// What the panels remember.
#[derive(Resource, Default)]
pub(super) struct PanelState {
    /// Whether the keys are shown.
    pub(super) help: bool,
    /// The open panels among those that have no resource of their own to remember it in.
    pub(super) open: BTreeSet<Tab>,
    /// Whether a control had the focus at the end of the previous frame.
    pub(super) had_focus: bool,
    /// Whether panels are to return to their initial places.
    pub(super) is_to_be_tidied: bool,
    /// The system's theme, as last reported.
    pub(super) system_theme: Option<WindowTheme>,
    /// The guided tour.
    pub(super) welcome: Welcome,
}
