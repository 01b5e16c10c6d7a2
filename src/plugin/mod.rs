//! The terrain plugin for Bevy.

mod headless;

pub use headless::{Headless, MAX_PICTURE_SIDE, require_graphics_device};
