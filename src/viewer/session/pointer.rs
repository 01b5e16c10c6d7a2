//! Which tool clicks on the land belong to.

use bevy::prelude::*;

/// What uses the mouse over the land in this frame.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PointerOwner {
    /// The camera: every button turns the view.
    #[default]
    Camera,
    /// The probe: a click selects a sample, and dragging turns the view.
    Probe,
    /// A brush, which only needs the left button.
    Brush,
    /// Points or towers: the left button sets one, the right button removes one.
    Points,
}

/// The systems in which tools read mouse and keys over the land. They run before those of the camera.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToolInput;
