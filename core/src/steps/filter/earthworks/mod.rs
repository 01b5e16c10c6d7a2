//! Steps that build: roads, platforms and stamps on the ground, and holes in it.

mod cut_and_fill;
mod hole;
mod place;
mod platform;
mod road;
mod stamp;

pub use hole::{Hole, HoleHeight, HoleShape};
pub use platform::{Platform, PlatformHeight, PlatformShape};
pub use road::Road;
pub(crate) use road::{NearRoads, Roads};
pub(crate) use stamp::StampPicture;
pub use stamp::{Stamp, StampBlend, StampFrom, StampOutline};
