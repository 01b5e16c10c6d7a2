//! Lands that are open: their plans, and what is known of their tiles.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use upland_core::{Cache, Domain, Recipe, Result, Work};

use super::exact::coarser_levels_are_samples;
use super::place::PlanPlace;
use super::settings::disk_cache;
use super::tiles::Tiles;
use crate::base::BASE;
use crate::plan::{PLAN, PassKind, Plan};
use crate::store::{DiskCache, Store};
use crate::worker::Worker;

/// The most lands that stay open.
const MOST_OPEN: usize = 8;

/// Land of at most this many samples is made as a whole where a step must know all of it and the plan's base
/// isn't there.
const SMALL: u64 = 2049 * 2049;

/// Bytes of what is kept of land that is made without a base.
const MEMORY: u64 = 512 << 20;

/// Tiles are used at levels at which blocks of theirs have at least 128² samples: at coarser ones, making the
/// land is as fast as reading it.
const BEYOND_OVERVIEWS: i32 = 2;

/// A plan whose land is read.
pub(super) struct OpenLand {
    pub(super) plan: Plan,
    pub(super) domain: Domain,
    pub(super) tiles: Tiles,
    /// Whether coarser levels are samples of the plan's.
    pub(super) is_exact: bool,
    pub(super) worker: Worker,
    /// What is made as a whole in memory, where there is no base.
    memory: OnceLock<Cache>,
}

struct Entry {
    place: PlanPlace,
    /// The state of the document, if it is a file of this machine.
    stamp: Option<SystemTime>,
    land: Arc<OpenLand>,
}

/// The lands that were used last, the latest at the end. Nothing is read while it is locked.
static OPEN: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn all_open() -> MutexGuard<'static, Vec<Entry>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp_of(place: &PlanPlace) -> Option<SystemTime> {
    match place {
        PlanPlace::Folder(folder) => std::fs::metadata(folder.join(PLAN)).ok()?.modified().ok(),
        PlanPlace::Address(_) => None,
    }
}

impl OpenLand {
    /// The land of a place, which stays open.
    ///
    /// # Errors
    /// When the plan cannot be read.
    pub(super) fn find(place: &PlanPlace) -> Result<Arc<Self>> {
        let stamp = stamp_of(place);
        let known = || {
            let mut open = all_open();
            let index = open.iter().position(|entry| entry.place == *place && entry.stamp == stamp)?;
            let entry = open.remove(index);
            let land = entry.land.clone();
            open.push(entry);
            Some(land)
        };
        match known() {
            Some(land) => Ok(land),
            None => Self::again(place),
        }
    }

    /// As [`find`](Self::find), but what is known of it is read again: tiles may have been made since.
    ///
    /// # Errors
    /// When the plan cannot be read.
    pub(super) fn again(place: &PlanPlace) -> Result<Arc<Self>> {
        let stamp = stamp_of(place);
        let store = match place {
            PlanPlace::Folder(folder) => Store::folder(folder),
            PlanPlace::Address(address) => Store::open(address)?,
        };
        let land = Arc::new(Self::of(store)?);
        keep(place, stamp, &land);
        Ok(land)
    }

    /// The land of the plan in a store.
    ///
    /// # Errors
    /// When the plan cannot be read.
    pub(super) fn of(store: Store) -> Result<Self> {
        let plan = Plan::read(&store)?;
        let settings = disk_cache();
        let is_kept = store.as_folder().is_none() && settings.most_bytes > 0;
        let store = if is_kept {
            store.cached(DiskCache::new(settings.folder, &plan.hash, settings.most_bytes))
        } else {
            store
        };
        let store = Arc::new(store);
        let worker = Worker::open(store.clone(), plan.clone(), false, &Work::new())?;
        let (domain, level) = (worker.recipe().domain()?, plan.land.level);
        let is_exact = coarser_levels_are_samples(worker.recipe(), level);
        let tiles = Tiles::new(&store);
        Ok(Self { plan, domain, tiles, is_exact, worker, memory: OnceLock::new() })
    }

    /// The plan's recipe, whose files are in place.
    pub(super) fn recipe(&self) -> &Recipe {
        self.worker.recipe()
    }

    /// The coarsest level above the plan's at which tiles are read.
    pub(super) fn coarsest(&self) -> i32 {
        // As many overviews as bring a tile to the side of a block.
        let blocks = self.plan.tile.div_ceil(512);
        blocks.next_power_of_two().trailing_zeros() as i32 + BEYOND_OVERVIEWS
    }

    /// What windows of the recipe's land are made with: it knows the plan's base, if they need it.
    ///
    /// # Errors
    /// When the base isn't there and the land is too large to be made without it.
    pub(super) fn cache(&self, layers: &[&str]) -> Result<Cache> {
        let recipe = self.recipe();
        let needs = recipe.stored_needs(layers, self.plan.base_level())?;
        if needs.is_empty() {
            return Ok(self.worker.own_cache().clone());
        }
        let own = self.worker.layers();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let stored = recipe.stored_needs(&own, self.plan.base_level())?;
        let is_stored = needs.iter().all(|need| {
            stored.iter().any(|other| {
                let has_beds = other.river_beds || !need.river_beds;
                other.groups == need.groups && need.fields.is_subset(&other.fields) && has_beds
            })
        });
        let has_base = self.plan.pass(PassKind::Base).is_some();
        if is_stored && has_base && self.worker.has_base()? {
            return self.worker.cache_for_windows().cloned();
        }
        let (width, depth) = recipe.size;
        if u64::from(width) * u64::from(depth) <= SMALL {
            return Ok(self.memory.get_or_init(|| Cache::new(MEMORY)).clone());
        }
        let remedy = if is_stored && has_base {
            let place = self.worker.store().in_shell();
            format!("is not there yet; make it: upland work --plan {place} --pass base")
        } else {
            format!("does not have what this land reads; plan again with {}", options_of(layers))
        };
        let reason = format!(
            "{remedy} (a step must know all of the land, whose {width}×{depth} samples are too many to \
                              be made on the spot)"
        );
        Err(self.worker.store().error(BASE, reason))
    }
}

/// The options by which a plan has layers.
fn options_of(layers: &[&str]) -> String {
    layers.iter().map(|layer| format!("--layer {layer}")).collect::<Vec<_>>().join(" ")
}

/// Keeps a land open.
pub(super) fn keep(place: &PlanPlace, stamp: Option<SystemTime>, land: &Arc<OpenLand>) {
    let mut dropped = Vec::new();
    let mut open = all_open();
    while let Some(index) = open.iter().position(|entry| entry.place == *place) {
        dropped.push(open.remove(index));
    }
    open.push(Entry { place: place.clone(), stamp, land: land.clone() });
    if open.len() > MOST_OPEN {
        dropped.push(open.remove(0));
    }
    // Freeing much memory takes a while: not under the lock.
    drop(open);
    drop(dropped);
}
