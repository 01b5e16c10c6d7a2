//! The colours of a recipe's land, of all of it or of a window, and what rules of objects need to know of it.

mod blocks;
mod landscape;
mod landscape_cache;
mod measured;
mod overview;
mod scatter_inputs;
mod whole;
mod window;

pub use landscape::Landscape;
pub(crate) use scatter_inputs::RuleGround;
pub(crate) use window::Preparation;
pub use window::WindowBake;
