//! Hazel: many stems from one stool, arching outwards, with broad leaves. Branching after Weber and Penn
//! (1995), from several stems.

use glam::Vec3;

use crate::params::params;
use crate::plants::atlas::Patch;
use crate::plants::branching::{Branching, Foliage, Order, Shape};
use crate::plants::form::Form;
use crate::plants::{Grown, Season};

params! {
    /// Common hazel (*Corylus avellana*).
    pub struct Hazel {
        /// Height.
        pub height: f32 = 4.0, "m" in 0.5..=12.0;
        /// Stems from the ground.
        pub stems: u32 = 11, "" in 2.0..=20.0;
        /// How far the outer stems lean.
        pub lean: f32 = 34.0, "°" in 0.0..=70.0;
    }
}

impl Grown for Hazel {
    fn form(&self, seed: u64, season: Season) -> Form {
        let colours = season.colours([
            [[0.22, 0.38, 0.065], [0.31, 0.46, 0.095]],
            [[0.110, 0.220, 0.040], [0.190, 0.310, 0.065]],
            [[0.60, 0.40, 0.050], [0.70, 0.52, 0.085]],
            [[0.20, 0.14, 0.10], [0.26, 0.19, 0.14]],
        ]);
        let bare = season == Season::Winter;
        Branching {
            height: self.height * 0.92,
            radius: 0.011 * self.height,
            trunks: self.stems as usize,
            lean: self.lean,
            wander: 3.5,
            flare: 0.2,
            taper: 0.2,
            orders: vec![Order {
                count: 10.0,
                whorl: 1,
                from: 0.12,
                to: 0.97,
                length: 0.34,
                of_parent: true,
                shape: Shape::Tapered,
                angle: [52.0, 36.0],
                rise: [10.0, -10.0],
                wander: 7.0,
                thickness: 0.5,
                segments: 3,
                flat: false,
            }],
            foliage: Foliage {
                count: 11.0,
                order: 1,
                from: 0.12,
                length: if bare { 0.15 } else { 0.115 } * self.height,
                half_width: 0.5,
                angle: 52.0,
                droop: if bare { 0.0 } else { 14.0 },
                roll: 45.0,
                patch: if bare { Patch::BareTwig } else { Patch::HazelTwig },
                colours,
            },
            envelope: None,
            bark: Patch::Smooth,
            wood: [Vec3::new(0.33, 0.25, 0.18), Vec3::new(0.25, 0.18, 0.12)],
            base: (Vec3::new(0.28, 0.24, 0.18), 0.1),
            share_of_stems: [0.36, 0.26, 0.2],
            roundness: 0.7,
        }
        .grow(seed)
    }
}
