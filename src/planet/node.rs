//! A node as a mesh: positions in 32 bits, precise because they are relative to the node's own centre.

use glam::{DVec3, Vec3};

use super::cube::{Node, QUADS};
use super::land::PlanetLand;
use crate::compute::work::Work;
use crate::error::Result;

/// Samples around a node's own that are made as well, for slopes and colours at its border.
const BORDER: u32 = 3;

/// Depth of the skirts that hang from a node's border, in quads. Where two nodes of different levels meet, the
/// ground of one lies above that of the other by no more than half a quad of the coarser times the slope. Neighbours
/// are one or two levels apart, so this is enough for slopes up to 2.
const SKIRT: f64 = 4.0;

/// The drawn water goes on so far above the sea, as a share of a quad: under the beach.
const SHORE: f32 = 0.05;

/// The mesh of a node. Vertices are row by row, [`QUADS`] + 1 a side; then those of its skirts, which hang from the
/// first row, the last row, the first column and the last column. [`indices`] has its triangles.
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
    /// sRGB-encoded red, green and blue, and the share of the sky that is seen.
    pub colours: Vec<[u8; 4]>,
    /// The lowest height, metres.
    pub low: f32,
    /// The highest height, metres.
    pub high: f32,
    /// The sea over it.
    pub sea: Option<SeaMesh>,
}

/// The sea over a node: the same vertices without skirts. [`sea_indices`] has its triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct SeaMesh {
    /// Relative to the node's centre, metres.
    pub positions: Vec<[f32; 3]>,
    /// Upwards, of length 1.
    pub normals: Vec<[f32; 3]>,
    /// Depth of the water, metres: negative on land.
    pub depths: Vec<f32>,
}

/// Samples along a side of a node.
const SIDE: usize = QUADS as usize + 1;

impl PlanetLand {
    /// Makes the mesh of a node. The same vertex has the same position in 64 bits, height and normal in every node of
    /// a depth.
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
            // Three faces meet at a corner, and each has other neighbours of it.
            if point.is_corner() {
                return up.as_vec3();
            }
            let east = position(column + 1, row) - position(column - 1, row);
            let south = position(column, row + 1) - position(column, row - 1);
            let normal = east.cross(south);
            let normal = if normal.dot(up) < 0.0 { -normal } else { normal };
            normal.normalize_or(up).as_vec3()
        };
        let painted = self.colours(node, BORDER, heights.clone(), work)?;
        // Texels are of cells; a vertex has the mean of the four around it.
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
        let relative = |position: DVec3| (position - centre).as_vec3().to_array();
        let mut mesh = NodeMesh {
            node,
            centre,
            positions: own().map(|(column, row)| relative(position(column, row))).collect(),
            normals: own().map(|(column, row)| normal(column, row).to_array()).collect(),
            colours: own().map(|(column, row)| colour(column, row)).collect(),
            low: f32::INFINITY,
            high: f32::NEG_INFINITY,
            sea: None,
        };
        for height in own().map(|(column, row)| heights[at(column, row)]) {
            (mesh.low, mesh.high) = (mesh.low.min(height), mesh.high.max(height));
        }
        let skirt = SKIRT * self.cell_at(node.depth);
        for vertex in border() {
            let (column, row) = ((vertex % SIDE) as i64, (vertex / SIDE) as i64);
            let down = node.point(column, row).direction() * skirt;
            mesh.positions.push(relative(position(column, row) - down));
            mesh.normals.push(mesh.normals[vertex]);
            mesh.colours.push(mesh.colours[vertex]);
        }
        let level = self.sea_level().filter(|level| mesh.low < *level);
        mesh.sea = level.map(|level| {
            let up: Vec<Vec3> =
                own().map(|(column, row)| node.point(column, row).direction().as_vec3()).collect();
            SeaMesh {
                positions: own()
                    .map(|(column, row)| relative(self.position(node.point(column, row), level)))
                    .collect(),
                normals: up.iter().map(|up| up.to_array()).collect(),
                depths: own().map(|(column, row)| level - heights[at(column, row)]).collect(),
            }
        });
        Ok(mesh)
    }
}

/// The vertices that skirts hang from, in the order of [`NodeMesh`].
fn border() -> impl Iterator<Item = usize> {
    let last = SIDE - 1;
    (0..SIDE)
        .chain((0..SIDE).map(move |column| last * SIDE + column))
        .chain((0..SIDE).map(|row| row * SIDE))
        .chain((0..SIDE).map(move |row| row * SIDE + last))
}

/// Triangles of a node's ground on a face, seen from outside against the clock. Skirts are seen from both sides.
pub fn indices(face: u8) -> Vec<u32> {
    let mut indices = quads(face, |_, _| true);
    for strip in 0..4 {
        for step in 0..SIDE - 1 {
            let (first, count) = (strip * SIDE + step, SIDE * SIDE);
            let top = [first, first + 1].map(|place| border().nth(place).unwrap_or_default() as u32);
            let foot = [first, first + 1].map(|place| (count + place) as u32);
            indices.extend([top[0], top[1], foot[0], foot[0], top[1], foot[1]]);
            indices.extend([top[1], top[0], foot[0], top[1], foot[0], foot[1]]);
        }
    }
    indices
}

/// Triangles of the sea over a node on a face: where there is any, and a little under the beach.
pub fn sea_indices(face: u8, sea: &SeaMesh, cell: f32) -> Vec<u32> {
    quads(face, |column, row| {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        corners.iter().any(|(x, y)| sea.depths[(row + y) * SIDE + column + x] > -SHORE * cell)
    })
}

fn quads(face: u8, is_there: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut indices = Vec::with_capacity(6 * (SIDE - 1) * (SIDE - 1));
    for row in 0..SIDE - 1 {
        for column in (0..SIDE - 1).filter(|&column| is_there(column, row)) {
            let [a, b] = [row * SIDE + column, (row + 1) * SIDE + column].map(|vertex| vertex as u32);
            // Columns, rows and the way out make a right-handed system on faces at the high end of an axis.
            match face % 2 {
                1 => indices.extend([a, a + 1, b, b, a + 1, b + 1]),
                _ => indices.extend([a, b, a + 1, a + 1, b, b + 1]),
            }
        }
    }
    indices
}
