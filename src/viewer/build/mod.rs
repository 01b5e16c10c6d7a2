//! Terrains that follow their recipes: rebuilding, single steps of a recipe, and playing a recorded build.

pub(crate) mod found_routes;
pub(crate) mod frame_diff;
pub(crate) mod playback;
pub(crate) mod rebuild;
pub(crate) mod step_stack;
pub(crate) mod terrain_override;
