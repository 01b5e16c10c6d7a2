//! A tuft of grass: blades that grow from one place in all directions and bend under their weight, and a few
//! ears.

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::form::{Form, Merge, Spray};
use crate::plants::mesh::Material;
use crate::plants::random::Random;
use crate::plants::turn::{across, level, raised};
use crate::plants::{Grown, Season};

params! {
    /// A tuft of meadow grass.
    pub struct Grass {
        /// Length of the longest blades.
        pub height: f32 = 0.5, "m" in 0.02..=2.0;
        /// Blades.
        pub blades: u32 = 170, "" in 3.0..=400.0;
        /// Radius of the tuft at the ground.
        pub radius: f32 = 0.10, "m" in 0.0..=1.0;
        /// Stalks with ears, in summer and autumn.
        pub ears: u32 = 7, "" in 0.0..=40.0;
    }
}

impl Grown for Grass {
    fn form(&self, seed: u64, season: Season) -> Form {
        let mut random = Random::new(seed, 1);
        let mut form = Form { budget: [1500, 400, 140], roundness: 0.35, ..Form::default() };
        let colours = season.colours([
            [[0.16, 0.34, 0.045], [0.27, 0.46, 0.080]],
            [[0.11, 0.24, 0.040], [0.24, 0.37, 0.075]],
            [[0.33, 0.32, 0.085], [0.50, 0.42, 0.14]],
            [[0.36, 0.28, 0.13], [0.50, 0.41, 0.22]],
        ]);
        for blade in 0..self.blades {
            // All around in turn, so that neighbours can stand for each other; by the golden section near and
            // far.
            let out = level(360.0 * (blade as f32 + 2.0 * random.signed()) / self.blades as f32);
            let share = (0.618_034 * blade as f32).fract().sqrt();
            let length = self.height * random.within(0.55, 1.0) * (1.1 - 0.25 * share);
            let spread = 84.0 - 34.0 * share + 10.0 * random.signed();
            let colour = colours[0].lerp(colours[1], random.unit());
            let stiff = if season == Season::Winter { 1.3 } else { 0.65 };
            form.sprays.push(add_blade(
                out * (self.radius * share),
                raised(out, spread) * length,
                stiff * share * length * random.within(0.3, 1.0),
                0.006 + 0.010 * self.height,
                colour,
                &mut random,
            ));
        }
        if matches!(season, Season::Summer | Season::Autumn) {
            for ear in 0..self.ears {
                let out = level(137.5 * ear as f32 + 40.0 * random.signed());
                let along =
                    raised(out, random.within(74.0, 87.0)) * (self.height * random.within(1.15, 1.45));
                let straw = Vec3::new(0.42, 0.34, 0.17).lerp(Vec3::new(0.56, 0.47, 0.28), random.unit());
                form.sprays.push(Spray {
                    patch: Patch::Ear,
                    across: across(along).0 * (along.length() * 0.10),
                    ..add_blade(out * self.radius * 0.4, along, 0.05 * self.height, 0.02, straw, &mut random)
                });
            }
        }
        form
    }
}

/// A blade from a foot, bent down at its tip by `sag` metres.
pub(super) fn add_blade(
    foot: Vec3,
    along: Vec3,
    sag: f32,
    half_width: f32,
    colour: Vec3,
    random: &mut Random,
) -> Spray {
    let flat = level(360.0 * random.unit());
    let side = (across(along).0 + flat * 0.7).normalize_or(Vec3::X);
    let forward = Vec3::new(along.x, 0.0, along.z).normalize_or(flat);
    Spray {
        foot,
        along,
        across: side * half_width,
        bend: forward * (sag * 0.6) - Vec3::Y * (sag * 0.62),
        patch: Patch::Blade,
        material: Material::Leaf,
        colour,
        sway: [0.0, 1.0],
        phase: random.unit(),
        merge: Merge::Width,
    }
}
