//! Decoded blocks of tiles that were used last, in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// A block of a tile: the tile's object, the level in it, the column and the row of the block.
pub(super) type BlockPlace = (Arc<str>, usize, [usize; 2]);

/// See the module. The lock is held to look a block up or to add one, and never while one is read.
pub(super) struct BlockMemory {
    budget: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    blocks: HashMap<BlockPlace, (u64, Arc<Vec<f32>>)>,
    /// The blocks in the order of their last use.
    by_use: BTreeMap<u64, BlockPlace>,
    uses: u64,
    bytes: usize,
}

impl BlockMemory {
    /// Blocks of at most `budget` bytes.
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, kept: Mutex::default() }
    }

    pub(super) fn get(&self, place: &BlockPlace) -> Option<Arc<Vec<f32>>> {
        let kept = &mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let (last_use, block) = kept.blocks.get_mut(place)?;
        kept.by_use.remove(last_use);
        *last_use = kept.uses;
        kept.by_use.insert(kept.uses, place.clone());
        Some(block.clone())
    }

    pub(super) fn put(&self, place: BlockPlace, block: &Arc<Vec<f32>>) {
        let kept = &mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        kept.bytes += 4 * block.len();
        kept.by_use.insert(kept.uses, place.clone());
        // Two threads may have read the same block.
        if let Some((last_use, old)) = kept.blocks.insert(place, (kept.uses, block.clone())) {
            kept.by_use.remove(&last_use);
            kept.bytes -= 4 * old.len();
        }
        while kept.bytes > self.budget
            && let Some((_, oldest)) = kept.by_use.pop_first()
        {
            if let Some((_, block)) = kept.blocks.remove(&oldest) {
                kept.bytes -= 4 * block.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_used_longest_ago_makes_room() {
        let memory = BlockMemory::new(4 * 25);
        let place = |number: usize| (Arc::from("heights/a.tif"), 0, [number, 0]);
        let put = |number: usize| memory.put(place(number), &Arc::new(vec![number as f32; 10]));
        put(0);
        put(1);
        assert!(memory.get(&place(0)).is_some());
        put(2);
        assert!(memory.get(&place(0)).is_some() && memory.get(&place(1)).is_none());
        put(2);
        assert_eq!(memory.get(&place(2)).unwrap()[3], 2.0);
        assert!(memory.get(&place(0)).is_some(), "the same block twice takes the room of one");
    }
}
