//! A triangulated field: which samples are vertices, and how far the others lie from the surface.

use rayon::prelude::*;

use super::scan;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// The limit of a triangulation, as an error or as a number of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// No sample lies farther above or below the surface than this, in metres above 0.
    Error(f32),
    /// At most this many triangles, at least 2.
    Triangles(usize),
}

/// Triangles between samples of a field, without gaps or overlaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulation {
    /// The grid of the field.
    pub grid: Grid,
    /// Column and row of every vertex; none twice.
    pub points: Vec<[u32; 2]>,
    /// The vertices of every triangle, as indices of points, anticlockwise as seen from above.
    pub triangles: Vec<[u32; 3]>,
    /// The largest distance of a sample from the surface, in metres, measured vertically.
    pub error: f64,
}

impl Triangulation {
    /// The largest vertical distance of a sample of `field` from each triangle, in metres.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn errors(&self, field: &Heightfield, work: &Work) -> Result<Vec<f64>> {
        work.stage("measure", self.triangles.len());
        let corners = |triangle: &[u32; 3]| triangle.map(|point| self.points[point as usize]);
        let errors = self.triangles.par_iter().map(|triangle| {
            work.advance(1);
            let corners = corners(triangle);
            // Half a cell has no samples except its corners.
            let is_smallest = scan::doubled_area(corners) == 1;
            if is_smallest { Ok(0.0) } else { Ok(scan::worst(field, corners, work)?.error) }
        });
        errors.collect()
    }

    /// The largest of these errors.
    pub(super) fn measure(&self, field: &Heightfield, work: &Work) -> Result<f64> {
        Ok(self.errors(field, work)?.into_iter().fold(0.0, f64::max))
    }
}

/// # Errors
/// When a field cannot be triangulated: when a side has a single sample, or a height is NaN or infinite; and
/// [`Error::Cancelled`].
pub(super) fn check_field(field: &Heightfield, work: &Work) -> Result<()> {
    let Grid { width, depth, .. } = field.grid();
    if width < 2 || depth < 2 {
        let reason = "have no ground between them; a mesh needs at least 2 along either side".into();
        return Err(Error::Size { width, depth, reason });
    }
    if !field.is_finite_while(work)? {
        return Err(Error::parameter("heights", "some are NaN or infinite; a mesh needs numbers"));
    }
    Ok(())
}

impl Bound {
    pub(super) fn check(self) -> Result<()> {
        match self {
            // Negated, so that NaN is refused as well.
            Self::Error(metres) if !(metres.is_finite() && metres > 0.0) => {
                let reason = format!("{metres} is not a possible error of a surface; give metres above 0");
                Err(Error::parameter("error", reason))
            }
            Self::Triangles(count) if count < 2 => {
                let reason = format!("{count} triangles cannot cover a rectangle; give at least 2");
                Err(Error::parameter("triangles", reason))
            }
            _ => Ok(()),
        }
    }
}
