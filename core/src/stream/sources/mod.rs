//! What makes tiles: a finished landscape, a recipe, and strokes over either.

pub(super) mod channels;
pub(super) mod landscape;
pub(super) mod made;
pub(super) mod recipe;
pub(super) mod relief;
pub(super) mod sculpted;
pub(super) mod sculpted_tile;
pub(super) mod source;
