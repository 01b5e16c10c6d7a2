//! Painted maps: pictures that say which terrain type lies where.

mod painted_map;
mod type_map;

pub use painted_map::{PaintedMap, Palette};
pub use type_map::TypeMap;
