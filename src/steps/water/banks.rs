//! Rough banks: the edges of a river wander from their line.
//!
//! Each bank follows a midpoint displacement of its own (the lecture on terrain). It is laid along the
//! curve's length in metres, so that it is the same at every resolution.

use crate::noise::stream;
use crate::steps::generate::{PROFILES, Wander};

/// Widths of the river after which a bank is back on its line.
const WIDTHS: f64 = 12.0;
/// Halvings of such a length: the finest nook is 3/16 of a width long.
const LEVELS: u32 = 6;
/// How much less the nooks of half the length are, as an exponent.
const EXPONENT: f32 = 0.75;

/// How the edges of a river wander.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Banks {
    wander: Wander,
    /// Metres from an edge's line to where it strays the farthest.
    farthest: f32,
    /// Metres of the river to a profile of the line.
    profile: f64,
    /// Metres from the river's source to its mouth.
    length: f32,
    /// Metres from edge to edge.
    width: f32,
}

impl Banks {
    /// Banks of a river `width` metres wide, above 0, and `length` metres long, which stray up to
    /// `share` of its width.
    pub(super) fn new(width: f32, length: f32, share: f32, seed: u64) -> Self {
        let wander = Wander::new(LEVELS, EXPONENT, stream(seed, 0x62_616E_6B73));
        Self { wander, farthest: share * width, profile: WIDTHS * f64::from(width), length, width }
    }

    /// Numbers that differ where banks do.
    pub(super) fn key(&self) -> [f32; 3] {
        [self.farthest, self.length, self.wander.at(0.37)]
    }

    /// The most that [`strays`](Self::strays) says.
    pub(super) fn farthest(&self) -> f32 {
        self.farthest
    }

    /// Metres by which the left or the right edge lies farther out than its line, so many metres along
    /// the river.
    pub(super) fn strays(&self, along: f32, is_left: bool) -> f32 {
        // The other bank is half the line away, where it looks like another.
        let other = if is_left { 0.0 } else { PROFILES as f64 / 2.0 };
        // Both begin on their line; at the other end, too, they must meet.
        let to_end = ((self.length - along) / self.width).clamp(0.0, 1.0);
        self.farthest * to_end * self.wander.at(f64::from(along) / self.profile + other)
    }
}
