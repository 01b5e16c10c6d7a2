//! Maps in which somebody has painted which terrain type lies where.

mod painted_map;
mod type_map;

pub use painted_map::PaintedMap;
pub(super) use painted_map::{Cover, CoverRun};
pub use type_map::TypeMap;
