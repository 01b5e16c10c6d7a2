//! What the window shows: which landscapes are open, their places, quality and view mode, their difference, levels of
//! detail compared, plots, and the gallery.

pub(crate) mod difference;
pub(crate) mod gallery;
pub(crate) mod landscapes;
pub(crate) mod layout;
pub(crate) mod levels_panes;
pub(crate) mod plots;
pub(crate) mod quality;
pub(crate) mod split_view;
pub(crate) mod view_mode;
