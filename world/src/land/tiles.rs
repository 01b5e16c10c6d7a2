//! The tiles of a plan in its store: which are there, and their blocks.
//!
//! Anything may be in a tile's object. One that is not the tile of this plan, or not all of it, counts as
//! missing, with a note. Nothing is read while a lock is held, so that two threads may read the same tile at
//! the same time.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use upland_core::Result;
use upland_core::compute::recently_used::RecentlyUsed;
use upland_core::formats::cog::{CogHeights, CogImage, CogSamples};

use super::notes::note;
use super::object::ObjectAt;
use crate::check::{TileHead, head_bytes};
use crate::outputs::Output;
use crate::plan::{Plan, Tile};
use crate::store::Store;
use crate::worker::Worker;

/// Bytes of decoded blocks that are kept; one has 1 MiB.
const KEPT_BYTES: usize = 96 << 20;

/// Tiles whose heads are kept; one of a tile with 8192² samples takes 20 KB.
const MOST_HEADS: usize = 1024;

/// A block of a tile: the tile's object, the level in it, the column and the row of the block.
type BlockPlace = (Arc<str>, usize, [usize; 2]);

/// A tile that is there.
pub(super) struct TileFile {
    key: Arc<str>,
    head: Vec<u8>,
    length: u64,
    heights: CogHeights,
}

impl TileFile {
    /// Levels that it has: its samples are level 0.
    pub(super) fn levels(&self) -> usize {
        self.heights.levels()
    }

    /// Samples of a level along x and z.
    pub(super) fn size(&self, level: usize) -> [usize; 2] {
        self.heights.size(level)
    }
}

enum State {
    Missing,
    There(Arc<TileFile>),
}

/// See the module.
pub(super) struct Tiles {
    store: Arc<Store>,
    states: Mutex<HashMap<Arc<str>, State>>,
    blocks: RecentlyUsed<BlockPlace, Vec<f32>>,
}

impl Tiles {
    pub(super) fn new(store: &Arc<Store>) -> Self {
        Self { store: store.clone(), states: Mutex::default(), blocks: RecentlyUsed::new(KEPT_BYTES) }
    }

    /// Whether they are on this machine.
    pub(super) fn are_near(&self) -> bool {
        self.store.as_folder().is_some()
    }

    /// A tile; `None` if it is missing. What was found is remembered, so that all windows agree.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn find(
        &self,
        worker: &Worker,
        output: &Output,
        tile: &Tile,
    ) -> Result<Option<Arc<TileFile>>> {
        let key: Arc<str> = output.key(tile.column, tile.row).into();
        match self.states().get(&key) {
            Some(State::Missing) => return Ok(None),
            Some(State::There(file)) => return Ok(Some(file.clone())),
            None => {}
        }
        let found = self.open(worker, output, &key, tile)?;
        let mut states = self.states();
        let heads = states.values().filter(|state| matches!(state, State::There(_))).count();
        if heads >= MOST_HEADS {
            // They are read again where they are needed, which is a small part of reading blocks.
            states.retain(|_, state| matches!(state, State::Missing));
        }
        let state = found.clone().map_or(State::Missing, State::There);
        // Another thread may have found damage meanwhile, which stays known.
        Ok(match states.entry(key).or_insert(state) {
            State::Missing => None,
            State::There(file) => Some(file.clone()),
        })
    }

    fn open(
        &self,
        worker: &Worker,
        output: &Output,
        key: &Arc<str>,
        tile: &Tile,
    ) -> Result<Option<Arc<TileFile>>> {
        let plan = worker.plan();
        let Some(head) = self.store.get_range(key, 0, head_bytes(plan.tile))? else { return Ok(None) };
        let length = match self.check(plan, &head, tile) {
            Ok(length) => length,
            Err(reason) => {
                self.damaged(key, head.len() as u64, &reason);
                return Ok(None);
            }
        };
        let object = ObjectAt::new(&self.store, key, &head, length);
        let (place, metadata) = worker.label_of(output, tile);
        let [width, depth] = tile.samples.size.map(|side| side as usize);
        let (samples, place) = (CogSamples::Heights(&[]), Some(&place));
        let expected = CogImage { width, depth, samples, place, nodata: None, metadata: &metadata };
        match CogHeights::open(Path::new(&**key), &object, &expected) {
            Ok(heights) => Ok(Some(Arc::new(TileFile { key: key.clone(), head, length, heights }))),
            Err(error) => match object.into_failure() {
                Some(failure) => Err(failure),
                None => {
                    self.damaged(key, length, &error.to_string());
                    Ok(None)
                }
            },
        }
    }

    /// The length of a tile with this beginning.
    fn check(&self, plan: &Plan, head: &[u8], tile: &Tile) -> Result<u64, String> {
        let head = TileHead::read(head).map_err(|reason| format!("is not a tile: {reason}"))?;
        if !head.metadata.contains(&plan.hash) {
            return Err("was made by another plan".into());
        }
        let name = tile.name();
        if !head.metadata.contains(&format!(">{name}<")) {
            return Err(format!("is another tile than {name}"));
        }
        if head.size != tile.samples.size.map(u64::from) {
            let ([columns, rows], [width, depth]) = (head.size, tile.samples.size);
            return Err(format!("has {columns} × {rows} values instead of {width} × {depth}"));
        }
        Ok(head.length)
    }

    /// A block of a tile at one of its levels, row by row; `None` if it is damaged, and then all of its tile
    /// counts as missing.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn block(
        &self,
        file: &TileFile,
        level: usize,
        place: [usize; 2],
    ) -> Result<Option<Arc<Vec<f32>>>> {
        let kept = (file.key.clone(), level, place);
        if let Some(block) = self.blocks.get(&kept) {
            return Ok(Some(block));
        }
        let object = ObjectAt::new(&self.store, &file.key, &file.head, file.length);
        match file.heights.block(level, place, &object) {
            Ok(block) => {
                let block = Arc::new(block);
                self.blocks.put(kept, &block, 4 * block.len());
                Ok(Some(block))
            }
            Err(error) => match object.into_failure() {
                Some(failure) => Err(failure),
                None => {
                    self.damaged(&file.key, file.length, &error.to_string());
                    Ok(None)
                }
            },
        }
    }

    /// Notes that a tile is damaged, unless that is known already, and forgets what is kept of it.
    fn damaged(&self, key: &Arc<str>, length: u64, reason: &str) {
        let known = self.states().insert(key.clone(), State::Missing);
        if !matches!(known, Some(State::Missing)) {
            self.store.forget(key, length);
            let error = self.store.error(key, reason);
            note(format!(
                "{error}; this tile counts as missing. `upland verify --repair` makes it again from its plan"
            ));
        }
    }

    /// How many tiles were found.
    #[cfg(test)]
    pub(super) fn read_count(&self) -> usize {
        self.states().values().filter(|state| matches!(state, State::There(_))).count()
    }

    fn states(&self) -> MutexGuard<'_, HashMap<Arc<str>, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
