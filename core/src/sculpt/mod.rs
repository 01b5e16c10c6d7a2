//! Sculpting: strokes of a brush as data, and how they change land.
//!
//! A [`Stroke`] says what tool was drawn along which path, with which radius. [`Strokes`] is a list of them
//! with undo, and is read from and written to files. A [`Sculpture`] is a list prepared for a land: it
//! changes heights at any places, and a place gets the same bits in every window, tile and order.
//!
//! Most tools change a height by its place alone. Tools that look at the ground around (smoothing, erosion)
//! do so once per stroke, on a lattice of their own, whose spacing follows from the radius; the result is
//! interpolated wherever heights are needed. So they need no halo and don't depend on levels of detail.

mod brush;
mod erode;
mod file;
mod list;
mod patch;
mod sculpture;
mod smooth;
mod stroke;
#[cfg(test)]
mod tests;
mod types;

pub use file::STROKES_EXTENSION;
pub use list::{MAX_STROKES, Strokes};
pub(crate) use sculpture::EVERYWHERE;
pub use sculpture::{Before, Places, Sculpture};
pub use stroke::{MAX_PATH, STROKE_HEIGHTS, STROKE_PLACES, STROKE_RADII, Stroke, Tool};
pub(crate) use types::{PaintedRow, PaintedTypes};
