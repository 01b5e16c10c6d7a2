//! Cellular noise (Worley, "A Cellular Texture Basis Function", 1996): distance to the nearest of
//! scattered points.

use super::hash;

/// Distance to the nearest of one random point per lattice cell, scaled so that 0 becomes −1 and a cell's
/// side 1, and clamped there.
pub(super) fn cellular(seed: u64, x: f64, z: f64) -> f32 {
    let (cell_x, cell_z) = (x.floor(), z.floor());
    let mut nearest = f64::INFINITY;
    for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
        let bits = hash(seed, cell_x as i64 + dx, cell_z as i64 + dz);
        let jitter = |bits: u32| f64::from(bits) / f64::from(u32::MAX);
        let to_x = cell_x + dx as f64 + jitter(bits as u32) - x;
        let to_z = cell_z + dz as f64 + jitter((bits >> 32) as u32) - z;
        nearest = nearest.min(to_x * to_x + to_z * to_z);
    }
    (2.0 * nearest.sqrt() - 1.0).min(1.0) as f32
}
