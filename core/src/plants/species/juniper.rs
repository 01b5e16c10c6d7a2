//! Juniper: a dense column with several tips. Branching after Weber and Penn (1995), from several upright
//! stems.

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::branching::{Branching, Foliage, Order, Shape};
use crate::plants::form::Form;
use crate::plants::{Grown, Season};

params! {
    /// Common juniper (*Juniperus communis*).
    pub struct Juniper {
        /// Height.
        pub height: f32 = 3.2, "m" in 0.3..=8.0;
        /// Stems from the ground, each with a tip of its own.
        pub stems: u32 = 5, "" in 1.0..=12.0;
        /// How far the outer stems lean: low for columns, high for spreading bushes.
        pub lean: f32 = 8.0, "°" in 0.0..=70.0;
    }
}

impl Grown for Juniper {
    fn form(&self, seed: u64, _: Season) -> Form {
        Branching {
            height: self.height * 0.95,
            radius: 0.010 * self.height,
            trunks: self.stems as usize,
            lean: self.lean,
            wander: 3.0,
            flare: 0.3,
            taper: 0.1,
            orders: vec![Order {
                count: 34.0,
                whorl: 1,
                from: 0.01,
                to: 0.99,
                length: 0.20,
                of_parent: true,
                shape: Shape::Flame,
                angle: [92.0, 24.0],
                rise: [36.0, 12.0],
                wander: 8.0,
                thickness: 0.35,
                segments: 2,
                flat: false,
            }],
            foliage: Foliage {
                count: 6.0,
                order: 1,
                from: 0.1,
                length: 0.105 * self.height,
                half_width: 0.25,
                angle: 34.0,
                droop: -20.0,
                roll: 180.0,
                patch: Patch::Juniper,
                colours: [Vec3::new(0.075, 0.135, 0.085), Vec3::new(0.155, 0.225, 0.140)],
            },
            envelope: None,
            bark: Patch::Rough,
            wood: [Vec3::new(0.30, 0.20, 0.14), Vec3::new(0.20, 0.15, 0.10)],
            base: (Vec3::new(0.30, 0.21, 0.15), 0.1),
            share_of_stems: [0.25, 0.15, 0.1],
            roundness: 0.6,
        }
        .grow(seed)
    }
}
