//! Landscapes side by side in one picture, each with its name and what it took, and the difference of two.

mod difference;
mod panes;
mod picture;

pub(crate) use difference::{
    between as difference_of, colour as colour_of_difference, colours as colours_of_difference,
    legend as legend_of_difference, map as map_of_difference,
};
pub(crate) use picture::above_ground;
pub use picture::{CompareShot, Compared, ComparedPicture, ComparedTimes, MOST_COMPARED, render_compared};
