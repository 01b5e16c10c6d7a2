//! A rough line by midpoint displacement, from which `midpoint.rs` makes land and `wander.rs` the banks of
//! rivers.

use crate::noise::{hash, signed_unit};

/// The most levels of a line.
pub const MAX_LEVELS: u32 = 20;

/// A line of 2^levels + 1 heights from `ends[0]` to `ends[1]`. The first midpoint is displaced by up to
/// `displacement`, up or down; each level by 2^(−hurst) times as much as the one before. `levels` is
/// limited to [`MAX_LEVELS`]. With the same seed, one level less gives every second height of the same
/// line.
///
/// ```
/// # use upland_core as upland;
/// use upland::generate::profile;
/// assert_eq!(profile(2, 0.0, 1.0, [0.0, 8.0], 7), [0.0, 2.0, 4.0, 6.0, 8.0]);
/// ```
pub fn profile(levels: u32, displacement: f32, hurst: f32, ends: [f32; 2], seed: u64) -> Vec<f32> {
    let segments = 1usize << levels.min(MAX_LEVELS);
    let mut heights = vec![0.0; segments + 1];
    (heights[0], heights[segments]) = (ends[0], ends[1]);
    let (mut step, mut range, mut level) = (segments, displacement, 0);
    while step > 1 {
        let half = step / 2;
        // Level by level, so that both neighbours of a midpoint have their heights before it.
        for middle in (half..segments).step_by(step) {
            let mean = (heights[middle - half] + heights[middle + half]) / 2.0;
            // Hashed by place and level, not drawn in order: more levels leave the coarser ones as they are.
            let random = signed_unit(hash(seed, (middle / step) as i64, level));
            heights[middle] = mean + range * random;
        }
        range *= libm::exp2f(-hurst);
        step = half;
        level += 1;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With ends at 0 the middle is uniform in (−d, d): its variance is d²/3. A quarter of the way
    /// along, half of that middle's displacement is left: d²/12 + (d·2^(−H))²/3.
    #[test]
    fn the_first_middles_have_the_variance_of_their_displacements() {
        let (runs, hurst) = (20_000, 0.5);
        let variance = |index: usize| {
            let square = |seed| f64::from(profile(2, 1.0, hurst, [0.0; 2], seed)[index]).powi(2);
            (0..runs).map(square).sum::<f64>() / runs as f64
        };
        // The standard error of a variance from 20 000 runs is about 1 %.
        assert!((variance(2) * 3.0 - 1.0).abs() < 0.04);
        let quarter = 1.0 / 12.0 + f64::from(libm::exp2f(-2.0 * hurst)) / 3.0;
        assert!((variance(1) / quarter - 1.0).abs() < 0.04);
    }

    #[test]
    fn a_coarser_line_is_every_second_height_of_the_finer() {
        let (coarse, fine) = (profile(5, 10.0, 0.8, [1.0, -2.0], 3), profile(6, 10.0, 0.8, [1.0, -2.0], 3));
        assert!(coarse.iter().eq(fine.iter().step_by(2)));
    }
}
