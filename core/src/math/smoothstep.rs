//! Smooth transitions from 0 to 1.

/// 3t² − 2t³: from 0 at `t` ≤ 0 to 1 at `t` ≥ 1, with slope 0 at both ends.
#[inline(always)]
pub(crate) fn smoothstep(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Perlin's quintic ("Improving Noise", 2002): like [`smoothstep`], and its second derivative also vanishes
/// at 0 and 1. `t` must lie in [0, 1].
#[inline(always)]
pub(crate) fn smootherstep(t: f32) -> f32 {
    // 6t⁵ − 15t⁴ + 10t³ in Horner's form. Not clamped, because lattice positions already lie in [0, 1).
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_rise_evenly_and_are_level_at_their_ends() {
        for step in [smoothstep, smootherstep] {
            assert_eq!([0.0, 0.5, 1.0].map(step), [0.0, 0.5, 1.0]);
            let heights: Vec<f32> = (0..=100).map(|index| step(index as f32 / 100.0)).collect();
            assert!(heights.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(heights[1] < 1e-3 && heights[99] > 1.0 - 1e-3);
        }
        assert_eq!([-2.0, 7.0].map(smoothstep), [0.0, 1.0]);
    }
}
