//! A cache of the most recently used decoded blocks, limited in bytes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::elevation::formats::tiff::blocks::{Block, BlockIndex};

/// Memory of a block in addition to its heights: its entries in the tables.
const ENTRY: usize = 128;

/// Decoded blocks. The lock is held to look one up or insert one, never while decoding.
pub(super) struct BlockCache {
    budget: usize,
    state: Mutex<CacheState>,
}

#[derive(Default)]
struct CacheState {
    blocks: HashMap<BlockIndex, (u64, Arc<Block>)>,
    /// The blocks in order of their last use, the oldest first.
    by_use: BTreeMap<u64, BlockIndex>,
    uses: u64,
    bytes: usize,
}

impl BlockCache {
    /// A cache of at most `budget` bytes; none at all with 0.
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, state: Mutex::default() }
    }

    /// A block, if it is there.
    pub(super) fn get(&self, index: BlockIndex) -> Option<Arc<Block>> {
        let state = &mut *self.state();
        let (used, block) = state.blocks.get_mut(&index)?;
        state.by_use.remove(used);
        state.uses += 1;
        *used = state.uses;
        state.by_use.insert(state.uses, index);
        Some(Arc::clone(block))
    }

    /// Inserts a block, and evicts the least recently used ones until the cache fits its budget.
    pub(super) fn put(&self, index: BlockIndex, block: &Arc<Block>) {
        let bytes = block.bytes() + ENTRY;
        // It would push all others out, and then itself.
        if bytes > self.budget {
            return;
        }
        let state = &mut *self.state();
        // Counted and not timed: each use has a number of its own, which orders them.
        state.uses += 1;
        let new = (state.uses, Arc::clone(block));
        state.by_use.insert(state.uses, index);
        state.bytes += bytes;
        // Two threads may have decoded the same block.
        if let Some((used, old)) = state.blocks.insert(index, new) {
            state.by_use.remove(&used);
            state.bytes -= old.bytes() + ENTRY;
        }
        while state.bytes > self.budget {
            let Some((_, oldest)) = state.by_use.pop_first() else { return };
            if let Some((_, old)) = state.blocks.remove(&oldest) {
                state.bytes -= old.bytes() + ENTRY;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, CacheState> {
        // Nothing here panics halfway through a change, so a poisoned lock is harmless.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(samples: usize) -> Arc<Block> {
        Arc::new(Block::Heights { width: samples, heights: vec![0.0; samples] })
    }

    #[test]
    fn the_least_recently_used_block_is_evicted_first() {
        let index = |piece| BlockIndex { across: 0, down: 0, piece };
        let cache = BlockCache::new(3 * (400 + ENTRY));
        for piece in 0..3 {
            cache.put(index(piece), &block(100));
        }
        assert!(cache.get(index(0)).is_some());
        cache.put(index(3), &block(100));
        let there =
            |cache: &BlockCache| (0..4).map(|piece| cache.get(index(piece)).is_some()).collect::<Vec<_>>();
        assert_eq!(there(&cache), [true, false, true, true]);
        cache.put(index(3), &block(50));
        cache.put(index(3), &block(100));
        assert_eq!(cache.state().bytes, 3 * (400 + ENTRY));
        cache.put(index(1), &block(10_000));
        assert_eq!(there(&cache), [true, false, true, true], "a block larger than the budget isn't cached");
        let none = BlockCache::new(0);
        none.put(index(0), &block(0));
        assert!(none.get(index(0)).is_none());
    }
}
