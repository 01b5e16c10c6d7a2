//! Results of a bake other than its colours: maps for other programs, and the ground cover, which is drawn
//! near the eye.

mod ground_cover;
mod maps;

pub use ground_cover::{CoverType, GroundCover};
pub use maps::{Green, TYPES_PER_SPLAT_MAP, normal_map};
