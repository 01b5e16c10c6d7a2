//! A cache of step results, for later builds of the same or a similar recipe.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::analysis::TerrainAnalysis;
use crate::error::{Error, Result};
use crate::grid::Heightfield;
use crate::params::{self, Params, Reading};
use crate::recipe::{Recipe, Step};
use crate::resize::SplineSurface;
use crate::steps::Ground;
use crate::texture::Tile;

use super::stored_ground::StoredGround;

/// Remembers the results of steps and of baking's analysis of the land, for [`Recipe::build_with`]. A build
/// reuses what a change didn't affect: after changing a step, building starts from that step, and undoing a
/// recent change runs no step at all.
///
/// Clones share their contents. The least recently used results are dropped first, so that all together
/// stay within the budget.
///
/// ```
/// # use upland_core as upland;
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
    kept: Arc<Mutex<Contents>>,
}

/// The key of a result: a hash of the grid, the seed, and all steps up to it with their parameters and the
/// states of the files that they read. What follows from such a result has a key that follows from its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 2]);

struct Contents {
    budget: u64,
    bytes: u64,
    entries: HashMap<Key, Entry>,
    /// Everything that isn't the result of a step.
    others: HashMap<Key, Other>,
    /// Ground that lies outside of memory. It takes nothing of the budget, and is never dropped to make room.
    stored: HashMap<Key, Arc<dyn StoredGround>>,
    /// Those that some thread is making.
    begun: HashSet<Key>,
    /// Counter of uses, for the order of last use.
    uses: u64,
}

struct Entry {
    ground: Arc<Ground>,
    /// The analysis of this land. It knows itself which parameters it depends on.
    analysis: Option<TerrainAnalysis>,
    /// The spline surface on which finer samples lie.
    surface: Option<Arc<SplineSurface>>,
    /// The lowest and highest height.
    range: Option<(f32, f32)>,
    bytes: u64,
    last_use: u64,
}

/// Something that follows from the result of a step.
struct Other {
    what: Arc<dyn Any + Send + Sync>,
    bytes: u64,
    last_use: u64,
}

/// Something that a [`Cache`] can keep in addition to the results of steps.
pub(crate) trait Keepable: Any + Send + Sync {
    /// Memory that it takes, in bytes.
    fn bytes(&self) -> u64;
}

impl Keepable for Heightfield {
    fn bytes(&self) -> u64 {
        4 * self.heights().len() as u64
    }
}

/// Marks something as being made by this thread, until it is dropped.
struct Claim<'a> {
    cache: &'a Cache,
    key: Key,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.cache.kept().begun.remove(&self.key);
    }
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
            .field("results", &(kept.entries.len() + kept.others.len()))
            .finish()
    }
}

impl Cache {
    /// A cache with a budget in bytes.
    pub fn new(budget: u64) -> Self {
        let (entries, others, begun) = (HashMap::new(), HashMap::new(), HashSet::new());
        let kept = Contents { budget, bytes: 0, entries, others, stored: HashMap::new(), begun, uses: 0 };
        Self { kept: Arc::new(Mutex::new(kept)) }
    }

    /// The most that the contents may take, in bytes.
    pub(super) fn budget(&self) -> u64 {
        self.kept().budget
    }

    /// Memory that the contents take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.kept().bytes
    }

    /// Drops everything.
    pub fn clear(&self) {
        let mut kept = self.kept();
        kept.entries.clear();
        kept.others.clear();
        kept.stored.clear();
        kept.bytes = 0;
    }

    fn kept(&self) -> MutexGuard<'_, Contents> {
        // Nothing is done under the lock that could leave it half done.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stored ground with this key.
    pub(super) fn stored(&self, key: Key) -> Option<Arc<dyn StoredGround>> {
        self.kept().stored.get(&key).cloned()
    }

    /// Makes a stored ground known, until everything is dropped.
    pub(super) fn know_stored(&self, key: Key, ground: Arc<dyn StoredGround>) {
        self.kept().stored.insert(key, ground);
    }

    /// The result with this key.
    pub(super) fn ground(&self, key: Key) -> Option<Arc<Ground>> {
        self.kept().used(key).map(|entry| entry.ground.clone())
    }

    /// Stores a result, if there is room for it. Its heights are shared, not copied.
    pub(super) fn keep(&self, key: Key, ground: &Ground) {
        let bytes = bytes_of(ground);
        let mut kept = self.kept();
        // It would push out all others, and then be forgotten itself.
        if bytes > kept.budget {
            return;
        }
        kept.uses += 1;
        let entry = Entry {
            ground: Arc::new(ground.clone()),
            analysis: None,
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
    pub(super) fn analysis(&self, key: Key) -> Option<TerrainAnalysis> {
        self.kept().used(key)?.analysis.clone()
    }

    /// Stores the analysis of the land with this key.
    pub(super) fn keep_analysis(&self, key: Key, analysis: TerrainAnalysis) {
        let mut kept = self.kept();
        // Forgotten in the meantime: there is nothing to add it to.
        let Some(entry) = kept.entries.get_mut(&key) else { return };
        entry.analysis = Some(analysis);
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

    /// The things with these keys, in their order; `make` makes those that are not kept, by their indices.
    /// One without a key is made every time.
    ///
    /// Things that another thread is making are left for last, when they are likely to be there; those that
    /// aren't are made twice. No thread waits for another: the other may have put aside its work for this
    /// very call.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn all_of<T: Keepable>(
        &self,
        keys: &[Option<Key>],
        make: impl Fn(&[usize]) -> Result<Vec<T>>,
    ) -> Result<Vec<Arc<T>>> {
        let mut all: Vec<Option<Arc<T>>> =
            keys.iter().map(|key| key.and_then(|key| self.other(key))).collect();
        let (mut own, mut begun, mut others) = (Vec::new(), Vec::new(), Vec::new());
        // What another thread has begun is left for later: meanwhile this one makes something else.
        for index in (0..keys.len()).filter(|&index| all[index].is_none()) {
            match keys[index].map(|key| self.begin(key)) {
                Some(None) => others.push(index),
                claimed => {
                    own.push(index);
                    begun.extend(claimed.flatten());
                }
            }
        }
        let make_some = |all: &mut [Option<Arc<T>>], some: &[usize]| {
            if some.is_empty() {
                return Ok(());
            }
            for (&index, made) in some.iter().zip(make(some)?) {
                let made = Arc::new(made);
                if let Some(key) = keys[index] {
                    self.keep_other(key, &made);
                }
                all[index] = Some(made);
            }
            Ok::<_, Error>(())
        };
        make_some(&mut all, &own)?;
        // Only now, when they are kept.
        drop(begun);
        // Made here a second time if it is not there yet: a thread that never waits cannot deadlock.
        others.retain(|&index| match keys[index].and_then(|key| self.other(key)) {
            Some(known) => {
                all[index] = Some(known);
                false
            }
            None => true,
        });
        make_some(&mut all, &others)?;
        Ok(all.into_iter().flatten().collect())
    }

    /// As [`all_of`](Self::all_of), for one thing.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn one_of<T: Keepable>(
        &self,
        key: Option<Key>,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        if let Some(known) = key.and_then(|key| self.other(key)) {
            return Ok(known);
        }
        let made = Arc::new(make()?);
        if let Some(key) = key {
            self.keep_other(key, &made);
        }
        Ok(made)
    }

    /// The thing with this key.
    pub(super) fn other<T: Keepable>(&self, key: Key) -> Option<Arc<T>> {
        let mut kept = self.kept();
        kept.uses += 1;
        let uses = kept.uses;
        let other = kept.others.get_mut(&key)?;
        other.last_use = uses;
        other.what.clone().downcast().ok()
    }

    /// Marks something as being made by this thread; `None` if another thread is making it.
    fn begin(&self, key: Key) -> Option<Claim<'_>> {
        let is_first = self.kept().begun.insert(key);
        // Only where it is the first: dropping it would remove the mark of another thread.
        is_first.then(|| Claim { cache: self, key })
    }

    /// Stores something, if there is room for it.
    pub(super) fn keep_other<T: Keepable>(&self, key: Key, made: &Arc<T>) {
        let bytes = made.bytes();
        let mut kept = self.kept();
        if bytes > kept.budget {
            return;
        }
        kept.uses += 1;
        let other = Other { what: made.clone(), bytes, last_use: kept.uses };
        if let Some(before) = kept.others.insert(key, other) {
            kept.bytes -= before.bytes;
        }
        kept.bytes += bytes;
        kept.forget();
    }
}

impl Entry {
    /// Counts the entry's bytes again: before and now.
    fn count(&mut self) -> (u64, u64) {
        let analysis = self.analysis.as_ref().map_or(0, TerrainAnalysis::bytes);
        let surface = self.surface.as_ref().map_or(0, |surface| surface.bytes());
        let now = bytes_of(&self.ground) + analysis + surface;
        (std::mem::replace(&mut self.bytes, now), now)
    }
}

impl Contents {
    fn used(&mut self, key: Key) -> Option<&mut Entry> {
        self.uses += 1;
        let uses = self.uses;
        let entry = self.entries.get_mut(&key)?;
        entry.last_use = uses;
        Some(entry)
    }

    /// Drops what was least recently used until the rest fits.
    fn forget(&mut self) {
        // A linear search: entries are few, since each is a whole field.
        while self.bytes > self.budget {
            let entries = self.entries.iter().map(|(key, entry)| (entry.last_use, *key));
            let others = self.others.iter().map(|(key, other)| (other.last_use, *key));
            let Some((_, oldest)) = entries.chain(others).min_by_key(|(last_use, _)| *last_use) else {
                break;
            };
            let entry = self.entries.remove(&oldest).map_or(0, |entry| entry.bytes);
            let other = self.others.remove(&oldest).map_or(0, |other| other.bytes);
            self.bytes -= entry + other;
        }
    }
}

/// Memory of the heights, the layers and, roughly, the rivers, in bytes. Layers shared by several results
/// are counted for each.
fn bytes_of(ground: &Ground) -> u64 {
    let rivers: u64 = ground.rivers.iter().map(crate::steps::water::Course::bytes).sum();
    let lakes: u64 = ground.lakes.iter().map(crate::steps::water::Lake::bytes).sum();
    let bridges: u64 = ground.bridges.iter().map(crate::steps::water::Bridge::bytes).sum();
    4 * ground.grid().count() as u64 + ground.layers().bytes() + rivers + lakes + bridges
}

impl Key {
    /// The key from which those follow that have nothing to do with a land.
    pub(super) const NOTHING: Self = Self([0; 2]);

    /// The key of level ground, which every recipe starts from.
    pub(super) fn of_level_ground(recipe: &Recipe) -> Self {
        Self::from(|hasher| {
            (recipe.size, recipe.cell.to_bits(), recipe.unit.map(f32::to_bits), recipe.seed).hash(hasher)
        })
    }

    /// The key of the result of `step` on the result with this key. `None` if a file that it reads is
    /// missing, which the step reports itself.
    pub(super) fn after(self, step: &Step) -> Option<Self> {
        self.with(step.name(), step)
    }

    /// The key of what follows from the result with this key and from `params`, whose kind has this `name`.
    /// `None` if a file that they name is missing.
    pub(super) fn with(self, name: &str, params: &dyn Params) -> Option<Self> {
        let (mut text, mut stamps, mut is_whole) = (String::from(name), Vec::new(), true);
        params::each(params, &mut |path, _, value| {
            text += path;
            // Most are numbers; as bits they are written ten times as fast.
            let written = match value {
                Reading::Float(number) => writeln!(text, " {:x}", number.to_bits()),
                Reading::Int(number) => writeln!(text, " {number}"),
                ref value => writeln!(text, " {}", ron::to_string(value).unwrap_or_default()),
            };
            is_whole &= written.is_ok();
            if let Reading::File(file) = value
                && !file.text().is_empty()
            {
                let path = file.on_disk();
                let stamp = file.stamp(&path);
                let is_built_in = file.is_built_in() || Tile::built_in().contains(&file.text());
                is_whole &= stamp.is_some() || is_built_in;
                stamps.push((path, stamp));
            }
        });
        // Without the state of each of its files a result could not be recognised later, so it is not kept.
        is_whole.then(|| Self::from(|hasher| (self, &text, &stamps).hash(hasher)))
    }

    /// A derived key: this key, hashed with `what`.
    pub(super) fn of(self, what: impl Hash) -> Self {
        Self::from(|hasher| (self, &what).hash(hasher))
    }

    /// Two hashes with different prefixes, 128 bits in all, so that different recipes practically never
    /// collide.
    fn from(hash: impl Fn(&mut DefaultHasher)) -> Self {
        // Two hashes of 64 bits: with one alone, a collision after many edits would show another land.
        Self([0, 1].map(|number: u64| {
            let mut hasher = DefaultHasher::new();
            number.hash(&mut hasher);
            hash(&mut hasher);
            hasher.finish()
        }))
    }
}
