//! Water: rivers that carve their bed, the depth of water, and how far it reaches.
//!
//! A waterway is a step of the recipe. It lowers the land and leaves a [`Course`]. The courses and the sea
//! make a [`WaterBuffer`], and the courses the [`RiverSheet`] that is drawn. A new waterway is a file here,
//! its `mod` line and its line in the table of [`steps`](crate::steps).
//!
//! Consecutive waterways of a recipe form one network, in which their order doesn't matter: see [`dig`].

mod banks;
mod beside;
mod buffer;
mod carve;
mod channel;
mod course;
mod distance;
mod hydraulics;
mod nearest;
mod network;
mod profile;
mod reach;
mod river;
mod sheet;
mod stretch;
mod surfaces;
mod trace;
mod valley;

pub use buffer::{WATER_REACH, WATER_RISE, WaterBuffer};
pub use course::{Channel, Course};
pub(crate) use distance::distance_to_water;
pub use network::{carve_together, dig};
pub use river::{Flow, River, RiverCourse};
pub use sheet::{RiverAt, RiverSheet};
pub(in crate::steps) use stretch::CurveSegment;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::steps::Operation;

/// A waterway: digs the bed of a river.
pub trait Carve: Operation {
    /// The course that the water would take over `field`; `seed` varies it.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation.
    fn course(&self, field: &Heightfield, seed: u64, work: &Work) -> Result<Course>;

    /// Lowers `field` to the bed and returns the course; `seed` varies it. Ignores all other rivers:
    /// [`dig`] joins several.
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

    /// What should be known of what it has made of the finished land `field` along its `course`, for people: that nothing
    /// of it is seen. The sea of the land lies at `sea`, metres, if there is one. By default nothing.
    fn note_on(&self, _course: &Course, _field: &Heightfield, _sea: Option<f32>) -> Option<String> {
        None
    }
}
