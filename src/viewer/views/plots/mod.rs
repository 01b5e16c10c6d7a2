//! Looking inside a land: plots of what it is like in numbers, kept in step with the edited landscape.

mod inside;
mod line;
mod line_drawing;

pub(crate) use inside::Inside;

use bevy::prelude::App;

/// Adds what makes plots, and draws the line of the profile.
pub(crate) fn add(app: &mut App) {
    inside::add(app);
    line_drawing::add(app);
}
