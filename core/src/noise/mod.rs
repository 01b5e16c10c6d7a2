//! Noise as a pure function of position and seed: integer hashes of lattice points, and octaves evaluated
//! over the blocks of a grid.

mod cellular;
mod lattice;
mod octave;
mod samples;

pub use lattice::GRADIENTS;
pub(crate) use lattice::NodeRows;
pub(crate) use octave::Octave;
pub(crate) use samples::{BAND, STRETCH, Samples, stretch_length, stretches};

use crate::params::choice;

/// A reversible hash: spreads the bits of a number over all 64.
#[inline(always)]
pub(crate) fn mix(mut bits: u64) -> u64 {
    // The multiplier and the shifts are those of degski's 64-bit mixer. Every operation is reversible, so
    // different numbers have different hashes.
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    bits ^ (bits >> 32)
}

/// An independent seed for stream number `stream` of `seed`.
pub(crate) fn stream(seed: u64, stream: u64) -> u64 {
    // 2⁶⁴ / φ keeps seed 0 from being a fixed point of the hash, and an odd multiplier (from
    // wyhash) spreads small stream numbers over all bits.
    mix(mix(seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_add(stream.wrapping_mul(0xA076_1D64_78BD_642F)))
}

/// 64 random bits of a lattice point.
pub(crate) fn hash(seed: u64, x: i64, z: i64) -> u64 {
    hash_along(hash_of_column(seed, x), z)
}

/// The half of [`hash`] that all points of a lattice column share.
pub(crate) fn hash_of_column(seed: u64, x: i64) -> u64 {
    // An odd multiplier is reversible, so no two coordinates collide before they are mixed: here
    // 2⁶⁴ / φ, a prime of xxHash for rows.
    mix(seed ^ (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The other half: [`hash`] from [`hash_of_column`].
#[inline(always)]
pub(crate) fn hash_along(column: u64, z: i64) -> u64 {
    mix(column ^ (z as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F))
}

/// A number in [−1, 1) from random bits: the highest 24 of them, so that every value is exact.
#[inline(always)]
pub(crate) fn signed_unit(bits: u64) -> f32 {
    // By way of i32, for which wide registers have an instruction.
    (bits >> 40) as i32 as f32 / (1u64 << 23) as f32 - 1.0
}

choice! {
    /// The basis function that the fractals sum. All of them stay within [−1, 1].
    pub enum Basis {
        /// Perlin's gradient noise: rounded hills, zero at the lattice points.
        Gradient = "gradient",
        /// Value noise, random heights at lattice points: blockier.
        Value = "value",
        /// Gustavson's simplex noise: less aligned with the axes.
        Simplex = "simplex",
        /// Worley's cellular noise: distance to the nearest of scattered points.
        Cellular = "cellular",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    /// One octave over a grid, computed `band` rows at a time.
    fn whole(octave: &Octave, grid: Grid, band: usize) -> Vec<f32> {
        let (mut heights, mut lines) = (vec![0.0; grid.count()], NodeRows::default());
        for (index, heights) in heights.chunks_mut(grid.width * band).enumerate() {
            let rows = index * band..index * band + heights.len() / grid.width;
            for stretch in stretches(grid) {
                let mut samples = Samples::new(0.0, 0.0);
                octave.combine(&stretch, rows.clone(), &mut lines, &mut samples, |noise, _, _| (noise, 0.0));
                for (row, noise) in heights.chunks_mut(grid.width).zip(&samples.values) {
                    row[stretch.clone()].copy_from_slice(&noise[..stretch.len()]);
                }
            }
        }
        heights
    }

    fn octave(basis: Basis, frequency: f64, side: usize) -> Vec<f32> {
        let grid = Grid::new(side, side, 1.0).unwrap();
        whole(&Octave::new(basis, 7, frequency, grid.into()), grid, BAND)
    }

    #[test]
    fn every_basis_stays_within_one_and_uses_most_of_it() {
        for basis in [Basis::Gradient, Basis::Value, Basis::Simplex, Basis::Cellular] {
            let heights = octave(basis, 61.3, 512);
            let low = heights.iter().copied().fold(f32::INFINITY, f32::min);
            let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!(low >= -1.0 && high <= 1.0, "{basis:?}: {low} to {high}");
            assert!(low < -0.7 && high > 0.4, "{basis:?}: {low} to {high}");
        }
    }

    #[test]
    fn a_point_has_one_height_at_every_resolution() {
        for basis in [Basis::Gradient, Basis::Value, Basis::Simplex, Basis::Cellular] {
            let (small, large) = (octave(basis, 9.7, 65), octave(basis, 9.7, 129));
            for row in 0..65 {
                for column in 0..65 {
                    assert_eq!(small[row * 65 + column], large[2 * row * 129 + 2 * column]);
                }
            }
        }
    }

    #[test]
    fn a_height_does_not_depend_on_the_rows_it_is_made_with() {
        let grid = Grid::new(40, 40, 1.0).unwrap();
        for (basis, frequency) in [(Basis::Gradient, 3.0), (Basis::Value, 13.0), (Basis::Gradient, 900.0)] {
            let octave = Octave::new(basis, 3, frequency, grid.into());
            assert_eq!(whole(&octave, grid, 1), whole(&octave, grid, 7));
            assert_eq!(whole(&octave, grid, 1), whole(&octave, grid, BAND));
        }
    }

    #[test]
    fn noise_far_finer_than_the_grid_is_made_without_its_lattice() {
        let heights = octave(Basis::Gradient, 1e16, 64);
        assert!(heights.iter().all(|height| (-1.0..=1.0).contains(height)));
        assert_ne!(octave(Basis::Gradient, 1e5, 64), vec![0.0; 64 * 64]);
    }

    #[test]
    fn gradient_noise_has_no_steps() {
        let side = 2048;
        let heights = octave(Basis::Gradient, 8.0, side);
        let steepest = heights
            .chunks(side)
            .flat_map(|row| row.windows(2).map(|pair| (pair[1] - pair[0]).abs()))
            .fold(0.0, f32::max);
        assert!(steepest < 0.02, "{steepest}");
    }
}
