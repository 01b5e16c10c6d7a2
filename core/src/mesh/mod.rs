//! Meshes of heightfields, for other programs: as few triangles as an error in metres allows, and files of
//! them.
//!
//! ```
//! # use upland_core as upland;
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
mod hole;
mod roam;
mod rtin;
mod scan;
mod seams;
mod skirt;
mod tin;
mod triangulate;
mod triangulation;

pub use grid::patch_error;
pub use roam::{Roam, RoamEye, RoamMesh};
pub use seams::{Seams, tile_borders};
pub use triangulate::Method;
pub use triangulation::{Bound, Triangulation};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::grid::{Grid, Heightfield};

/// Triangles in space, with the data that renderers need at their corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices in metres: X east and Z south of the middle of the land, Y up from height 0.
    pub positions: Vec<Vec3>,
    /// The unit normal of every vertex: that of the field, not of the triangles.
    pub normals: Vec<Vec3>,
    /// The position of every vertex in a picture of the land: from (0, 0) in the north-west to (1, 1) in the
    /// south-east.
    pub uvs: Vec<Vec2>,
    /// The vertices of every triangle, anticlockwise as seen from outside; on the ground, from above.
    pub triangles: Vec<[u32; 3]>,
}

/// A tile of a land whose mesh consists of several tiles, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// Heights of the tile. Where they continue beyond its border, normals at the border are those of the
    /// land, and the same in the neighbouring tile.
    pub field: &'a Heightfield,
    /// The column and row of the field in which the tile begins.
    pub first: [usize; 2],
    /// The land's column and row in which the tile begins.
    pub place: [usize; 2],
    /// Samples along x and z of the land; its middle is at x = z = 0.
    pub land: [usize; 2],
    /// The part of the land that the tile's texture shows: the land's column and row in which it begins, and
    /// how many cells it spans.
    pub picture: [[f64; 2]; 2],
}

impl Mesh {
    /// The mesh of a triangulated field.
    pub fn new(field: &Heightfield, triangulation: &Triangulation) -> Self {
        let Grid { width, depth, .. } = field.grid();
        let picture = [[0.0; 2], [width, depth].map(|samples| (samples - 1) as f64)];
        let tile = Tile { field, first: [0; 2], place: [0; 2], land: [width, depth], picture };
        Self::of_tile(&tile, triangulation)
    }

    /// The mesh of a tile's triangulation, at its place in the land: vertices that two tiles share have the
    /// same bits in both.
    ///
    /// # Panics
    /// When the field ends within the tile.
    pub fn of_tile(tile: &Tile, triangulation: &Triangulation) -> Self {
        let Tile { field, first, place, land, picture: [begin, span] } = *tile;
        let middle = land.map(|samples| (samples - 1) as f64 / 2.0);
        let cell = f64::from(field.grid().cell);
        let points = triangulation.points.par_iter();
        let vertices = points.map(|point| {
            let point = point.map(|index| index as usize);
            // A tile's field may have a margin, which normals at the border read.
            let [column, row] = [0, 1].map(|axis| first[axis] + point[axis]);
            let in_land = [0, 1].map(|axis| (place[axis] + point[axis]) as f64);
            // From the middle, because floats are finer closer to 0.
            let [x_in_metres, z_in_metres] =
                [0, 1].map(|axis| ((in_land[axis] - middle[axis]) * cell) as f32);
            let position = Vec3::new(x_in_metres, field.at(column, row), z_in_metres);
            let uv = [0, 1].map(|axis| ((in_land[axis] - begin[axis]) / span[axis]) as f32);
            (position, (field.normal_at(column, row), Vec2::from(uv)))
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
