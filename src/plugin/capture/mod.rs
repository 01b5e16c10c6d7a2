//! Rendering pictures without a window.

mod headless;

pub use headless::{Headless, MAX_PICTURE_SIDE};
