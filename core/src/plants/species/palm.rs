//! Coconut palm: a slender ringed stem that bends, and a crown of pinnate fronds. Fronds leave the stem at
//! the golden angle, the youngest upright and the oldest hanging; each is an arch of its own weight.

use std::f32::consts::PI;

use glam::Vec3;

use super::boulder;
use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::form::{Body, Form, Merge, Solid, Spray, Stem};
use crate::plants::mesh::Material;
use crate::plants::random::Random;
use crate::plants::turn::{across, level, raised, turned};
use crate::plants::{Grown, Season};

params! {
    /// Coconut palm (*Cocos nucifera*).
    pub struct Palm {
        /// Height of the stem.
        pub height: f32 = 9.0, "m" in 1.0..=30.0;
        /// Fronds of the crown.
        pub fronds: u32 = 26, "" in 5.0..=40.0;
        /// Length of a frond.
        pub frond: f32 = 4.2, "m" in 0.5..=8.0;
        /// How far the stem bends from the vertical at its foot; it straightens above.
        pub lean: f32 = 22.0, "°" in 0.0..=60.0;
    }
}

/// Parts along a frond, each with a card of leaflets to both sides.
const PARTS: usize = 12;

impl Grown for Palm {
    fn form(&self, seed: u64, _: Season) -> Form {
        let mut random = Random::new(seed, 1);
        let mut form = Form {
            share_of_stems: [0.5, 0.4, 0.3],
            budget: [6000, 1500, 300],
            roundness: 0.45,
            ..Form::default()
        };
        let stem = self.stem(&mut random);
        let top = stem.points[stem.points.len() - 1];
        let phase = stem.phase;
        form.stems.push(stem);
        for frond in 0..self.fronds {
            let age = (frond as f32 + 0.5) / self.fronds as f32;
            self.add_frond(&mut form, top, 137.507_77 * frond as f32, age, &mut random.part());
        }
        for nut in 0..4 {
            let place = top + level(95.0 * nut as f32 + 30.0 * random.unit()) * 0.26 - Vec3::Y * 0.22;
            form.solids.push(coconut(place, 0.13 * random.about(0.1), phase));
        }
        form
    }
}

impl Palm {
    fn stem(&self, random: &mut Random) -> Stem {
        let azimuth = level(360.0 * random.unit());
        let lean = self.lean * random.within(0.35, 1.0);
        let radius = 0.10 + 0.007 * self.height;
        let (mut p, mut direction) = (Vec3::ZERO, turned(Vec3::Y, Vec3::Y.cross(azimuth), lean.to_radians()));
        let (mut points, mut radii, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        let segments = 14;
        for segment in 0..=segments {
            let t = segment as f32 / segments as f32;
            points.push(p);
            radii.push(radius * (1.0 - 0.35 * t + 0.9 * libm::expf(-p.y / (2.5 * radius))));
            colours.push(Vec3::new(0.46, 0.39, 0.31).lerp(Vec3::new(0.40, 0.36, 0.24), t));
            direction = raised(direction, 1.1 * lean / segments as f32);
            p += direction * (self.height / segments as f32);
        }
        Stem {
            points,
            radii,
            colours,
            moss: None,
            bark: Patch::Palm,
            sway: [0.0, 0.3],
            phase: random.unit(),
            cut: false,
            order: 0,
        }
    }

    /// A frond of an age in (0, 1): its rachis as a thin stem, and cards of leaflets.
    fn add_frond(&self, form: &mut Form, top: Vec3, azimuth: f32, age: f32, random: &mut Random) {
        let length = self.frond * (0.75 + 0.3 * libm::sinf(PI * age)) * random.about(0.1);
        let out = level(azimuth + 12.0 * random.signed());
        let elevation = 82.0 - 112.0 * age + 6.0 * random.signed();
        let mut direction = (raised(out, elevation) + out * 0.02).normalize();
        let bow = (58.0 + 40.0 * age) * random.about(0.15);
        let green = Vec3::new(0.070, 0.150, 0.030).lerp(Vec3::new(0.125, 0.220, 0.042), random.unit());
        let dry = Vec3::new(0.42, 0.30, 0.12);
        let colour = green.lerp(dry, ((age - 0.86) * 7.0).clamp(0.0, 0.85));
        let mut p = top + out * 0.05;
        let mut points = vec![p];
        let mut cards = [Vec::new(), Vec::new()];
        let step = length / PARTS as f32;
        let phase = random.unit();
        for part in 0..PARTS {
            let t = (part as f32 + 0.5) / PARTS as f32;
            // It bends most where it is thin.
            direction = raised(direction, -bow / PARTS as f32 * (0.35 + 1.3 * t));
            let next = p + direction * step;
            let (side, over) = across(direction);
            // Longest in the middle; none on the stalk.
            let reach = if t < 0.14 { 0.0 } else { 0.24 * length * libm::sinf(PI * (0.10 + 0.82 * t)) };
            for (hand, cards) in [1.0f32, -1.0].into_iter().zip(&mut cards) {
                if reach == 0.0 {
                    continue;
                }
                // Leaflets stand like a roof over the rachis, turn towards the tip and hang from their
                // middle.
                let heading = (side * hand * 0.88 + direction * (0.40 + 0.5 * t) + over * 0.12).normalize();
                cards.push(Spray {
                    foot: (p + next) * 0.5,
                    along: heading * reach,
                    across: direction * (0.56 * step),
                    bend: -Vec3::Y * (reach * (0.28 + 0.25 * age)),
                    patch: Patch::Frond,
                    material: Material::Leaf,
                    colour: colour * random.about(0.12),
                    sway: [0.3 + 0.4 * t, 0.45 + 0.5 * t],
                    phase,
                    merge: Merge::Width,
                });
            }
            p = next;
            points.push(p);
        }
        let count = points.len();
        form.stems.push(Stem {
            radii: (0..count).map(|index| 0.035 * (1.05 - index as f32 / (count - 1) as f32)).collect(),
            colours: vec![colour * 1.4 + Vec3::new(0.08, 0.06, 0.0); count],
            points,
            moss: None,
            bark: Patch::Smooth,
            sway: [0.3, 0.7],
            phase,
            cut: false,
            order: 2,
        });
        cards.into_iter().for_each(|cards| form.sprays.extend(cards));
    }
}

fn coconut(place: Vec3, radius: f32, _: f32) -> Solid {
    let levels = [1, 0, 0].map(|subdivisions| {
        let ball = boulder::icosphere(subdivisions);
        let colours = ball.positions.iter().map(|_| Vec3::new(0.16, 0.13, 0.05)).collect();
        let positions =
            ball.positions.iter().map(|&p| place + radius * p * Vec3::new(1.0, 1.2, 1.0)).collect();
        Body { positions, normals: ball.positions, colours, triangles: ball.triangles }
    });
    Solid { levels, patch: Patch::Smooth, material: Material::Bark }
}
