//! A cache of step results, for later builds of the same or a similar recipe.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Recipe, Step};
use crate::analysis::Surroundings;
use crate::params::{self, Reading};
use crate::resize::SplineSurface;
use crate::steps::Ground;

/// Remembers the results of steps and of baking's analysis of the land, for [`Recipe::build_with`]. A build
/// reuses what a change didn't affect: after changing a step, building starts from that step, and undoing a
/// recent change runs no step at all.
///
/// Clones share their contents. The least recently used results are dropped first, so that all together
/// stay within the budget.
///
/// ```
/// use upland::{Cache, Preset, Work};
///
/// let cache = Cache::new(64 << 20);
/// let mut recipe = Preset::find("downs").unwrap().recipe()?.with_longer_side(65);
/// let before = recipe.build_with(&cache, &Work::new())?;
/// recipe.sun.elevation = 20.0;
/// // No step is run for this one.
/// assert_eq!(recipe.build_with(&cache, &Work::new())?.heightfield, before.heightfield);
/// assert!(cache.bytes() > 0);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone)]
pub struct Cache {
    kept: Arc<Mutex<Kept>>,
}

/// The key of a result: a hash of the grid, the seed, and all steps up to it with their parameters and the
/// states of the files that they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 2]);

struct Kept {
    budget: u64,
    bytes: u64,
    entries: HashMap<Key, Entry>,
    /// Counter of uses, for the order of last use.
    uses: u64,
}

struct Entry {
    ground: Arc<Ground>,
    /// The analysis of this land. It knows itself which parameters it depends on.
    surroundings: Option<Surroundings>,
    /// The spline surface on which finer samples lie.
    surface: Option<Arc<SplineSurface>>,
    /// The lowest and highest height.
    range: Option<(f32, f32)>,
    bytes: u64,
    last_use: u64,
}

impl Default for Cache {
    /// A cache with a budget of 512 MiB.
    fn default() -> Self {
        Self::new(512 << 20)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        formatter
            .debug_struct("Cache")
            .field("budget", &kept.budget)
            .field("bytes", &kept.bytes)
            .field("results", &kept.entries.len())
            .finish()
    }
}

impl Cache {
    /// A cache with a budget in bytes.
    pub fn new(budget: u64) -> Self {
        let kept = Kept { budget, bytes: 0, entries: HashMap::new(), uses: 0 };
        Self { kept: Arc::new(Mutex::new(kept)) }
    }

    /// Memory that the contents take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.kept().bytes
    }

    /// Drops everything.
    pub fn clear(&self) {
        let mut kept = self.kept();
        kept.entries.clear();
        kept.bytes = 0;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing is done under the lock that could leave it half done.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result with this key.
    pub(super) fn ground(&self, key: Key) -> Option<Arc<Ground>> {
        self.kept().used(key).map(|entry| entry.ground.clone())
    }

    /// Stores a result, if there is room for it. Its heights are shared, not copied.
    pub(super) fn keep(&self, key: Key, ground: &Ground) {
        let bytes = bytes_of(ground);
        let mut kept = self.kept();
        if bytes > kept.budget {
            return;
        }
        kept.uses += 1;
        let entry = Entry {
            ground: Arc::new(ground.clone()),
            surroundings: None,
            surface: None,
            range: None,
            bytes,
            last_use: kept.uses,
        };
        if let Some(before) = kept.entries.insert(key, entry) {
            kept.bytes -= before.bytes;
        }
        kept.bytes += bytes;
        kept.forget();
    }

    /// The analysis of the land with this key.
    pub(super) fn surroundings(&self, key: Key) -> Option<Surroundings> {
        self.kept().used(key)?.surroundings.clone()
    }

    /// Stores the analysis of the land with this key.
    pub(super) fn keep_surroundings(&self, key: Key, known: Surroundings) {
        let mut kept = self.kept();
        let Some(entry) = kept.entries.get_mut(&key) else { return };
        entry.surroundings = Some(known);
        let (before, now) = entry.count();
        kept.bytes = kept.bytes - before + now;
        kept.forget();
    }

    /// The surface of the result with this key.
    pub(super) fn surface(&self, key: Key) -> Option<Arc<SplineSurface>> {
        self.kept().used(key)?.surface.clone()
    }

    /// The lowest and highest height of the result with this key.
    pub(super) fn range(&self, key: Key) -> Option<(f32, f32)> {
        self.kept().used(key)?.range
    }

    /// Stores the lowest and highest height of the result with this key.
    pub(super) fn keep_range(&self, key: Key, range: (f32, f32)) {
        if let Some(entry) = self.kept().entries.get_mut(&key) {
            entry.range = Some(range);
        }
    }

    /// Stores the surface of the result with this key.
    pub(super) fn keep_surface(&self, key: Key, surface: &Arc<SplineSurface>) {
        let mut kept = self.kept();
        let Some(entry) = kept.entries.get_mut(&key) else { return };
        entry.surface = Some(surface.clone());
        let (before, now) = entry.count();
        kept.bytes = kept.bytes - before + now;
        kept.forget();
    }
}

impl Entry {
    /// Counts the entry's bytes again: before and now.
    fn count(&mut self) -> (u64, u64) {
        let known = self.surroundings.as_ref().map_or(0, Surroundings::bytes);
        let surface = self.surface.as_ref().map_or(0, |surface| surface.bytes());
        let now = bytes_of(&self.ground) + known + surface;
        (std::mem::replace(&mut self.bytes, now), now)
    }
}

impl Kept {
    fn used(&mut self, key: Key) -> Option<&mut Entry> {
        self.uses += 1;
        let uses = self.uses;
        let entry = self.entries.get_mut(&key)?;
        entry.last_use = uses;
        Some(entry)
    }

    /// Drops the least recently used entries until the rest fits.
    fn forget(&mut self) {
        while self.bytes > self.budget {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use).map(|(key, _)| *key);
            let Some(entry) = oldest.and_then(|key| self.entries.remove(&key)) else { break };
            self.bytes -= entry.bytes;
        }
    }
}

/// Memory of the heights, the layers and, roughly, the rivers, in bytes. Layers shared by several results
/// are counted for each.
fn bytes_of(ground: &Ground) -> u64 {
    let rivers: u64 = ground.rivers.iter().map(crate::steps::water::Course::bytes).sum();
    4 * ground.grid().count() as u64 + ground.layers().bytes() + rivers
}

impl Key {
    /// The key of level ground, which every recipe starts from.
    pub(super) fn of_level_ground(recipe: &Recipe) -> Self {
        Self::from(|hasher| {
            (recipe.size, recipe.cell.to_bits(), recipe.unit.map(f32::to_bits), recipe.seed).hash(hasher)
        })
    }

    /// The key of the result of `step` on the result with this key. `None` if a file that it reads is
    /// missing, which the step reports itself.
    pub(super) fn after(self, step: &Step) -> Option<Self> {
        let (mut text, mut stamps, mut is_whole) = (String::from(step.name()), Vec::new(), true);
        params::each(step, &mut |path, _, value| {
            text += path;
            text += &ron::to_string(&value).unwrap_or_default();
            text.push('\n');
            if let Reading::File(file) = value
                && !file.text().is_empty()
            {
                let path = file.on_disk();
                let stamp = file.stamp(&path);
                is_whole &= stamp.is_some() || file.is_built_in();
                stamps.push((path, stamp));
            }
        });
        is_whole.then(|| Self::from(|hasher| (self, &text, &stamps).hash(hasher)))
    }

    /// Two hashes with different prefixes, 128 bits in all, so that different recipes practically never
    /// collide.
    fn from(hash: impl Fn(&mut DefaultHasher)) -> Self {
        Self([0, 1].map(|number: u64| {
            let mut hasher = DefaultHasher::new();
            number.hash(&mut hasher);
            hash(&mut hasher);
            hasher.finish()
        }))
    }
}
