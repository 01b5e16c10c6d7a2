//! Sculpting: strokes of a brush as data, and the land that they make of another.
//!
//! A [`Stroke`] says what tool was drawn along which path, with which radius. [`Strokes`] is a list of them, with
//! what was undone, and is read from and written to files. A [`Sculpture`] is a list prepared for a land: it changes
//! heights at any places of it, and the same place gets the same bits in whatever window, tile or order it is asked for.
//!
//! Most tools change a height by its place alone. Those that look at the ground around (smoothing, erosion) do so
//! once a stroke, on a lattice of their own, whose spacing follows from the radius; what comes
//! of it is interpolated wherever heights are asked for. So they neither need a halo nor care about levels of detail.

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
