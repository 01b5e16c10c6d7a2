//! Portraits: plants side by side on a pale ground, in soft light. Every vertex knows the visible share of
//! the sky, from depth maps in many directions; the sun casts shadows.

use glam::{Vec2, Vec3};

use super::atlas::{Atlas, Picture};
use super::impostor::{direction_of_view, srgb};
use super::mesh::{Material, PlantMesh, PlantVertex};
use super::raster::{Buffer, Projection};

/// A plant in a portrait.
#[derive(Clone, Copy)]
pub struct Sitter<'a> {
    /// Its triangles.
    pub mesh: &'a PlantMesh,
    /// Where its foot stands, metres.
    pub place: Vec3,
}

/// Samples along a side of a pixel.
const SAMPLES: usize = 3;

/// Directions along a side of the map of directions from which the sky shines.
const SKY_VIEWS: usize = 6;

/// Pixels along a side of the depth maps of sky and sun.
const SKY_SIDE: usize = 288;
const SUN_SIDE: usize = 1400;

/// Linear colours.
const SKY: Vec3 = Vec3::new(0.80, 0.88, 0.97);
const HORIZON: Vec3 = Vec3::new(0.93, 0.945, 0.95);
const GROUND: Vec3 = Vec3::new(0.62, 0.61, 0.55);
const SUNLIGHT: Vec3 = Vec3::new(1.0, 0.93, 0.80);

/// Draws plants side by side, as large as they fit, seen from a little above the ground.
pub fn portrait(sitters: &[Sitter], atlas: &Atlas, size: [usize; 2]) -> Picture {
    let size = size.map(|side| side.max(1));
    let scene = Scene::new(sitters, atlas);
    // Plants lower than a person are seen from higher up.
    let rise = if scene.high.y < 1.7 { 0.36 } else { 0.14 };
    let eye = Vec3::new(0.0, rise, 1.0).normalize();
    let projection = scene.framed(eye, size.map(|side| side * SAMPLES));
    let mut buffer = Buffer::new(projection.1);
    scene.draw(&mut buffer, &projection.0);
    let pixel = |index: usize| {
        let (x, y) = (index % size[0] * SAMPLES, index / size[0] * SAMPLES);
        let mut sum = Vec3::ZERO;
        for (dy, dx) in (0..SAMPLES).flat_map(|dy| (0..SAMPLES).map(move |dx| (dy, dx))) {
            let at = (y + dy) * size[0] * SAMPLES + x + dx;
            let height = 1.0 - (y + dy) as f32 / (size[1] * SAMPLES) as f32;
            sum += match buffer.hits[at] {
                Some((which, hit)) => scene.light(which as usize, hit.triangle as usize, hit.weights, height),
                None => backdrop(height),
            };
        }
        let [red, green, blue] = srgb(sum / (SAMPLES * SAMPLES) as f32);
        [red, green, blue, 255]
    };
    Picture { width: size[0], height: size[1], texels: (0..size[0] * size[1]).map(pixel).collect() }
}

/// The light behind the plants at a share of the picture's height.
fn backdrop(height: f32) -> Vec3 {
    HORIZON.lerp(SKY * 0.92, height.clamp(0.0, 1.0))
}

struct Scene<'a> {
    /// The plants, and last the ground.
    meshes: Vec<(std::borrow::Cow<'a, PlantMesh>, Vec3)>,
    atlas: &'a Atlas,
    /// The share of the sky that each vertex of each mesh sees, from 0 to 1.
    open: Vec<Vec<f32>>,
    sun: (Projection, Buffer),
    low: Vec3,
    high: Vec3,
}

impl<'a> Scene<'a> {
    fn new(sitters: &[Sitter<'a>], atlas: &'a Atlas) -> Self {
        let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
        for sitter in sitters {
            let (a, b) = sitter.mesh.bounds();
            (low, high) = (low.min(a + sitter.place), high.max(b + sitter.place));
        }
        let mut meshes: Vec<_> =
            sitters.iter().map(|sitter| (std::borrow::Cow::Borrowed(sitter.mesh), sitter.place)).collect();
        let reach = (high - low).max_element().max(1e-3);
        meshes.push((std::borrow::Cow::Owned(ground(low, high, 1.5 * reach)), Vec3::ZERO));
        let towards_sun = Vec3::new(-0.55, 0.80, 0.62).normalize();
        let empty = Projection::new(towards_sun, Vec3::ZERO, 1.0, [1, 1]);
        let mut scene =
            Self { meshes, atlas, open: Vec::new(), sun: (empty, Buffer::new([1, 1])), low, high };
        scene.sun = scene.seen_from(towards_sun, SUN_SIDE);
        scene.look_at_sky();
        scene
    }

    /// A depth map of the plants from a direction.
    fn seen_from(&self, direction: Vec3, side: usize) -> (Projection, Buffer) {
        let middle = (self.low + self.high) / 2.0;
        let radius = (self.high - self.low).length() / 2.0;
        let projection =
            Projection::new(direction, middle, side as f32 / (2.0 * radius.max(1e-3)), [side; 2]);
        let mut buffer = Buffer::new([side; 2]);
        for (index, (mesh, place)) in self.meshes[..self.meshes.len() - 1].iter().enumerate() {
            buffer.draw(&projection, mesh, (index as u32, *place), self.atlas);
        }
        (projection, buffer)
    }

    fn look_at_sky(&mut self) {
        let mut seen: Vec<Vec<f32>> =
            self.meshes.iter().map(|(mesh, _)| vec![0.0; mesh.vertices.len()]).collect();
        let mut all = seen.clone();
        // Depth maps are coarse, so a surface must lie this far behind another to be in its shadow.
        let bias = 0.012 * (self.high - self.low).length();
        for view in 0..SKY_VIEWS * SKY_VIEWS {
            let direction = direction_of_view(view % SKY_VIEWS, view / SKY_VIEWS, SKY_VIEWS);
            let (projection, buffer) = self.seen_from(direction, SKY_SIDE);
            for (index, (mesh, place)) in self.meshes.iter().enumerate() {
                for (at, vertex) in mesh.vertices.iter().enumerate() {
                    // Surfaces turned away from a part of the sky see less of it; leaves let light through.
                    let facing = vertex.normal.dot(direction);
                    let weight = 0.25 + 0.75 * facing.max(0.0);
                    all[index][at] += weight;
                    let p = projection.pixel(vertex.position + *place);
                    seen[index][at] += weight * (1.0 - shaded(&buffer, p, bias));
                }
            }
        }
        for (seen, all) in seen.iter_mut().zip(all) {
            seen.iter_mut().zip(all).for_each(|(seen, all)| *seen /= all.max(1e-6));
        }
        self.open = seen;
    }

    /// The projection that shows all plants, and the size of its picture.
    fn framed(&self, eye: Vec3, size: [usize; 2]) -> (Projection, [usize; 2]) {
        let middle = (self.low + self.high) / 2.0;
        let unit = Projection::new(eye, middle, 1.0, [0, 0]);
        let (mut low, mut high) = (Vec2::MAX, Vec2::MIN);
        for (mesh, place) in &self.meshes[..self.meshes.len() - 1] {
            for vertex in &mesh.vertices {
                let p = unit.pixel(vertex.position + *place).truncate();
                (low, high) = (low.min(p), high.max(p));
            }
        }
        let extent = (high - low).max(Vec2::splat(1e-4));
        let scale = (size[0] as f32 * 0.94 / extent.x).min(size[1] as f32 * 0.90 / extent.y);
        // Pixels count downwards; a little more room below than above, for the shadow.
        let at = (low + high) / 2.0 + Vec2::new(0.0, 0.015 * size[1] as f32 / scale);
        let right = Vec3::Y.cross(eye).normalize();
        let middle = middle + right * at.x - eye.cross(right) * at.y;
        (Projection::new(eye, middle, scale, size), size)
    }

    fn draw(&self, buffer: &mut Buffer, projection: &Projection) {
        for (index, (mesh, place)) in self.meshes.iter().enumerate() {
            buffer.draw(projection, mesh, (index as u32, *place), self.atlas);
        }
    }

    fn light(&self, which: usize, triangle: usize, weights: Vec3, height: f32) -> Vec3 {
        let (mesh, place) = &self.meshes[which];
        let indices = mesh.triangles[triangle].map(|index| index as usize);
        let corners = indices.map(|index| &mesh.vertices[index]);
        let mean = |of: &dyn Fn(&PlantVertex) -> Vec3| -> Vec3 {
            corners.iter().zip(weights.to_array()).map(|(corner, weight)| of(corner) * weight).sum()
        };
        let open: f32 =
            indices.iter().zip(weights.to_array()).map(|(&at, weight)| self.open[which][at] * weight).sum();
        let p = mean(&|vertex| vertex.position) + *place;
        let mut normal = mean(&|vertex| vertex.normal).normalize_or(Vec3::Y);
        let to_sun = self.sun.0.eye();
        let bias = 0.006 * (self.high - self.low).length();
        let sunlit = 1.0 - shaded(&self.sun.1, self.sun.0.pixel(p + normal * bias * 0.6), bias);
        if which + 1 == self.meshes.len() {
            return self.ground_light(p, open, sunlit, height);
        }
        let material = corners[0].material;
        let uv = mean(&|vertex| vertex.uv.extend(0.0)).truncate();
        let albedo = self.atlas.at(uv).0 * mean(&|vertex| vertex.colour);
        let is_leaf = matches!(material, Material::Leaf | Material::Petal);
        if !is_leaf {
            // Texture as relief: bark and stone look flat without.
            normal = normal.normalize_or(Vec3::Y);
        }
        let facing = normal.dot(to_sun);
        let sun = if is_leaf {
            // Half of Lambert's law, and light that comes through from behind.
            0.30 + 0.70 * (0.5 + 0.5 * facing)
        } else {
            facing.max(0.0)
        };
        let sky = (0.15 + 0.85 * open) * open.sqrt() * (0.62 + 0.38 * normal.y);
        let bounce = 0.14 * (1.0 - normal.y) * (0.3 + 0.7 * open);
        let light =
            SUNLIGHT * (1.55 * sun * sunlit) + SKY * (1.05 * sky) + Vec3::new(0.95, 0.9, 0.75) * bounce;
        let seen = albedo * light;
        // Through a leaf light becomes yellower.
        let through = if is_leaf { seen * Vec3::new(1.06, 1.02, 0.85) } else { seen };
        tone(through)
    }

    fn ground_light(&self, p: Vec3, open: f32, sunlit: f32, height: f32) -> Vec3 {
        let middle = (self.low + self.high) / 2.0;
        let half = ((self.high - self.low) / 2.0).max_element();
        let span = Vec3::new((self.high.x - self.low.x) / 2.0 + half, 1.0, 1.6 * half);
        let away = ((p - middle) / span * Vec3::new(1.0, 0.0, 1.0)).length();
        let fade = ((away - 0.55) / 0.45).clamp(0.0, 1.0);
        let fade = fade * fade * (3.0 - 2.0 * fade);
        let lit = GROUND * (0.36 + 0.64 * open) * (0.62 + 0.38 * sunlit);
        lit.lerp(backdrop(height), fade)
    }
}

/// Rolls off bright light, so that no highlight clips.
fn tone(light: Vec3) -> Vec3 {
    let white = 2.2;
    light * (Vec3::ONE + light / (white * white)) / (Vec3::ONE + light * 0.55)
}

/// The share of the light of a depth map that is blocked from a place, softened over its neighbours.
fn shaded(buffer: &Buffer, p: Vec3, bias: f32) -> f32 {
    let (mut dark, mut all) = (0.0, 0.0);
    for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
        let (x, y) = (p.x as i64 + dx, p.y as i64 + dy);
        all += 1.0;
        if x >= 0 && y >= 0 && (x as usize) < buffer.size[0] && (y as usize) < buffer.size[1] {
            dark += f32::from(buffer.nearness[y as usize * buffer.size[0] + x as usize] > p.z + bias);
        }
    }
    dark / all
}

/// A level grid around the plants on it.
fn ground(low: Vec3, high: Vec3, reach: f32) -> PlantMesh {
    const CELLS: u32 = 96;
    let (from, to) = (low - reach, high + reach);
    let vertex = |index: u32| {
        let share = |number: u32| number as f32 / CELLS as f32;
        let (x, z) = (share(index % (CELLS + 1)), share(index / (CELLS + 1)));
        PlantVertex {
            position: Vec3::new(from.x + (to.x - from.x) * x, 0.0, from.z + (to.z - from.z) * z),
            normal: Vec3::Y,
            uv: Vec2::ZERO,
            colour: Vec3::ONE,
            material: Material::Rock,
            wind: 0.0,
            phase: 0.0,
        }
    };
    let cell = |index: u32| {
        let a = index / CELLS * (CELLS + 1) + index % CELLS;
        let (b, c, d) = (a + 1, a + CELLS + 1, a + CELLS + 2);
        [[a, c, b], [b, c, d]]
    };
    PlantMesh {
        vertices: (0..(CELLS + 1) * (CELLS + 1)).map(vertex).collect(),
        triangles: (0..CELLS * CELLS).flat_map(cell).collect(),
    }
}
