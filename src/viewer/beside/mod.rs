//! Several landscapes in the window: how they share its space, and what they have in common.

mod arrangement;
mod difference;
mod links;
mod pilots;
mod strip;

pub(super) use arrangement::{Arrangement, Part, Sharing};
pub(super) use difference::Differing;
pub(super) use links::{Links, SharedLight, season_of, share_light};
pub(super) use pilots::{Pilots, change_seats};

use bevy::prelude::*;

/// Adds what several landscapes need to the window's app.
pub(super) fn add(app: &mut App) {
    app.init_resource::<Arrangement>();
    difference::add(app);
    strip::add(app);
}
