//! Level of detail: which chunks of a heightfield to draw for an eye, and how their vertices move so
//! that no crack shows.
//!
//! After Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps" (2009),
//! with one change: a vertex may morph through several levels, so the drawn surface depends on the
//! eye's distance alone and neighbouring chunks agree whatever their levels are.
//!
//! A chunk is a square of [`QUADS`] × [`QUADS`] quads. At level 0 a quad is one cell of the field;
//! each level doubles it. Where the field ends inside a chunk, the chunk's vertices are clamped to
//! the border, so nothing sticks out and the border is whole at every level.

mod chunk;
mod morph;
mod pyramid;
mod select;

pub use chunk::{Chunk, QUADS};
pub use morph::{MORPH_END, MORPH_START, Ranges};
pub use pyramid::Pyramid;
pub use select::{select, select_where};
