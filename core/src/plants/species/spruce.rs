//! Norway spruce: a cone of whorls that droop below and rise above. Branching after Weber and Penn (1995),
//! with whorls instead of their spirals.

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::branching::{Branching, Foliage, Order, Shape};
use crate::plants::form::Form;
use crate::plants::{Grown, Season};

params! {
    /// Norway spruce (*Picea abies*).
    pub struct Spruce {
        /// Height.
        pub height: f32 = 22.0, "m" in 1.0..=60.0;
        /// Radius of the crown at its widest as a share of the height.
        pub spread: f32 = 0.19, "" in 0.05..=0.4;
        /// Whorls of branches.
        pub whorls: u32 = 26, "" in 4.0..=40.0;
        /// Share of the trunk without branches.
        pub clear: f32 = 0.07, "" in 0.0..=0.6;
    }
}

impl Grown for Spruce {
    fn form(&self, seed: u64, season: Season) -> Form {
        let young = season == Season::Spring;
        Branching {
            height: self.height,
            radius: 0.014 * self.height,
            trunks: 1,
            lean: 0.0,
            wander: 0.5,
            flare: 0.5,
            taper: 0.04,
            orders: vec![Order {
                count: 7.0 * self.whorls as f32,
                whorl: 7,
                from: self.clear,
                to: 0.985,
                length: self.spread * self.height * 1.08,
                of_parent: false,
                shape: Shape::Conical,
                angle: [101.0, 42.0],
                rise: [26.0, 4.0],
                wander: 2.0,
                thickness: 0.22,
                segments: 4,
                flat: false,
            }],
            foliage: Foliage {
                count: 18.0,
                order: 1,
                from: 0.10,
                length: 0.062 * self.height,
                half_width: 0.46,
                angle: 48.0,
                droop: 24.0,
                roll: 38.0,
                patch: Patch::Spruce,
                colours: if young {
                    [Vec3::new(0.060, 0.125, 0.040), Vec3::new(0.130, 0.215, 0.060)]
                } else {
                    [Vec3::new(0.036, 0.082, 0.038), Vec3::new(0.075, 0.140, 0.055)]
                },
            },
            envelope: None,
            bark: Patch::Rough,
            wood: [Vec3::new(0.30, 0.20, 0.14), Vec3::new(0.20, 0.14, 0.09)],
            base: (Vec3::new(0.28, 0.20, 0.15), 0.1),
            share_of_stems: [0.30, 0.18, 0.12],
            roundness: 0.65,
        }
        .grow(seed)
    }
}
