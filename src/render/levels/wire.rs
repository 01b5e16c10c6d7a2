//! Meshes whose edges are drawn.

use bevy::asset::RenderAssetUsages;
use bevy::math::DVec3;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::pbr::Material;
use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::ShaderRef;

use crate::grid::{Grid, Heightfield};
use crate::plugin::WIRE_SHADER;

/// Triangles with their edges: those of a mesh whose texture coordinates are whole numbers at its corners,
/// with diagonals from south-west to north-east.
#[derive(Asset, AsBindGroup, TypePath, Clone, Default)]
pub(crate) struct WireMaterial {}

impl Material for WireMaterial {
    fn vertex_shader() -> ShaderRef {
        WIRE_SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        WIRE_SHADER.into()
    }

    // Bevy would compile pipelines for both, and a wireframe is never drawn with them.
    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }
}

/// A mesh to be drawn with [`WireMaterial`]: positions in metres from the middle of the field.
#[derive(Default)]
pub(crate) struct Wires {
    positions: Vec<[f32; 3]>,
    at: Vec<[f32; 2]>,
    indices: Option<Vec<u32>>,
}

/// A mesh of any triangles: each has its own corners, because three at a vertex may need three different
/// coordinates.
pub(crate) fn of_triangles(field: &Heightfield, triangles: &[[[u32; 2]; 3]]) -> Wires {
    const CORNERS: [[f32; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let middle = middle_of(field);
    let corners = triangles.iter().flatten();
    Wires {
        // Metres from the middle: counted from a corner, 32 bits would lose a digit on the far side.
        positions: corners.map(|&corner| (place_of(field, corner) - middle).as_vec3().to_array()).collect(),
        at: CORNERS.into_iter().cycle().take(3 * triangles.len()).collect(),
        indices: None,
    }
}

/// A mesh of all samples.
pub(crate) fn of_grid(field: &Heightfield) -> Wires {
    let Grid { width, depth, .. } = field.grid();
    let (across, down) = (width as u32, depth as u32);
    let middle = middle_of(field);
    let all = (0..down).flat_map(|row| (0..across).map(move |column| [column, row]));
    let quads = (1..down).flat_map(|row| (1..across).map(move |column| row * across + column));
    Wires {
        positions: all.clone().map(|place| (place_of(field, place) - middle).as_vec3().to_array()).collect(),
        at: all.map(|place| place.map(|place| place as f32)).collect(),
        indices: Some(
            quads
                .flat_map(|south_east| {
                    let (south_west, north_east) = (south_east - 1, south_east - across);
                    [north_east - 1, south_west, north_east, south_east, north_east, south_west]
                })
                .collect(),
        ),
    }
}

/// Where a sample stands, metres from the north-west one.
pub(crate) fn place_of(field: &Heightfield, [column, row]: [u32; 2]) -> DVec3 {
    let cell = f64::from(field.grid().cell);
    let height = field.at(column as usize, row as usize);
    DVec3::new(f64::from(column) * cell, height.into(), f64::from(row) * cell)
}

/// The middle of a field at height 0, metres from its north-west sample.
pub(crate) fn middle_of(field: &Heightfield) -> DVec3 {
    let extent = field.grid().extent().as_dvec2() / 2.0;
    bevy::math::DVec3::new(extent.x, 0.0, extent.y)
}

impl Wires {
    /// The mesh.
    pub fn into_mesh(self) -> Mesh {
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, self.at);
        match self.indices {
            Some(indices) => mesh.with_inserted_indices(Indices::U32(indices)),
            None => mesh,
        }
    }
}
