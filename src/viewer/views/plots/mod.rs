//! Plots of a land: what it is like in numbers, kept up to date with the edited landscape.

mod inside;
mod line;
mod line_drawing;

pub(crate) use inside::Inside;

use bevy::prelude::App;

/// Adds the systems that make plots and draw the line of the profile.
pub(crate) fn add(app: &mut App) {
    inside::add(app);
    line_drawing::add(app);
}
