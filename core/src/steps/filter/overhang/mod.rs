//! Steps that move the ground sideways, so that it can overhang.

pub(super) mod sculpt_vector;
pub(super) mod undercut;

pub use undercut::Above;
