//! A node as a mesh: positions in 32 bits, precise because they are relative to the node's own centre.
//!
//! A mesh also has its parent's shape at each of its vertices. So it can be drawn like its parent at the
//! distance where it replaces the parent, and take its own shape as the eye comes nearer: geomorphing.

use glam::{DVec3, Vec3};

use super::cube::{Node, QUADS};
use super::land::PlanetLand;
use crate::compute::work::Work;
use crate::error::Result;
use crate::texture::WeightMap;

/// Samples around a node's own that are also made, for slopes and colours at its border. Twin of
/// `WEIGHTS_BORDER` in `shaders/planet.wgsl`.
pub(super) const BORDER: u32 = 3;

/// Depth of the skirts that hang from a node's border, in quads. Where two nodes of different levels meet,
/// the ground of one lies above that of the other by no more than half a quad of the coarser times the slope.
/// Neighbours are one or two levels apart, so this is enough for slopes up to 2.
const SKIRT: f64 = 4.0;

/// The drawn water extends this far above the sea, as a share of a quad: under the beach.
const SHORE: f32 = 0.05;

/// The mesh of a node. Vertices are row by row, [`QUADS`] + 1 a side; then those of its skirts, which hang
/// from the first row, the last row, the first column and the last column. [`indices`] has its triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeMesh {
    /// The node.
    pub node: Node,
    /// From the planet's centre, metres.
    pub centre: DVec3,
    /// Relative to `centre`, metres.
    pub positions: Vec<[f32; 3]>,
    /// Of length 1.
    pub normals: Vec<[f32; 3]>,
    /// sRGB-encoded red, green and blue, and the visible share of the sky.
    pub colours: Vec<[u8; 4]>,
    /// Where ground textures are placed, metres: along the face's columns from the node's first sample
    /// ([`PlanetLand::place_of`]), up from the radius, and along the rows.
    pub places: Vec<[f32; 3]>,
    /// The share of each terrain type on the node's quads and [`NodeMesh::BORDER`] more on every side, row by
    /// row; none for nodes that are never seen from near enough ([`PlanetLand::is_covered`]).
    pub weights: Option<WeightMap>,
    /// The lowest height, metres.
    pub low: f32,
    /// The highest height, metres.
    pub high: f32,
    /// The sea over it.
    pub sea: Option<SeaMesh>,
}

/// The sea over a node: the same vertices, skirts included. [`sea_indices`] has its triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct SeaMesh {
    /// Relative to the node's centre, metres.
    pub positions: Vec<[f32; 3]>,
    /// Upwards, of length 1.
    pub normals: Vec<[f32; 3]>,
    /// Depth of the water, metres: negative on land.
    pub depths: Vec<f32>,
}

/// The parent's shape at the mesh's vertices, skirts included.
#[derive(Clone, Debug, PartialEq)]
pub struct Coarser {
    /// Relative to the finer node's centre, metres.
    pub positions: Vec<[f32; 3]>,
    /// Of length 1.
    pub normals: Vec<[f32; 3]>,
    /// As [`NodeMesh::colours`].
    pub colours: Vec<[u8; 4]>,
    /// As [`SeaMesh::positions`], if both have a sea.
    pub sea: Option<Vec<[f32; 3]>>,
    /// As [`SeaMesh::depths`], if both have a sea.
    pub depths: Option<Vec<f32>>,
}

/// Quads of a node along one of the coarsest neighbour for which the sea's skirts are made.
const SEA_SKIRT_QUADS: u8 = 8;

/// Samples along a side of a node.
const SIDE: usize = QUADS as usize + 1;

impl PlanetLand {
    /// Makes the mesh of a node. The same vertex has the same position in 64 bits, height and normal in every
    /// node of a depth.
    ///
    /// # Errors
    /// As [`heights`](Self::heights), and those of painting.
    pub fn mesh(&self, node: Node, work: &Work) -> Result<NodeMesh> {
        let heights = self.heights(node, BORDER, work)?;
        let side = SIDE + 2 * BORDER as usize;
        let at = |column: i64, row: i64| {
            let place = |index: i64| (index + i64::from(BORDER)) as usize;
            place(row) * side + place(column)
        };
        let centre = node.point(i64::from(QUADS / 2), i64::from(QUADS / 2)).direction() * self.radius();
        let position = |column, row| self.position(node.point(column, row), heights[at(column, row)]);
        let normal = |column: i64, row: i64| {
            let point = node.point(column, row);
            let up = point.direction();
            // Three faces meet at a corner, and its neighbours differ from face to face.
            if point.is_corner() {
                return up.as_vec3();
            }
            // From samples on both sides, including those around the face's edge, so that nodes agree at
            // their border.
            let east = position(column + 1, row) - position(column - 1, row);
            let south = position(column, row + 1) - position(column, row - 1);
            let normal = east.cross(south);
            // Columns and rows are left-handed on every second face, so the cross product may point inwards.
            let normal = if normal.dot(up) < 0.0 { -normal } else { normal };
            normal.normalize_or(up).as_vec3()
        };
        let baked = self.painted(node, BORDER, heights.clone(), work)?;
        let painted = baked.colour.texels;
        // Texels belong to cells; a vertex has the mean of the four around it.
        let colour = |column: i64, row: i64| {
            let texel = |east: i64, south: i64| {
                let place = |index: i64| (index + i64::from(BORDER)) as usize;
                painted[place(row - 1 + south) * (side - 1) + place(column - 1 + east)]
            };
            let around = [texel(0, 0), texel(1, 0), texel(0, 1), texel(1, 1)];
            std::array::from_fn(|channel| {
                (around.iter().map(|texel| u32::from(texel[channel])).sum::<u32>().div_ceil(4)) as u8
            })
        };
        let own = || (0..SIDE as i64).flat_map(|row| (0..SIDE as i64).map(move |column| (column, row)));
        // Subtracted in f64: a planet's coordinates have no centimetres in f32.
        let relative = |position: DVec3| (position - centre).as_vec3().to_array();
        let cell = self.cell_at(node.depth);
        let place = |column: i64, row: i64| {
            [(column as f64 * cell) as f32, heights[at(column, row)], (row as f64 * cell) as f32]
        };
        let mut mesh = NodeMesh {
            node,
            centre,
            positions: own().map(|(column, row)| relative(position(column, row))).collect(),
            normals: own().map(|(column, row)| normal(column, row).to_array()).collect(),
            colours: own().map(|(column, row)| colour(column, row)).collect(),
            places: own().map(|(column, row)| place(column, row)).collect(),
            weights: baked.weights,
            low: f32::INFINITY,
            high: f32::NEG_INFINITY,
            sea: None,
        };
        for height in own().map(|(column, row)| heights[at(column, row)]) {
            (mesh.low, mesh.high) = (mesh.low.min(height), mesh.high.max(height));
        }
        let skirt = SKIRT * cell;
        for vertex in border() {
            let (column, row) = ((vertex % SIDE) as i64, (vertex / SIDE) as i64);
            let down = node.point(column, row).direction() * skirt;
            mesh.positions.push(relative(position(column, row) - down));
            mesh.normals.push(mesh.normals[vertex]);
            mesh.colours.push(mesh.colours[vertex]);
            let [x, height, y] = mesh.places[vertex];
            mesh.places.push([x, height - skirt as f32, y]);
        }
        let level = self.sea_level().filter(|level| mesh.low < *level);
        mesh.sea = level.map(|level| {
            // A flat quad between points of a sphere lies below it by the square of its side over eight
            // radii. The quad of a neighbour three levels coarser is [`SEA_SKIRT_QUADS`] quads wide.
            let wide = cell * f64::from(SEA_SKIRT_QUADS);
            let skirt = wide * wide / (8.0 * self.radius());
            let surface = own().map(|place| (place, f64::from(level)));
            let feet = border().map(|vertex| ((vertex % SIDE) as i64, (vertex / SIDE) as i64));
            let vertices: Vec<((i64, i64), f64)> =
                surface.chain(feet.map(|place| (place, f64::from(level) - skirt))).collect();
            let up = |(column, row)| node.point(column, row).direction();
            let radius = self.radius();
            SeaMesh {
                positions: vertices
                    .iter()
                    .map(|&(at, height)| relative(up(at) * (radius + height)))
                    .collect(),
                normals: vertices.iter().map(|&(at, _)| up(at).as_vec3().to_array()).collect(),
                depths: vertices.iter().map(|&((column, row), _)| level - heights[at(column, row)]).collect(),
            }
        });
        Ok(mesh)
    }
}

impl NodeMesh {
    /// Quads around a node's own that its weights cover as well.
    pub const BORDER: u32 = BORDER;

    /// The shape of `parent`, the mesh of the node of which this is a quarter, at the vertices of this one:
    /// at every other vertex of every other row as there, halfway between two of its vertices elsewhere.
    /// Vertices on the border of two nodes get the same from both. `None` if it is not the parent.
    pub fn coarser(&self, parent: &NodeMesh) -> Option<Coarser> {
        let quarter = parent.node.children().iter().position(|&child| child == self.node)?;
        let first = [quarter % 2, quarter / 2].map(|half| half * (SIDE - 1) / 2);
        let ends: Vec<(usize, usize)> = (0..SIDE * SIDE)
            .map(|vertex| {
                let [(x, odd_x), (y, odd_y)] =
                    [vertex % SIDE, vertex / SIDE].map(|place| (place / 2, place % 2));
                // In the middle of the parent's quad, halfway along its diagonal, as the triangles lie.
                let at = |x: usize, y: usize| (first[1] + y) * SIDE + first[0] + x;
                (at(x + odd_x, y), at(x, y + odd_y))
            })
            .collect();
        let from_here = parent.centre - self.centre;
        let lift = |mesh: &[[f32; 3]], own: &[[f32; 3]]| {
            let vertex = |index: usize| Vec3::from(mesh[index]).as_dvec3();
            let middle = |&(a, b): &(usize, usize)| (vertex(a) + vertex(b)) / 2.0;
            let mut lifted: Vec<[f32; 3]> =
                ends.iter().map(|ends| (middle(ends) + from_here).as_vec3().to_array()).collect();
            // The feet of skirts move with their tops.
            for (foot, top) in (SIDE * SIDE..).zip(border()) {
                let down = Vec3::from(own[foot]) - Vec3::from(own[top]);
                lifted.push((Vec3::from(lifted[top]) + down).to_array());
            }
            lifted
        };
        let normal = |&(a, b): &(usize, usize)| {
            let sum = Vec3::from(parent.normals[a]) + Vec3::from(parent.normals[b]);
            if a == b { parent.normals[a] } else { sum.normalize_or(sum).to_array() }
        };
        let colour = |&(a, b): &(usize, usize)| {
            let [a, b] = [parent.colours[a], parent.colours[b]];
            std::array::from_fn(|channel| u8::midpoint(a[channel], b[channel]))
        };
        let seas = self.sea.as_ref().zip(parent.sea.as_ref());
        let depths = |sea: &SeaMesh| {
            with_border(ends.iter().map(|&(a, b)| (sea.depths[a] + sea.depths[b]) / 2.0).collect())
        };
        Some(Coarser {
            positions: lift(&parent.positions, &self.positions),
            normals: with_border(ends.iter().map(normal).collect()),
            colours: with_border(ends.iter().map(colour).collect()),
            sea: seas.map(|(own, sea)| lift(&sea.positions, &own.positions)),
            depths: seas.map(|(_, sea)| depths(sea)),
        })
    }
}

/// Values of vertices, followed by those of their skirts' feet.
fn with_border<T: Copy>(mut values: Vec<T>) -> Vec<T> {
    let feet: Vec<T> = border().map(|vertex| values[vertex]).collect();
    values.extend(feet);
    values
}

/// The vertices from which skirts hang, in the order of [`NodeMesh`].
fn border() -> impl Iterator<Item = usize> {
    let last = SIDE - 1;
    (0..SIDE)
        .chain((0..SIDE).map(move |column| last * SIDE + column))
        .chain((0..SIDE).map(|row| row * SIDE))
        .chain((0..SIDE).map(move |row| row * SIDE + last))
}

/// Triangles of a node's ground on a face, anticlockwise as seen from outside. Skirts are visible from both
/// sides.
pub fn indices(face: u8) -> Vec<u32> {
    let mut indices = quads(face, |_, _| true);
    indices.extend(skirts(|_, _| true));
    indices
}

/// Triangles of the sea over a node on a face: where there is any, and a little under the beach.
pub fn sea_indices(face: u8, sea: &SeaMesh, cell: f32) -> Vec<u32> {
    let is_wet = |column: usize, row: usize| {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        corners.iter().any(|(x, y)| sea.depths[(row + y) * SIDE + column + x] > -SHORE * cell)
    };
    let mut indices = quads(face, is_wet);
    indices.extend(skirts(is_wet));
    indices
}

/// Triangles of the skirts under the border quads that are drawn, visible from both sides.
fn skirts(is_there: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let tops: Vec<usize> = border().collect();
    let last = SIDE - 2;
    let mut indices = Vec::new();
    for strip in 0..4 {
        for step in 0..SIDE - 1 {
            let (column, row) = [(step, 0), (step, last), (0, step), (last, step)][strip];
            if !is_there(column, row) {
                continue;
            }
            let first = strip * SIDE + step;
            let top = [tops[first] as u32, tops[first + 1] as u32];
            let foot = [first, first + 1].map(|place| (SIDE * SIDE + place) as u32);
            // Both windings: a skirt may be seen from either side, and culling would hide it from one.
            indices.extend([top[0], top[1], foot[0], foot[0], top[1], foot[1]]);
            indices.extend([top[1], top[0], foot[0], top[1], foot[0], foot[1]]);
        }
    }
    indices
}

fn quads(face: u8, is_there: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut indices = Vec::with_capacity(6 * (SIDE - 1) * (SIDE - 1));
    for row in 0..SIDE - 1 {
        for column in (0..SIDE - 1).filter(|&column| is_there(column, row)) {
            let [a, b] = [row * SIDE + column, (row + 1) * SIDE + column].map(|vertex| vertex as u32);
            // Columns, rows and the outward direction make a right-handed system on faces at the high end of
            // an axis.
            match face % 2 {
                1 => indices.extend([a, a + 1, b, b, a + 1, b + 1]),
                _ => indices.extend([a, b, a + 1, a + 1, b, b + 1]),
            }
        }
    }
    indices
}
