//! The meshes of nodes as the device gets them.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;

use super::material::{COARSE_COLOUR, COARSE_NORMAL, COARSE_POSITION, COLOUR, NORMAL, PLACE};
use crate::planet::{Coarser, NodeMesh, SeaMesh, indices, sea_indices};

/// Linear colours of shallow and of deep water; the depth over which one goes over into the other, and the
/// one over which water becomes opaque, metres.
const SHALLOW: Vec3 = Vec3::new(0.030, 0.155, 0.165);
const DEEP: Vec3 = Vec3::new(0.004, 0.022, 0.060);
const COLOURED: f32 = 40.0;
const OPAQUE: f32 = 7.0;

/// One set of attributes: the node's own, or its parent's at the node's vertices.
struct Vertices<'a> {
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    colours: Vec<[u8; 4]>,
}

/// The ground of a node, which becomes its parent's with the distance; without a parent it stays as it is.
pub(crate) fn ground_mesh(made: &NodeMesh, coarser: Option<&Coarser>) -> Mesh {
    let own = Vertices { positions: &made.positions, normals: &made.normals, colours: made.colours.clone() };
    let parents = coarser.map(|coarser| Vertices {
        positions: &coarser.positions,
        normals: &coarser.normals,
        colours: coarser.colours.clone(),
    });
    mesh(own, parents, made.places.clone(), indices(made.node.face))
}

/// The sea over a node; `None` where no quad of it is under water.
pub(super) fn sea_mesh(made: &NodeMesh, coarser: Option<&Coarser>, cell: f32) -> Option<Mesh> {
    let sea = made.sea.as_ref()?;
    let indices = sea_indices(made.node.face, sea, cell);
    if indices.is_empty() {
        return None;
    }
    let colours = |depths: &[f32]| depths.iter().map(|&depth| water(depth)).collect();
    let SeaMesh { positions, normals, depths } = sea;
    let parents = coarser.and_then(|coarser| {
        let (positions, depths) = (coarser.sea.as_ref()?, coarser.depths.as_ref()?);
        // The sea's surface is a sphere at every level, so the parent has the same normals.
        Some(Vertices { positions, normals, colours: colours(depths) })
    });
    let own = Vertices { positions, normals, colours: colours(depths) };
    Some(mesh(own, parents, made.places.clone(), indices))
}

/// The colour of water of a depth in metres, sRGB-encoded, and how opaque it is.
fn water(depth: f32) -> [u8; 4] {
    let depth = depth.max(0.0);
    // Beer and Lambert's law: light that comes back from the bottom fades exponentially with the depth.
    let colour = SHALLOW.lerp(DEEP, 1.0 - (-depth / COLOURED).exp());
    let opacity = 0.25 + 0.75 * (1.0 - (-depth / OPAQUE).exp());
    Color::linear_rgba(colour.x, colour.y, colour.z, opacity).to_srgba().to_u8_array()
}

fn mesh(own: Vertices, parents: Option<Vertices>, places: Vec<[f32; 3]>, indices: Vec<u32>) -> Mesh {
    let bytes = VertexAttributeValues::Unorm8x4;
    let (positions, normals, colours) = match parents {
        Some(Vertices { positions, normals, colours }) => (positions, normals, colours),
        // All vertices need both: a mesh without would need a pipeline of its own.
        None => (own.positions, own.normals, own.colours.clone()),
    };
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, own.positions.to_vec())
        .with_inserted_attribute(NORMAL, own.normals.to_vec())
        .with_inserted_attribute(COARSE_POSITION, positions.to_vec())
        .with_inserted_attribute(COARSE_NORMAL, normals.to_vec())
        .with_inserted_attribute(COLOUR, bytes(own.colours))
        .with_inserted_attribute(COARSE_COLOUR, bytes(colours))
        .with_inserted_attribute(PLACE, places)
        .with_inserted_indices(Indices::U32(indices))
}
