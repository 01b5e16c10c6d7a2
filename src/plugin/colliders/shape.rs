//! The shape of a terrain collider in parry, of which each engine has a version of its own.

/// Defines `fn shape_of(&TerrainCollider) -> Result<Option<SharedShape>, &'static str>` in terms of a version
/// of parry.
macro_rules! shape_in {
    ($($parry:ident)::+) => {
        use $($parry)::+::math::Vector;
        use $($parry)::+::shape::{HeightField, HeightFieldFlags, SharedShape, TriMeshFlags};
        use $($parry)::+::utils::Array2;

        /// A heightfield, whose cells parry divides along the same diagonal as we do, or triangles if the
        /// tile is not a grid; `None` if all of it is a hole.
        fn shape_of(
            collider: &super::components::TerrainCollider,
        ) -> Result<Option<SharedShape>, &'static str> {
            let tile = &collider.tile;
            if !collider.heights().all(f32::is_finite) {
                return Err("heights are too large for a physics engine as they are drawn");
            }
            if tile.is_grid() {
                let [columns, rows] = tile.cells().map(|cells| cells + 1);
                let mut heights = vec![0.0; columns * rows];
                for (index, height) in collider.heights().enumerate() {
                    // parry's arrays lie column by column, ours row by row.
                    heights[index % columns * rows + index / columns] = height;
                }
                let size = collider.size();
                // With this flag a wheel that rolls over the edge of a triangle does not jump at it.
                let field = HeightField::with_flags(
                    Array2::new(rows, columns, heights),
                    Vector::new(size.x, 1.0, size.y),
                    HeightFieldFlags::FIX_INTERNAL_EDGES,
                );
                return Ok(Some(SharedShape::new(field)));
            }
            let (vertices, triangles) = collider.triangles();
            if triangles.is_empty() {
                return Ok(None);
            }
            let vertices = vertices.into_iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
            SharedShape::trimesh_with_flags(vertices, triangles, TriMeshFlags::FIX_INTERNAL_EDGES)
                .map(Some)
                .map_err(|_| "its triangles are no mesh for a physics engine")
        }
    };
}
pub(super) use shape_in;
