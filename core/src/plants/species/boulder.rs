//! Boulders and stones: an icosphere that is cut by random planes and displaced by noise.
//!
//! Planes make the faces along which rock breaks; a smooth minimum of their distances rounds the edges.
//! Fractal gradient noise roughens the result.

use glam::Vec3;

use crate::noise::{hash, mix, signed_unit};
use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::form::{Body, Form, Solid};
use crate::plants::mesh::Material;
use crate::plants::random::Random;
use crate::plants::{Grown, Season};

params! {
    /// A boulder with moss and lichen.
    pub struct Boulder {
        /// Length of its longest side.
        pub size: f32 = 2.4, "m" in 0.2..=20.0;
        /// Height as a share of its length.
        pub flatness: f32 = 0.68, "" in 0.2..=1.5;
        /// Faces along which it broke.
        pub faces: u32 = 15, "" in 0.0..=40.0;
        /// How rough the surface is, a share of the size.
        pub roughness: f32 = 0.06, "" in 0.0..=0.3;
        /// Moss on the upper side.
        pub moss: f32 = 0.6, "" in 0.0..=1.0;
    }
}

impl Grown for Boulder {
    fn form(&self, seed: u64, _: Season) -> Form {
        let rock = Rock {
            half: 0.5 * self.size * Vec3::new(1.0, self.flatness, 0.8),
            faces: self.faces,
            roughness: self.roughness,
            moss: self.moss,
            sunk: 0.48,
        };
        rock.form(seed, [4, 3, 2])
    }
}

/// Common parameters of boulders and stones.
pub(super) struct Rock {
    /// Half its lengths, metres.
    pub(super) half: Vec3,
    pub(super) faces: u32,
    pub(super) roughness: f32,
    pub(super) moss: f32,
    /// Share of its half height that lies in the ground.
    pub(super) sunk: f32,
}

impl Rock {
    pub(super) fn form(&self, seed: u64, subdivisions: [u32; 3]) -> Form {
        let mut random = Random::new(seed, 7);
        let cuts: Vec<(Vec3, f32)> = (0..self.faces)
            .map(|_| {
                let normal = Vec3::new(random.signed(), random.signed(), random.signed());
                (normal.normalize_or(Vec3::Y), random.within(0.60, 0.92))
            })
            .collect();
        let tint = random.unit();
        let seed = random.bits();
        let lift = self.half.y * (1.0 - self.sunk);
        let balls = subdivisions.map(icosphere);
        let place = |&p: &Vec3| self.half * (p * self.radius(p, &cuts, seed)) + Vec3::Y * lift;
        let positions: Vec<Vec3> = balls[0].positions.iter().map(place).collect();
        let normals = normals(&positions, &balls[0].triangles);
        let colours: Vec<Vec3> =
            positions.iter().zip(&normals).map(|(&p, &n)| self.colour(p, n, tint, seed)).collect();
        // The points of a coarser ball are the first ones of a finer.
        let levels = balls.map(|ball| {
            let count = ball.positions.len();
            Body {
                positions: positions[..count].to_vec(),
                normals: normals[..count].to_vec(),
                colours: colours[..count].to_vec(),
                triangles: ball.triangles,
            }
        });
        let solid = Solid { levels, patch: Patch::Stone, material: Material::Rock };
        Form { solids: vec![solid], budget: [6000, 1500, 320], ..Form::default() }
    }

    /// The distance of the surface from the middle of the unit ball, in a direction.
    fn radius(&self, p: Vec3, cuts: &[(Vec3, f32)], seed: u64) -> f32 {
        const SHARPNESS: f32 = 46.0;
        // The smooth minimum −ln Σ e^(−k·dᵢ) / k of the unit sphere and the planes in front.
        let mut sum = libm::expf(-SHARPNESS);
        for &(normal, distance) in cuts {
            let facing = p.dot(normal);
            if facing > 0.05 {
                // Bounded, so that a plane seen from the side doesn't lead to e^−∞.
                sum += libm::expf(-SHARPNESS * (distance / facing).min(3.0));
            }
        }
        let cut = -libm::logf(sum) / SHARPNESS;
        let (mut rough, mut weight) = (0.0, 1.0);
        for octave in 0..4u32 {
            let scale = 2.2 * (1 << octave) as f32;
            rough += weight * gradient(p * cut * scale, seed.wrapping_add(u64::from(octave)));
            weight *= 0.5;
        }
        cut * (1.0 + self.roughness * rough)
    }

    fn colour(&self, p: Vec3, normal: Vec3, tint: f32, seed: u64) -> Vec3 {
        let scale = 2.2 / self.half.max_element();
        let patches = gradient(p * scale, mix(seed)) + 0.6 * gradient(p * scale * 3.1, mix(seed + 1));
        let grey = Vec3::new(0.40, 0.385, 0.36).lerp(Vec3::new(0.46, 0.40, 0.33), tint);
        let stone = grey * (1.0 + 0.22 * patches);
        let lichen =
            gradient(p * scale * 2.3, mix(seed + 2)) + 0.5 * gradient(p * scale * 6.0, mix(seed + 3));
        let stone = stone.lerp(Vec3::new(0.58, 0.58, 0.46), ((lichen - 0.30) * 3.0).clamp(0.0, 0.6));
        let mossy = (normal.y - 0.52 + 0.55 * patches) * 2.6;
        stone.lerp(Vec3::new(0.085, 0.130, 0.030), mossy.clamp(0.0, 1.0) * self.moss)
    }
}

/// The normals of a closed body: means of those of the triangles around each point, by their area.
fn normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| positions[index as usize]);
        triangle.iter().for_each(|&index| sums[index as usize] += (b - a).cross(c - a));
    }
    sums.into_iter().map(|sum| sum.normalize_or(Vec3::Y)).collect()
}

/// Perlin's gradient noise in space ("Improving Noise", 2002), about −1 to 1.
pub(super) fn gradient(p: Vec3, seed: u64) -> f32 {
    let cell = p.floor();
    let t = p - cell;
    let fade = t * t * t * (t * (t * 6.0 - Vec3::splat(15.0)) + Vec3::splat(10.0));
    let corner = |dx: i64, dy: i64, dz: i64| {
        let z = (cell.z as i64 + dz) as u64;
        let mut bits = hash(seed ^ mix(z), cell.x as i64 + dx, cell.y as i64 + dy);
        let mut next = || {
            bits = mix(bits.wrapping_add(1));
            signed_unit(bits)
        };
        let gradient = Vec3::new(next(), next(), next());
        gradient.dot(t - Vec3::new(dx as f32, dy as f32, dz as f32))
    };
    let between = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let row = |dy, dz| between(corner(0, dy, dz), corner(1, dy, dz), fade.x);
    let face = |dz| between(row(0, dz), row(1, dz), fade.y);
    // Gradients here aren't of unit length; 1.4 brings the noise to about ±1.
    1.4 * between(face(0), face(1), fade.z)
}

pub(super) struct Ball {
    /// On the unit sphere.
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// An icosahedron whose triangles are split into four, `subdivisions` times, and moved to the unit sphere.
pub(super) fn icosphere(subdivisions: u32) -> Ball {
    let golden = 1.618_034;
    let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z).normalize();
    let mut positions: Vec<Vec3> = [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)]
        .into_iter()
        .map(|(x, y)| corner(x, y, 0.0))
        .chain(
            [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)].map(|(y, z)| corner(0.0, y, z)),
        )
        .chain(
            [(golden, -1.0), (golden, 1.0), (-golden, -1.0), (-golden, 1.0)].map(|(x, z)| corner(x, 0.0, z)),
        )
        .collect();
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..subdivisions {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            // Each edge has one middle for both triangles, so that the ball stays closed.
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    Ball { positions, triangles }
}
