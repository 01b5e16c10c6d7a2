//! What the window shows: the open landscapes, their places, quality and view mode, their difference
//! and likeness, a comparison of levels of detail, plots, and the gallery.

pub(crate) mod difference;
pub(crate) mod gallery;
pub(crate) mod landscapes;
pub(crate) mod layout;
pub(crate) mod levels_panes;
pub(crate) mod likeness;
mod pair;
pub(crate) mod plots;
pub(crate) mod quality;
pub(crate) mod split_view;
pub(crate) mod view_mode;
