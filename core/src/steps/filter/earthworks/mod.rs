//! Steps that build: roads, platforms and stamps on the ground, and holes in it.

mod cut_and_fill;
pub(super) mod hole;
mod place;
pub(super) mod platform;
pub(super) mod road;
pub(super) mod stamp;

pub use hole::{HoleHeight, HoleShape};
pub use platform::{PlatformHeight, PlatformShape};
pub(crate) use road::{NearRoads, Roads};
pub(crate) use stamp::StampPicture;
pub use stamp::{StampBlend, StampFrom, StampOutline};
