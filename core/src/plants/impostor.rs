//! Impostors: pictures of a plant from all around and above, for distances too great for triangles.
//!
//! Views lie on a hemi-octahedral map, a square whose points are the directions of the upper half-space
//! (Cigolle et al. 2014, "A Survey of Efficient Representations for Independent Unit Vectors"; as impostors:
//! Brucks 2018). A renderer takes the views nearest to its own direction and blends them. Twin of
//! `shaders/scatter_impostor.wgsl`.

use glam::{Vec2, Vec3, vec2};

use super::atlas::{Atlas, Picture};
use super::mesh::PlantMesh;
use super::raster::{Buffer, Projection};
use crate::error::{Error, Result};

/// Samples along a side of a texel.
const SAMPLES: usize = 3;

/// Pictures of a plant in an atlas of views.
#[derive(Clone, Debug)]
pub struct Impostor {
    /// Views along a side of the atlas; view (0, 0) is at its upper left.
    pub views: usize,
    /// Texels along a side of a view.
    pub texels: usize,
    /// The middle of each view, metres from the plant's foot.
    pub middle: Vec3,
    /// Half of the width and height that a view shows, metres.
    pub radius: f32,
    /// Colour without light, sRGB, and opacity. Empty texels have the colour of their neighbours.
    pub albedo: Picture,
    /// Normals in the plant's axes, from −1 at 0 to 1 at 255, and the same opacity.
    pub normal: Picture,
}

/// The direction from which a view looks at the plant: the middle of a cell of the square, on the upper
/// half-space.
///
/// ```
/// # use upland_core as upland;
/// use upland::plants::direction_of_view;
/// // With an odd number of views the one in the middle looks straight down.
/// assert_eq!(direction_of_view(2, 2, 5), glam::Vec3::Y);
/// ```
pub fn direction_of_view(column: usize, row: usize, views: usize) -> Vec3 {
    let views = views.max(1) as f32;
    let p = vec2(column as f32 + 0.5, row as f32 + 0.5) / views * 2.0 - 1.0;
    // The square turned by 45° is the diamond whose corners are the horizon.
    let (x, z) = ((p.x + p.y) / 2.0, (p.y - p.x) / 2.0);
    Vec3::new(x, 1.0 - x.abs() - z.abs(), z).normalize()
}

impl Impostor {
    /// Draws a plant from `views`² directions, with `texels`² texels each.
    ///
    /// # Errors
    /// When there is nothing to draw, or `views` is not in 1 to 16 or `texels` not in 8 to 256.
    pub fn draw(mesh: &PlantMesh, atlas: &Atlas, views: usize, texels: usize) -> Result<Self> {
        if !(1..=16).contains(&views) {
            return Err(Error::parameter(
                "views",
                format!("an impostor has 1 to 16 views a side, not {views}"),
            ));
        }
        if !(8..=256).contains(&texels) {
            let reason = format!("a view of an impostor has 8 to 256 texels a side, not {texels}");
            return Err(Error::parameter("texels", reason));
        }
        if mesh.triangles.is_empty() {
            return Err(Error::parameter("mesh", "an impostor of a plant without triangles would be empty"));
        }
        let (low, high) = mesh.bounds();
        let middle = (low + high) / 2.0;
        let farthest =
            mesh.vertices.iter().map(|vertex| vertex.position.distance(middle)).fold(0.0, f32::max);
        let side = views * texels;
        let empty = || Picture { width: side, height: side, texels: vec![[0; 4]; side * side] };
        // A texel of air around it, so that views do not bleed into each other.
        let radius = farthest.max(1e-3) * texels as f32 / (texels as f32 - 2.0);
        let mut impostor = Self { views, texels, middle, radius, albedo: empty(), normal: empty() };
        for (row, column) in (0..views).flat_map(|row| (0..views).map(move |column| (row, column))) {
            impostor.draw_view(mesh, atlas, column, row);
        }
        Ok(impostor)
    }

    fn draw_view(&mut self, mesh: &PlantMesh, atlas: &Atlas, column: usize, row: usize) {
        let side = self.texels * SAMPLES;
        let eye = direction_of_view(column, row, self.views);
        let scale = side as f32 / (2.0 * self.radius);
        let projection = Projection::new(eye, self.middle, scale, [side, side]);
        let mut buffer = Buffer::new([side, side]);
        buffer.draw(&projection, mesh, (0, Vec3::ZERO), atlas);
        let mut view = vec![Texel::default(); self.texels * self.texels];
        for (index, texel) in view.iter_mut().enumerate() {
            let (x, y) = (index % self.texels * SAMPLES, index / self.texels * SAMPLES);
            for (dy, dx) in (0..SAMPLES).flat_map(|dy| (0..SAMPLES).map(move |dx| (dy, dx))) {
                let Some((_, hit)) = buffer.hits[(y + dy) * side + x + dx] else { continue };
                let corners = mesh.triangles[hit.triangle as usize].map(|at| &mesh.vertices[at as usize]);
                let weights = hit.weights.to_array();
                let mean = |of: fn(&super::PlantVertex) -> Vec3| -> Vec3 {
                    corners.iter().zip(weights).map(|(corner, weight)| of(corner) * weight).sum()
                };
                let uv: Vec2 = corners.iter().zip(weights).map(|(corner, weight)| corner.uv * weight).sum();
                texel.colour += atlas.at(uv).0 * mean(|vertex| vertex.colour);
                texel.normal += mean(|vertex| vertex.normal);
                texel.count += 1;
            }
        }
        dilate(&mut view, self.texels);
        let side = self.views * self.texels;
        for (index, texel) in view.iter().enumerate() {
            let (x, y) =
                (column * self.texels + index % self.texels, row * self.texels + index / self.texels);
            let alpha = if texel.filled { 0 } else { (texel.count * 255 / (SAMPLES * SAMPLES)) as u8 };
            // The mean of linear light: averaged as sRGB, leaves against dark gaps would become too dark.
            let [red, green, blue] = srgb(texel.colour / texel.count.max(1) as f32);
            self.albedo.texels[y * side + x] = [red, green, blue, alpha];
            let normal = texel.normal.normalize_or(Vec3::Y) * 127.5 + 127.5;
            let [x_part, y_part, z_part] = normal.to_array().map(|part| part.round() as u8);
            self.normal.texels[y * side + x] = [x_part, y_part, z_part, alpha];
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Texel {
    /// Sums over the samples that hit.
    colour: Vec3,
    normal: Vec3,
    count: usize,
    /// Whether nothing hit it, and it was filled from its neighbours.
    filled: bool,
}

/// Fills empty texels with the mean of those around them that are not, ring by ring.
fn dilate(view: &mut [Texel], side: usize) {
    let around = |index: usize| {
        let (x, y) = (index % side, index / side);
        let columns = x.saturating_sub(1)..=(x + 1).min(side - 1);
        let rows = y.saturating_sub(1)..=(y + 1).min(side - 1);
        rows.flat_map(move |row| columns.clone().map(move |column| row * side + column))
    };
    // The texels next to the last ring, each once.
    let mut is_next = vec![false; view.len()];
    let mut ring: Vec<usize> = (0..view.len())
        .filter(|&index| view[index].count == 0 && around(index).any(|near| view[near].count > 0))
        .collect();
    while !ring.is_empty() {
        let filled = ring.iter().map(|&index| {
            let mut sum = Texel { filled: true, ..Texel::default() };
            for near in around(index).map(|near| view[near]).filter(|near| near.count > 0) {
                sum.colour += near.colour / near.count as f32;
                sum.normal += near.normal.normalize_or_zero();
                sum.count += 1;
            }
            sum
        });
        // All of a ring is computed before any of it is stored, so that the result doesn't depend on the
        // order.
        let filled: Vec<Texel> = filled.collect();
        ring.iter().zip(filled).for_each(|(&index, texel)| view[index] = texel);
        let mut next = Vec::new();
        for near in ring.into_iter().flat_map(&around) {
            if view[near].count == 0 && !std::mem::replace(&mut is_next[near], true) {
                next.push(near);
            }
        }
        ring = next;
    }
}

/// sRGB of linear light.
pub(super) fn srgb(linear: Vec3) -> [u8; 3] {
    linear.to_array().map(|part| {
        let part = part.clamp(0.0, 1.0);
        let share =
            if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * libm::powf(part, 1.0 / 2.4) - 0.055 };
        (share * 255.0 + 0.5) as u8
    })
}
