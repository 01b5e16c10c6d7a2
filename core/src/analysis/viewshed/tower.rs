//! Towers: places above the ground, which see and are seen.

use glam::Vec2;

use crate::error::{Error, Result};

/// A place above the ground: an observer, or a target. It stands on the sample that is nearest to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tower {
    /// Metres east (x) and south (y) of the north-west corner of the land.
    pub position: Vec2,
    /// Metres above the ground, at least 0.
    pub height: f32,
}

/// # Errors
/// When it is not a finite number, or below 0.
pub(super) fn check_metres(name: &str, metres: f32) -> Result<()> {
    if metres.is_finite() && metres >= 0.0 {
        return Ok(());
    }
    Err(Error::parameter(name, format!("{metres} is outside its range; give metres, 0 or more")))
}
