//! Resizing: the same land with another number of samples.

mod bilinear;
mod bspline;
mod catmull_rom;
mod duplicate;
mod taps;

pub use bilinear::bilinear;
pub(crate) use bilinear::bilinear_over;
pub use bspline::{Ends, Spline, bspline, bspline_into};
pub(crate) use bspline::{SplineSurface, samples_of};
pub use catmull_rom::{catmull_rom, catmull_rom_limited};
pub(crate) use catmull_rom::{catmull_rom_around, catmull_rom_between, limited_from_rows};
pub use duplicate::{duplicate, duplicate_ids};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::params::choice;

choice! {
    /// How land gets another number of samples.
    pub enum Resize {
        /// Cubics through the samples, kept within the heights around: smooth, and close to them.
        CatmullRom = "catmull_rom",
        /// Every sample becomes a block.
        Duplicate = "duplicate",
        /// Straight lines from sample to sample.
        Bilinear = "bilinear",
        /// A B-spline surface that has the samples as control points: the smoothest, lower on peaks.
        BSpline = "bspline",
        /// A B-spline surface through the samples.
        BSplineThrough = "bspline_through",
    }
}

impl Resize {
    /// `field` with the samples of `grid`, over the same land.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn apply(self, field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
        let spline = |through_points| Spline { through_points, ..Spline::default() };
        match self {
            Self::CatmullRom => catmull_rom_limited(field, grid, work),
            Self::Duplicate => duplicate(field, grid, work),
            Self::Bilinear => bilinear(field, grid, work),
            Self::BSpline => bspline(field, grid, spline(false), work),
            Self::BSplineThrough => bspline(field, grid, spline(true), work),
        }
    }
}
