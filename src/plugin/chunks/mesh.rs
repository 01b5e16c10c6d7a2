//! The meshes that all chunks share: of the ground, and of the walls under its border, one of each part of a
//! chunk.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use crate::stream::{ChunkPart, QUADS};

/// A flat grid of [`QUADS`]² quads over the unit square, +x east, +z south, or a quarter of it. The diagonal
/// of each quad goes from its north-east to its south-west corner, as in [`sample_surface`].
///
/// [`sample_surface`]: crate::Heightfield::sample_surface
pub(crate) fn chunk_mesh(part: ChunkPart) -> Mesh {
    let [columns, rows] = part.quads();
    // Chunks and their quarters are as wide as they are deep.
    let quads = columns.len();
    let side = quads + 1;
    let along = |first: i32, count: usize| (first as f32 + count as f32) / QUADS as f32;
    let points =
        (0..side * side).map(|index| [along(columns.start, index % side), along(rows.start, index / side)]);
    let positions: Vec<[f32; 3]> = points.clone().map(|[x, z]| [x, 0.0, z]).collect();
    let uvs: Vec<[f32; 2]> = points.collect();
    let indices = (0..quads * quads).flat_map(|index| {
        let nw = (index / quads * side + index % quads) as u16;
        let (ne, sw, se) = (nw + 1, nw + side as u16, nw + side as u16 + 1);
        // Counter-clockwise seen from above, which is Bevy's front.
        [nw, sw, ne, ne, sw, se]
    });
    // In the render world alone: nothing reads it again, and Bevy keeps no copy in main memory.
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U16(indices.collect()))
}

/// Walls around the unit square or a quarter of it, from y = 0 at the ground to y = 1 at their foot; `uv` is
/// where each of them faces, +x east and +y south. Their upper vertices are those of [`chunk_mesh`].
pub(crate) fn wall_mesh(part: ChunkPart) -> Mesh {
    let [columns, rows] = part.quads();
    let (mut positions, mut uvs, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for (outwards, at, along) in [
        ([0.0, -1.0], rows.start, &columns),
        ([1.0, 0.0], columns.end, &rows),
        ([0.0, 1.0], rows.end, &columns),
        ([-1.0, 0.0f32], columns.start, &rows),
    ] {
        let first = positions.len() as u16;
        for step in along.start..=along.end {
            let [at, along] = [at, step].map(|count| count as f32 / QUADS as f32);
            let [x, z] = if outwards[0] == 0.0 { [along, at] } else { [at, along] };
            positions.extend([[x, 0.0, z], [x, 1.0, z]]);
            uvs.extend([outwards; 2]);
        }
        let quad = |step: u16| {
            let corner = first + 2 * step;
            // Two of the sides are wound the other way; walls are never culled.
            [corner, corner + 2, corner + 1, corner + 1, corner + 2, corner + 3]
        };
        indices.extend((0..along.len() as u16).flat_map(quad));
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U16(indices))
}
