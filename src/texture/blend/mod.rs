//! How much of each terrain type lies on a piece of ground, and how the colours of those that do become one.

mod method;
pub(super) mod weights;

pub use method::Blend;
pub(super) use method::{Blocks, Paint};
