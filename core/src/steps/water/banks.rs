//! Rough banks: the edges of a river deviate from their smooth lines.
//!
//! Each bank follows its own line by midpoint displacement (the lecture on terrain), parametrised by the
//! metres along the curve, so that it is the same at every resolution.

use crate::noise::stream;
use crate::steps::generate::{PROFILES, Wander};

/// Widths of the river after which a bank returns to its smooth line.
const WIDTHS: f64 = 12.0;
/// Halvings of that length: the finest detail is 3/16 of a width long.
const LEVELS: u32 = 6;
/// The roughness exponent: details of half the length are 2^(−this) as large.
const EXPONENT: f32 = 0.75;

/// How the edges of a river deviate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Banks {
    wander: Wander,
    /// Largest deviation of an edge, metres.
    farthest: f32,
    /// Metres of the river per profile of the line.
    profile: f64,
    /// Length of the river from source to mouth, metres.
    length: f32,
    /// Width from edge to edge, metres.
    width: f32,
}

impl Banks {
    /// Banks of a river `width` metres wide, above 0, and `length` metres long, which deviate by up to
    /// `share` of its width.
    pub(super) fn new(width: f32, length: f32, share: f32, seed: u64) -> Self {
        let wander = Wander::new(LEVELS, EXPONENT, stream(seed, 0x62_616E_6B73));
        Self { wander, farthest: share * width, profile: WIDTHS * f64::from(width), length, width }
    }

    /// Numbers that differ where banks differ, for sorting.
    pub(super) fn key(&self) -> [f32; 3] {
        [self.farthest, self.length, self.wander.at(0.37)]
    }

    /// The largest value of [`strays`](Self::strays), metres.
    pub(super) fn farthest(&self) -> f32 {
        self.farthest
    }

    /// How far, in metres, the left or right edge lies outside its smooth line, `along` metres down the
    /// river.
    pub(super) fn strays(&self, along: f32, is_left: bool) -> f32 {
        // The other bank uses the line half a period away, where it looks different.
        let other = if is_left { 0.0 } else { PROFILES as f64 / 2.0 };
        // Both begin on their smooth line, and must also meet at the other end.
        let to_end = ((self.length - along) / self.width).clamp(0.0, 1.0);
        self.farthest * to_end * self.wander.at(f64::from(along) / self.profile + other)
    }
}
