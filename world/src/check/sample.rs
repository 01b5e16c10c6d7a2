//! Which tiles are made again to compare them: a share of all, chosen by a hash, so that it is the same on
//! every machine and in every run.

use sha2::{Digest, Sha256};

use crate::plan::{Pass, Plan};

/// The tiles of a pass that are in a sample of this share, in [0, 1]; at least one, if the share is above 0.
pub(super) fn sample_of(plan: &Plan, pass: &Pass, share: f64) -> Vec<u32> {
    let count = pass.tiles[0].saturating_mul(pass.tiles[1]);
    if share >= 1.0 {
        return (0..count).collect();
    }
    let chosen: Vec<u32> = (0..count).filter(|&tile| place_of(plan, pass, tile) < share).collect();
    if chosen.is_empty() && share > 0.0 {
        let least = (0..count).min_by(|&a, &b| place_of(plan, pass, a).total_cmp(&place_of(plan, pass, b)));
        return least.into_iter().collect();
    }
    chosen
}

/// A number in [0, 1) that follows from the plan, the pass and the tile.
fn place_of(plan: &Plan, pass: &Pass, tile: u32) -> f64 {
    let mut hash = Sha256::new();
    hash.update(plan.hash.as_bytes());
    hash.update(pass.kind.name().as_bytes());
    hash.update(tile.to_le_bytes());
    let bytes = hash.finalize();
    // 32 bits are exact in f64.
    let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    f64::from(number) / 4_294_967_296.0
}
