//! A mesh for an eye: right triangles, each halved where the land behind it would look too far from it.
//!
//! The triangles are those of ROAM (Duchaineau et al., IEEE Visualization 1997), the binary tree of halved
//! right triangles. ROAM keeps its triangles from frame to frame and puts them in two queues, because
//! starting over was too slow then; here every frame starts from the two coarsest triangles. Cracks are
//! avoided as by Lindstrom & Pascucci, IEEE TVCG 8(3), 2002: around the middle of every longest side there is
//! a sphere that contains all triangles within the two that share the side. A side is halved if its error,
//! seen from where the sphere is nearest to the eye, looks too large, and if the sphere is in view. Errors
//! and spheres contain those of all smaller triangles, so that all sides larger than a halved one are halved,
//! too.

use glam::{DVec3, DVec4};
use rayon::prelude::*;

use super::Seams;
use super::rtin::{Ground, Point, Tree, Triangle, halves, middle, middle_of, on_both_sides, rounded_up};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, memory};

/// Bytes per sample: its height, the number of the side around it twice, and its sphere.
const BYTES_A_SAMPLE: u64 = 16;

/// Spheres are larger than necessary by this factor, so that rounding never moves one out of another.
const MARGIN: f64 = 1.0 + 1e-6;

/// Parts of a mesh that are made in parallel.
const PARTS: usize = 256;

/// A field that can be drawn from anywhere with the fewest right triangles for an error in pixels.
///
/// ```
/// # use upland_core as upland;
/// use glam::dvec3;
/// use upland::mesh::{Roam, RoamEye};
/// use upland::{Grid, Heightfield, Work};
///
/// let land = Heightfield::from_fn(Grid::new(65, 65, 10.0)?, |column, row| ((column * row) % 9) as f32);
/// let roam = Roam::new(land, &Work::new())?;
/// let eye = |y| RoamEye { position: dvec3(320.0, y, 320.0), pixels: 700.0, pixel_error: 1.5, sides: vec![] };
/// assert!(roam.mesh(&eye(50.0)).triangles.len() > 1000);
/// assert_eq!(roam.mesh(&eye(10_000.0)).triangles.len(), 2);
/// # Ok::<(), upland::Error>(())
/// ```
pub struct Roam {
    field: Heightfield,
    tree: Tree,
    /// For the middle of every longest side, the error of the triangles there, metres.
    own: Vec<f32>,
    /// For the middle of every longest side, the radius of its sphere, metres.
    radii: Vec<f32>,
}

/// An eye over a field. Places are in metres: x east and z south of its north-west sample, y up from height
/// 0.
#[derive(Clone, Debug, PartialEq)]
pub struct RoamEye {
    /// Where the eye is.
    pub position: DVec3,
    /// The size of a metre a metre away, pixels.
    pub pixels: f64,
    /// How far the mesh may look from the field's samples, pixels.
    pub pixel_error: f64,
    /// The sides of the eye's view: planes whose unit normals, in x, y and z, point inwards. Without planes
    /// it sees everything. Land outside is drawn with few triangles.
    pub sides: Vec<DVec4>,
}

/// A mesh for an eye.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoamMesh {
    /// Column and row of every triangle's corners, anticlockwise as seen from above. They cover the field
    /// once, and no vertex lies on another triangle's edge.
    pub triangles: Vec<[[u32; 2]; 3]>,
    /// The largest distance of a sample in view above or below the mesh, metres.
    pub error: f32,
    /// The largest apparent distance, pixels.
    pub pixels: f32,
}

impl Roam {
    /// Measures a field, once.
    ///
    /// # Errors
    /// When a side of the field has a single sample, when a height is NaN or infinite, when there is too
    /// little memory, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new(field: Heightfield, work: &Work) -> Result<Self> {
        super::triangulation::check_field(&field, work)?;
        let grid = field.grid();
        memory::require(grid, BYTES_A_SAMPLE * grid.count() as u64)?;
        let mut own = vec![0.0; grid.count()];
        let tree = Tree::of(&field, None, Seams::default(), work, |index, error| own[index] = error)?;
        let mut roam = Self { radii: vec![0.0; grid.count()], field, tree, own };
        roam.measure_spheres(work)?;
        Ok(roam)
    }

    /// The field.
    pub fn field(&self) -> &Heightfield {
        &self.field
    }

    /// The triangles for an eye. The same eye gives the same on every machine and at every thread count.
    pub fn mesh(&self, eye: &RoamEye) -> RoamMesh {
        let (mut mesh, mut parts) = (RoamMesh::default(), Vec::new());
        // Breadth first until there are enough parts, so that these are of similar size. Parts are joined in
        // order: the mesh doesn't depend on the threads.
        let mut pending: std::collections::VecDeque<Triangle> = self.tree.roots().collect();
        while let Some(triangle) = pending.pop_front() {
            if pending.len() >= PARTS {
                parts.push(triangle);
            } else if let Some(halves) = self.halved(triangle, eye, &mut mesh) {
                pending.extend(halves);
            }
        }
        let made = parts.into_par_iter().map(|part| {
            let mut mesh = RoamMesh::default();
            let mut pending = vec![part];
            while let Some(triangle) = pending.pop() {
                pending.extend(self.halved(triangle, eye, &mut mesh).into_iter().flatten());
            }
            mesh
        });
        for part in made.collect::<Vec<_>>() {
            mesh.triangles.extend(part.triangles);
            (mesh.error, mesh.pixels) = (mesh.error.max(part.error), mesh.pixels.max(part.pixels));
        }
        mesh
    }

    /// The halves of a triangle that the eye needs halved; other triangles become part of the mesh.
    fn halved(&self, triangle: Triangle, eye: &RoamEye, mesh: &mut RoamMesh) -> Option<[Triangle; 2]> {
        let ground = self.tree.ground(triangle);
        if ground == Ground::Nothing {
            return None;
        }
        if let Some(middle) = middle_of(triangle) {
            if ground == Ground::Border {
                return Some(halves(triangle, middle));
            }
            let error = self.tree.error(middle);
            if error == f32::INFINITY {
                return Some(halves(triangle, middle));
            }
            let index = self.tree.index(middle);
            let (centre, radius) = (self.place(middle), f64::from(self.radii[index]));
            // Every triangle within lies in the sphere: if that is out of view, so are all of them.
            let is_seen = || eye.sides.iter().all(|side| side.truncate().dot(centre) + side.w >= -radius);
            if error > 0.0 && is_seen() {
                let nearest = centre.distance(eye.position) - radius;
                let looks = |error: f32| f64::from(error) * eye.pixels;
                // Multiplied instead of divided: inside the sphere `nearest` is negative, and the side is
                // halved.
                if looks(error) > eye.pixel_error * nearest {
                    return Some(halves(triangle, middle));
                }
                let own = self.own[index];
                mesh.error = mesh.error.max(own);
                mesh.pixels = mesh.pixels.max((looks(own) / nearest) as f32);
            }
        }
        mesh.triangles.push(triangle.map(|corner| corner.map(|place| place as u32)));
        None
    }

    /// The position of a sample.
    fn place(&self, [column, row]: Point) -> DVec3 {
        let cell = f64::from(self.tree.grid.cell);
        let height = self.field.at(column as usize, row as usize);
        DVec3::new(column as f64 * cell, height.into(), row as f64 * cell)
    }

    fn measure_spheres(&mut self, work: &Work) -> Result<()> {
        let grid = self.tree.grid;
        for level in self.tree.levels() {
            let rows: Vec<Point> = level
                .rows(grid)
                .flat_map(|row| level.columns(grid, row).map(move |column| [column, row]))
                .collect();
            work.check()?;
            let found: Vec<f32> = rows
                .par_iter()
                .map(|&middle| self.radius(middle, on_both_sides(level.side_around(middle))))
                .collect();
            for (middle, radius) in rows.into_iter().zip(found) {
                let index = self.tree.index(middle);
                self.radii[index] = radius;
            }
        }
        Ok(())
    }

    /// The radius of the sphere around the two triangles with a side, and the spheres within them.
    fn radius(&self, centre: Point, sides: [Triangle; 2]) -> f32 {
        let at = self.place(centre);
        let mut radius = 0.0f64;
        for triangle @ [apex, from, to] in sides {
            if self.tree.ground(triangle) != Ground::Land {
                // Such a side has no triangle, or is always halved.
                continue;
            }
            let corners = triangle.map(|corner| at.distance(self.place(corner)));
            let within = [middle(apex, from), middle(apex, to)].into_iter().flatten().map(|middle| {
                at.distance(self.place(middle)) + f64::from(self.radii[self.tree.index(middle)])
            });
            radius = corners.into_iter().chain(within).fold(radius, f64::max);
        }
        rounded_up(radius * MARGIN)
    }
}
