//! A small software rasteriser: triangles in parallel projection, with a depth buffer and alpha cut-outs.

use glam::{Mat3, Vec2, Vec3};

use super::atlas::{ALPHA_CUT, Atlas};
use super::mesh::{Material, PlantMesh};

/// A parallel projection onto a picture. Twin of `right_of` in `shaders/scatter_impostor.wgsl`.
#[derive(Clone, Copy)]
pub(super) struct Projection {
    /// To the right, upwards, and towards the eye: unit vectors at right angles.
    axes: Mat3,
    /// The point in the middle of the picture.
    middle: Vec3,
    /// Pixels that a metre spans.
    scale: f32,
    size: [usize; 2],
}

impl Projection {
    /// Looks at `middle` from the direction `eye`, a unit vector, with `scale` pixels per metre. North is up
    /// where the eye looks straight down.
    pub(super) fn new(eye: Vec3, middle: Vec3, scale: f32, size: [usize; 2]) -> Self {
        let right = Vec3::Y.cross(eye);
        // Straight down, north is up and any other axis would be undefined.
        let right = if right.length_squared() > 1e-8 { right.normalize() } else { Vec3::X };
        let up = eye.cross(right);
        Self { axes: Mat3::from_cols(right, up, eye), middle, scale, size }
    }

    /// Pixels from the upper left, and nearness to the eye in metres.
    pub(super) fn pixel(&self, p: Vec3) -> Vec3 {
        let from_middle = p - self.middle;
        let along = |axis: Vec3| axis.dot(from_middle);
        Vec3::new(
            self.size[0] as f32 / 2.0 + self.scale * along(self.axes.x_axis),
            self.size[1] as f32 / 2.0 - self.scale * along(self.axes.y_axis),
            along(self.axes.z_axis),
        )
    }

    /// Towards the eye.
    pub(super) fn eye(&self) -> Vec3 {
        self.axes.z_axis
    }
}

/// A triangle's hit in a pixel: its index, and the weights of its corners.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    pub(super) triangle: u32,
    pub(super) weights: Vec3,
}

/// The triangle nearest to the eye in each pixel.
pub(super) struct Buffer {
    pub(super) size: [usize; 2],
    /// Nearness in metres; lowest in empty pixels.
    pub(super) nearness: Vec<f32>,
    pub(super) hits: Vec<Option<(u32, Hit)>>,
}

impl Buffer {
    pub(super) fn new(size: [usize; 2]) -> Self {
        let count = size[0] * size[1];
        Self { size, nearness: vec![f32::MIN; count], hits: vec![None; count] }
    }

    /// Draws a mesh moved by `offset`, as number `which`. Leaves are visible from both sides, and cut out.
    pub(super) fn draw(
        &mut self,
        projection: &Projection,
        mesh: &PlantMesh,
        (which, offset): (u32, Vec3),
        atlas: &Atlas,
    ) {
        let corners: Vec<Vec3> =
            mesh.vertices.iter().map(|vertex| projection.pixel(vertex.position + offset)).collect();
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            let at = triangle.map(|corner| corners[corner as usize]);
            let [a, b, c] = triangle.map(|corner| &mesh.vertices[corner as usize]);
            let is_cut = is_cut_out(a.material) || is_card(a, b, c);
            self.fill(at, |weights| {
                let uv = a.uv * weights.x + b.uv * weights.y + c.uv * weights.z;
                let opaque = !is_cut || atlas.at(uv).1 >= ALPHA_CUT;
                opaque.then_some((which, Hit { triangle: index as u32, weights }))
            });
        }
    }

    fn fill(&mut self, [a, b, c]: [Vec3; 3], hit: impl Fn(Vec3) -> Option<(u32, Hit)>) {
        // Twice the signed area: its ratio to the triangle's is the weight of the opposite corner.
        let edge = |p: Vec3, q: Vec3, r: Vec2| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
        let area = edge(a, b, c.truncate());
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let low = a.min(b).min(c);
        let high = a.max(b).max(c);
        let columns = low.x.max(0.0) as usize..((high.x + 1.0).max(0.0) as usize).min(self.size[0]);
        let rows = low.y.max(0.0) as usize..((high.y + 1.0).max(0.0) as usize).min(self.size[1]);
        for row in rows {
            for column in columns.clone() {
                let p = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                let weights = Vec3::new(edge(b, c, p), edge(c, a, p), edge(a, b, p)) / area;
                if weights.min_element() < 0.0 {
                    continue;
                }
                let nearness = weights.dot(Vec3::new(a.z, b.z, c.z));
                let index = row * self.size[0] + column;
                // The cut-out is looked up only for what would be nearest: most hits are behind others.
                if nearness > self.nearness[index]
                    && let Some(hit) = hit(weights)
                {
                    self.nearness[index] = nearness;
                    self.hits[index] = Some(hit);
                }
            }
        }
    }
}

fn is_cut_out(material: Material) -> bool {
    matches!(material, Material::Leaf | Material::Petal)
}

/// Whether a triangle of bark uses a card, as bare twigs do: cards are in the right half of the atlas.
fn is_card(a: &super::PlantVertex, b: &super::PlantVertex, c: &super::PlantVertex) -> bool {
    a.uv.x.min(b.uv.x).min(c.uv.x) >= 0.5
}
