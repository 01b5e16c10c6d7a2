//! Placeholders for objects by their names: their size and colour on a map, and a simple mesh for files until
//! a game replaces it by its own.

use glam::Vec3;

/// A placeholder for a kind of object. Lengths are metres at size 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// The name, as in rules.
    pub name: &'static str,
    /// sRGB-encoded colour of most of the object as seen from above.
    pub colour: [u8; 3],
    /// Radius as seen from above.
    pub radius: f32,
    form: Form,
}

/// The form of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Cones on a stem, with its height.
    Conifer(f32),
    /// A crown on a stem, with its height and the share of it that is bare.
    Broadleaf(f32, f32),
    Palm(f32),
    /// Blades, with their height.
    Tuft(f32),
    Rock,
    /// Lying on the ground.
    Log,
    Post,
}

const KINDS: [Kind; 11] = [
    kind("spruce", [38, 66, 44], 2.0, Form::Conifer(16.0)),
    kind("beech", [84, 120, 52], 3.6, Form::Broadleaf(17.0, 0.35)),
    kind("birch", [134, 158, 78], 2.1, Form::Broadleaf(12.0, 0.4)),
    kind("palm", [112, 146, 66], 2.4, Form::Palm(8.0)),
    kind("hazel", [106, 140, 66], 1.7, Form::Broadleaf(3.6, 0.1)),
    kind("juniper", [64, 92, 78], 0.8, Form::Conifer(2.6)),
    kind("grass", [136, 152, 80], 0.3, Form::Tuft(0.5)),
    kind("flowers", [214, 158, 190], 0.25, Form::Tuft(0.35)),
    kind("boulder", [150, 146, 140], 1.3, Form::Rock),
    kind("stone", [164, 158, 148], 0.35, Form::Rock),
    kind("dead-wood", [122, 98, 74], 1.6, Form::Log),
];

const STEM: [u8; 3] = [92, 72, 54];

const fn kind(name: &'static str, colour: [u8; 3], radius: f32, form: Form) -> Kind {
    Kind { name, colour, radius, form }
}

impl Kind {
    /// The placeholder for objects with a name: for an unknown name, a post of 2 m.
    pub fn of(object: &str) -> Self {
        let known = KINDS.into_iter().find(|kind| kind.name == object);
        known.unwrap_or(kind("", [196, 84, 132], 0.5, Form::Post))
    }

    /// Its mesh, whose foot is at (0, 0, 0).
    pub(super) fn mesh(&self) -> StandIn {
        let mut mesh = StandIn::default();
        let radius = self.radius;
        match self.form {
            Form::Conifer(height) => {
                mesh.cone([0.0, height * 0.2], [radius * 0.12, radius * 0.1], 6, STEM);
                for (from, to, wide) in [(0.12, 0.6, 1.0), (0.38, 0.82, 0.74), (0.64, 1.0, 0.46)] {
                    mesh.cone([height * from, height * to], [radius * wide, 0.0], 9, self.colour);
                }
            }
            Form::Broadleaf(height, bare) => {
                let crown = [height * bare, height];
                mesh.cone([0.0, height * (bare + 0.15)], [radius * 0.1, radius * 0.07], 6, STEM);
                mesh.ball(
                    Vec3::Y * (crown[0] + crown[1]) / 2.0,
                    [radius, (crown[1] - crown[0]) / 2.0],
                    self.colour,
                );
            }
            Form::Palm(height) => {
                mesh.cone([0.0, height], [0.22, 0.14], 6, STEM);
                for frond in 0..8 {
                    let (sin, cos) = turned(frond, 8);
                    let out = Vec3::new(cos, 0.0, sin);
                    let side = Vec3::new(-sin, 0.0, cos) * 0.28;
                    let (top, middle) = (Vec3::Y * height, out * radius * 0.6 + Vec3::Y * (height + 0.5));
                    let end = out * radius + Vec3::Y * (height - 0.7);
                    mesh.leaf([top, middle + side, middle - side], self.colour);
                    mesh.leaf([middle - side, middle + side, end], self.colour);
                }
            }
            Form::Tuft(height) => {
                for blade in 0..6 {
                    let (sin, cos) = turned(blade, 6);
                    let (out, side) = (Vec3::new(cos, 0.0, sin), Vec3::new(-sin, 0.0, cos) * 0.04);
                    let foot = out * radius * 0.25;
                    mesh.leaf([foot - side, foot + side, out * radius + Vec3::Y * height], self.colour);
                }
            }
            Form::Rock => mesh.ball(Vec3::Y * radius * 0.35, [radius, radius * 0.72], self.colour),
            Form::Log => {
                mesh.cone([-radius, radius], [0.22, 0.17], 7, self.colour);
                // From upright to lying along X.
                let lie = |p: &mut Vec3| *p = Vec3::new(p.y, -p.x, p.z);
                mesh.normals.iter_mut().for_each(lie);
                mesh.positions.iter_mut().for_each(|p| {
                    lie(p);
                    p.y += 0.2;
                });
            }
            Form::Post => mesh.cone([0.0, 2.0], [radius * 0.5, radius * 0.3], 6, self.colour),
        }
        mesh
    }
}

/// Sine and cosine of a part of a full turn.
fn turned(part: usize, of: usize) -> (f32, f32) {
    let angle = std::f32::consts::TAU * part as f32 / of as f32;
    (libm::sinf(angle), libm::cosf(angle))
}

/// Triangles with colours, three vertices each; anticlockwise as seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StandIn {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) colours: Vec<[u8; 3]>,
}

impl StandIn {
    fn triangle(&mut self, corners: [Vec3; 3], colour: [u8; 3]) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        // The tips of cones would be triangles without area or normal.
        if normal.length_squared() > 1e-12 {
            self.positions.extend(corners);
            self.normals.extend([normal.normalize(); 3]);
            self.colours.extend([colour; 3]);
        }
    }

    /// A triangle that is visible from both sides.
    fn leaf(&mut self, [a, b, c]: [Vec3; 3], colour: [u8; 3]) {
        // Seen from both sides: by default glTF draws front faces only.
        self.triangle([a, b, c], colour);
        self.triangle([a, c, b], colour);
    }

    /// A cone between two heights, with a radius at each, and a floor.
    fn cone(&mut self, [low, high]: [f32; 2], [wide, narrow]: [f32; 2], sides: usize, colour: [u8; 3]) {
        let at = |side: usize, radius: f32, height: f32| {
            let (sin, cos) = turned(side % sides, sides);
            Vec3::new(cos * radius, height, sin * radius)
        };
        for side in 0..sides {
            let (a, b) = (at(side, wide, low), at(side + 1, wide, low));
            let (c, d) = (at(side, narrow, high), at(side + 1, narrow, high));
            self.triangle([a, c, b], colour);
            self.triangle([b, c, d], colour);
            self.triangle([Vec3::Y * low, a, b], colour);
            self.triangle([Vec3::Y * high, d, c], colour);
        }
    }

    /// An octahedron, refined once and rounded, with a radius and half a height.
    fn ball(&mut self, centre: Vec3, [radius, half]: [f32; 2], colour: [u8; 3]) {
        let place = |p: Vec3| centre + p.normalize() * Vec3::new(radius, half, radius);
        let signs = [1.0f32, -1.0];
        for (x, y, z) in
            signs.into_iter().flat_map(|x| signs.into_iter().flat_map(move |y| signs.map(|z| (x, y, z))))
        {
            let corners = [Vec3::X * x, Vec3::Y * y, Vec3::Z * z];
            // Mirrored octants have the other orientation.
            let [a, b, c] = if x * y * z > 0.0 { corners } else { [corners[0], corners[2], corners[1]] };
            let [ab, bc, ca] = [a + b, b + c, c + a];
            // Each side is halved, and its middle moved out to the surface.
            for triangle in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
                self.triangle(triangle.map(place), colour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_stands_on_the_ground_and_has_its_radius() {
        for kind in KINDS.into_iter().chain([Kind::of("car")]) {
            let mesh = kind.mesh();
            assert!(mesh.positions.len() % 3 == 0 && mesh.positions.len() < 1000, "{}", kind.name);
            assert_eq!((mesh.positions.len(), mesh.colours.len()), (mesh.normals.len(), mesh.normals.len()));
            let lowest = mesh.positions.iter().map(|p| p.y).fold(f32::MAX, f32::min);
            assert!((-kind.radius..=0.05).contains(&lowest), "{}: {lowest}", kind.name);
            let widest = mesh.positions.iter().map(|p| p.with_y(0.0).length()).fold(0.0, f32::max);
            assert!(widest <= kind.radius * 1.01 && widest > kind.radius * 0.4, "{}: {widest}", kind.name);
            assert!(mesh.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-4));
        }
    }

    #[test]
    fn closed_forms_face_outwards() {
        for name in ["boulder", "spruce", "dead-wood"] {
            let mesh = Kind::of(name).mesh();
            // The volume by the divergence theorem.
            let volume: f32 = mesh.positions.chunks(3).map(|t| t[0].dot(t[1].cross(t[2])) / 6.0).sum();
            assert!(volume > 0.1, "{name}: {volume}");
        }
    }
}
