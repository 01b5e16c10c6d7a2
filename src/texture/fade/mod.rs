//! Textures that fade into each other, and those halfway between two.

mod between;
mod fades;

pub(crate) use fades::MAX_SETS;
pub use fades::{Fade, FadeBaker, Prepared};
