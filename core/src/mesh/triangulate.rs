//! Triangulating a field, by one of several methods.

use std::fmt;
use std::str::FromStr;

use super::hole::Edges;
use super::triangulation::{Bound, Triangulation, check_field};
use super::{Seams, grid, rtin, tin};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// How a field is triangulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// A triangulated irregular network: any sample can be a vertex. The fewest triangles.
    #[default]
    Tin,
    /// A right-triangulated irregular network: isosceles right triangles, halved where the land needs it. Two
    /// to three times as many, and several times as fast.
    Rtin,
    /// Every sample, or every n-th of every n-th row.
    Grid,
}

impl Triangulation {
    /// Triangulates a field. The same field gives the same triangles on every machine and at every thread
    /// count.
    ///
    /// With [`Bound::Error`] no sample is farther than that from the surface; a grid has all samples and no
    /// error. With [`Bound::Triangles`] there are at most that many, and the error is as small as the method
    /// can make it.
    ///
    /// # Errors
    /// When the bound is not accepted, when a side of the field has a single sample, when a height is NaN or
    /// infinite, when there is too little memory, when the method needs more triangles than are allowed, and
    /// [`Error::Cancelled`].
    pub fn new(field: &Heightfield, method: Method, bound: Bound, work: &Work) -> Result<Self> {
        Self::of_tile(field, method, bound, Seams::default(), work)
    }

    /// As [`new`](Self::new), for a tile: its triangles meet those of its neighbours at the seams without a
    /// crack, if both are triangulated by the same method within the same error. At seams, a TIN's vertices
    /// follow from the heights along the seam alone, and right triangles and grids have all samples as
    /// vertices.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when there are seams and the bound is a number of triangles.
    pub fn of_tile(
        field: &Heightfield,
        method: Method,
        bound: Bound,
        seams: Seams,
        work: &Work,
    ) -> Result<Self> {
        Self::with_holes(field, None, method, bound, seams, work)
    }

    /// As [`of_tile`](Self::of_tile), for land with holes, whose layer `hole` is given at the same samples:
    /// every cell that an edge of a hole crosses is in the result as the two triangles with which it is
    /// drawn, ready to be [cut](super::Mesh::without_holes). A grid that leaves samples out has the edges
    /// between its own samples.
    ///
    /// # Errors
    /// As [`of_tile`](Self::of_tile), and when the layer lies on another grid.
    pub fn with_holes(
        field: &Heightfield,
        holes: Option<&Heightfield>,
        method: Method,
        bound: Bound,
        seams: Seams,
        work: &Work,
    ) -> Result<Self> {
        bound.check()?;
        if let (true, Bound::Triangles(count)) = (seams.any(), bound)
            && (method != Method::Grid || count < usize::MAX)
        {
            let reason = "tiles that keep a number of triangles each would not meet; give an error in metres";
            return Err(Error::parameter("triangles", reason));
        }
        check_field(field, work)?;
        let edges = holes.map(|holes| Edges::of(holes, field.grid())).transpose()?;
        let mut triangulation = match method {
            Method::Tin => tin::triangulate(field, edges.as_ref(), bound, seams, work),
            Method::Rtin => rtin::triangulate(field, edges.as_ref(), bound, seams, work),
            Method::Grid => grid::triangulate(field, bound, work),
        }?;
        if let Some(edges) = edges {
            triangulation.turn_diagonals(&edges);
        }
        Ok(triangulation)
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "tin" => Ok(Self::Tin),
            "rtin" => Ok(Self::Rtin),
            "grid" => Ok(Self::Grid),
            _ => Err("the methods are tin, rtin and grid".into()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tin => "tin",
            Self::Rtin => "rtin",
            Self::Grid => "grid",
        })
    }
}
