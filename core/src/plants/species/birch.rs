//! Silver birch: a slender white stem, thin twigs that hang. Branching after Weber and Penn (1995).

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::branching::{Branching, Foliage, Order, Shape};
use crate::plants::form::Form;
use crate::plants::{Grown, Season};

params! {
    /// Silver birch (*Betula pendula*).
    pub struct Birch {
        /// Height.
        pub height: f32 = 16.0, "m" in 1.0..=35.0;
        /// Radius of the crown as a share of the height.
        pub spread: f32 = 0.24, "" in 0.05..=0.5;
        /// Branches from the stem.
        pub branches: u32 = 36, "" in 4.0..=60.0;
        /// Share of the stem without branches.
        pub clear: f32 = 0.24, "" in 0.0..=0.7;
    }
}

impl Grown for Birch {
    fn form(&self, seed: u64, season: Season) -> Form {
        let colours = season.colours([
            [[0.26, 0.42, 0.065], [0.36, 0.52, 0.10]],
            [[0.125, 0.235, 0.045], [0.21, 0.33, 0.070]],
            [[0.72, 0.46, 0.035], [0.84, 0.62, 0.075]],
            [[0.13, 0.085, 0.070], [0.19, 0.12, 0.095]],
        ]);
        let bare = season == Season::Winter;
        Branching {
            height: self.height * 0.96,
            radius: 0.0125 * self.height,
            trunks: 1,
            lean: 0.0,
            wander: 2.4,
            flare: 0.45,
            taper: 0.06,
            orders: vec![
                Order {
                    count: self.branches as f32,
                    whorl: 1,
                    from: self.clear,
                    to: 0.99,
                    length: self.spread * self.height,
                    of_parent: false,
                    shape: Shape::Flame,
                    angle: [58.0, 26.0],
                    rise: [12.0, -10.0],
                    wander: 5.0,
                    thickness: 0.30,
                    segments: 5,
                    flat: false,
                },
                Order {
                    count: 6.0,
                    whorl: 1,
                    from: 0.3,
                    to: 1.0,
                    length: 0.40,
                    of_parent: true,
                    shape: Shape::Even,
                    angle: [55.0, 40.0],
                    rise: [-75.0, -60.0],
                    wander: 6.0,
                    thickness: 0.4,
                    segments: 3,
                    flat: false,
                },
            ],
            foliage: Foliage {
                count: 8.0,
                order: 2,
                from: 0.2,
                length: 0.085 * self.height,
                half_width: 0.42,
                angle: 34.0,
                droop: 52.0,
                roll: 180.0,
                patch: if bare { Patch::BareTwig } else { Patch::BirchTwig },
                colours,
            },
            envelope: None,
            bark: Patch::Birch,
            wood: [Vec3::new(0.86, 0.84, 0.80), Vec3::new(0.17, 0.11, 0.09)],
            base: (Vec3::new(0.20, 0.18, 0.16), 0.10),
            share_of_stems: [0.42, 0.34, 0.24],
            roundness: 0.6,
        }
        .grow(seed)
    }
}
