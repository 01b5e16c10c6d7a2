//! A floating origin: the world's origin is kept near the camera, so that positions of 32 bits are precise
//! wherever that is. The plugin has its own; with the feature `big_space` it follows that crate's.

#[cfg(feature = "big_space")]
mod big_space;
mod own;
mod place;

#[cfg(feature = "big_space")]
pub(crate) use big_space::follow_big_space;
pub use own::{FloatingOrigin, FloatingOriginPlugin, FloatingOriginSystems, WorldMoved, WorldOrigin};
pub use place::PrecisePlace;
