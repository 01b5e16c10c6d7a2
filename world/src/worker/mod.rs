//! Making a tile of a pass: a function of the plan, the pass and the tile alone, so that any worker makes the
//! same bits.
//!
//! A tile is made in blocks, which bounds the memory: windows of a land have the same bits however it is cut.

mod colours;
mod heights;
mod index;
mod land;
mod pack;

use std::sync::{Arc, OnceLock};

use upland_core::elevation::raster::MapPlace;
use upland_core::{Cache, Error, Recipe, Result, Work};

use crate::base::{self, BASE, BaseList};
use crate::outputs::Output;
use crate::plan::{Pass, PassKind, Plan, Tile, layers_of};
use crate::store::Store;
pub(crate) use heights::blocks_of;
pub use land::Made;
use land::PlannedLand;

/// Bytes of what neighbouring blocks share, such as measured surroundings.
const CACHE_BYTES: u64 = 192 << 20;

/// Makes tiles of a plan.
pub struct Worker {
    store: Arc<Store>,
    land: PlannedLand,
    /// Whether windows read the base.
    base: OnceLock<()>,
}

impl Worker {
    /// Opens a plan for work. With `checked` the bytes of its files are trusted, because another process has
    /// compared them.
    ///
    /// # Errors
    /// When a file of the plan is missing or has changed.
    pub fn open(store: Arc<Store>, plan: Plan, checked: bool, work: &Work) -> Result<Self> {
        let recipe = plan.open_recipe(&store, checked)?;
        let place = plan.place(&recipe, work)?;
        let cache = Cache::new(CACHE_BYTES);
        Ok(Self { store, land: PlannedLand { plan, recipe, cache, place }, base: OnceLock::new() })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.land.plan
    }

    /// The place of the plan's objects.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The recipe, whose files are in place.
    pub fn recipe(&self) -> &Recipe {
        &self.land.recipe
    }

    /// The cache with which windows of the [recipe](Self::recipe)'s land, at any level, are made from the
    /// base and have the bits of the tiles: for programs that show land whose tiles don't exist yet.
    ///
    /// # Errors
    /// When the base is needed and missing or damaged, and when the store fails.
    pub fn cache_for_windows(&self) -> Result<&Cache> {
        self.need_base()?;
        Ok(&self.land.cache)
    }

    /// The place of a tile of samples on the map, and the metadata of its object.
    pub(crate) fn label_of(&self, output: &Output, tile: &Tile) -> (MapPlace, Vec<(String, String)>) {
        (self.land.place_of(tile.samples), pack::metadata_of(tile, &self.land.plan, output, &[]))
    }

    /// The cache of its windows, whether or not it knows the base.
    pub(crate) fn own_cache(&self) -> &Cache {
        &self.land.cache
    }

    /// Whether the base is there, if the plan has one.
    ///
    /// # Errors
    /// When the store cannot be read, and when it is damaged.
    pub(crate) fn has_base(&self) -> Result<bool> {
        if self.base.get().is_some() || self.land.plan.pass(PassKind::Base).is_none() {
            return Ok(true);
        }
        Ok(self.store.get_range(BASE, 0, 1)?.is_some())
    }

    /// The objects of a tile, in memory.
    ///
    /// # Errors
    /// When there is no such tile, the base is needed and missing, and those of the steps.
    pub fn make(&self, kind: PassKind, number: u32, work: &Work) -> Result<Vec<Made>> {
        let pass = self.pass(kind)?;
        let tile = self.tile(number)?;
        match kind {
            PassKind::Heights => {
                self.need_base()?;
                heights::make(&self.land, pass, tile, work)
            }
            PassKind::Colours => {
                self.need_base()?;
                colours::make(&self.land, pass, tile, work)
            }
            PassKind::Index => index::make(&self.land, pass),
            PassKind::Base => {
                let reason = "is written piece by piece, and is never in memory as objects";
                Err(Error::parameter("pass", reason))
            }
        }
    }

    /// Makes a tile and writes its objects. Returns their bytes.
    ///
    /// # Errors
    /// As [`make`](Self::make), and those of the store.
    pub fn run(&self, kind: PassKind, number: u32, work: &Work) -> Result<u64> {
        if kind == PassKind::Base {
            self.pass(kind)?;
            let layers = self.layers();
            let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
            return base::make(&self.land.plan, &self.land.recipe, &layers, &self.store, work);
        }
        let mut written = 0;
        for Made { key, bytes } in self.make(kind, number, work)? {
            written += bytes.len() as u64;
            self.store.put(&key, bytes)?;
        }
        Ok(written)
    }

    fn pass(&self, kind: PassKind) -> Result<&Pass> {
        self.land.plan.pass(kind).ok_or_else(|| {
            let names: Vec<&str> = self.land.plan.passes.iter().map(|pass| pass.kind.name()).collect();
            let reason = format!("this plan has no pass `{}`; it has {}", kind.name(), names.join(", "));
            Error::parameter("pass", reason)
        })
    }

    fn tile(&self, number: u32) -> Result<Tile> {
        self.land.plan.tile_at(number).ok_or_else(|| {
            let reason = format!(
                "there is no tile {number}; this plan has tiles 0 to {}",
                self.land.plan.tile_count() - 1
            );
            Error::parameter("tiles", reason)
        })
    }

    /// The layers that its tiles need of the ground.
    pub(crate) fn layers(&self) -> Vec<String> {
        let outputs: Vec<_> =
            self.land.plan.passes.iter().flat_map(|pass| pass.outputs.iter().cloned()).collect();
        layers_of(&self.land.recipe, &outputs)
    }

    /// Makes windows read the base, if the plan has one.
    fn need_base(&self) -> Result<()> {
        if self.base.get().is_some() || self.land.plan.pass(PassKind::Base).is_none() {
            return Ok(());
        }
        let layers = self.layers();
        let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
        let Some(list) = BaseList::read(&self.land.plan, &self.land.recipe, &layers, &self.store)? else {
            let reason = format!(
                "is not there yet; make it first: upland work --plan {} --pass base",
                self.store.in_shell()
            );
            return Err(self.store.error(BASE, reason));
        };
        self.land.recipe.read_stored(&layers, base::grounds_of(list, &self.store), &self.land.cache)?;
        _ = self.base.set(());
        Ok(())
    }
}
