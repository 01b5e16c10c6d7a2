//! Makes tiles again and compares them with what is there, bit for bit.

use std::collections::BTreeSet;

use serde::Serialize;
use upland_core::{Result, Work};

use super::sample::sample_of;
use super::status::{Damage, status};
use crate::plan::PassKind;
use crate::worker::{Made, Worker};

/// What was found by comparing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Tiles that were made again and compared.
    pub compared: u32,
    /// Objects that are not right, of these and of all whose head was read.
    pub damaged: Vec<Damage>,
    /// Tiles that are not there at all.
    pub missing: u32,
    /// Objects that were written again.
    pub repaired: u32,
}

impl Verification {
    /// Whether nothing is wrong any more.
    pub fn is_right(&self) -> bool {
        self.repaired as usize >= self.damaged.len()
    }
}

/// Reads the heads of all tiles, and makes a share of them again, in [0, 1], to compare all of their bytes.
/// The choice follows from the plan. With `repair`, objects that are not right are written again.
///
/// # Errors
/// Those of the steps and of the store.
pub fn verify(worker: &Worker, share: f64, repair: bool, work: &Work) -> Result<Verification> {
    let plan = worker.plan();
    let (heads, rest) = (work.part(0.0, 0.1), work.part(0.1, 1.0));
    let tiled: Vec<PassKind> =
        plan.passes.iter().map(|pass| pass.kind).filter(|kind| kind.is_tiled()).collect();
    let there = status(worker, &tiled, 0..plan.tile_count(), &heads)?;
    let mut found = Verification::default();
    let mut todo: Vec<(PassKind, u32)> = Vec::new();
    for (pass, status) in plan.passes.iter().filter(|pass| pass.kind.is_tiled()).zip(&there.passes) {
        found.missing += status.missing.len() as u32;
        found.damaged.extend(status.damaged.iter().cloned());
        let missing: BTreeSet<u32> = status.missing.iter().copied().collect();
        let damaged: BTreeSet<u32> = status.damaged.iter().map(|damage| damage.tile).collect();
        let sample = sample_of(plan, pass, share).into_iter().filter(|tile| !missing.contains(tile));
        let mut tiles: BTreeSet<u32> = sample.collect();
        if repair {
            tiles.extend(&damaged);
        }
        todo.extend(tiles.into_iter().map(|tile| (pass.kind, tile)));
    }
    for (index, &(kind, tile)) in todo.iter().enumerate() {
        let work = rest.part(index as f32 / todo.len() as f32, (index + 1) as f32 / todo.len() as f32);
        for Made { key, bytes } in worker.make(kind, tile, &work)? {
            let there = worker.store().get(&key, 2 * bytes.len() as u64 + (1 << 20));
            // An object that is far too long is not right either.
            let is_equal = matches!(&there, Ok(Some(there)) if *there == bytes);
            if is_equal {
                continue;
            }
            if !found.damaged.iter().any(|damage| damage.key == key) {
                let reason = match there {
                    Ok(Some(_)) => "differs from what the plan makes".to_owned(),
                    Ok(None) => "is missing".to_owned(),
                    Err(error) => error.to_string(),
                };
                found.damaged.push(Damage { tile, key: key.clone(), reason });
            }
            if repair {
                worker.store().put(&key, bytes)?;
                found.repaired += 1;
            }
        }
        found.compared += 1;
    }
    Ok(found)
}
