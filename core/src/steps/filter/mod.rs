//! Filters: each changes the heights or the layers of a ground.
//!
//! A new one is a file in one of the rooms here (a struct declared by `params!`, its
//! [`Operation`](crate::steps::Operation), its tests), its `mod` and `pub use` lines there, and its row in
//! the table of [`steps`](crate::steps).

mod detail;
mod earthworks;
mod erode;
mod overhang;
mod paint;
mod remap;
mod smooth;
mod strokes;

pub use detail::*;
pub use earthworks::*;
pub use erode::{Erode, Outlets};
pub use overhang::*;
pub use paint::Paint;
pub use remap::*;
pub use smooth::*;
pub use strokes::SculptStrokes;

pub(crate) use earthworks::{NearRoads, Roads, StampPicture};
