//! Random bits as a pure function of seed and place.
//!
//! The hash that upland's noise had when the tiles were made. This is a copy, so that the tiles stay the same
//! when the noise of landscapes changes.

/// Spreads the bits of a number over all 64, reversibly.
fn mix(mut bits: u64) -> u64 {
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    bits ^ (bits >> 32)
}

/// A seed of its own for stream number `stream` of `seed`.
pub(super) fn stream(seed: u64, stream: u64) -> u64 {
    mix(mix(seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_add(stream.wrapping_mul(0xA076_1D64_78BD_642F)))
}

/// 64 random bits of a lattice point.
pub(super) fn hash(seed: u64, x: i64, z: i64) -> u64 {
    hash_along(hash_of_column(seed, x), z)
}

/// The half of [`hash`] that all points of a lattice column share.
pub(super) fn hash_of_column(seed: u64, x: i64) -> u64 {
    mix(seed ^ (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The half of [`hash`] that is left when the column's is known.
pub(super) fn hash_along(column: u64, z: i64) -> u64 {
    mix(column ^ (z as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F))
}

/// A number in [−1, 1) from random bits: the highest 24, so that every value is exact.
pub(super) fn signed_unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}
