//! Water: rivers that carve their bed, and where water stands and reaches.
//!
//! A waterway is a step of the recipe. It lowers the land and leaves a [`Course`]; from the courses
//! and the sea a [`WaterBuffer`] is made, and from the courses the [`RiverSheet`] that is drawn. A new
//! waterway is a file here, its `mod` line and its line in the table below.
//!
//! Waterways that follow each other in a recipe are one network, in which their order doesn't matter:
//! see [`dig`].

mod banks;
mod buffer;
mod course;
mod distance;
mod nearest;
mod network;
mod profile;
mod reach;
mod river;
mod sheet;
mod stretch;
mod surfaces;

pub use buffer::{WATER_REACH, WATER_RISE, WaterBuffer};
pub use course::{Channel, Course};
pub(crate) use distance::distance_to_water;
pub use network::{carve_together, dig};
pub use river::{Flow, River};
pub use sheet::RiverSheet;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::params::Params;
use crate::table::table;

/// Digs the bed of a water.
pub trait Carve: Params {
    /// Where the water would run over `field`; `seed` bends the course.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation.
    fn course(&self, field: &Heightfield, seed: u64, work: &Work) -> Result<Course>;

    /// Lowers `field` to the bed, and tells where the water runs; `seed` bends the course. No other water
    /// is known to it: [`dig`] joins several.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation, and then the
    /// field is half changed.
    fn carve(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<Course> {
        work.stage("river", 2);
        let course = self.course(field, seed, work)?;
        work.advance(1);
        course.carve(field, work)?;
        work.advance(1);
        Ok(course)
    }
}

table! {
    /// Any of the waterways.
    pub enum Waterway: Carve {
        river: River = "River",
    }
}

/// Rises from 0 at 0 to 1 at 1, level at both.
fn smoothstep(share: f32) -> f32 {
    let share = share.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}
