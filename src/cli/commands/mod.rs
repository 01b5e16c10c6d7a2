//! One file for each command.

pub(super) mod bake;
pub(super) mod bench;
pub(super) mod blend;
#[cfg(feature = "render")]
pub(super) mod compare;
pub(super) mod convert;
pub(super) mod costs;
pub(super) mod fit;
pub(super) mod generate;
pub(super) mod info;
pub(super) mod lesson;
#[cfg(feature = "render")]
mod likeness;
pub(super) mod mesh;
pub(super) mod mistakes;
pub(super) mod plant;
pub(super) mod plot;
pub(super) mod presets;
#[cfg(feature = "render")]
pub(super) mod render;
pub(super) mod scatter;
pub(super) mod steps;
#[cfg(feature = "render")]
pub(super) mod tour;
#[cfg(feature = "viewer")]
pub(super) mod view;
pub(super) mod viewshed;
#[cfg(feature = "world")]
pub(super) mod world;
