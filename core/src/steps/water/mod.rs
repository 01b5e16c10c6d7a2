//! Water: rivers that carve their bed, the depth of water, and how far it reaches.
//!
//! A waterway is a step of the recipe. It lowers the land and leaves a [`Course`]. The courses and the sea
//! make a [`WaterBuffer`], and the courses the [`RiverSheet`] that is drawn. A new waterway is a file here,
//! its `mod` line and its row in the table below.
//!
//! Consecutive waterways of a recipe form one network, in which their order doesn't matter: see [`dig`].

mod banks;
mod beside;
mod bridge;
mod buffer;
mod carve;
mod channel;
mod course;
mod distance;
mod floodplain;
mod hydraulics;
mod lake;
mod lakes;
mod meanders;
mod nearest;
mod network;
mod outline;
mod ox_bows;
mod profile;
mod reach;
mod river;
mod river_bed;
mod sheet;
mod streams;
mod stretch;
mod surfaces;
mod trace;
mod valley;
mod waters;

pub use crate::steps::operation::Carve;
pub use bridge::Bridge;
pub use buffer::{WATER_REACH, WATER_RISE, WaterBuffer};
pub use course::{Channel, Course};
pub(crate) use distance::distance_to_water;
pub use lake::Lake;
pub(crate) use lake::Marks;
pub use network::{carve_together, dig};
pub use river::{Flow, RiverCourse};
pub use river_bed::RiverBed;
pub use sheet::{RiverAt, RiverSheet};
pub(in crate::steps) use stretch::CurveSegment;
pub use waters::Waters;

use crate::steps::built_in::built_in;

built_in! {
    river::River,
    lakes::Lakes,
    streams::Streams,
}
