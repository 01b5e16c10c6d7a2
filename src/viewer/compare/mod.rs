//! Landscapes side by side in one picture, each with its name and what it took, and the difference of two.

mod difference;
mod panes;
mod picture;

pub use picture::{CompareShot, Compared, ComparedPicture, MOST_COMPARED, render_compared};
