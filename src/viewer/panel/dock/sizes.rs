//! Sizes of panels and of the lines between them.

/// The minimum width or height of a panel, logical pixels.
pub(super) const LEAST: f32 = 60.0;
/// Width of the lines between panels, logical pixels. Half of it is taken from each neighbour.
pub(super) const LINE: f32 = 2.0;
/// Height of title bars, logical pixels.
pub(super) const TITLE: f32 = 25.0;
