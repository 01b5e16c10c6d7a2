//! Steps that move the ground sideways, so that it can overhang.

mod sculpt_vector;
mod undercut;

pub use sculpt_vector::SculptVector;
pub use undercut::{Above, Undercut};
