//! Sizes of panels and of what stands between them.

/// The least width or height of a panel, logical pixels.
pub(super) const LEAST: f32 = 60.0;
/// Width of the lines between panels, half of which each of its neighbours lacks, logical pixels.
pub(super) const LINE: f32 = 2.0;
/// Height of title bars, logical pixels.
pub(super) const TITLE: f32 = 25.0;
