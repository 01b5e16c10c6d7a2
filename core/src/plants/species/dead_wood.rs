//! Dead wood: a fallen trunk with stubs of its branches, moss on it, and broken pieces next to it. The trunk
//! is a stem that wanders little; its ends are cut.

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::branching::at_share;
use crate::plants::form::{Form, Stem};
use crate::plants::random::Random;
use crate::plants::turn::{across, level, raised, turned};
use crate::plants::{Grown, Season};

params! {
    /// A fallen trunk.
    pub struct DeadWood {
        /// Length of the trunk.
        pub length: f32 = 5.0, "m" in 0.5..=20.0;
        /// Radius at its thick end.
        pub radius: f32 = 0.26, "m" in 0.02..=1.5;
        /// Stubs of branches.
        pub stubs: u32 = 9, "" in 0.0..=30.0;
        /// Moss on its upper side.
        pub moss: f32 = 0.8, "" in 0.0..=1.0;
    }
}

impl Grown for DeadWood {
    fn form(&self, seed: u64, _: Season) -> Form {
        let mut random = Random::new(seed, 1);
        let mut form = Form { share_of_stems: [1.0; 3], budget: [6000, 1500, 300], ..Form::default() };
        let heading = level(25.0 * random.signed());
        let foot = -heading * (self.length / 2.0) + Vec3::Y * (self.radius * 0.8);
        let fall = -1.5 * self.radius / self.length;
        let trunk = self.log(
            foot,
            (heading + Vec3::Y * fall * 0.2).normalize(),
            (self.length, self.radius),
            &mut random,
        );
        for stub in 0..self.stubs {
            let t = 0.15 + 0.8 * (stub as f32 + random.unit()) / self.stubs as f32;
            let (p, direction, radius) = at_share(&trunk, t);
            let (side, over) = across(direction);
            let around = random.within(-35.0, 215.0).to_radians();
            let (sine, cosine) = libm::sincosf(around);
            let out = (side * cosine + over * sine + direction * random.within(0.4, 0.9)).normalize();
            let thick = radius * random.within(0.22, 0.42);
            let long = self.length * random.within(0.05, 0.26) * if out.y < 0.1 { 0.5 } else { 1.0 };
            form.stems.push(self.branch(p, out, (long, thick), &mut random.part()));
        }
        form.stems.push(trunk);
        // A broken piece lies in front.
        let beside = heading.cross(Vec3::Y) * (self.radius * random.within(2.6, 3.8));
        let thin = self.radius * 0.34;
        let foot = beside - heading * (self.length * random.within(0.0, 0.3)) + Vec3::Y * thin * 0.8;
        let aside = turned(heading, Vec3::Y, 0.5 * random.signed());
        let broken = self.log(foot, aside, (self.length * 0.36, thin), &mut random);
        form.stems.push(Stem { order: 1, ..broken });
        form
    }
}

impl DeadWood {
    fn log(&self, foot: Vec3, heading: Vec3, (length, radius): (f32, f32), random: &mut Random) -> Stem {
        let segments = 12;
        let (mut p, mut direction) = (foot, heading);
        let (mut points, mut radii, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        for segment in 0..=segments {
            let t = segment as f32 / segments as f32;
            points.push(p);
            radii.push(radius * (1.0 - 0.42 * t) * random.about(0.06));
            colours.push(Vec3::new(0.30, 0.24, 0.18) * random.about(0.15));
            direction = turned(direction, Vec3::Y, 0.05 * random.signed());
            // The thin end lies on the ground, too.
            direction.y = (0.8 * radius * (1.0 - 0.42 * t) - p.y) / length * 1.5;
            direction = direction.normalize();
            p += direction * (length / segments as f32);
        }
        Stem {
            points,
            radii,
            colours,
            moss: (self.moss > 0.0)
                .then(|| Vec3::new(0.30, 0.24, 0.18).lerp(Vec3::new(0.10, 0.16, 0.035), self.moss)),
            bark: Patch::Rough,
            sway: [0.0; 2],
            phase: 0.0,
            cut: true,
            order: 0,
        }
    }

    fn branch(&self, foot: Vec3, out: Vec3, (length, radius): (f32, f32), random: &mut Random) -> Stem {
        let segments = 4;
        let (mut p, mut direction) = (foot, out);
        let mut points = Vec::new();
        for _ in 0..=segments {
            points.push(p);
            direction = raised(direction, 9.0 * random.signed());
            direction = turned(direction, Vec3::Y, 0.2 * random.signed());
            p += direction * (length / segments as f32);
            p.y = p.y.max(radius * 0.4);
        }
        let count = segments + 1;
        Stem {
            points,
            radii: (0..count).map(|index| radius * (1.0 - 0.6 * index as f32 / segments as f32)).collect(),
            colours: vec![Vec3::new(0.36, 0.31, 0.25); count],
            moss: None,
            bark: Patch::Rough,
            sway: [0.0; 2],
            phase: 0.0,
            cut: true,
            order: 1,
        }
    }
}
