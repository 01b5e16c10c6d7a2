//! Patches in which objects gather: value noise, divided into patches and the ground between.

use crate::math::smoothstep::smoothstep;
use crate::noise::{hash, signed_unit};

/// The edge of a patch lies between these values of the noise, from −1 to 1.
const EDGE: (f32, f32) = (-0.12, 0.12);

/// The share of the noise's finer half.
const FINER: f32 = 0.4;

/// How far a place lies inside a patch: 0 between patches, 1 within one. `width` is that of patches, metres.
pub(super) fn at(seed: u64, width: f32, x: f64, z: f64) -> f32 {
    let (x, z) = (x / f64::from(width), z / f64::from(width));
    // 2.7 and not a whole number, so that the finer lattice never lies on the coarser one.
    let noise = value(seed, x, z) + FINER * value(!seed, 2.7 * x, 2.7 * z);
    smoothstep((noise / (1.0 + FINER) - EDGE.0) / (EDGE.1 - EDGE.0))
}

/// Value noise in [−1, 1].
fn value(seed: u64, x: f64, z: f64) -> f32 {
    let (column, row) = (x.floor(), z.floor());
    let fade = |share: f64| {
        let share = share as f32;
        share * share * (3.0 - 2.0 * share)
    };
    let (east, south) = (fade(x - column), fade(z - row));
    let (column, row) = (column as i64, row as i64);
    let node = |columns: i64, rows: i64| {
        signed_unit(hash(seed, column.wrapping_add(columns), row.wrapping_add(rows)))
    };
    let between = |from: f32, to: f32, share: f32| from + (to - from) * share;
    between(between(node(0, 0), node(1, 0), east), between(node(0, 1), node(1, 1), east), south)
}
