//! Resizing: the same land with a different number of samples.

mod bilinear;
mod bspline;
mod catmull_rom;
mod duplicate;
mod scattered;
mod taps;

pub use bilinear::bilinear;
pub(crate) use bilinear::bilinear_over;
pub use bspline::{Ends, Spline, bspline, bspline_into};
pub(crate) use bspline::{SplineSurface, samples_of};
pub use catmull_rom::{catmull_rom, catmull_rom_limited};
pub(crate) use catmull_rom::{catmull_rom_around, catmull_rom_between, limited_from_rows};
pub use duplicate::{duplicate, duplicate_ids};
pub(crate) use scattered::{Places, limited_at};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::params::choice;

choice! {
    /// How land is resampled to another number of samples.
    pub enum Resize {
        /// Catmull-Rom cubics through the samples, limited to the heights around: smooth, and close to the
        /// samples.
        CatmullRom = "catmull_rom",
        /// Nearest neighbour: every sample becomes a block of equal ones.
        Duplicate = "duplicate",
        /// Bilinear interpolation: straight lines from sample to sample.
        Bilinear = "bilinear",
        /// A cubic B-spline surface with the samples as control points: the smoothest; it lowers peaks.
        BSpline = "bspline",
        /// A cubic B-spline surface that passes through the samples.
        BSplineThrough = "bspline_through",
    }
}

impl Resize {
    /// Resamples `field` to `grid`, over the same land.
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
