//! What clicks on the land are for.

use bevy::prelude::*;

/// What uses the mouse over the land in this frame.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PointerOwner {
    /// The camera: every button turns the view.
    #[default]
    Camera,
    /// The probe: a click chooses a sample, and buttons that are held turn the view.
    Probe,
    /// A brush, which needs the left button only.
    Brush,
    /// Points or towers, which are set and taken back with the left and the right button.
    Points,
}

/// The systems in which tools use mouse and keys over the land, before the camera does.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToolInput;
