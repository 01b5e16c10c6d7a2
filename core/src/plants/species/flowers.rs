//! Meadow flowers: daisies, poppies and bells on thin stalks over a rosette, with some grass. Heads are cards
//! that look upwards and a little aside, as towards the sun.

use glam::Vec3;

use super::grass::add_blade;
use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::form::{Form, Merge, Spray, Stem};
use crate::plants::mesh::Material;
use crate::plants::random::Random;
use crate::plants::turn::{across, level, raised};
use crate::plants::{Grown, Season};

params! {
    /// A patch of meadow flowers. They bloom in summer, have leaves from spring to autumn, and dry stalks in
    /// winter.
    pub struct Flowers {
        /// Height of the tallest.
        pub height: f32 = 0.5, "m" in 0.05..=1.5;
        /// Flowers.
        pub count: u32 = 34, "" in 1.0..=80.0;
        /// Radius of the patch.
        pub radius: f32 = 0.32, "m" in 0.02..=2.0;
    }
}

impl Grown for Flowers {
    fn form(&self, seed: u64, season: Season) -> Form {
        let mut random = Random::new(seed, 1);
        let mut form = Form {
            share_of_stems: [0.3, 0.3, 0.25],
            budget: [2000, 500, 200],
            roundness: 0.3,
            ..Form::default()
        };
        let greens = season.colours([
            [[0.14, 0.30, 0.045], [0.22, 0.40, 0.070]],
            [[0.09, 0.20, 0.035], [0.17, 0.30, 0.060]],
            [[0.28, 0.26, 0.075], [0.40, 0.33, 0.12]],
            [[0.30, 0.23, 0.12], [0.40, 0.32, 0.18]],
        ]);
        let grown = match season {
            Season::Spring => 0.55,
            Season::Winter => 0.7,
            _ => 1.0,
        };
        for blade in 0..70 {
            let out = level(360.0 * blade as f32 / 70.0 + 12.0 * random.signed());
            let share = (0.618_034 * blade as f32).fract().sqrt();
            let length = self.height * random.within(0.35, 0.72) * grown;
            let along = raised(out, random.within(52.0, 84.0)) * length;
            let colour = greens[0].lerp(greens[1], random.unit());
            let foot = out * (self.radius * share);
            form.sprays.push(add_blade(foot, along, 0.4 * length, 0.011, colour, &mut random));
        }
        for flower in 0..self.count {
            self.add_flower(&mut form, flower, season, grown, greens, &mut random.part());
        }
        // Heads are sorted behind blades, so that neighbours of one kind are together.
        form.sprays.sort_by_key(|spray| spray.patch as u32);
        form
    }
}

impl Flowers {
    fn add_flower(
        &self,
        form: &mut Form,
        flower: u32,
        season: Season,
        grown: f32,
        greens: [Vec3; 2],
        random: &mut Random,
    ) {
        let out = level(137.507_77 * flower as f32 + 25.0 * random.signed());
        let share = ((flower as f32 + 0.5) / self.count as f32).sqrt();
        let foot = out * (self.radius * share);
        let length = self.height * random.within(0.7, 1.0) * grown;
        let along = raised(out, random.within(74.0, 88.0)) * length;
        let green = greens[0].lerp(greens[1], random.unit());
        let phase = random.unit();
        form.stems.push(stalk(foot, along, green, phase));
        for leaf in 0..3 {
            let aside = level(120.0 * leaf as f32 + 360.0 * random.unit());
            let leaf = add_blade(
                foot,
                raised(aside, random.within(15.0, 50.0)) * (0.32 * length),
                0.03,
                0.022,
                green,
                random,
            );
            form.sprays.push(Spray { patch: Patch::Herb, ..leaf });
        }
        if season != Season::Summer {
            return;
        }
        let (head, colour, size) = match (random.bits() >> 33) % 5 {
            0 | 1 => (Patch::Daisy, Vec3::new(0.95, 0.95, 0.93), 0.030),
            2 | 3 => (Patch::Poppy, Vec3::new(0.80, 0.045, 0.020), 0.036),
            _ => (Patch::Bell, Vec3::new(0.17, 0.13, 0.62), 0.06),
        };
        let size = size * random.about(0.2) * (self.height / 0.5).sqrt();
        let tip = foot + along;
        let card = |foot: Vec3, along: Vec3, across: Vec3| Spray {
            foot,
            along,
            across,
            bend: Vec3::ZERO,
            patch: head,
            material: Material::Petal,
            colour,
            sway: [1.0, 1.0],
            phase,
            merge: Merge::Both,
        };
        if head == Patch::Bell {
            // Two cards that cross, so that it can be seen from all sides.
            let (side, over) = across(along);
            let spike = along.normalize_or(Vec3::Y) * (3.0 * size);
            for flat in [side, over] {
                form.sprays.push(card(tip - spike * 0.8, spike, flat * (0.5 * size * 1.6)));
            }
            return;
        }
        if head == Patch::Poppy {
            // A cup of four petals.
            let turn = 360.0 * random.unit();
            for petal in 0..4 {
                let out = level(turn + 90.0 * petal as f32 + 12.0 * random.signed());
                let along = raised(out, random.within(28.0, 52.0)) * (1.25 * size);
                form.sprays.push(card(tip - Vec3::Y * 0.003, along, across(along).0 * size));
            }
            return;
        }
        let facing = (Vec3::Y + level(360.0 * random.unit()) * random.within(0.35, 0.95)).normalize();
        let (side, over) = across(facing);
        form.sprays.push(card(tip - over * size + facing * 0.004, over * (2.0 * size), side * size));
    }
}

/// A thin green stalk.
fn stalk(foot: Vec3, along: Vec3, colour: Vec3, phase: f32) -> Stem {
    let bow = Vec3::new(along.z, 0.0, -along.x) * 0.10;
    Stem {
        points: vec![foot, foot + along * 0.5 + bow, foot + along],
        radii: vec![0.0034, 0.0026, 0.0020],
        colours: vec![colour; 3],
        moss: None,
        bark: Patch::Smooth,
        sway: [0.0, 1.0],
        phase,
        cut: false,
        order: 3,
    }
}
