//! Holes: where a land has no ground.
//!
//! The layer [`HOLE`](super::layer::HOLE) holds a share for every sample. Between samples it is interpolated
//! on the two triangles that draw each cell, so that an edge is a straight line across each of them: the
//! picture, queries, colliders and exported meshes then end at the same line.

use half::f16;

/// There is no ground where the layer is above this.
pub const HOLE_FROM: f32 = 0.5;

/// Whether this value of the layer means that there is no ground.
///
/// ```
/// # use upland_core as upland;
/// assert!(upland::grid::is_hole(0.75) && !upland::grid::is_hole(0.5));
/// ```
pub fn is_hole(share: f32) -> bool {
    share > HOLE_FROM
}

/// A value of the layer as tiles store it and the renderer draws it: 16 bits.
pub(crate) fn drawn_hole(share: f32) -> f32 {
    f16::from_f32(share).to_f32()
}

/// The layer's value on the two triangles that draw a cell, whose diagonal runs from the north-east to the
/// south-west. The corners are given from west to east, the position as shares of the cell to the east and
/// south. Twin of `hole_at` in `shaders/land.wgsl`.
pub(crate) fn on_triangles(north: [f32; 2], south: [f32; 2], [east, down]: [f64; 2]) -> f32 {
    let [[north_west, north_east], [south_west, south_east]] = [north, south].map(|row| row.map(f64::from));
    let value = if east + down <= 1.0 {
        north_west + (north_east - north_west) * east + (south_west - north_west) * down
    } else {
        south_east + (south_west - south_east) * (1.0 - east) + (north_east - south_east) * (1.0 - down)
    };
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_corners_and_of_the_diagonal() {
        let at = |place| on_triangles([0.0, 1.0], [0.5, 0.25], place);
        assert_eq!([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(at), [0.0, 1.0, 0.5, 0.25]);
        assert_eq!(at([0.5, 0.5]), 0.75, "between the north-east and the south-west corner");
        assert_eq!((at([0.25, 0.25]), at([0.75, 0.75])), (0.375, 0.5));
    }
}
