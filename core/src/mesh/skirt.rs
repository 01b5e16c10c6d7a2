//! Adds walls around a mesh and a floor under it, so that it is a solid.

use glam::{Vec2, Vec3};

use super::Mesh;
use crate::error::{Error, Result};

impl Mesh {
    /// The mesh with walls down from its border, and a floor `depth` metres below its lowest vertex. Every
    /// edge is then shared by exactly two triangles, as 3D printing requires. Walls and floor have vertices
    /// and normals of their own, with the colours of the border.
    ///
    /// The mesh must come from [`Mesh::new`] unchanged: only ground, over a rectangle.
    ///
    /// # Errors
    /// When `depth` is not a finite number above 0.
    pub fn with_skirt(mut self, depth: f32) -> Result<Self> {
        let floor = self.floor(depth)?;
        let (low, high) = self.bounds();
        let outline = self.outline();
        // The floor is a fan around its middle. Any land is star-shaped from there: its outline is a
        // rectangle.
        let middle = self.vertex(
            (low + high) / 2.0 * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * floor,
            Vec3::NEG_Y,
            Vec2::splat(0.5),
        );
        for side in outline {
            let [(p_below, uv_p), (q_below, uv_q)] = self.wall(side, floor);
            // Vertices of their own: the floor's normal points down, the wall's outwards.
            let [p_floor, q_floor] = [(p_below, uv_p), (q_below, uv_q)]
                .map(|(position, uv)| self.vertex(position, Vec3::NEG_Y, uv));
            self.triangles.push([middle, q_floor, p_floor]);
        }
        Ok(self)
    }

    /// The height of a floor `depth` metres below the lowest vertex.
    pub(super) fn floor(&self, depth: f32) -> Result<f32> {
        if !(depth.is_finite() && depth > 0.0) {
            let reason = format!("{depth} is not a depth for a solid; give metres above 0");
            return Err(Error::parameter("skirt", reason));
        }
        let (low, _) = self.bounds();
        let floor = low.y - depth;
        // A step too small for a float of this size would leave the floor in the ground.
        if floor >= low.y || !floor.is_finite() {
            let reason = format!("{depth} is too little below a height of {}; give more metres", low.y);
            return Err(Error::parameter("skirt", reason));
        }
        Ok(floor)
    }

    /// Adds a wall down from a side of the ground to a floor; returns its foot, and the colours there.
    pub(super) fn wall(&mut self, [from, to]: [u32; 2], floor: f32) -> [(Vec3, Vec2); 2] {
        let [p, q] = [from, to].map(|vertex| self.positions[vertex as usize]);
        let [uv_p, uv_q] = [from, to].map(|vertex| self.uvs[vertex as usize]);
        let [p_below, q_below] = [p, q].map(|position| Vec3::new(position.x, floor, position.z));
        // The land lies to the left of its outline. Two vertices at the same place have no direction, but
        // then their wall has no area.
        let out = (q_below - p_below).cross(Vec3::Y).normalize_or(Vec3::X);
        let wall = [(p, uv_p), (q, uv_q), (p_below, uv_p), (q_below, uv_q)];
        let [p_top, q_top, p_foot, q_foot] = wall.map(|(position, uv)| self.vertex(position, out, uv));
        self.triangles.extend([[q_top, p_top, p_foot], [q_top, p_foot, q_foot]]);
        [(p_below, uv_p), (q_below, uv_q)]
    }

    /// Every edge along a side of the rectangle that the mesh covers, in the order of the triangles.
    fn outline(&self) -> Vec<[u32; 2]> {
        let (low, high) = self.bounds();
        let sides = [(Vec3::X, low.x), (Vec3::X, high.x), (Vec3::Z, low.z), (Vec3::Z, high.z)];
        let is_on_side = |edge: &[u32; 2]| {
            let [p, q] = edge.map(|vertex| self.positions[vertex as usize]);
            sides.into_iter().any(|(axis, place)| p.dot(axis) == place && q.dot(axis) == place)
        };
        // Only sides of the rectangle: an inner edge belongs to two triangles and lies on no side.
        let edges = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        edges.filter(is_on_side).collect()
    }

    pub(super) fn vertex(&mut self, position: Vec3, normal: Vec3, uv: Vec2) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        self.uvs.push(uv);
        self.positions.len() as u32 - 1
    }
}
