//! Level of detail: the chunks of a terrain for a camera, and their placement.

use bevy::camera::primitives::{Aabb, Frustum};
use bevy::prelude::*;

use crate::lod::{Chunk, Ranges, select, select_where};
use crate::plugin::material::{TerrainShape, TerrainView};

/// The level of detail for a camera.
pub(crate) struct Selection {
    pub(crate) chunks: Vec<Chunk>,
    /// World distance up to which the finest level is used; infinite if nothing morphs.
    pub(crate) near_range: f32,
}

/// Upper limit of that distance, in cells, however narrow the field of view: about 3000 chunks.
const MAX_NEAR_CELLS: f32 = 1024.0;

/// The chunks for a camera; `None` while the camera or the terrain has no size.
pub(crate) fn choose(
    camera: &Camera,
    frustum: &Frustum,
    eye: &GlobalTransform,
    view: &TerrainView,
    land: TerrainShape,
) -> Option<Selection> {
    let viewport_height = camera.physical_viewport_size()?.y as f32;
    let grid = land.pyramid.grid();
    let clip_from_view = camera.clip_from_view();
    // Pixels per metre: at a distance of one metre, or everywhere in an orthographic projection.
    let pixels_per_metre = clip_from_view.y_axis.y.abs() * viewport_height * 0.5;
    let field_to_world = land.placement.affine();
    let world_per_field = field_to_world.matrix3.x_axis.length();
    if !(world_per_field.is_normal() && pixels_per_metre.is_normal()) {
        return None;
    }
    let pixels_per_cell = grid.cell * world_per_field * pixels_per_metre;
    let quad_pixels = view.quad_pixels.max(1.0);

    if clip_from_view.w_axis.w == 1.0 {
        // In an orthographic projection one level is right everywhere, so nothing morphs; what is outside
        // the picture stays coarse.
        let level = (quad_pixels / pixels_per_cell).log2().floor().clamp(0.0, 30.0) as u32;
        let chunks = select_where(land.pyramid, |chunk, _| {
            let placed = Placed::new(chunk, land);
            chunk.level <= level
                || !frustum.intersects_obb(&placed.bounds, &placed.global.affine(), true, true)
        });
        return Some(Selection { chunks, near_range: f32::INFINITY });
    }
    let near_cells = (pixels_per_metre / quad_pixels).clamp(f32::MIN_POSITIVE, MAX_NEAR_CELLS);
    let near_in_field = near_cells * grid.cell;
    let eye_in_field = field_to_world.inverse().transform_point3(eye.translation());
    let ranges = Ranges::new(near_in_field, grid);
    let chunks = select(land.pyramid, ranges, eye_in_field, |height| land.mapping.map(height));
    Some(Selection { chunks, near_range: near_in_field * world_per_field })
}

/// The placement of a chunk. Its local space is 0 to 1 east and south across it, and metres upwards.
pub(crate) struct Placed {
    pub(crate) transform: Transform,
    pub(crate) global: GlobalTransform,
    pub(crate) bounds: Aabb,
}

impl Placed {
    pub(crate) fn new(chunk: Chunk, land: TerrainShape) -> Self {
        let grid = land.pyramid.grid();
        let size = chunk.cells() as f32 * grid.cell;
        let (north_west, south_east) = chunk.rectangle(grid);
        let origin = north_west - grid.extent() * 0.5;
        let transform = Transform::from_xyz(origin.x, 0.0, origin.y).with_scale(Vec3::new(size, 1.0, size));
        let (low, high) = land.pyramid.bounds(chunk).unwrap_or_default();
        let heights = [land.mapping.map(low), land.mapping.map(high)];
        let part = (south_east - north_west) / size;
        let bounds = Aabb::from_min_max(
            Vec3::new(0.0, heights[0].min(heights[1]), 0.0),
            Vec3::new(part.x, heights[0].max(heights[1]), part.y),
        );
        Self { transform, global: *land.placement * transform, bounds }
    }
}
