//! Which parts of a run of texels need painting.

use crate::texture::texels::RUN;

/// Texels in a block.
const BLOCK: usize = 32;

/// Texels that are examined together.
const LANES: usize = 16;

/// Which blocks of a run's texels have any weight.
pub(crate) struct Blocks([bool; RUN / BLOCK]);

impl Blocks {
    /// The blocks of a run with these weights, none of which is below 0.
    #[inline(always)]
    pub(crate) fn of(weights: &[f32; RUN]) -> Self {
        let mut blocks = [false; RUN / BLOCK];
        for (any, weights) in blocks.iter_mut().zip(weights.as_chunks::<BLOCK>().0) {
            // Lane by lane, because otherwise the compiler gathers one number of each block. Only 0 has no
            // bit set.
            let mut bits = [0; LANES];
            for weights in weights.as_chunks::<LANES>().0 {
                for (bits, weight) in bits.iter_mut().zip(weights) {
                    *bits |= weight.to_bits();
                }
            }
            *any = bits.iter().fold(0, |any, bits| any | bits) != 0;
        }
        Self(blocks)
    }

    /// Whether no block has any weight.
    #[inline(always)]
    pub(crate) fn are_empty(&self) -> bool {
        self.0 == [false; RUN / BLOCK]
    }

    /// Calls `act` with every texel of these blocks.
    #[inline(always)]
    pub(crate) fn each(&self, mut act: impl FnMut(usize)) {
        for block in 0..RUN / BLOCK {
            if self.0[block] {
                for lane in 0..BLOCK {
                    act(block * BLOCK + lane);
                }
            }
        }
    }
}
