//! Meshes that hold many copies of a plant. Every copy is drawn where one of the objects of a batch stands:
//! the vertex shader reads which from the copy's number.
//!
//! Bevy draws one instance for each entity, and an entity for each of a million objects would cost
//! milliseconds in a frame. A draw command of our own would have to be written for each of Bevy's passes. So
//! what is repeated is repeated in the mesh, which all batches share, and for Bevy a batch is a mesh like any
//! other.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues, VertexFormat};
use bevy::prelude::*;

use super::instance::BLOCK;
use crate::plants::{Material, PlantMesh};
use crate::{Error, Result};

/// Place in a picture. One of our own, because Bevy's is bound elsewhere in shadow passes than in others.
const UV: MeshVertexAttribute =
    MeshVertexAttribute::new("Scatter_Uv", 0x7363_6174_0000, VertexFormat::Float32x2);
/// Normal, from −1 at 0 to 1 at 255, and how far wind moves the vertex.
pub(super) const NORMAL: MeshVertexAttribute =
    MeshVertexAttribute::new("Scatter_Normal", 0x7363_6174_0001, VertexFormat::Unorm8x4);
/// Square root of the linear colour, and when it moves.
pub(super) const COLOUR: MeshVertexAttribute =
    MeshVertexAttribute::new("Scatter_Colour", 0x7363_6174_0002, VertexFormat::Unorm8x4);
/// The number of the copy, low and high byte; whether it is of a tree's or a bush's leaves.
pub(super) const COPY: MeshVertexAttribute =
    MeshVertexAttribute::new("Scatter_Copy", 0x7363_6174_0003, VertexFormat::Unorm8x4);

/// All attributes, in the order of their locations in `shaders/scatter.wgsl`.
pub(crate) fn scatter_attributes() -> [MeshVertexAttribute; 5] {
    [Mesh::ATTRIBUTE_POSITION, UV, NORMAL, COLOUR, COPY]
}

/// Vertices of a template, about, and the most copies.
const VERTICES: usize = 16_384;
const MOST_COPIES: usize = 256;

/// Numbers of copies that templates of impostors have.
pub(super) const IMPOSTOR_COPIES: [usize; 3] = [1024, 256, 64];

/// The height of the highest herbs, metres. Their blades are seen from above too: then all of them show their
/// edge.
const HERB: f32 = 1.5;

/// A mesh before it is repeated.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    /// As in the attributes of these names.
    normals: Vec<[u8; 4]>,
    colours: Vec<[u8; 4]>,
    leaves: Vec<bool>,
    triangles: Vec<[u32; 3]>,
}

fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0).round() as u8
}

impl Shape {
    /// That of a plant.
    pub(super) fn of_plant(mesh: &PlantMesh) -> Self {
        let mut shape = Self { triangles: mesh.triangles.clone(), ..Self::default() };
        let height = mesh.vertices.iter().map(|vertex| vertex.position.y).fold(0.0, f32::max);
        for vertex in &mesh.vertices {
            let [x, y, z] = vertex.normal.to_array().map(|part| byte(part * 0.5 + 0.5));
            // Roots give dark colours more of the 8 bits; the shader squares them.
            let [red, green, blue] = vertex.colour.to_array().map(|part| byte(part.max(0.0).sqrt()));
            shape.positions.push(vertex.position);
            shape.uvs.push(vertex.uv);
            shape.normals.push([x, y, z, byte(vertex.wind)]);
            shape.colours.push([red, green, blue, byte(vertex.phase)]);
            shape.leaves.push(height > HERB && vertex.material == Material::Leaf);
        }
        shape
    }

    /// That of a game's mesh: triangles with positions; without normals they point up, without colours it is
    /// white.
    ///
    /// # Errors
    /// When it has no triangles, no positions, or corners that don't exist.
    pub(super) fn of_mesh(mesh: &Mesh) -> Result<Self> {
        let refused = |reason: &str| Err(Error::parameter("mesh", reason.to_owned()));
        let Some(VertexAttributeValues::Float32x3(positions)) = mesh.attribute(Mesh::ATTRIBUTE_POSITION)
        else {
            return refused("has no positions of three floats; give it Mesh::ATTRIBUTE_POSITION");
        };
        if mesh.primitive_topology() != PrimitiveTopology::TriangleList {
            return refused("is not a list of triangles; only these can be scattered");
        }
        let count = positions.len();
        let corners: Vec<u32> = match mesh.indices() {
            Some(indices) => indices.iter().map(|index| index as u32).collect(),
            None => (0..count as u32).collect(),
        };
        if corners.len() < 3 || corners.iter().any(|corner| *corner as usize >= count) {
            return refused("has no triangles, or some with corners that don't exist");
        }
        let uvs = match mesh.attribute(Mesh::ATTRIBUTE_UV_0) {
            Some(VertexAttributeValues::Float32x2(uvs)) => uvs.iter().map(|uv| Vec2::from(*uv)).collect(),
            _ => vec![Vec2::ZERO; count],
        };
        let normals = match mesh.attribute(Mesh::ATTRIBUTE_NORMAL) {
            Some(VertexAttributeValues::Float32x3(normals)) => {
                let packed = |normal: &[f32; 3]| {
                    let [x, y, z] = normal.map(|part| byte(part * 0.5 + 0.5));
                    [x, y, z, 0]
                };
                normals.iter().map(packed).collect()
            }
            _ => vec![[128, 255, 128, 0]; count],
        };
        let colours = match mesh.attribute(Mesh::ATTRIBUTE_COLOR) {
            Some(VertexAttributeValues::Float32x4(colours)) => {
                let packed = |[red, green, blue, _]: &[f32; 4]| {
                    let [red, green, blue] = [red, green, blue].map(|part| byte(part.max(0.0).sqrt()));
                    [red, green, blue, 0]
                };
                colours.iter().map(packed).collect()
            }
            _ => vec![[255, 255, 255, 0]; count],
        };
        let triangles = corners.chunks_exact(3).map(|corners| [corners[0], corners[1], corners[2]]).collect();
        let positions = positions.iter().map(|position| Vec3::from(*position)).collect();
        Ok(Self { positions, uvs, normals, colours, leaves: vec![false; count], triangles })
    }

    /// How many copies its template holds.
    pub(super) fn copies(&self) -> usize {
        let fit = (VERTICES / self.positions.len().max(1)).clamp(BLOCK, MOST_COPIES);
        // A power of two, so that templates fill pages and blocks without a remainder.
        1 << fit.ilog2()
    }

    /// The mesh with a number of copies.
    pub(super) fn repeated(&self, copies: usize) -> Mesh {
        let count = self.positions.len();
        let mut positions = Vec::with_capacity(count * copies);
        let (mut uvs, mut normals, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        let mut numbers = Vec::with_capacity(count * copies);
        let mut indices = Vec::with_capacity(self.triangles.len() * 3 * copies);
        for copy in 0..copies {
            let first = (copy * count) as u32;
            positions.extend(self.positions.iter().map(Vec3::to_array));
            uvs.extend(self.uvs.iter().map(Vec2::to_array));
            normals.extend_from_slice(&self.normals);
            colours.extend_from_slice(&self.colours);
            // Two bytes in a format of shares: the shader multiplies them by 255 again.
            let number = |leaf: &bool| [(copy & 255) as u8, (copy >> 8) as u8, u8::from(*leaf) * 255, 0];
            numbers.extend(self.leaves.iter().map(number));
            indices.extend(self.triangles.iter().flatten().map(|corner| first + corner));
        }
        // On the device alone: batches have bounds of their own, so the processor never reads these meshes.
        let bytes = VertexAttributeValues::Unorm8x4;
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
            .with_inserted_attribute(UV, uvs)
            .with_inserted_attribute(NORMAL, bytes(normals))
            .with_inserted_attribute(COLOUR, bytes(colours))
            .with_inserted_attribute(COPY, bytes(numbers))
            .with_inserted_indices(Indices::U32(indices))
    }
}

/// A square that the shader turns towards the eye, of which (x, y) runs from −1 to 1.
pub(super) fn impostor_shape() -> Shape {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0f32]];
    Shape {
        positions: corners.map(|[x, y]| Vec3::new(x, y, 0.0)).into(),
        uvs: vec![Vec2::ZERO; 4],
        normals: vec![[128, 255, 128, 0]; 4],
        colours: vec![[255, 255, 255, 0]; 4],
        leaves: vec![true; 4],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

#[cfg(test)]
pub(crate) fn template_mesh() -> Mesh {
    impostor_shape().repeated(BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plants::{Detail, Kind, Season};

    #[test]
    fn a_template_has_every_copy_and_each_vertex_knows_its_own() {
        let plant = Kind::Grass.grow(3, Season::Summer).mesh(Detail::Coarse);
        let shape = Shape::of_plant(&plant);
        let copies = shape.copies();
        assert!(copies.is_multiple_of(BLOCK) && copies * plant.vertices.len() <= VERTICES);
        let mesh = shape.repeated(copies);
        assert_eq!(mesh.count_vertices(), copies * plant.vertices.len());
        let Some(VertexAttributeValues::Unorm8x4(numbers)) = mesh.attribute(COPY) else { panic!() };
        let indices: Vec<usize> = mesh.indices().unwrap().iter().collect();
        assert_eq!(indices.len(), copies * 3 * plant.triangles.len());
        for corners in indices.chunks(3) {
            let copy = |corner: usize| u32::from(numbers[corner][0]) | u32::from(numbers[corner][1]) << 8;
            assert!(copy(corners[0]) == copy(corners[1]) && copy(corners[1]) == copy(corners[2]));
            assert!((copy(corners[0]) as usize) < copies);
        }
        assert_eq!(numbers[numbers.len() - 1][0] as usize, copies - 1);
    }

    #[test]
    fn a_large_mesh_has_few_copies_and_what_is_no_mesh_is_refused() {
        let large = Shape { positions: vec![Vec3::ZERO; 1_000_000], ..Shape::default() };
        assert_eq!(large.copies(), BLOCK);
        assert!(impostor_shape().copies() == MOST_COPIES);
        let empty = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        assert!(Shape::of_mesh(&empty).unwrap_err().to_string().contains("positions"));
        let broken = Mesh::from(Cuboid::default()).with_inserted_indices(Indices::U32(vec![0, 1, 99]));
        assert!(Shape::of_mesh(&broken).unwrap_err().to_string().contains("corners"));
        assert_eq!(Shape::of_mesh(&Mesh::from(Cuboid::default())).unwrap().triangles.len(), 12);
    }
}
