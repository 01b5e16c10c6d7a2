//! Steps that add detail to a slope, far below the spacing of a recipe's samples too.

pub(super) mod gullies;
mod lattice;
pub(super) mod ledges;
mod micro_detail;
pub(super) mod ripples;
mod slope_field;
pub(super) mod slope_limits;
pub(super) mod stones;
