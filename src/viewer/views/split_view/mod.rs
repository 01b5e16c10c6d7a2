//! Several landscapes in the window: how they share its space, and what they have in common.

mod arrangement;
mod strip;

pub(crate) use arrangement::{Arrangement, Part, Sharing};

use bevy::prelude::*;

/// Adds what several landscapes need to the window's app.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Arrangement>();
    strip::add(app);
}
