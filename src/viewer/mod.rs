//! The application: landscapes side by side in a window, panels to edit them, and a camera that flies.

mod actions;
mod app;
mod build;
mod camera;
mod document;
mod files;
mod panel;
mod session;
mod tools;
mod ui_screenshots;
#[cfg(test)]
mod ui_tests;
mod views;

pub use app::{take_stills, teach, view};
pub use session::MAX_LANDSCAPES;

pub use document::{Document, free_name};
pub use session::display::Display;
