//! The one mesh that all chunks share.

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
