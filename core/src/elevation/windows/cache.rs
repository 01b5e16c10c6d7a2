//! Decoded blocks that were used last, up to a number of bytes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::elevation::formats::tiff::blocks::{Block, BlockIndex};

/// What a block takes beside its heights: its entries in the tables.
const ENTRY: usize = 128;

/// Decoded blocks. Its lock is held to look one up or put one in, never to decode.
pub(super) struct BlockCache {
    budget: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    blocks: HashMap<BlockIndex, (u64, Arc<Block>)>,
    /// The blocks by when they were used, the longest ago first.
    by_use: BTreeMap<u64, BlockIndex>,
    uses: u64,
    bytes: usize,
}

impl BlockCache {
    /// A cache of at most `budget` bytes; none at all with 0.
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, held: Mutex::default() }
    }

    /// A block, if it is there.
    pub(super) fn get(&self, index: BlockIndex) -> Option<Arc<Block>> {
        let held = &mut *self.held();
        let (used, block) = held.blocks.get_mut(&index)?;
        held.by_use.remove(used);
        held.uses += 1;
        *used = held.uses;
        held.by_use.insert(held.uses, index);
        Some(Arc::clone(block))
    }

    /// Keeps a block, and drops those used longest ago as long as there are too many bytes.
    pub(super) fn put(&self, index: BlockIndex, block: &Arc<Block>) {
        let bytes = block.bytes() + ENTRY;
        if bytes > self.budget {
            return;
        }
        let held = &mut *self.held();
        held.uses += 1;
        let new = (held.uses, Arc::clone(block));
        held.by_use.insert(held.uses, index);
        held.bytes += bytes;
        // Two threads may have decoded the same block.
        if let Some((used, old)) = held.blocks.insert(index, new) {
            held.by_use.remove(&used);
            held.bytes -= old.bytes() + ENTRY;
        }
        while held.bytes > self.budget {
            let Some((_, oldest)) = held.by_use.pop_first() else { return };
            if let Some((_, old)) = held.blocks.remove(&oldest) {
                held.bytes -= old.bytes() + ENTRY;
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing in here panics halfway.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(samples: usize) -> Arc<Block> {
        Arc::new(Block::Heights { width: samples, heights: vec![0.0; samples] })
    }

    #[test]
    fn what_was_used_longest_ago_is_dropped_first_and_the_budget_is_kept() {
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
        assert_eq!(cache.held().bytes, 3 * (400 + ENTRY));
        cache.put(index(1), &block(10_000));
        assert_eq!(there(&cache), [true, false, true, true], "what is larger than the budget isn't kept");
        let none = BlockCache::new(0);
        none.put(index(0), &block(0));
        assert!(none.get(index(0)).is_none());
    }
}
