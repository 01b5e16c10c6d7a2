//! Triangles of plants at three levels of detail.

use glam::{Vec2, Vec3};

pub use super::form::Material;
use super::form::{Body, Form, Merge, Solid, Spray, Stem};

/// The level of detail of a plant's triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Near the eye: at most 6000 triangles.
    #[default]
    Fine,
    /// At most 1500.
    Middle,
    /// Far away: at most 300.
    Coarse,
}

impl Detail {
    /// All levels, finest first.
    pub const ALL: [Self; 3] = [Self::Fine, Self::Middle, Self::Coarse];

    /// The most triangles that a plant has at this level.
    pub fn most_triangles(self) -> usize {
        [6000, 1500, 300][self as usize]
    }
}

/// A corner of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantVertex {
    /// Metres from the foot; y up.
    pub position: Vec3,
    /// Unit normal. On leaves it follows the crown as well as the leaf, so that crowns are shaded softly.
    pub normal: Vec3,
    /// Place in the [atlas](super::Atlas): (0, 0) at its upper left. Below 0 and above 1 it repeats along v,
    /// for bark.
    pub uv: Vec2,
    /// Linear colour in [0, 1] by which the atlas's colour is multiplied.
    pub colour: Vec3,
    /// The material of its surface.
    pub material: Material,
    /// How far wind moves it, from 0 at the foot to 1 at the tips that move most.
    pub wind: f32,
    /// When it moves: a share of the period in [0, 1). Connected parts move together.
    pub phase: f32,
}

/// A plant as triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlantMesh {
    /// Corners of the triangles.
    pub vertices: Vec<PlantVertex>,
    /// The vertices of every triangle, anticlockwise as seen from its front.
    pub triangles: Vec<[u32; 3]>,
}

impl PlantMesh {
    /// The lowest and the highest coordinate along each axis; zeros if there is nothing.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let first = self.vertices.first().map_or(Vec3::ZERO, |vertex| vertex.position);
        self.vertices
            .iter()
            .fold((first, first), |(low, high), vertex| (low.min(vertex.position), high.max(vertex.position)))
    }

    /// The area of all triangles of a material, one side of each, square metres.
    pub fn area(&self, material: Material) -> f32 {
        let of_material = |triangle: &&[u32; 3]| self.vertices[triangle[0] as usize].material == material;
        self.triangles
            .iter()
            .filter(of_material)
            .map(|triangle| {
                let [a, b, c] = triangle.map(|index| self.vertices[index as usize].position);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum()
    }

    fn push(&mut self, vertex: PlantVertex) -> u32 {
        self.vertices.push(vertex);
        (self.vertices.len() - 1) as u32
    }
}

/// The triangles of a form at a level.
pub(super) fn of_form(form: &Form, detail: Detail) -> PlantMesh {
    let mut mesh = PlantMesh::default();
    let level = detail as usize;
    for solid in &form.solids {
        add_solid(&mut mesh, solid, level);
    }
    // Solids come first, then stems by their share; what is left goes to leaves, so no level exceeds its
    // budget.
    let budget = form.budget[level].saturating_sub(mesh.triangles.len());
    let for_stems = if form.sprays.is_empty() { 1.0 } else { form.share_of_stems[level] };
    add_stems(&mut mesh, form, level, (budget as f32 * for_stems) as usize);
    let left = form.budget[level].saturating_sub(mesh.triangles.len());
    add_sprays(&mut mesh, form, left);
    settle_wind(&mut mesh);
    mesh
}

/// Scales wind so that the strongest motion is 1.
fn settle_wind(mesh: &mut PlantMesh) {
    let most = mesh.vertices.iter().map(|vertex| vertex.wind).fold(0.0, f32::max);
    if most > 0.0 {
        mesh.vertices.iter_mut().for_each(|vertex| vertex.wind /= most);
    }
}

fn add_solid(mesh: &mut PlantMesh, solid: &Solid, level: usize) {
    let Body { positions, normals, colours, triangles } = &solid.levels[level];
    let (low, high) = positions.iter().fold((Vec3::MAX, Vec3::MIN), |(a, b), &p| (a.min(p), b.max(p)));
    let size = (high - low).max_element().max(1e-6);
    // The texture is projected along the axis that a triangle faces most, so that it is never stretched much:
    // a vertex exists once for each axis of the triangles around it.
    let mut made = vec![[None; 3]; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| positions[index as usize]);
        let facing = (b - a).cross(c - a).abs();
        let axis = (0..3).fold(0, |most, axis| if facing[axis] > facing[most] { axis } else { most });
        let corners = triangle.map(|index| {
            let index = index as usize;
            *made[index][axis].get_or_insert_with(|| {
                let p = (positions[index] - low) / size;
                let (u, v) = [(p.z, p.y), (p.x, p.z), (p.x, p.y)][axis];
                // The picture repeats only along v; along u it is mirrored.
                let mirrored = 1.0 - (2.0 * (2.0 * u).fract() - 1.0).abs();
                mesh.push(PlantVertex {
                    position: positions[index],
                    normal: normals[index],
                    uv: solid.patch.bark(mirrored, v / 1.6),
                    colour: colours[index],
                    material: solid.material,
                    wind: 0.0,
                    phase: 0.0,
                })
            })
        });
        mesh.triangles.push(corners);
    }
}

/// Sides of a tube, and how many of its points are skipped.
fn tube_shape(stem: &Stem, level: usize) -> (usize, usize) {
    let sides = match (level, stem.order) {
        (0, 0) => 12,
        (0, 1) => 4,
        (0, _) => 3,
        (1, 0) => 6,
        (_, 0) => 4,
        _ => 3,
    };
    let step = if stem.order > 1 { 2 } else { 1 };
    (sides, step * [1, 2, 4][level])
}

/// The points of a stem that a level keeps: every `step`-th, and always the last.
fn kept_points(count: usize, step: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..count).step_by(step).collect();
    if kept.last() != Some(&(count - 1)) {
        kept.push(count - 1);
    }
    kept
}

fn add_stems(mesh: &mut PlantMesh, form: &Form, level: usize, budget: usize) {
    let bulk = |stem: &Stem| stem.radii[0] * (stem.points[stem.points.len() - 1] - stem.points[0]).length();
    let mut order: Vec<usize> = (0..form.stems.len()).collect();
    // The bulkiest first; the sort is stable, so that equals stay in their order.
    order.sort_by(|&a, &b| {
        let (a, b) = (&form.stems[a], &form.stems[b]);
        a.order.min(1).cmp(&b.order.min(1)).then(bulk(b).total_cmp(&bulk(a)))
    });
    let mut used = 0;
    for index in order {
        let stem = &form.stems[index];
        let (sides, step) = tube_shape(stem, level);
        let kept = kept_points(stem.points.len(), step);
        let triangles = 2 * sides * (kept.len() - 1) + if stem.cut { 2 * sides } else { 0 };
        // Skipped, not ended: a smaller stem may still fit.
        if used + triangles > budget {
            continue;
        }
        used += triangles;
        add_tube(mesh, stem, sides, &kept);
    }
}

fn add_tube(mesh: &mut PlantMesh, stem: &Stem, sides: usize, kept: &[usize]) {
    let first = mesh.vertices.len() as u32;
    // Coarse bark repeats twice around the stem, where the sides of the tube allow that.
    let repeats = if stem.bark == super::atlas::Patch::Rough && sides.is_multiple_of(4) { 2.0 } else { 1.0 };
    let width = std::f32::consts::PI * stem.radii[0].max(1e-3) / repeats;
    let mut length = 0.0;
    let mut side = super::turn::across(stem.points[1] - stem.points[0]).0;
    for (ring, &index) in kept.iter().enumerate() {
        let before = stem.points[index.saturating_sub(1)];
        let after = stem.points[(index + 1).min(stem.points.len() - 1)];
        let direction = (after - before).normalize_or(Vec3::Y);
        // Transported along the stem, so that the tube does not twist.
        side = (side - direction * side.dot(direction)).normalize_or(super::turn::across(direction).0);
        let other = direction.cross(side);
        if ring > 0 {
            length += (stem.points[index] - stem.points[kept[ring - 1]]).length();
        }
        let share = index as f32 / (stem.points.len() - 1) as f32;
        // One corner more than sides: at the seam the texture needs both ends of u.
        for corner in 0..=sides {
            let turn = corner as f32 / sides as f32;
            let (sine, cosine) = libm::sincosf(turn * std::f32::consts::TAU);
            let normal = side * cosine + other * sine;
            let mut colour = stem.colours[index];
            if let Some(moss) = stem.moss {
                colour = colour.lerp(moss, ((normal.y - 0.25) * 1.8).clamp(0.0, 1.0));
            }
            mesh.push(PlantVertex {
                position: stem.points[index] + normal * stem.radii[index],
                normal,
                uv: stem
                    .bark
                    .bark(1.0 - (2.0 * (repeats * turn).fract() - 1.0).abs(), length / (8.0 * width)),
                colour,
                material: Material::Bark,
                wind: stem.sway[0] + (stem.sway[1] - stem.sway[0]) * share * share,
                phase: stem.phase,
            });
        }
    }
    let around = sides as u32 + 1;
    for ring in 0..kept.len() as u32 - 1 {
        for corner in 0..sides as u32 {
            let a = first + ring * around + corner;
            let (b, c, d) = (a + 1, a + around, a + around + 1);
            mesh.triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    if stem.cut {
        add_cuts(mesh, stem, first, sides as u32, kept.len() as u32);
    }
}

/// Flat faces of bare wood at both ends of a tube.
fn add_cuts(mesh: &mut PlantMesh, stem: &Stem, first: u32, sides: u32, rings: u32) {
    let last = first + (rings - 1) * (sides + 1);
    let count = stem.points.len();
    let ends = [
        (first, stem.points[0], stem.points[0] - stem.points[1]),
        (last, stem.points[count - 1], stem.points[count - 1] - stem.points[count - 2]),
    ];
    let wood = Vec3::new(0.60, 0.46, 0.30);
    for (end, (ring, middle, normal)) in ends.into_iter().enumerate() {
        let normal = normal.normalize_or(Vec3::Y);
        let of_rim = mesh.vertices[ring as usize];
        let face = |position: Vec3| PlantVertex {
            position,
            normal,
            colour: wood * 0.8,
            uv: super::atlas::Patch::Smooth.bark(0.5, 0.1),
            ..of_rim
        };
        let hub = mesh.push(PlantVertex { colour: wood, ..face(middle) });
        let rim: Vec<u32> = (0..=sides)
            .map(|corner| mesh.push(face(mesh.vertices[(ring + corner) as usize].position)))
            .collect();
        for pair in rim.windows(2) {
            mesh.triangles.push(if end == 0 { [hub, pair[1], pair[0]] } else { [hub, pair[0], pair[1]] });
        }
    }
}

/// Triangles of a spray.
fn cost(spray: &Spray) -> usize {
    if spray.bend == Vec3::ZERO { 2 } else { 6 }
}

fn add_sprays(mesh: &mut PlantMesh, form: &Form, budget: usize) {
    if form.sprays.is_empty() || budget < 2 {
        return;
    }
    let (low, high) = form.sprays.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), spray| {
        let tip = spray.foot + spray.along;
        (low.min(spray.foot).min(tip), high.max(spray.foot).max(tip))
    });
    let crown = Crown { middle: (low + high) / 2.0, half: ((high - low) / 2.0).max(Vec3::splat(0.05)) };
    let all: usize = form.sprays.iter().map(cost).sum();
    if all <= budget {
        form.sprays.iter().for_each(|spray| add_spray(mesh, spray, &crown, form.roundness));
        return;
    }
    // Straight cards first; then as few as fit.
    let straight = 2 * form.sprays.len();
    // Neighbours in the list grow on one branch, so merging them keeps the crown's outline.
    let group = straight.div_ceil(budget).max(1);
    for sprays in form.sprays.chunk_by(|a, b| a.patch == b.patch && a.merge == b.merge) {
        let group = group.min(sprays.len());
        for sprays in sprays.chunks(group) {
            add_spray(mesh, &merged(sprays, group), &crown, form.roundness);
        }
    }
}

/// One spray that replaces several neighbours, with their area.
fn merged(sprays: &[Spray], group: usize) -> Spray {
    let middle = &sprays[sprays.len() / 2];
    let count = sprays.len() as f32;
    let mean = |of: &dyn Fn(&Spray) -> Vec3| sprays.iter().map(of).sum::<Vec3>() / count;
    let area = |spray: &Spray| spray.along.length() * spray.across.length();
    let total: f32 = sprays.iter().map(area).sum();
    // The merged spray has the area of all, so that the crown stays as dense.
    let scale = total / area(middle).max(1e-9);
    let heart = mean(&|spray| spray.foot + spray.along * 0.5);
    let (longer, wider) = match middle.merge {
        Merge::Both => (scale.sqrt(), scale.sqrt()),
        Merge::Width => (1.0, scale),
    };
    let along = (middle.along + middle.bend) * longer;
    let foot = match middle.merge {
        _ if group == 1 => middle.foot,
        Merge::Both => heart - along * 0.5,
        Merge::Width => mean(&|spray| spray.foot),
    };
    let across = middle.across * wider;
    let colour = mean(&|spray| spray.colour);
    Spray { foot, along, across, colour, bend: Vec3::ZERO, ..middle.clone() }
}

/// The ellipsoid around all leaves.
struct Crown {
    middle: Vec3,
    half: Vec3,
}

impl Crown {
    fn normal(&self, position: Vec3) -> Vec3 {
        ((position - self.middle) / (self.half * self.half)).normalize_or(Vec3::Y)
    }
}

fn add_spray(mesh: &mut PlantMesh, spray: &Spray, crown: &Crown, roundness: f32) {
    let flat = spray.across.cross(spray.along).normalize_or(Vec3::Y);
    let outside = crown.normal(spray.foot + spray.along * 0.5);
    // Turned outwards and upwards, so that both sides of a crown are lit alike.
    let flat = if flat.dot(outside + Vec3::Y * 0.3) < 0.0 { -flat } else { flat };
    let parts = if spray.bend == Vec3::ZERO { 1 } else { 3 };
    let first = mesh.vertices.len() as u32;
    for row in 0..=parts {
        let share = row as f32 / parts as f32;
        let middle = spray.foot + spray.along * share + spray.bend * share * share;
        for side in [0.0, 1.0] {
            let position = middle + spray.across * (2.0 * side - 1.0);
            let normal = flat.lerp(crown.normal(position), roundness).normalize_or(Vec3::Y);
            mesh.push(PlantVertex {
                position,
                normal,
                uv: spray.patch.leaf(side, 1.0 - share),
                colour: spray.colour,
                material: spray.material,
                wind: spray.sway[0] + (spray.sway[1] - spray.sway[0]) * share,
                phase: spray.phase,
            });
        }
    }
    // The front is where the card's normal points.
    let is_front = spray.across.cross(spray.along).dot(flat) > 0.0;
    for row in 0..parts {
        let [a, b, c, d] = [0, 1, 2, 3].map(|corner| first + 2 * row + corner);
        let triangles = if is_front { [[a, b, c], [b, d, c]] } else { [[a, c, b], [b, c, d]] };
        mesh.triangles.extend(triangles);
    }
}
