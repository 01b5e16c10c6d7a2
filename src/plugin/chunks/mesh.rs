//! The meshes that all chunks share: one of the ground, one of the walls under its border.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use crate::stream::QUADS;

/// A flat grid of [`QUADS`]² quads over the unit square, +x east, +z south. The diagonal of each quad goes
/// from its north-east to its south-west corner, as in [`sample_surface`].
///
/// [`sample_surface`]: crate::Heightfield::sample_surface
pub(crate) fn chunk_mesh() -> Mesh {
    let quads = QUADS as usize;
    let side = quads + 1;
    let points = (0..side * side).map(|index| {
        let (column, row) = (index % side, index / side);
        [column, row].map(|count| count as f32 / quads as f32)
    });
    let positions: Vec<[f32; 3]> = points.clone().map(|[x, z]| [x, 0.0, z]).collect();
    let uvs: Vec<[f32; 2]> = points.collect();
    let indices = (0..quads * quads).flat_map(|index| {
        let nw = (index / quads * side + index % quads) as u16;
        let (ne, sw, se) = (nw + 1, nw + side as u16, nw + side as u16 + 1);
        [nw, sw, ne, ne, sw, se]
    });
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U16(indices.collect()))
}

/// Walls around the unit square, from y = 0 at the ground to y = 1 at their foot; `uv` is where each of them
/// faces, +x east and +y south. Their upper vertices are those of [`chunk_mesh`].
pub(crate) fn wall_mesh() -> Mesh {
    let quads = QUADS as u16;
    let (mut positions, mut uvs, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for outwards in [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0f32]] {
        let first = positions.len() as u16;
        let side = outwards.map(|part| 0.5 + 0.5 * part);
        for step in 0..=quads {
            let along = f32::from(step) / f32::from(quads);
            let [x, z] = if outwards[0] == 0.0 { [along, side[1]] } else { [side[0], along] };
            positions.extend([[x, 0.0, z], [x, 1.0, z]]);
            uvs.extend([outwards; 2]);
        }
        let quad = |step: u16| {
            let corner = first + 2 * step;
            [corner, corner + 2, corner + 1, corner + 1, corner + 2, corner + 3]
        };
        indices.extend((0..quads).flat_map(quad));
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U16(indices))
}
