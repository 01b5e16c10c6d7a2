//! Textures that fade into each other over a land.

mod baker;
mod textures;

pub use baker::FadeBaker;
pub(crate) use textures::MAX_SETS;
pub use textures::{Fade, Prepared};
