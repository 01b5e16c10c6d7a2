//! How the ground is drawn from resident tiles: chunks, the levels at which they are drawn, and their
//! vertices.

pub(super) mod chunk;
pub(super) mod eye;
pub(super) mod ranges;
pub(super) mod select;
pub(super) mod surface;
pub(super) mod table;
