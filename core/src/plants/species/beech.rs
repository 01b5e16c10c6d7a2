//! Beech: a broad dome over a smooth grey trunk. Branching after Weber and Penn (1995).

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::branching::{Branching, Foliage, Order, Shape};
use crate::plants::form::Form;
use crate::plants::{Grown, Season};

params! {
    /// European beech (*Fagus sylvatica*), grown in the open.
    pub struct Beech {
        /// Height.
        pub height: f32 = 20.0, "m" in 1.0..=50.0;
        /// Radius of the crown as a share of the height.
        pub spread: f32 = 0.42, "" in 0.1..=0.8;
        /// Boughs from the trunk.
        pub boughs: u32 = 26, "" in 4.0..=40.0;
        /// Share of the trunk without boughs.
        pub clear: f32 = 0.17, "" in 0.0..=0.7;
    }
}

impl Grown for Beech {
    fn form(&self, seed: u64, season: Season) -> Form {
        let colours = season.colours([
            [[0.20, 0.36, 0.050], [0.30, 0.46, 0.085]],
            [[0.090, 0.190, 0.034], [0.155, 0.275, 0.052]],
            [[0.46, 0.17, 0.030], [0.66, 0.36, 0.050]],
            [[0.16, 0.125, 0.10], [0.22, 0.17, 0.14]],
        ]);
        let bare = season == Season::Winter;
        Branching {
            height: self.height * 0.80,
            radius: 0.024 * self.height,
            trunks: 1,
            lean: 0.0,
            wander: 2.5,
            flare: 0.55,
            taper: 0.12,
            orders: vec![
                Order {
                    count: self.boughs as f32,
                    whorl: 1,
                    from: self.clear,
                    to: 0.97,
                    length: self.spread * self.height * 1.1,
                    of_parent: false,
                    shape: Shape::Dome,
                    angle: [74.0, 24.0],
                    rise: [14.0, 8.0],
                    wander: 7.0,
                    thickness: 0.42,
                    segments: 5,
                    flat: false,
                },
                Order {
                    count: 9.0,
                    whorl: 1,
                    from: 0.22,
                    to: 0.98,
                    length: 0.42,
                    of_parent: true,
                    shape: Shape::Tapered,
                    angle: [52.0, 38.0],
                    rise: [4.0, 0.0],
                    wander: 8.0,
                    thickness: 0.5,
                    segments: 2,
                    flat: false,
                },
            ],
            foliage: Foliage {
                count: 9.0,
                order: 2,
                from: 0.15,
                length: if bare { 0.085 } else { 0.092 } * self.height,
                half_width: 0.46,
                angle: 50.0,
                droop: if bare { -6.0 } else { 12.0 },
                roll: 35.0,
                patch: if bare { Patch::BareTwig } else { Patch::BeechTwig },
                colours,
            },
            envelope: Some([0.66, self.spread * 1.16, 0.58]),
            bark: Patch::Smooth,
            wood: [Vec3::new(0.36, 0.35, 0.32), Vec3::new(0.24, 0.21, 0.18)],
            base: (Vec3::new(0.30, 0.31, 0.25), 0.15),
            share_of_stems: [0.40, 0.30, 0.20],
            roundness: 0.72,
        }
        .grow(seed)
    }
}
