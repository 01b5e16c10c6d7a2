//! The blocks into which layers are cracked, and how they are remembered.

use crate::noise::{hash_along, hash_of_column};
use crate::steps::filter::detail::lattice::unit;

/// How much blocks are tilted, against how much they stand out.
const TILT: f32 = 4.0;

/// Columns of blocks, by their numbers.
pub(super) type Columns = Recent<Column, 16>;

/// A small cache of values that were made from numbers. Each number has the slot `number` modulo `COUNT`,
/// where it replaces the number before it. `COUNT` is a power of two, so that the slot is found without a
/// division.
pub(super) struct Recent<T, const COUNT: usize>([Option<(i64, T)>; COUNT]);

impl<T, const COUNT: usize> Default for Recent<T, COUNT> {
    fn default() -> Self {
        Self([const { None }; COUNT])
    }
}

impl<T, const COUNT: usize> Recent<T, COUNT> {
    /// The value for a number; `make` makes it if it isn't in the cache.
    #[inline]
    pub(super) fn of(&mut self, number: i64, make: impl FnOnce() -> T) -> &mut T {
        // Neighbouring numbers have different slots, so a sample's neighbours don't drive each other out.
        let known = &mut self.0[number as usize % COUNT];
        _ = known.take_if(|(last, _)| *last != number);
        &mut known.get_or_insert_with(|| (number, make())).1
    }
}

/// A column of blocks.
pub(super) struct Column {
    bits: u64,
    /// How many blocks lie along the side of a square: each column has blocks of its own length.
    pub(super) blocks_per_side: f64,
    /// By which share of a block they are shifted along the column.
    pub(super) shift: f64,
    blocks: Recent<Block, 4>,
}

impl Column {
    /// The column with a number, of the blocks of this seed.
    #[inline]
    pub(super) fn new(seed: u64, number: i64) -> Self {
        let bits = hash_of_column(seed, number);
        Self {
            bits,
            blocks_per_side: f64::from(0.7 + 0.6 * unit(bits, 0)),
            shift: f64::from(unit(bits, 1)),
            blocks: Recent::default(),
        }
    }

    /// The block with a number in the column.
    #[inline]
    pub(super) fn block(&mut self, row: i64) -> Block {
        *self.blocks.of(row, || {
            let bits = hash_along(self.bits, row);
            Block { stands: unit(bits, 0) - 0.5, tilt: [unit(bits, 1) - 0.5, unit(bits, 2) - 0.5] }
        })
    }
}

/// A block: by how many thicknesses its middle stands out, and how it is tilted across and along.
#[derive(Clone, Copy)]
pub(super) struct Block {
    stands: f32,
    tilt: [f32; 2],
}

impl Block {
    /// By how many thicknesses it stands out at a place within it.
    #[inline]
    pub(super) fn stands(self, [across, along]: [f32; 2]) -> f32 {
        let tilt = self.tilt[0] * (across - 0.5) + self.tilt[1] * (along - 0.5);
        self.stands + TILT * tilt
    }
}
