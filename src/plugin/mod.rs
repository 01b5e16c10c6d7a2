//! The terrain plugin for Bevy.

mod headless;
mod look;
mod sky;
mod water;

pub use headless::{Headless, MAX_PICTURE_SIDE, require_graphics_device};
#[cfg(feature = "viewer")]
pub use sky::sky_camera_effects;
pub use sky::{Sky, SkyCamera, SkyPlugin, SkySystems};
pub use water::{WaterPlugin, WaterSurface};
