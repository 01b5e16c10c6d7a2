//! A group of stones, made like boulders but rounder.

use glam::Vec3;

use super::boulder::Rock;
use crate::params::params;
use crate::plants::form::Form;
use crate::plants::random::Random;
use crate::plants::turn::level;
use crate::plants::{Grown, Season};

params! {
    /// Stones shaped by water and frost: one, or a few around it.
    pub struct Stone {
        /// Length of the largest.
        pub size: f32 = 0.5, "m" in 0.02..=3.0;
        /// How many lie together.
        pub count: u32 = 4, "" in 1.0..=12.0;
        /// How round they are: 0 broken, 1 worn by a river.
        pub round: f32 = 0.35, "" in 0.0..=1.0;
    }
}

impl Grown for Stone {
    fn form(&self, seed: u64, _: Season) -> Form {
        let mut random = Random::new(seed, 3);
        let mut all = Form { budget: [6000, 1500, 320], ..Form::default() };
        // Few triangles each where there are many.
        let subdivisions = if self.count > 4 { [2, 1, 0] } else { [3, 2, 1] };
        let turn = 360.0 * random.unit();
        for index in 0..self.count {
            let size = self.size * if index == 0 { 1.0 } else { random.within(0.25, 0.6) };
            let rock = Rock {
                half: 0.5 * size * Vec3::new(1.0, random.within(0.5, 0.75), random.within(0.65, 0.95)),
                faces: (14.0 * (1.0 - self.round)) as u32,
                roughness: 0.08 - 0.06 * self.round,
                moss: 0.15,
                sunk: 0.45,
            };
            let mut form = rock.form(random.bits(), subdivisions);
            if index > 0 {
                let away = level(turn + 115.0 * index as f32 + 30.0 * random.signed());
                let away = away * (0.5 * self.size + 0.5 * size) * random.within(0.85, 1.25);
                for body in form.solids.iter_mut().flat_map(|solid| &mut solid.levels) {
                    body.positions.iter_mut().for_each(|p| *p += away);
                }
            }
            all.solids.append(&mut form.solids);
        }
        all
    }
}
