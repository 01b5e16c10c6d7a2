//! A cache of the most recently used values, such as decoded blocks of a file, limited in bytes.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memory of a value in addition to its own: its entries in the tables, bytes.
const ENTRY: usize = 128;

/// Values by their keys. The lock is held to look one up or insert one, never while one is made.
pub struct RecentlyUsed<K, V> {
    budget: usize,
    state: Mutex<State<K, V>>,
}

struct State<K, V> {
    values: HashMap<K, Entry<V>>,
    /// The keys in order of their last use, the oldest first.
    by_use: BTreeMap<u64, K>,
    uses: u64,
    bytes: usize,
}

struct Entry<V> {
    value: Arc<V>,
    bytes: usize,
    last_use: u64,
}

impl<K: Clone + Eq + Hash, V> RecentlyUsed<K, V> {
    /// A cache of at most `budget` bytes; none at all with 0.
    pub fn new(budget: usize) -> Self {
        let state = State { values: HashMap::new(), by_use: BTreeMap::new(), uses: 0, bytes: 0 };
        Self { budget, state: Mutex::new(state) }
    }

    /// A value, if it is there.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        let state = &mut *self.state();
        let entry = state.values.get_mut(key)?;
        // The key moves with its use, and is not cloned.
        let key = state.by_use.remove(&entry.last_use)?;
        state.uses += 1;
        entry.last_use = state.uses;
        state.by_use.insert(state.uses, key);
        Some(Arc::clone(&entry.value))
    }

    /// Inserts a value of this many bytes, and evicts the least recently used ones until the cache fits its
    /// budget.
    pub fn put(&self, key: K, value: &Arc<V>, bytes: usize) {
        let bytes = bytes + ENTRY;
        // It would push all others out, and then itself.
        if bytes > self.budget {
            return;
        }
        let state = &mut *self.state();
        // Counted and not timed: each use has a number of its own, which orders them.
        state.uses += 1;
        state.bytes += bytes;
        state.by_use.insert(state.uses, key.clone());
        let new = Entry { value: Arc::clone(value), bytes, last_use: state.uses };
        // Two threads may have made the same value.
        if let Some(old) = state.values.insert(key, new) {
            state.by_use.remove(&old.last_use);
            state.bytes -= old.bytes;
        }
        while state.bytes > self.budget {
            let Some((_, oldest)) = state.by_use.pop_first() else { return };
            if let Some(old) = state.values.remove(&oldest) {
                state.bytes -= old.bytes;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State<K, V>> {
        // Nothing here panics halfway through a change, so a poisoned lock is harmless.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_evicted_first() {
        let value = Arc::new("value");
        let cache = RecentlyUsed::new(3 * (400 + ENTRY));
        for key in 0..3 {
            cache.put(key, &value, 400);
        }
        assert_eq!(cache.get(&0), Some(value.clone()));
        cache.put(3, &value, 400);
        let there =
            |cache: &RecentlyUsed<i32, &str>| (0..4).map(|key| cache.get(&key).is_some()).collect::<Vec<_>>();
        assert_eq!(there(&cache), [true, false, true, true]);
        // The same key takes the room of one, and its latest value counts.
        let newer = Arc::new("newer");
        cache.put(3, &value, 200);
        cache.put(3, &newer, 400);
        assert_eq!(cache.state().bytes, 3 * (400 + ENTRY));
        assert_eq!(cache.get(&3), Some(newer));
        cache.put(1, &value, 40_000);
        assert_eq!(there(&cache), [true, false, true, true], "a value larger than the budget isn't cached");
        let none = RecentlyUsed::new(0);
        none.put(0, &value, 0);
        assert_eq!(none.get(&0), None);
    }
}
