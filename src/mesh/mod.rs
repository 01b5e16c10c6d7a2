//! Meshes of heightfields, for other programs: as few triangles as an error in metres allows, and files of
//! them.
//!
//! ```
//! use upland::mesh::{Bound, Mesh, Method, Triangulation};
//! use upland::{Grid, Heightfield, Work};
//!
//! // A roof: its ridge runs from north to south.
//! let roof = Heightfield::from_fn(Grid::new(9, 5, 10.0)?, |column, _| -8.0 * 4usize.abs_diff(column) as f32);
//! let triangulation = Triangulation::new(&roof, Method::Tin, Bound::Error(0.1), &Work::new())?;
//! // Two rectangles, the ends of the ridge between them.
//! assert_eq!((triangulation.points.len(), triangulation.triangles.len()), (6, 4));
//! assert_eq!(triangulation.error, 0.0);
//! let mesh = Mesh::new(&roof, &triangulation);
//! assert_eq!(mesh.triangles.len(), 4);
//! # Ok::<(), upland::Error>(())
//! ```

pub mod formats;
mod grid;
mod rtin;
mod scan;
mod skirt;
mod tin;
mod triangulation;

pub use triangulation::{Bound, Method, Triangulation};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::grid::Heightfield;

/// Triangles in space, with what renderers need at their corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices in metres: X east and Z south of the middle of the land, Y up from height 0.
    pub positions: Vec<Vec3>,
    /// The unit normal of every vertex: that of the field, not of the triangles.
    pub normals: Vec<Vec3>,
    /// The place of every vertex in a picture of the land: from (0, 0) in the north-west to (1, 1) in the
    /// south-east.
    pub uvs: Vec<Vec2>,
    /// The vertices of every triangle, anticlockwise as seen from outside; on the ground, from above.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The mesh of a triangulated field.
    pub fn new(field: &Heightfield, triangulation: &Triangulation) -> Self {
        let grid = field.grid();
        let [east, south] = [grid.width, grid.depth].map(|samples| (samples - 1) as f64);
        let cell = f64::from(grid.cell);
        let points = triangulation.points.par_iter();
        let vertices = points.map(|&[column, row]| {
            let (x, z) = (f64::from(column), f64::from(row));
            let (column, row) = (column as usize, row as usize);
            // From the middle: a float is finer the nearer to 0 it is.
            let [x_in_metres, z_in_metres] =
                [x - east / 2.0, z - south / 2.0].map(|cells| (cells * cell) as f32);
            let position = Vec3::new(x_in_metres, field.at(column, row), z_in_metres);
            let uv = Vec2::new((x / east) as f32, (z / south) as f32);
            (position, (field.normal_at(column, row), uv))
        });
        let (positions, (normals, uvs)) = vertices.unzip();
        Self { positions, normals, uvs, triangles: triangulation.triangles.clone() }
    }

    /// The lowest and the highest coordinate along each axis; zeros if there are no vertices.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let first = self.positions.first().copied().unwrap_or_default();
        let wider = |(low, high): (Vec3, Vec3), &p: &Vec3| (low.min(p), high.max(p));
        self.positions.iter().fold((first, first), wider)
    }
}
