//! Rendering pictures without a window.

mod headless;

#[cfg(feature = "render")]
pub(crate) use headless::Pending;
pub use headless::{Headless, MAX_PICTURE_SIDE};
