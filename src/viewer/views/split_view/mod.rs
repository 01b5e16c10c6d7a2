//! Several landscapes in the window: how they share its space.

mod arrangement;
mod strip;

pub(crate) use arrangement::{Arrangement, Sharing, ViewPart};

use bevy::prelude::*;

/// Adds the resources and systems for several landscapes to the window's app.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Arrangement>();
    strip::add(app);
}
