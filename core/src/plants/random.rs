//! Random numbers of a plant: integer hashes of its seed, so that every machine grows the same one.

use crate::noise::{mix, signed_unit, stream};

/// A sequence of random numbers that one part of a plant draws from, in one thread.
pub(super) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    /// The sequence of part number `part` of the plant with this seed.
    pub(super) fn new(seed: u64, part: u64) -> Self {
        Self { seed: stream(seed, part), drawn: 0 }
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.drawn += 1;
        mix(self.seed.wrapping_add(self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// In [−1, 1).
    pub(super) fn signed(&mut self) -> f32 {
        signed_unit(self.bits())
    }

    /// In [0, 1).
    pub(super) fn unit(&mut self) -> f32 {
        0.5 * (self.signed() + 1.0)
    }

    pub(super) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A factor around 1 that is larger or smaller by at most this share.
    pub(super) fn about(&mut self, share: f32) -> f32 {
        1.0 + share * self.signed()
    }

    /// A sequence of its own for a part of this part.
    pub(super) fn part(&mut self) -> Self {
        Self { seed: self.bits(), drawn: 0 }
    }
}
