//! Steps that add detail to a slope, far below the spacing of a recipe's samples too.

mod gullies;
mod ledges;
mod ripples;
pub(super) mod slope_field;
mod stones;

pub use gullies::Gullies;
pub use ledges::Ledges;
pub use ripples::Ripples;
pub use stones::Stones;
