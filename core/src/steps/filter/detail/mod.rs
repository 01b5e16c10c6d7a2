//! Steps that add detail to a slope, far below the spacing of a recipe's samples too.

mod gullies;
mod lattice;
mod ledges;
mod micro_detail;
mod ripples;
mod slope_field;
pub(super) mod slope_limits;
mod stones;

pub use gullies::Gullies;
pub use ledges::Ledges;
pub use ripples::Ripples;
pub use stones::Stones;
