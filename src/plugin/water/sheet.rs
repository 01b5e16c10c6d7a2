//! The mesh of all seas: a level sheet from the eye to the horizon.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

/// How far the sea extends from the eye, metres: out of sight in any haze.
const HORIZON: f32 = 1_500_000.0;

/// Half a side of the innermost quad of the sheet, metres.
const INNERMOST: f32 = 1_000.0;

/// A level sheet of quads around the anchor, ever larger ones to the horizon: small ones near by keep
/// interpolation precise. The shader gives it its height.
pub(crate) fn sheet() -> Mesh {
    let mut ahead = vec![INNERMOST];
    while let Some(&last) = ahead.last().filter(|&&last| last < HORIZON) {
        // Powers of 3: some ten lines reach the horizon.
        ahead.push(last * 3.0);
    }
    let lines: Vec<f32> = ahead.iter().rev().map(|line| -line).chain(ahead.iter().copied()).collect();
    let positions: Vec<[f32; 3]> =
        lines.iter().flat_map(|&z| lines.iter().map(move |&x| [x, 0.0, z])).collect();
    let width = lines.len() as u32;
    let quads = (0..width - 1).flat_map(|row| (0..width - 1).map(move |column| row * width + column));
    let indices = quads
        .flat_map(|corner| {
            [corner, corner + width, corner + 1, corner + 1, corner + width, corner + width + 1]
        })
        .collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_reaches_the_horizon_on_all_sides() {
        let mesh = sheet();
        let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|a| a.as_float3()).unwrap();
        for axis in [0, 2] {
            let ends =
                positions.iter().fold((0f32, 0f32), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
            assert!(ends.0 <= -HORIZON && ends.1 >= HORIZON, "{ends:?}");
        }
    }
}
