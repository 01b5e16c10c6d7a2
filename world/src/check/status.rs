//! What is done of a plan, what is missing and what is damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;
use upland_core::{Result, Work};

use super::head::{TileHead, head_bytes};
use crate::base::{BASE, BaseList, FOLDER};
use crate::outputs::Output;
use crate::plan::{Pass, PassKind, Plan};
use crate::store::{Beginning, Store};
use crate::worker::Worker;

/// For more tiles than this, a list says which objects are there before any is asked for.
const LISTED: usize = 256;

/// Heads that are in memory at the same time.
const AT_ONCE: usize = 4096;

/// What is there of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The hash of the plan.
    pub plan: String,
    /// Its passes, in their order.
    pub passes: Vec<PassStatus>,
}

/// What is there of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassStatus {
    /// The pass.
    pub pass: PassKind,
    /// How many tiles were looked for: all that have an object. One that ends the land with a single column or
    /// row of samples has no colours.
    pub tiles: u32,
    /// How many of them are done.
    pub done: u32,
    /// The numbers of those of which an object is missing, but none is damaged.
    pub missing: Vec<u32>,
    /// Objects that are there and not right.
    pub damaged: Vec<Damage>,
    /// Bytes of all objects that are there.
    pub bytes: u64,
}

/// An object that is not right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The number of its tile.
    pub tile: u32,
    /// Its name.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Status {
    /// Whether all of it is there and right.
    pub fn is_complete(&self) -> bool {
        self.passes.iter().all(PassStatus::is_complete)
    }
}

impl PassStatus {
    /// Whether all of it is there and right.
    pub fn is_complete(&self) -> bool {
        self.done == self.tiles
    }

    /// The numbers of the tiles to be made: those that are missing and those that are damaged.
    pub fn to_make(&self) -> Vec<u32> {
        let damaged = self.damaged.iter().map(|damage| damage.tile);
        let all: BTreeSet<u32> = self.missing.iter().copied().chain(damaged).collect();
        all.into_iter().collect()
    }
}

/// What is there of a plan: of these passes, and of passes in tiles of the tiles with these numbers. Heads
/// are read and no whole objects, so that changed bytes within an object are not found;
/// [`verify`](super::verify) finds them.
///
/// # Errors
/// When the store fails.
pub fn status(worker: &Worker, passes: &[PassKind], tiles: Range<u32>, work: &Work) -> Result<Status> {
    let plan = worker.plan();
    let chosen: Vec<&Pass> = plan.passes.iter().filter(|pass| passes.contains(&pass.kind)).collect();
    let mut found = Vec::new();
    for (number, pass) in chosen.iter().enumerate() {
        let work = work.part(number as f32 / chosen.len() as f32, (number + 1) as f32 / chosen.len() as f32);
        found.push(match pass.kind {
            PassKind::Base => of_base(worker)?,
            PassKind::Heights | PassKind::Colours => {
                of_tiles(plan, pass, tiles.clone(), worker.store(), &work)?
            }
            PassKind::Index => of_index(worker, &work)?,
        });
    }
    Ok(Status { plan: plan.hash.clone(), passes: found })
}

fn single(pass: PassKind) -> PassStatus {
    PassStatus { pass, tiles: 1, done: 0, missing: Vec::new(), damaged: Vec::new(), bytes: 0 }
}

fn of_base(worker: &Worker) -> Result<PassStatus> {
    let (plan, store) = (worker.plan(), worker.store());
    let mut status = single(PassKind::Base);
    let layers = worker.layers();
    let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
    let list = match BaseList::read(plan, worker.recipe(), &layers, store) {
        Ok(Some(list)) => list,
        Ok(None) => {
            status.missing.push(0);
            return Ok(status);
        }
        Err(error) => {
            status.damaged.push(Damage { tile: 0, key: BASE.into(), reason: error.to_string() });
            return Ok(status);
        }
    };
    let there: BTreeMap<String, u64> =
        store.list(FOLDER)?.into_iter().map(|object| (object.key, object.bytes)).collect();
    for (key, bytes) in list.objects() {
        match there.get(&key) {
            Some(length) if *length == bytes => status.bytes += bytes,
            Some(length) => {
                let reason = format!("has {length} bytes instead of {bytes}");
                status.damaged.push(Damage { tile: 0, key, reason });
            }
            None => status.damaged.push(Damage { tile: 0, key, reason: "is missing".into() }),
        }
    }
    status.done = u32::from(status.damaged.is_empty());
    Ok(status)
}

fn of_index(worker: &Worker, work: &Work) -> Result<PassStatus> {
    let mut status = single(PassKind::Index);
    let lists = worker.make(PassKind::Index, 0, work)?;
    let mut is_missing = false;
    for list in lists {
        let length = list.bytes.len() as u64;
        match worker.store().get(&list.key, 2 * length)? {
            None => is_missing = true,
            Some(bytes) if bytes == list.bytes => status.bytes += length,
            Some(_) => {
                let reason =
                    "has been changed since it was written, as by GDAL and QGIS, which add statistics".into();
                status.damaged.push(Damage { tile: 0, key: list.key, reason });
            }
        }
    }
    if status.damaged.is_empty() {
        status.missing.extend(is_missing.then_some(0));
        status.done = u32::from(!is_missing);
    }
    Ok(status)
}

/// An object that a tile should have.
struct Expected<'a> {
    tile: u32,
    key: String,
    size: [u32; 2],
    output: &'a Output,
}

fn of_tiles(plan: &Plan, pass: &Pass, tiles: Range<u32>, store: &Store, work: &Work) -> Result<PassStatus> {
    let tiles = tiles.start.min(plan.tile_count())..tiles.end.min(plan.tile_count());
    let mut status = PassStatus { tiles: 0, ..single(pass.kind) };
    let mut expected = Vec::new();
    for tile in tiles.clone().filter_map(|number| plan.tile_at(number)) {
        let before = expected.len();
        for (output, key) in plan.keys_of(pass, tile) {
            let size = plan.size_in(output, &tile).unwrap_or([0, 0]);
            expected.push(Expected { tile: tile.number, key, size, output });
        }
        status.tiles += u32::from(expected.len() > before);
    }
    let mut missing = BTreeSet::new();
    if expected.len() > LISTED {
        let mut there = BTreeSet::new();
        for output in &pass.outputs {
            there.extend(store.list(&output.folder())?.into_iter().map(|object| object.key));
        }
        let (found, lost) = expected.into_iter().partition(|object: &Expected| there.contains(&object.key));
        expected = found;
        missing.extend(lost.iter().map(|object| object.tile));
    }
    let bytes = head_bytes(plan.tile);
    work.stage("read heads", expected.len());
    for some in expected.chunks(AT_ONCE) {
        work.check()?;
        let keys: Vec<&str> = some.iter().map(|object| object.key.as_str()).collect();
        for (object, found) in some.iter().zip(store.beginnings(&keys, bytes)?) {
            let Some(found) = found else {
                missing.insert(object.tile);
                continue;
            };
            match wrong(plan, object, &found) {
                None => status.bytes += found.size,
                Some(reason) => {
                    status.damaged.push(Damage { tile: object.tile, key: object.key.clone(), reason });
                }
            }
        }
        work.advance(some.len());
    }
    let damaged: BTreeSet<u32> = status.damaged.iter().map(|damage| damage.tile).collect();
    status.missing = missing.difference(&damaged).copied().collect();
    status.done = status.tiles - (status.missing.len() + damaged.len()) as u32;
    Ok(status)
}

/// What is wrong with an object, if anything is.
fn wrong(plan: &Plan, expected: &Expected, found: &Beginning) -> Option<String> {
    let head = match TileHead::read(&found.bytes) {
        Ok(head) => head,
        Err(reason) => return Some(format!("is not a tile: {reason}")),
    };
    let [width, depth] = expected.size;
    if !head.metadata.contains(&plan.hash) {
        return Some("was made by another plan".into());
    }
    if head.size != expected.size.map(u64::from) {
        let [columns, rows] = head.size;
        return Some(format!("has {columns} × {rows} values instead of {width} × {depth}"));
    }
    if head.length != found.size {
        let (size, length) = (found.size, head.length);
        let folder = expected.output.folder();
        return Some(format!("has {size} bytes, of {length} that belong to it ({folder})"));
    }
    None
}
