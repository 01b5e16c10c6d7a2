//! Level of detail: which chunks of a heightfield to draw for a camera, and how their vertices geomorph so
//! that there are no cracks.
//!
//! After Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps" (2009), with one
//! change: a vertex may morph through several levels, so the drawn surface depends only on the distance
//! from the eye, and neighbouring chunks agree whatever their levels are.
//!
//! A chunk is a square of [`QUADS`] × [`QUADS`] quads. At level 0 a quad is one cell of the field; each
//! level doubles it. Where the field ends inside a chunk, the chunk's vertices are clamped to the border,
//! so nothing protrudes and the border has no gaps at any level.

mod chunk;
mod morph;
mod pyramid;
mod select;

pub use chunk::{Chunk, QUADS};
pub use morph::{MORPH_END, MORPH_START, Ranges};
pub use pyramid::Pyramid;
pub use select::{select, select_where};
