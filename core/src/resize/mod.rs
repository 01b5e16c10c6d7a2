//! Resizing: the same land with a different number of samples.

mod bilinear;
mod bspline;
mod catmull_rom;
mod duplicate;
mod part;
mod scattered;
mod stencil;
mod taps;

pub use bilinear::bilinear;
pub(crate) use bilinear::bilinear_over;
pub use bspline::{Ends, Spline, bspline, bspline_into};
pub(crate) use bspline::{SplineSurface, samples_of};
pub use catmull_rom::{catmull_rom, catmull_rom_limited};
pub(crate) use catmull_rom::{catmull_rom_around, catmull_rom_between, limited_from_rows};
pub use duplicate::{duplicate, duplicate_ids};
pub(crate) use part::{bilinear_over_part, samples_of_part, spline_over_part};
pub(crate) use scattered::{Places, limited_at};
pub use stencil::{bezier, bspline_of_degree};

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
        /// A cubic B-spline surface with the samples as control points: smooth; it lowers peaks.
        BSpline = "bspline",
        /// A cubic B-spline surface that passes through the samples.
        BSplineThrough = "bspline_through",
        /// The inside of the B-spline surface: the part that the samples alone determine, stretched over the
        /// land. It begins and ends at the samples next to the border.
        BSplineInterior = "bspline_interior",
        /// A quadratic B-spline surface: nearer to the samples than the cubic one, with kinks in its
        /// curvature.
        BSplineQuadratic = "bspline_quadratic",
        /// A B-spline surface of degree 4: smoother than the cubic one.
        BSplineQuartic = "bspline_quartic",
        /// A B-spline surface of degree 5: the smoothest.
        BSplineQuintic = "bspline_quintic",
        /// Bicubic Bézier patches with the samples as control points: it passes through every third sample,
        /// with creases there.
        Bezier = "bezier",
    }
}

impl Resize {
    /// Resamples `field` to `grid`, over the same land.
    ///
    /// # Errors
    /// When a side of the field has fewer than four samples and the method uses only the inside of its
    /// spline, when heights become infinite, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn apply(self, field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
        let spline = |through_points| Spline { through_points, ..Spline::default() };
        let of_degree = |degree| bspline_of_degree(field, grid, degree, Ends::Clamped, work);
        match self {
            Self::CatmullRom => catmull_rom_limited(field, grid, work),
            Self::Duplicate => duplicate(field, grid, work),
            Self::Bilinear => bilinear(field, grid, work),
            Self::BSpline => bspline(field, grid, spline(false), work),
            Self::BSplineThrough => bspline(field, grid, spline(true), work),
            Self::BSplineInterior => {
                bspline(field, grid, Spline { ends: Ends::Interior, ..Spline::default() }, work)
            }
            Self::BSplineQuadratic => of_degree(2),
            Self::BSplineQuartic => of_degree(4),
            Self::BSplineQuintic => of_degree(5),
            Self::Bezier => bezier(field, grid, work),
        }
    }
}
